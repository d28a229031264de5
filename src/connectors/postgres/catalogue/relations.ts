import type { Field, Stream } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { demandNotKept, isKept, ownTable } from '../../own-tables.ts';
import type { Link } from '../wire/link.ts';
import { parseStreamName, type RelationName, streamName } from './names.ts';
import { canonicalOf } from './column-types.ts';
import { MAY_HOLD_OURS, ownRelations } from './own-relations.ts';

/** A column as the catalogue has it. */
export interface PostgresColumn extends Field {
  /** PostgreSQL's own name of the type, or of what a domain stands for; empty when it is none we know. */
  base: string;
  /** The type for casts: without length or precision. */
  cast: string;
  hasDefault: boolean;
  /** It came with a default, which may be gone by now. */
  wasFilled: boolean;
  /** It is computed (`stored`), numbered by the server (`always`), or none of that. */
  generated: '' | 'stored' | 'always';
}

interface Index {
  columns: string[];
  isPrimary: boolean;
  /** No two rows are alike in it, and none has a null in it. */
  isUnique: boolean;
  /** `on conflict` can name it. */
  isArbiter: boolean;
}

/** A table or view with all that reading and writing need to know of it. */
export interface Relation extends RelationName {
  oid: string;
  /** r, p, f, v, m as in pg_class.relkind. */
  kind: string;
  columns: PostgresColumn[];
  indexes: Index[];
  /** Of the unique index that tells its rows apart; empty when there is none. */
  key: string[];
  estimatedRows: number | null;
  estimatedBytes: number | null;
  canRead: boolean;
  canWrite: boolean;
  /** It belongs to Syncline, or leads to what does: it cannot be a stream. */
  isOurs: boolean;
}

const relationsSql = (where: string): string => `
  select c.oid::text, n.nspname as schema, c.relname as name, c.relkind::text as kind, ${MAY_HOLD_OURS}::text as beside_ours,
    (has_schema_privilege(n.oid, 'usage') and has_any_column_privilege(c.oid, 'select'))::text as can_read,
    (c.relkind in ('r', 'p', 'f') and has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'insert'))::text as can_write,
    case when c.relkind = 'p' then (select sum(greatest(part.reltuples, 0)) from pg_catalog.pg_partition_tree(c.oid) tree
        join pg_catalog.pg_class part on part.oid = tree.relid where tree.isleaf)
      when c.relkind = 'v' or c.reltuples < 0 then null else c.reltuples end::bigint::text as estimated,
    -- As of the last ANALYZE or VACUUM, as the rows are: to measure files would wait for the locks of others.
    (case when c.relkind = 'p' then (select sum(part.relpages::bigint) from pg_catalog.pg_partition_tree(c.oid) tree
        join pg_catalog.pg_class part on part.oid = tree.relid where tree.isleaf)
      when c.relkind in ('r', 'm') and c.reltuples >= 0 then c.relpages end * current_setting('block_size')::bigint)::text as bytes
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'f', 'v', 'm') and not c.relispartition and ${where}
  order by n.nspname, c.relname`;

// A user's type is written with its schema, so that it means the same whatever the search path.
const NATIVE = `
  case when tn.nspname = 'pg_catalog' and t.typname in ('int2', 'int4', 'int8', 'float4', 'float8') then t.typname
    when tn.nspname = 'pg_catalog' and (t.typelem = 0 or t.typcategory <> 'A' or en.nspname = 'pg_catalog') then format_type(a.atttypid, a.atttypmod)
    when t.typcategory = 'A' and t.typelem <> 0 then quote_ident(en.nspname) || '.' || quote_ident(e.typname) || '[]'
    else quote_ident(tn.nspname) || '.' || quote_ident(t.typname) || coalesce(substring(format_type(a.atttypid, a.atttypmod) from '\\([^)]*\\)$'), '') end`;

const TYPES = `
    case when bn.nspname = 'pg_catalog' then b.typname else '' end as base, ${NATIVE} as native,
    case when tn.nspname = 'pg_catalog' then format_type(a.atttypid, -1)
      when t.typcategory = 'A' and t.typelem <> 0 then quote_ident(en.nspname) || '.' || quote_ident(e.typname) || '[]'
      else quote_ident(tn.nspname) || '.' || quote_ident(t.typname) end as cast,
    (case when t.typtype = 'd' then t.typtypmod else a.atttypmod end)::text as modifier`;
const WITH_TYPES = `
    join pg_catalog.pg_type t on t.oid = a.atttypid
    join pg_catalog.pg_namespace tn on tn.oid = t.typnamespace
    join pg_catalog.pg_type b on b.oid = case when t.typtype = 'd' then t.typbasetype else t.oid end
    join pg_catalog.pg_namespace bn on bn.oid = b.typnamespace
    left join pg_catalog.pg_type e on e.oid = t.typelem
    left join pg_catalog.pg_namespace en on en.oid = e.typnamespace`;

