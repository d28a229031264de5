import type { Field, WriteRequest } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { OWN_SCHEMA, OWN_TABLES, ownTable } from '../../own-tables.ts';
import { DELETED_AT } from '../../marks.ts';
import { columnComputed, columnMissing, isView, tableMissing } from '../../sql-target/faults.ts';
import { findRelation, findStream, type Relation } from '../catalogue/relations.ts';
import type { Link } from '../wire/link.ts';
import { demandName, quoteName, quoteRelation, quoteText, type RelationName, streamName } from '../catalogue/names.ts';
import { canonicalOf, columnTypeOf, isWidening } from '../catalogue/column-types.ts';
import { planOf } from '../../sql-target/structure/plan.ts';
import { mark } from '../structure/marks.ts';
import { hasInstallation } from '../catalogue/own-relations.ts';

export interface PreparedTable {
  relation: Relation;
  /** It was made now, and without its key. */
  isNew: boolean;
}

/** The table that is written to, made or extended when it may be. Within a transaction. */
export async function prepareTable(
  link: Link,
  name: RelationName,
  request: WriteRequest,
  types: ReadonlyMap<string, string>,
): Promise<PreparedTable> {
  for (const field of request.fields) demandName('field', field.name);
  const found = await findStream(link, name);
  if (!found && !request.create) throw tableMissing(request.stream);
  if (!found) {
    await demandFree(link, name);
    await createTable(link, name, request, types);
    return { relation: (await findRelation(link, name)) as Relation, isNew: true };
  }
  if (!['r', 'p', 'f'].includes(found.kind)) throw isView(request.stream);
  const changes = changesOf(found, request, types);
  if (changes.length === 0) return { relation: found, isNew: false };
  await link.run(`alter table ${quoteRelation(name)} ${changes.join(', ')}`);
  return { relation: (await findRelation(link, name)) as Relation, isNew: false };
}

/** Whether a unique index on exactly this key is there, or none is needed. */
export function tellsRowsApart({ indexes }: Relation, key: readonly string[]): boolean {
  return (
    key.length === 0 ||
    indexes.some(({ isArbiter, columns }) => isArbiter && columns.length === key.length && columns.every((name) => key.includes(name)))
  );
}

/** Whether the table, or a part of it, has triggers that may leave rows out or change them before they are written. */
export async function hasFilters(link: Link, { oid }: Relation): Promise<boolean> {
  const rows = await link.query(
    `select 1 from pg_catalog.pg_trigger where not tgisinternal and tgenabled <> 'D' and tgtype & 7 = 7
       and (tgrelid = $1::oid or tgrelid in (select relid from pg_catalog.pg_partition_tree($1::oid::regclass))) limit 1`,
    [oid],
  );
  return rows.length > 0;
}

/** A table of our names that is made beside an installation, in whatever schema, may come before its own on the search path. */
async function demandFree(link: Link, name: RelationName): Promise<void> {
  const isNamedLikeOurs = (OWN_TABLES as readonly string[]).includes(name.name);
  if (name.schema === OWN_SCHEMA || (isNamedLikeOurs && (await hasInstallation(link)))) throw ownTable(streamName(name));
}

async function createTable(
  link: Link,
  name: RelationName,
  { fields, key, mode, deletes, structured, owner }: WriteRequest,
  types: ReadonlyMap<string, string>,
): Promise<void> {
  const [schema] = await link.query('select 1 from pg_catalog.pg_namespace where nspname = $1', [name.schema]);
  if (!schema) await link.run(`create schema ${quoteName(name.schema)}`);
  // Said now, it need not be looked for in all rows when the key is made, or the structure.
  const filled = new Set(
    structured
      ? planOf(structured)
          .columns.filter(({ notNull }) => notNull)
          .map(({ name }) => name)
      : [],
  );
  const isFilled = (field: string): boolean => (mode !== 'append' && key.includes(field)) || filled.has(field);
  const columns = fields.map(({ name: field }) => `${quoteName(field)} ${types.get(field)}${isFilled(field) ? ' not null' : ''}`);
  if (deletes === 'mark') columns.push(`${quoteName(DELETED_AT)} timestamptz`);
  // A first load is quicker without its key, which is made when it is complete.
  await link.run(`create table ${quoteRelation(name)} (${columns.join(', ')})${structured ? `; ${mark(name, 'structure', owner)}` : ''}`);
}

