import { parseStreamName, quoteRelation } from '../catalogue/names.ts';
import { LANGUAGE } from '../manifest.ts';
import type { Link } from '../wire/link.ts';
import type { Links } from '../wire/links.ts';
import type { StreamStructure } from '../../structure.ts';
import type { DescribedColumn, DescribedObject, DescribedReference, DescribedSequence, TableStructure } from './described.ts';
import { plainOf } from './to-plain.ts';

type Json = { readonly json: string };
type FoundTable = Omit<TableStructure, 'columns' | 'objects' | 'references'> & { readonly oid: string };

/** What these tables have, all as of one moment. */
export async function describe(
  links: Links,
  streams: readonly string[],
  home: string,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, StreamStructure>> {
  return links.use('read', signal, async (link) => {
    // With nothing on the search path every name that is told has its schema.
    await link.run(`begin isolation level repeatable read; set local search_path = ''`);
    const found = new Map<string, StreamStructure>();
    for (const stream of streams) {
      const table = await describeTable(link, stream, home);
      if (table) found.set(stream, { language: LANGUAGE, own: table, plain: plainOf(table) });
    }
    await link.run('commit');
    return found;
  });
}

async function describeTable(link: Link, stream: string, home: string): Promise<TableStructure | undefined> {
  const { schema, name } = parseStreamName(stream, home);
  const [table] = await rowsOf<FoundTable>(link, TABLE, [schema, name]);
  if (!table) return undefined;
  const { oid, ...about } = table;
  const columns = await rowsOf<DescribedColumn>(link, COLUMNS, [oid]);
  return {
    ...about,
    columns: await withNumbers(link, columns),
    objects: [...(await rowsOf<DescribedObject>(link, CONSTRAINTS, [oid])), ...(await rowsOf<DescribedObject>(link, INDEXES, [oid]))],
    references: await rowsOf<DescribedReference>(link, REFERENCES, [oid]),
  };
}

async function withNumbers(link: Link, columns: readonly DescribedColumn[]): Promise<DescribedColumn[]> {
  const told: DescribedColumn[] = [];
  for (const column of columns) told.push({ ...column, sequence: column.sequence && (await numberOf(link, column.sequence)) });
  return told;
}

/** Where a sequence stands, if the user may see it. */
async function numberOf(link: Link, sequence: DescribedSequence): Promise<DescribedSequence> {
  const place = quoteRelation(sequence);
  const [may] = await link.query<{ may: string }>(`select has_sequence_privilege($1, 'select')::text as may`, [place]);
  if (may?.may !== 'true') return sequence;
  const [row] = await link.query<{ last: string; called: string }>(
    `select last_value::text as last, is_called::text as called from ${place}`,
  );
  return { ...sequence, last: row?.last ?? null, isCalled: row?.called === 'true' };
}

async function rowsOf<Row>(link: Link, text: string, values: readonly string[]): Promise<Row[]> {
  const rows = await link.query<Json>(`select to_json(found)::text as json from (${text}) found`, values);
  return rows.map(({ json }) => JSON.parse(json) as Row);
}

const TABLE = `
  select c.oid::text as oid, n.nspname as schema, c.relname as name, obj_description(c.oid, 'pg_class') as comment, c.relkind = 'p' as "isPartitioned"
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname = $1 and c.relname = $2 and c.relkind in ('r', 'p')`;

/** The sequence of an identity, or the one that the default takes its numbers from. */
const SEQUENCE = `
  select json_build_object('schema', sn.nspname, 'name', s.relname, 'isDescending', q.seqincrement < 0, 'last', null, 'isCalled', false,
    'isOwned', exists (select from pg_catalog.pg_depend o where o.classid = 'pg_catalog.pg_class'::regclass and o.objid = s.oid
      and o.refobjid = a.attrelid and o.refobjsubid = a.attnum and o.deptype in ('a', 'i')),
    'options', format('as %s start with %s increment by %s minvalue %s maxvalue %s cache %s %s', format_type(q.seqtypid, null), q.seqstart, q.seqincrement,
      q.seqmin, q.seqmax, q.seqcache, case when q.seqcycle then 'cycle' else 'no cycle' end))
  from pg_catalog.pg_depend d join pg_catalog.pg_class s on s.relkind = 'S'
      and s.oid = case when d.classid = 'pg_catalog.pg_class'::regclass then d.objid else d.refobjid end
    join pg_catalog.pg_namespace sn on sn.oid = s.relnamespace join pg_catalog.pg_sequence q on q.seqrelid = s.oid
  where (a.attidentity <> '' and d.classid = 'pg_catalog.pg_class'::regclass and d.refclassid = 'pg_catalog.pg_class'::regclass
      and d.refobjid = a.attrelid and d.refobjsubid = a.attnum and d.deptype = 'i')
    or (d.classid = 'pg_catalog.pg_attrdef'::regclass and d.objid = e.oid and d.refclassid = 'pg_catalog.pg_class'::regclass)
  limit 1`;

const COLUMNS = `
  select a.attname as name, a.attnotnull as "notNull", nullif(a.attidentity, '') as identity,
    case when a.attgenerated = '' then pg_get_expr(e.adbin, e.adrelid) end as default,
    case when a.attgenerated <> '' then pg_get_expr(e.adbin, e.adrelid) end as generated, (${SEQUENCE}) as sequence,
    case when a.attcollation <> t.typcollation then (select quote_ident(ln.nspname) || '.' || quote_ident(l.collname)
      from pg_catalog.pg_collation l join pg_catalog.pg_namespace ln on ln.oid = l.collnamespace where l.oid = a.attcollation) end as collation,
    col_description(a.attrelid, a.attnum) as comment,
    case when t.typname in ('varchar', 'bpchar') and t.typnamespace = 'pg_catalog'::regnamespace and a.atttypmod > 4 then a.atttypmod - 4 end as "maxLength"
  from pg_catalog.pg_attribute a join pg_catalog.pg_type t on t.oid = a.atttypid
    left join pg_catalog.pg_attrdef e on e.adrelid = a.attrelid and e.adnum = a.attnum
  where a.attrelid = $1::oid and a.attnum > 0 and not a.attisdropped order by a.attnum`;

const columnsOf = (relation: string, numbers: string): string => `
  (select coalesce(json_agg(k.attname order by o.n), '[]') from unnest(${numbers}) with ordinality o(attnum, n)
    join pg_catalog.pg_attribute k on k.attrelid = ${relation} and k.attnum = o.attnum)`;

/** Columns that something depends on, whether it names them or computes with them. */
const dependsOn = (numbers: string, object: string): string => `
  (select coalesce(json_agg(k.attname), '[]') from pg_catalog.pg_attribute k where k.attrelid = $1::oid and k.attnum > 0 and (k.attnum = any(${numbers})
    or exists (select from pg_catalog.pg_depend d where d.objid = ${object} and d.refclassid = 'pg_catalog.pg_class'::regclass
      and d.refobjid = k.attrelid and d.refobjsubid = k.attnum)))`;

/** The columns with their directions, in their order. */
const orderedOf = (relation: string, numbers: string, isDescending: string): string => `
  (select json_agg(json_build_object('name', k.attname, 'isDescending', ${isDescending}::boolean) order by o.n) from unnest(${numbers}) with ordinality o(attnum, n)
    join pg_catalog.pg_attribute k on k.attrelid = ${relation} and k.attnum = o.attnum)`;

/** Of an index that any system could have: all of it, in the usual way, of columns as they are. */
const PLAIN_INDEX = `i.indexprs is null and i.indpred is null and coalesce(to_jsonb(i) ->> 'indnullsnotdistinct', 'false') = 'false'
  and exists (select from pg_catalog.pg_am m where m.oid = x.relam and m.amname = 'btree')`;

const CONSTRAINTS = `
  select case c.contype when 'p' then 'primary' else 'constraint' end as kind, c.conname as name, pg_get_constraintdef(c.oid) as definition,
    c.contype in ('p', 'u', 'x') as "isUnique", c.condeferrable as "isDeferrable",
    case when c.contype = 'p' or (c.contype = 'u' and pg_get_constraintdef(c.oid) not like '%NULLS NOT DISTINCT%') then ${orderedOf('c.conrelid', 'c.conkey', "'f'")} end as plain,
    coalesce((select ci.indnatts > ci.indnkeyatts from pg_catalog.pg_index ci where ci.indexrelid = c.conindid), false) as includes, ${dependsOn('c.conkey', 'c.oid')} as columns, obj_description(c.oid, 'pg_constraint') as comment
  from pg_catalog.pg_constraint c where c.conrelid = $1::oid and c.contype in ('p', 'u', 'x', 'c') and c.conparentid = 0
  order by c.contype = 'p' desc, c.contype, c.conname`;

/** What stands behind a beginning that is known; null when it begins otherwise. */
const behind = (beginning: string, text: string): string => `
  case when starts_with(${text}, ${beginning}) then substr(${text}, length(${beginning}) + 1) end`;

const INDEX_BEGINNING = `('CREATE ' || case when i.indisunique then 'UNIQUE ' else '' end || 'INDEX ' || quote_ident(x.relname) || ' ON '
  || case when t.relkind = 'p' then 'ONLY ' else '' end || quote_ident(n.nspname) || '.' || quote_ident(t.relname) || ' ')`;

const INDEXES = `
  select 'index' as kind, x.relname as name, i.indisunique as "isUnique", ${behind(INDEX_BEGINNING, 'pg_get_indexdef(i.indexrelid)')} as definition,
    case when ${PLAIN_INDEX} then ${orderedOf('i.indrelid', '(i.indkey::int2[])[0:i.indnkeyatts - 1]', '((i.indoption::int2[])[o.n - 1] & 1)')} end as plain,
    i.indnatts > i.indnkeyatts as includes, false as "isDeferrable",
    ${dependsOn('i.indkey::int2[]', 'i.indexrelid')} as columns, obj_description(i.indexrelid, 'pg_class') as comment
  from pg_catalog.pg_index i join pg_catalog.pg_class x on x.oid = i.indexrelid join pg_catalog.pg_class t on t.oid = i.indrelid
    join pg_catalog.pg_namespace n on n.oid = t.relnamespace
  where i.indrelid = $1::oid and i.indislive
    and not exists (select from pg_catalog.pg_constraint c where c.conindid = i.indexrelid and c.conrelid = i.indrelid and c.contype in ('p', 'u', 'x'))
  order by x.relname`;

const quotedColumns = (relation: string, numbers: string): string => `
  (select string_agg(quote_ident(k.attname), ', ' order by o.n) from unnest(${numbers}) with ordinality o(attnum, n)
    join pg_catalog.pg_attribute k on k.attrelid = ${relation} and k.attnum = o.attnum)`;

const REFERENCE_BEGINNING = `('FOREIGN KEY (' || ${quotedColumns('c.conrelid', 'c.conkey')} || ') REFERENCES ' || quote_ident(n.nspname) || '.' || quote_ident(t.relname)
  || '(' || ${quotedColumns('c.confrelid', 'c.confkey')} || ')')`;

const REFERENCES = `
  select c.conname as name, ${columnsOf('c.conrelid', 'c.conkey')} as columns, n.nspname as "toSchema", t.relname as "to",
    ${columnsOf('c.confrelid', 'c.confkey')} as "toColumns", ${behind(REFERENCE_BEGINNING, 'pg_get_constraintdef(c.oid)')} as rest,
    c.confdeltype as "onDelete", c.confupdtype as "onUpdate", c.condeferrable as "isDeferrable", obj_description(c.oid, 'pg_constraint') as comment
  from pg_catalog.pg_constraint c join pg_catalog.pg_class t on t.oid = c.confrelid join pg_catalog.pg_namespace n on n.oid = t.relnamespace
  where c.conrelid = $1::oid and c.contype = 'f' and c.conparentid = 0 order by c.conname`;
