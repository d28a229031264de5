import type { Migration } from '../migration.ts';

export const shares: Migration = {
  number: 7,
  name: 'shares',
  statements: (type, engine) => [
    // The rows of the shop that a synchronization, a run or an entry may show: '', 'orders', 'products' or 'orders products'.
    `alter table syncs add column shop ${type.text}`,
    `alter table runs add column shop ${type.text}`,
    `alter table logs add column shop ${type.text}`,
    `update syncs set shop = ${engine === 'postgres' ? POSTGRES_ROWS : SQLITE_ROWS}`,
    // Whose share it counts for: the key that has saved it last; null for one that may do everything.
    `alter table sources add column share_of ${type.text}`,
    `alter table syncs add column share_of ${type.text}`,
    `create index sources_share on sources (share_of) where share_of is not null`,
    `create index syncs_share on syncs (share_of) where share_of is not null`,
  ],
};

// By the streams at the end where the shop is: of orders and of their items it is orders.
const isHub = (end: string): string => `(select type from sources where sources.id = syncs.${end}_id) = 'hub'`;
const SQLITE_ROWS = rowsBy(
  (end, rows) =>
    `exists (select 1 from json_each(syncs.definition, '$.streams') as stream
      where (stream.value->>'${end}' = 'products') = ${rows === 'products'} and ${isHub(end)})`,
);
const POSTGRES_ROWS = rowsBy(
  (end, rows) =>
    `exists (select 1 from json_array_elements(syncs.definition->'streams') as stream
      where (stream->>'${end}' = 'products') = ${rows === 'products'} and ${isHub(end)})`,
);

function rowsBy(has: (end: 'source' | 'target', rows: string) => string): string {
  const either = (rows: string): string => `case when ${has('source', rows)} or ${has('target', rows)} then '${rows}' else '' end`;
  return `trim(${either('orders')} || ' ' || ${either('products')})`;
}