const columnsSql = (where: string): string => `
  select a.attrelid::text as relation, a.attname as name, a.attnotnull::text as not_null, (a.atthasdef or a.attidentity <> '')::text as has_default, a.atthasmissing::text as was_filled,
    case when a.attgenerated <> '' then 'stored' when a.attidentity = 'a' then 'always' else '' end as generated, ${TYPES}
  from pg_catalog.pg_attribute a
    join pg_catalog.pg_class c on c.oid = a.attrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace ${WITH_TYPES}
  where a.attnum > 0 and not a.attisdropped and c.relkind in ('r', 'p', 'f', 'v', 'm') and not c.relispartition and ${where}
  order by a.attrelid, a.attnum`;

/** A column as the log tells of it: its type by number. */
interface TypedColumn {
  readonly name: string;
  readonly type: number;
  readonly modifier: number;
}

/** Columns with these types, which the table may have had at another time. What the log does not tell is as the table has it now; a type that is gone is left out. */
export async function columnsWithTypes(link: Link, oid: string, columns: readonly TypedColumn[]): Promise<PostgresColumn[]> {
  const rows = await link.query<Text>(
    `select a.name, coalesce(now.attnotnull, false)::text as not_null, 'false' as has_default, 'false' as was_filled, '' as generated, ${TYPES}
     from json_to_recordset($1::json) as a(name text, atttypid oid, atttypmod int4)
       left join pg_catalog.pg_attribute now on now.attrelid = $2::oid and now.attname = a.name and not now.attisdropped ${WITH_TYPES}`,
    [JSON.stringify(columns.map(({ name, type, modifier }) => ({ name, atttypid: type, atttypmod: modifier }))), oid],
  );
  return rows.map(toColumn);
}

const indexesSql = (where: string): string => `
  select i.indrelid::text as relation, i.indisprimary::text as is_primary, (i.indisunique and i.indimmediate)::text as is_arbiter,
    (i.indisunique and i.indimmediate and not exists (
      select from pg_catalog.pg_attribute k where k.attrelid = i.indrelid and k.attnum = any(i.indkey) and not k.attnotnull))::text as is_unique,
    (select json_agg(k.attname order by o.n) from unnest(i.indkey::int2[]) with ordinality o(attnum, n)
      join pg_catalog.pg_attribute k on k.attrelid = i.indrelid and k.attnum = o.attnum where o.n <= i.indnkeyatts)::text as columns
  from pg_catalog.pg_index i
    join pg_catalog.pg_class c on c.oid = i.indrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    join pg_catalog.pg_class x on x.oid = i.indexrelid
    join pg_catalog.pg_am m on m.oid = x.relam
  where i.indisvalid and i.indpred is null and i.indexprs is null and m.amname = 'btree' and not c.relispartition and ${where}
  order by i.indrelid, i.indisprimary desc, i.indnkeyatts, x.relname`;

type Text = Record<string, string | null>;

/** All relations of these schemas, or of all but the system's own and ours; with names of streams, only those, ours as well. */
export async function listRelations(link: Link, schemas: readonly string[], streams?: readonly string[]): Promise<Relation[]> {
  const scope =
    schemas.length > 0
      ? `n.nspname = any(array(select json_array_elements_text($1::json)))`
      : `n.nspname not in ('information_schema', 'pg_catalog') and n.nspname !~ '^pg_(toast|temp)' and $1::json is not null`;
  const names = streams?.flatMap((stream) => namedBy(stream) ?? []);
  // By the name alone, as that is what the catalogue has an index for; those of other schemas are left out below.
  const named = names ? ` and c.relname = any(array(select json_array_elements_text($2::json)))` : '';
  const where = `${scope}${named}`;
  const found = await load(link, where, [JSON.stringify(schemas), ...(names ? [JSON.stringify(names.map(({ name }) => name))] : [])]);
  return found.filter((relation) => (streams ? streams.includes(streamName(relation)) : !relation.isOurs));
}

function namedBy(stream: string): RelationName | undefined {
  try {
    return parseStreamName(stream, '');
  } catch {
    // What is no name of a table is none of the tables.
    return undefined;
  }
}

/** A relation that may be a stream, or undefined when it is not there. Throws when it is ours. */
export async function findStream(link: Link, name: RelationName): Promise<Relation | undefined> {
  demandNotKept(name.name, streamName(name));
  const relation = await findRelation(link, name);
  if (relation?.isOurs) throw ownTable(streamName(name));
  return relation;
}

/** The relation that is to be read. */
export async function demandStream(link: Link, stream: string, schema: string): Promise<Relation> {
  const relation = await findStream(link, parseStreamName(stream, schema));
  if (!relation) throw missing(stream);
  return relation;
}

/** One relation, or undefined when it is not there. */
export async function findRelation(link: Link, { schema, name }: RelationName): Promise<Relation | undefined> {
  const [relation] = await load(link, 'n.nspname = $1 and c.relname = $2', [schema, name]);
  return relation;
}

/** The same by its number, whatever it is called by now. */
export async function findRelationById(link: Link, oid: string): Promise<Relation | undefined> {
  const [relation] = await load(link, 'c.oid = $1::oid', [oid]);
  return relation;
}

