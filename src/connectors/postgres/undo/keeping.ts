import type { WriteRequest } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { AFTER, BEFORE, digest, journalName, OP, RUN, SEQ, UNDO_TABLE } from '../../sql-target/undo/names.ts';
import type { UndoKeeping } from '../../undo.ts';
import { quoteName, quoteRelation, quoteText, type RelationName, streamName } from '../catalogue/names.ts';
import type { Relation } from '../catalogue/relations.ts';
import type { Link } from '../wire/link.ts';
import { lockOf } from '../write/locks.ts';

/** What is kept lies beside the table, in its schema. */
export const runsIn = (schema: string): RelationName => ({ schema, name: UNDO_TABLE });
export const journalOf = ({ schema, name }: RelationName): RelationName => ({ schema, name: journalName(name) });

/** The setting of a session by which the triggers of a table know that it is ours, and which run it works for. */
const settingOf = (name: RelationName): string => `syncline.undo_${digest(streamName(name))}`;

/** How many rows the session has kept of the table. */
const countOf = (name: RelationName): string => `${settingOf(name)}_rows`;

/**
 * Makes ready that everything which this session changes in the table is kept in a journal beside it, in the same transaction. Triggers do it, which
 * look at whole statements and do nothing in the sessions of others. Within a transaction; answers what is to be run in the session.
 */
export async function keepForUndo(
  link: Link,
  { stream, key }: Pick<WriteRequest, 'stream' | 'key'>,
  relation: Relation,
  undo: UndoKeeping,
): Promise<string> {
  if (relation.kind === 'f') throw foreign(relation);
  await makeRuns(link, relation.schema);
  await makeJournal(link, relation);
  await makeTriggers(link, relation);
  const table = quoteRelation(relation);
  const journal = quoteRelation(journalOf(relation));
  await link.query(
    `insert into ${quoteRelation(runsIn(relation.schema))} (run, sync, stream, "table", key, from_seq, filled)
     select $1, $2, $3, $4, $5, coalesce((select max(${SEQ}) from ${journal}), 0), not exists (select from ${table}) on conflict (run, "table") do nothing`,
    [undo.run, undo.sync, stream, relation.name, JSON.stringify(key)],
  );
  return turnedOn(link, relation, undo);
}

/** What is to be run in a session, so that what it changes in the table is kept. Nothing is kept of what fills a table that had no rows. */
export async function turnedOn(link: Link, name: RelationName, { run, most }: UndoKeeping): Promise<string> {
  const [kept] = await link.query<{ id: string; off: string }>(
    `select id::text, (filled or too_much)::text as off from ${quoteRelation(runsIn(name.schema))} where run = $1 and "table" = $2`,
    [run, name.name],
  );
  const value = kept?.off === 'false' ? `${kept.id} ${most}` : '';
  return `set ${settingOf(name)} = ${quoteText(value)}; set ${countOf(name)} = '0'`;
}

async function isThere(link: Link, { schema, name }: RelationName): Promise<boolean> {
  const rows = await link.query(
    'select 1 from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace where n.nspname = $1 and c.relname = $2',
    [schema, name],
  );
  return rows.length > 0;
}

async function makeRuns(link: Link, schema: string): Promise<void> {
  const name = runsIn(schema);
  if (await isThere(link, name)) return;
  // Another one may be about to make it.
  await link.run(`select pg_advisory_xact_lock(${lockOf(`syncline undo ${schema}`)})`);
  await link.run(
    `create table if not exists ${quoteRelation(name)} (id bigint generated always as identity primary key, run text not null, sync text not null,
      stream text not null, "table" text not null, key text not null, from_seq bigint not null, started_at timestamptz not null default clock_timestamp(),
      filled boolean not null default false, too_much boolean not null default false, outcome text, unique (run, "table"))`,
  );
}

/** The columns of a table that can be given back to it. */
export function keptColumns({ columns }: Relation): Relation['columns'] {
  return columns.filter(({ generated }) => generated !== 'stored');
}

/** Its columns are of the types of the table's. Where one has become another, what was kept before is of no use any more. */
async function makeJournal(link: Link, relation: Relation): Promise<void> {
  const journal = quoteRelation(journalOf(relation));
  const columns = keptColumns(relation);
  const found = await link.query<{ name: string; type: string }>(
    `select a.attname as name, format_type(a.atttypid, a.atttypmod) as type from pg_catalog.pg_attribute a
     where a.attrelid = to_regclass($1) and a.attnum > 0 and not a.attisdropped`,
    [journal],
  );
  const types = await link.query<{ name: string; type: string }>(
    `select a.attname as name, format_type(a.atttypid, a.atttypmod) as type from pg_catalog.pg_attribute a
     where a.attrelid = $1::oid and a.attnum > 0 and not a.attisdropped`,
    [relation.oid],
  );
  const now = new Map(types.map(({ name, type }) => [name, type]));
  const known = new Map(found.map(({ name, type }) => [name, type]));
  const ours = new Set([SEQ, RUN, OP]);
  const isOther = [...known].some(([name, type]) => !ours.has(name) && now.get(name) !== type);
  if (known.size > 0 && isOther) {
    await link.run(`drop table ${journal}`);
    await link.query(`delete from ${quoteRelation(runsIn(relation.schema))} where "table" = $1 and outcome is null`, [relation.name]);
  }
  const definition = (name: string): string => `${quoteName(name)} ${now.get(name)}`;
  if (known.size === 0 || isOther) {
    const list = columns.map(({ name }) => definition(name)).join(', ');
    await link.run(
      `create table ${journal} (${SEQ} bigint generated always as identity primary key, ${RUN} bigint not null, ${OP} "char" not null, ${list})`,
    );
    return;
  }
  const missing = columns.filter(({ name }) => !known.has(name));
  if (missing.length > 0)
    await link.run(`alter table ${journal} ${missing.map(({ name }) => `add column ${definition(name)}`).join(', ')}`);
}

