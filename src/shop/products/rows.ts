import { bulk, list } from '../../db/bulk.ts';
import { type Connection, LostRace } from '../../db/database.ts';
import { isDuplicate } from '../../db/errors.ts';
import { forUpdate, type Sql, sql } from '../../db/sql.ts';
import type { Product } from './rules.ts';

export function renderProduct(product: Omit<Product, 'stock_as_of'>): string {
  return (
    `{"product_id":${JSON.stringify(product.product_id)},"name":${JSON.stringify(product.name)},"price":${product.price},` +
    `"stock_quantity":${product.stock_quantity},"categories":${product.categories},"version":${product.version},` +
    `"created_at":"${product.created_at}","updated_at":"${product.updated_at}"${renderMore(product)}}`
  );
}

/** What only some products have, as members behind those that all have. */
function renderMore({ track_stock, allow_backorder, extra }: Omit<Product, 'stock_as_of'>): string {
  let text = '';
  if (track_stock !== null) text += `,"track_stock":${track_stock === 1}`;
  if (allow_backorder !== null) text += `,"allow_backorder":${allow_backorder === 1}`;
  if (extra !== null) text += `,${extra.slice(1, -1)}`;
  return text;
}

/** The columns that are shown. */
export const SHOWN = sql`product_id, name, price, stock_quantity, categories, version, created_at, updated_at, extra, track_stock, allow_backorder`;

/** Products by their ids, locked until the commit. All who lock several do it in the order of their ids. */
export function lockProducts(tx: Connection, ids: readonly string[]): Promise<Product[]> {
  return tx.all<Product>(sql`
    select ${SHOWN}, stock_as_of from products where product_id in ${list(ids)} order by product_id ${forUpdate}`);
}

const COLUMNS = {
  product_id: 'text',
  name: 'text',
  price: 'numeric',
  stock_quantity: 'bigint',
  categories: 'json',
  stock_as_of: 'text',
  search: 'text',
  version: 'bigint',
} as const;
const MORE_COLUMNS = { extra: 'json', track_stock: 'bigint', allow_backorder: 'bigint' } as const;
const MORE = sql`, extra, track_stock, allow_backorder`;

/** Columns that no product of the batch has a value for are left out: products without any of it are not to pay for what others have. */
function isMore({ extra, track_stock, allow_backorder }: Product): boolean {
  return (extra ?? track_stock ?? allow_backorder) !== null;
}

function valuesOf(product: Product, withMore: boolean): (string | number | null)[] {
  const { product_id, name, price, stock_quantity, categories, stock_as_of, version } = product;
  const row = [product_id, name, price, stock_quantity, categories, stock_as_of, `${name}\n${product_id}`.toLowerCase(), version];
  if (withMore) row.push(product.extra, product.track_stock, product.allow_backorder);
  return row;
}

export async function insertProducts(tx: Connection, products: readonly Product[], now: string): Promise<void> {
  if (products.length === 0) return;
  const withMore = products.some(isMore);
  const more = withMore ? MORE : sql``;
  const rows = products.map((product) => valuesOf(product, withMore));
  try {
    await tx.all(sql`
      insert into products (product_id, name, price, stock_quantity, categories, stock_as_of, search, version, created_at, updated_at${more})
      select product_id, name, price, stock_quantity, categories, stock_as_of, search, version, ${now}, ${now}${more}
      from ${bulk({ ...COLUMNS, ...(withMore && MORE_COLUMNS) }, rows)} as input`);
  } catch (error) {
    // Another node was quicker: what we decided on was not the present state.
    if (isDuplicate(error)) throw new LostRace('a product was created at the same time');
    throw error;
  }
}

/** Products that are there and locked; `before` are those that they were. Writing over them in one go takes SQLite less than an update by a list does. */
export async function updateProducts(tx: Connection, products: readonly Product[], before: readonly Product[] = []): Promise<void> {
  if (products.length === 0) return;
  const withMore = products.some(isMore) || before.some(isMore);
  const more = withMore ? MORE : sql``;
  const rows = products.map((product) => [...valuesOf(product, withMore), product.updated_at]);
  const columns = { ...COLUMNS, ...(withMore && MORE_COLUMNS), updated_at: 'text' as const };
  const alsoMore: Sql = withMore
    ? sql`, extra = excluded.extra, track_stock = excluded.track_stock, allow_backorder = excluded.allow_backorder`
    : sql``;
  await tx.all(sql`
    insert into products (product_id, name, price, stock_quantity, categories, stock_as_of, search, version, created_at, updated_at${more})
    select product_id, name, price, stock_quantity, categories, stock_as_of, search, version, updated_at, updated_at${more}
    from ${bulk(columns, rows)} as input where true
    on conflict (product_id) do update set name = excluded.name, price = excluded.price, stock_quantity = excluded.stock_quantity,
      categories = excluded.categories, stock_as_of = excluded.stock_as_of, search = excluded.search, version = excluded.version,
      updated_at = excluded.updated_at${alsoMore}`);
}
