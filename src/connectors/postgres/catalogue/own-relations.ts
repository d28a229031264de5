import { OWN_SCHEMA, OWN_TABLES, WITNESSES } from '../../own-tables.ts';
import type { Link } from '../wire/link.ts';
import { quoteText } from './names.ts';

const [first = '', ...others] = Object.keys(WITNESSES);
const hasColumn = (relation: string, table: string): string =>
  `exists (select from pg_catalog.pg_attribute a where a.attrelid = ${relation}.oid and a.attname = ${quoteText(WITNESSES[table] ?? '')} and not a.attisdropped)`;

/** The schemas that hold the tables of an installation. */
const HOMES = `select w.relnamespace as oid from pg_catalog.pg_class w where w.relname = ${quoteText(first)} and ${hasColumn('w', first)}${others
  .map(
    (table) =>
      ` and exists (select from pg_catalog.pg_class o where o.relnamespace = w.relnamespace and o.relname = ${quoteText(table)} and ${hasColumn('o', table)})`,
  )
  .join('')}`;

/** Whether the database may hold an installation, or its jobs. Nearly none does, and then a look into two indexes is all that it costs. */
export const MAY_HOLD_OURS = `(exists (select from pg_catalog.pg_class where relname = ${quoteText(first)}) or exists (select from pg_catalog.pg_namespace where nspname = '${OWN_SCHEMA}'))`;

const KINDS = `c.relkind in ('r', 'p', 'f', 'v', 'm')`;
const BASE = `
  select c.oid::text from (${HOMES}) home join pg_catalog.pg_class c on c.relnamespace = home.oid
    where ${KINDS} and c.relname in (${OWN_TABLES.map(quoteText).join(', ')})
  union select c.oid::text from pg_catalog.pg_namespace n join pg_catalog.pg_class c on c.relnamespace = n.oid
    where ${KINDS} and n.nspname = '${OWN_SCHEMA}'`;

/** What leads to one of these: a view or rule that uses it, a table that is a part of it or has it as a part. */
const NEIGHBOURS = `
  with known as (select oid::oid from json_array_elements_text($1::json) oid)
  select r.ev_class::text as oid from known k
    join pg_catalog.pg_depend d on d.refclassid = 'pg_catalog.pg_class'::regclass and d.refobjid = k.oid and d.classid = 'pg_catalog.pg_rewrite'::regclass
    join pg_catalog.pg_rewrite r on r.oid = d.objid
  union select i.inhparent::text from known k join pg_catalog.pg_inherits i on i.inhrelid = k.oid
  union select i.inhrelid::text from known k join pg_catalog.pg_inherits i on i.inhparent = k.oid`;

/**
 * Everything of an installation's in this database, by its number: its tables and jobs, and what leads to them, however far around. It is asked step by step, as
 * the server thinks of a recursive statement as a very large one and would compile it. What a function or a trigger does cannot be told.
 */
export async function ownRelations(link: Link): Promise<Set<string>> {
  const ours = new Set<string>();
  let found = await link.query<{ oid: string }>(BASE);
  while (found.length > 0) {
    const next = found.map(({ oid }) => oid).filter((oid) => !ours.has(oid));
    for (const oid of next) ours.add(oid);
    found = next.length === 0 ? [] : await link.query<{ oid: string }>(NEIGHBOURS, [JSON.stringify(next)]);
  }
  return ours;
}

/** Whether the database holds the tables of an installation. */
export async function hasInstallation(link: Link): Promise<boolean> {
  return (await link.query(HOMES)).length > 0;
}