/** How the triggers of all tables begin. */
const PREFIX = `${UNDO_TABLE}_`;

/** The triggers and their function are named after what they do: where the columns have changed, others take their place. */
async function makeTriggers(link: Link, relation: Relation): Promise<void> {
  const text = bodyOf(relation);
  const name = `${journalName(relation.name)}_${digest(text).slice(0, 8)}`;
  const found = await link.query<{ name: string }>(
    `select tgname as name from pg_catalog.pg_trigger where tgrelid = $1::oid and not tgisinternal and starts_with(tgname, $2)`,
    [relation.oid, PREFIX],
  );
  if (found.length === EVENTS.length && found.every((trigger) => trigger.name.startsWith(name))) return;
  await dropTriggers(link, relation);
  const procedure = quoteRelation({ schema: relation.schema, name });
  const isOurs = `coalesce(current_setting(${quoteText(settingOf(relation))}, true), '') <> ''`;
  const triggers = EVENTS.map(
    ([event, tables]) =>
      `create trigger ${quoteName(`${name}_${event}`)} ${event === 'truncate' ? 'before' : 'after'} ${event} on ${quoteRelation(relation)} ${tables}
       for each statement when (${isOurs}) execute function ${procedure}()`,
  );
  await link.run(
    `create or replace function ${procedure}() returns trigger language plpgsql as ${quoteText(text)}; ${triggers.join('; ')}`,
  );
}

const EVENTS = [
  ['insert', 'referencing new table as new_rows'],
  ['update', 'referencing old table as old_rows new table as new_rows'],
  ['delete', 'referencing old table as old_rows'],
  ['truncate', ''],
] as const;

function bodyOf(relation: Relation): string {
  const names = keptColumns(relation).map(({ name }) => quoteName(name));
  // A variable must not be called like a column.
  const [kept, most, total, count] = ['kept', 'most', 'total', 'count'].map((name) => `_syncline_${name}`);
  const keep = (op: string, from: string): string =>
    `insert into ${quoteRelation(journalOf(relation))} (${[RUN, OP, ...names].join(', ')}) select ${[kept, `'${op}'`, ...names.map((name) => `r.${name}`)].join(', ')} from ${from} r;
     get diagnostics ${count} = row_count; ${total} := ${total} + ${count};`;
  const setting = quoteText(settingOf(relation));
  return `declare
  ${kept} bigint := split_part(current_setting(${setting}), ' ', 1);
  ${most} bigint := split_part(current_setting(${setting}), ' ', 2);
  ${total} bigint := current_setting(${quoteText(countOf(relation))});
  ${count} bigint;
begin
  if tg_op = 'TRUNCATE' then ${keep(BEFORE, quoteRelation(relation))} end if;
  if tg_op in ('UPDATE', 'DELETE') then ${keep(BEFORE, 'old_rows')} end if;
  if tg_op in ('UPDATE', 'INSERT') then ${keep(AFTER, 'new_rows')} end if;
  perform set_config(${quoteText(countOf(relation))}, ${total}::text, false);
  if ${total} > ${most} then
    update ${quoteRelation(runsIn(relation.schema))} set too_much = true where id = ${kept};
    delete from ${quoteRelation(journalOf(relation))} where ${RUN} = ${kept};
    perform set_config(${setting}, '', false);
  end if;
  return null;
end`;
}

/** Takes the triggers off a table, whatever they are called by now, and their functions. */
export async function dropTriggers(link: Link, { schema, name }: RelationName): Promise<void> {
  const found = await link.query<{ trigger: string; procedure: string }>(
    `select t.tgname as trigger, p.proname as procedure from pg_catalog.pg_trigger t join pg_catalog.pg_proc p on p.oid = t.tgfoid
     where t.tgrelid = to_regclass($1) and not t.tgisinternal and starts_with(t.tgname, $2)`,
    [quoteRelation({ schema, name }), PREFIX],
  );
  if (found.length === 0) return;
  const table = quoteRelation({ schema, name });
  const procedures = new Set(found.map(({ procedure }) => procedure));
  await link.run(
    [
      ...found.map(({ trigger }) => `drop trigger ${quoteName(trigger)} on ${table}`),
      ...[...procedures].map((procedure) => `drop function ${quoteRelation({ schema, name: procedure })}()`),
    ].join('; '),
  );
}

function foreign(relation: RelationName): OutsideError {
  return new OutsideError(
    'config',
    'UNDO_UNABLE',
    `"${streamName(relation)}" is a foreign table: what runs replace there cannot be kept.`,
    {
      hint: 'Take "undo" out of the definition, or put the table into a synchronization of its own.',
    },
  );
}
