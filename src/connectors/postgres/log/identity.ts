import { OutsideError } from '../../../outside/errors.ts';
import type { LogStream } from '../../changes.ts';
import { quoteRelation } from '../catalogue/names.ts';
import type { Relation } from '../catalogue/relations.ts';
import type { Link } from '../wire/link.ts';

// What the log tells of a row before it was changed or deleted is up to each table (its replica identity). Without it nobody knows which row it was; and where
// a publication has such a table, the server refuses every UPDATE and DELETE on it. So we look before it gets into one.

// An index counts only while it is checked at once. The parts of a partitioned table each have their own.
const IDENTITIES = `
  select c.oid::regclass::text as name, c.relreplident::text as identity, c.relpersistence::text as persistence, c.relkind::text as kind,
    (select json_agg(a.attname) from pg_catalog.pg_index i join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
      where i.indrelid = c.oid and i.indisvalid and i.indimmediate and case c.relreplident when 'd' then i.indisprimary when 'i' then i.indisreplident else false end)::text as columns,
    exists (select from pg_catalog.pg_inherits h where h.inhparent = c.oid and c.relkind = 'r')::text as has_children
  from pg_catalog.pg_class c where c.oid = $1::oid or (c.oid in (select t.relid from pg_catalog.pg_partition_tree($1::oid::regclass) t where t.isleaf) and c.relkind = 'r')`;

/** Throws when changes of a stream cannot be followed. */
export async function demandIdentity(link: Link, { stream, key }: LogStream, relation: Relation): Promise<void> {
  if (relation.kind !== 'r' && relation.kind !== 'p')
    throw notLogged(stream, 'is a view or lies in another system', 'Take the tables that it shows, or load it by a mirror on a schedule.');
  if (key.length === 0) throw withoutIdentity(stream, relation, 'the synchronization has no key for it');
  const computed = relation.columns.find(({ name, generated }) => generated === 'stored' && key.includes(name));
  if (computed)
    throw withoutIdentity(stream, relation, `the server computes "${computed.name}" of the key, and does not log what it computes`);
  for (const table of await link.query(IDENTITIES, [relation.oid])) {
    if (table['persistence'] !== 'p')
      throw notLogged(
        stream,
        'is unlogged or temporary',
        `ALTER TABLE ${quoteRelation(relation)} SET LOGGED, or load it by a mirror on a schedule.`,
      );
    if (table['has_children'] === 'true')
      throw notLogged(
        stream,
        'has tables that inherit from it',
        'Take these as streams of their own, or load it by a mirror on a schedule.',
      );
    // The whole row; and a partitioned table has no rows of its own.
    if (table['identity'] === 'f' || table['kind'] === 'p') continue;
    const columns = JSON.parse(table['columns'] ?? '[]') as string[];
    const where = table['kind'] === 'r' && relation.kind === 'p' ? `its part ${table['name']} ` : 'it ';
    if (columns.length === 0)
      throw withoutIdentity(stream, relation, `${where}has ${table['identity'] === 'd' ? 'no primary key' : 'no replica identity'}`);
    const lacking = key.filter((name) => !columns.includes(name));
    if (lacking.length > 0)
      throw withoutIdentity(
        stream,
        relation,
        `${where}logs ${quoted(columns)} of a row that changes, and not ${quoted(lacking)} of the key`,
      );
  }
}

/** The table logs something else of its rows than it did when we began. */
export function identityChanged(stream: string, lacking: readonly string[]): OutsideError {
  return new OutsideError(
    'config',
    'REPLICA_IDENTITY',
    `The log does not tell ${quoted(lacking)} of rows of "${stream}" that change, which is in the key of the synchronization.`,
    {
      field: 'stream',
      streams: [stream],
      hint: 'The key or the replica identity of the table was changed. ALTER TABLE … REPLICA IDENTITY FULL always tells enough.',
    },
  );
}

function withoutIdentity(stream: string, relation: Relation, why: string): OutsideError {
  const table = quoteRelation(relation);
  return new OutsideError(
    'config',
    'REPLICA_IDENTITY',
    `Changes of "${stream}" cannot be followed: ${why}. So the log does not tell which row it was.`,
    {
      field: 'stream',
      hint: `Give it a primary key (ALTER TABLE ${table} ADD PRIMARY KEY (…)), name a unique index of columns that are not null (ALTER TABLE ${table} REPLICA IDENTITY USING INDEX …), or let the log have whole rows (ALTER TABLE ${table} REPLICA IDENTITY FULL).`,
    },
  );
}

function notLogged(stream: string, what: string, hint: string): OutsideError {
  return new OutsideError('config', 'NOT_LOGGED', `Changes of "${stream}" cannot be followed: it ${what}.`, { field: 'stream', hint });
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}