/** Whether rows tell which transaction wrote them. */
export function hasIds({ kind }: Relation): boolean {
  return kind === 'r' || kind === 'p' || kind === 'm';
}

export function missing(stream: string): OutsideError {
  return new OutsideError('config', 'STREAM_MISSING', `There is no table or view "${stream}".`, {
    field: 'stream',
    hint: 'It may have been dropped or renamed, or the user may not see it. Look at the streams of this source.',
  });
}

async function load(link: Link, where: string, values: string[]): Promise<Relation[]> {
  const relations = await link.query<Text>(relationsSql(where), values);
  if (relations.length === 0) return [];
  const ours = relations[0]?.['beside_ours'] === 'true' ? await ownRelations(link) : undefined;
  const columns = groupByRelation(await link.query<Text>(columnsSql(where), values));
  const indexes = groupByRelation(await link.query<Text>(indexesSql(where), values));
  return relations.map((row) => {
    const own = (indexes.get(row['oid'] ?? '') ?? []).map(toIndex);
    return {
      oid: row['oid'] ?? '',
      schema: row['schema'] ?? '',
      name: row['name'] ?? '',
      kind: row['kind'] ?? '',
      columns: (columns.get(row['oid'] ?? '') ?? []).map(toColumn),
      indexes: own,
      key: own.find((index) => index.isUnique)?.columns ?? [],
      estimatedRows: row['estimated'] == null ? null : Number(row['estimated']),
      estimatedBytes: row['bytes'] == null ? null : Number(row['bytes']),
      canRead: row['can_read'] === 'true',
      canWrite: row['can_write'] === 'true',
      isOurs: isKept(row['name'] ?? '') || (ours?.has(row['oid'] ?? '') ?? false),
    };
  });
}

function groupByRelation(rows: Text[]): Map<string, Text[]> {
  return Map.groupBy(rows, (row) => row['relation'] ?? '');
}

function toIndex(row: Text): Index {
  return {
    columns: JSON.parse(row['columns'] ?? '[]') as string[],
    isPrimary: row['is_primary'] === 'true',
    isUnique: row['is_unique'] === 'true',
    isArbiter: row['is_arbiter'] === 'true',
  };
}

function toColumn(row: Text): PostgresColumn {
  const base = row['base'] ?? '';
  const modifier = Number(row['modifier'] ?? -1);
  const digits =
    base === 'numeric' && modifier >= 4
      ? { precision: ((modifier - 4) >> 16) & 0xffff, scale: (((modifier - 4) & 0x7ff) ^ 1024) - 1024 }
      : {};
  return {
    name: row['name'] ?? '',
    type: canonicalOf(base),
    nullable: row['not_null'] !== 'true',
    native: row['native'] ?? '',
    ...digits,
    base,
    cast: row['cast'] ?? '',
    hasDefault: row['has_default'] === 'true',
    wasFilled: row['was_filled'] === 'true',
    generated: (row['generated'] ?? '') as PostgresColumn['generated'],
  };
}

/** A column as the contract shows it. */
export function toField({ name, type, nullable, native, precision, scale }: PostgresColumn): Field {
  return {
    name,
    type,
    nullable,
    ...(native && { native }),
    ...(precision !== undefined && { precision }),
    ...(scale !== undefined && { scale }),
  };
}

/** A relation as the contract shows it. */
export function toStream(relation: Relation): Stream {
  return {
    name: streamName(relation),
    kind: relation.kind === 'v' || relation.kind === 'm' ? 'view' : 'table',
    fields: relation.columns.map((column) => ({ ...toField(column), ...((column.hasDefault || column.wasFilled) && { filled: true }) })),
    key: relation.key,
    cursors: cursorsOf(relation),
    writable: relation.canWrite && !relation.isOurs,
    ...(relation.isOurs && { isOurs: true }),
    estimatedRows: relation.estimatedRows,
    ...(relation.estimatedBytes !== null && { estimatedBytes: relation.estimatedBytes }),
  };
}

/** Fields that tell what is new, the best first: times of change, then other times, then numbers that an index begins with. */
function cursorsOf({ columns, indexes, key }: Relation): string[] {
  const indexed = new Set(indexes.map((index) => index.columns[0]));
  const rank = ({ name, type }: PostgresColumn): number => {
    const bonus = indexed.has(name) ? 0 : 0.5;
    if (type === 'timestamptz' || type === 'timestamp') {
      if (/updat|modif|chang|geaender|_mod/i.test(name)) return bonus;
      return /creat|insert|added/i.test(name) ? 2 + bonus : 1 + bonus;
    }
    if (type === 'date') return 5 + bonus;
    if (type !== 'int64' || !indexed.has(name)) return -1;
    return key.length === 1 && key[0] === name ? 3 : 4;
  };
  return columns
    .map((column) => ({ name: column.name, rank: rank(column) }))
    .filter((entry) => entry.rank >= 0)
    .sort((a, b) => a.rank - b.rank)
    .map((entry) => entry.name);
}