function changesOf(relation: Relation, request: WriteRequest, types: ReadonlyMap<string, string>): string[] {
  const changes: string[] = [];
  for (const field of request.fields) {
    const column = relation.columns.find(({ name }) => name === field.name);
    const wanted = types.get(field.name) as string;
    if (!column) {
      if (!request.create) throw columnMissing(streamName(relation), field.name);
      changes.push(`add column ${quoteName(field.name)} ${wanted}`);
    } else if (column.generated === 'stored') {
      throw columnComputed(streamName(relation), field.name);
    } else if (request.create && isWidening(column.native ?? '', wanted) && (field.native === wanted || column.type !== field.type)) {
      // Only where the source says what it needs: a column that was chosen narrower stays as it is.
      changes.push(`alter column ${quoteName(field.name)} type ${wanted}`);
    }
  }
  if (request.deletes === 'mark' && !relation.columns.some(({ name }) => name === DELETED_AT)) {
    if (!request.create) throw columnMissing(streamName(relation), DELETED_AT);
    changes.push(`add column ${quoteName(DELETED_AT)} timestamptz`);
  }
  return changes;
}

/** The column type of each field: the source's own when PostgreSQL knows it and it means the same, else the usual one. */
export async function columnTypes(link: Link, fields: readonly Field[]): Promise<Map<string, string>> {
  const natives = new Map<string, string | undefined>();
  const types = new Map<string, string>();
  for (const field of fields) {
    const { native } = field;
    if (native !== undefined && !natives.has(native)) natives.set(native, await baseOf(link, native));
    const base = native === undefined ? undefined : natives.get(native);
    types.set(field.name, base !== undefined && canonicalOf(base) === field.type ? (native as string) : columnTypeOf(field));
  }
  return types;
}

const NATIVE = /^[\p{L}\p{N}_ ."$-]{1,200}(\(\d{1,6}(,-?\d{1,4})?\))?[a-z ]{0,30}(\[\])?$/u;

/** What nearly all columns are made of, spelled as PostgreSQL does: nobody has to ask it. */
const WELL_KNOWN: Readonly<Record<string, string>> = {
  int2: 'int2',
  int4: 'int4',
  int8: 'int8',
  float4: 'float4',
  float8: 'float8',
  text: 'text',
  boolean: 'bool',
  numeric: 'numeric',
  date: 'date',
  uuid: 'uuid',
  json: 'json',
  jsonb: 'jsonb',
  bytea: 'bytea',
  character: 'bpchar',
  'character varying': 'varchar',
  'time without time zone': 'time',
  'timestamp without time zone': 'timestamp',
  'timestamp with time zone': 'timestamptz',
};

/** What a type is at its base, when it is spelled exactly as PostgreSQL spells its own; other systems' names are not taken for them. */
async function baseOf(link: Link, native: string): Promise<string | undefined> {
  if (!NATIVE.test(native)) return undefined;
  const plain = native.replace(/\(\d+(,-?\d+)?\)/, '');
  if (Object.hasOwn(WELL_KNOWN, plain)) return WELL_KNOWN[plain];
  // A name that is none is a syntax error, which would end a transaction: this is asked outside of one.
  const [row] = await link
    .query<{ spelled: string; base: string }>(
      `select case when n.nspname = 'pg_catalog' and t.typname in ('int2', 'int4', 'int8', 'float4', 'float8') then t.typname
          when n.nspname = 'pg_catalog' then format_type(t.oid, null)
          when t.typcategory = 'A' and t.typelem <> 0 then quote_ident(en.nspname) || '.' || quote_ident(e.typname) || '[]'
          else quote_ident(n.nspname) || '.' || quote_ident(t.typname) end as spelled,
        case when bn.nspname = 'pg_catalog' then b.typname else '' end as base
      from pg_catalog.pg_type t join pg_catalog.pg_namespace n on n.oid = t.typnamespace
        join pg_catalog.pg_type b on b.oid = case when t.typtype = 'd' then t.typbasetype else t.oid end
        join pg_catalog.pg_namespace bn on bn.oid = b.typnamespace
        left join pg_catalog.pg_type e on e.oid = t.typelem left join pg_catalog.pg_namespace en on en.oid = e.typnamespace
      where t.oid = to_regtype(${quoteText(plain)}) and t.typtype <> 'p'`,
    )
    .catch((error: unknown) => {
      if (error instanceof OutsideError && error.kind !== 'transient') return [];
      throw error;
    });
  return row?.spelled === plain ? row.base : undefined;
}
