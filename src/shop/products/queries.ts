import { command, type Connection, first } from '../../db/database.ts';
import { bytesOf, rowsThatFit } from '../../db/page-bytes.ts';
import { all, type Sql, sql } from '../../db/sql.ts';
import type { ProductsTable } from '../../db/tables.ts';
import { renderProduct } from './commands.ts';

export interface ProductPage {
  filter: { category?: string | undefined; updated_since?: string | undefined; q?: string | undefined };
  limit: number;
  offset: number;
  after?: string | undefined;
}

type ProductRow = Omit<ProductsTable, 'search' | 'stock_as_of'>;

const COLUMNS = sql`product_id, name, price, stock_quantity, categories, version, created_at, updated_at`;

const BYTES = sql`${bytesOf('name', 'categories')} as bytes`;
/** A product holds 64 KiB at most: a hundred categories of a hundred characters. */
const ALWAYS_FIT = 100;

export async function findProduct(db: Connection, productId: string): Promise<string | undefined> {
  const rows = await db.all<ProductRow>(sql`select ${COLUMNS} from products where product_id = ${productId}`);
  return rows[0] && render(rows[0]);
}

/** A page of products in the order of their ids, with the exact total, on one snapshot. */
export const listProducts = command(import.meta.url, 'listProducts', async (db, { filter, limit: wanted, offset, after }: ProductPage) => {
  const matches = where(filter);
  // The index of categories lies in the order of the ids, so a page is read off it and nothing needs sorting.
  const from = filter.category === undefined ? sql`products` : sql`product_categories join products using (product_id)`;
  const count = await first<{ n: number }>(db, totalOf(filter, from, matches));
  const position = after === undefined ? sql`` : sql`and product_id > ${after}`;
  const pageOf = (columns: Sql, size: number): Sql =>
    sql`select ${columns} from ${from} where ${matches} ${position} order by product_id limit ${size} offset ${offset}`;
  const limit = wanted > ALWAYS_FIT ? await rowsThatFit(db, pageOf(BYTES, wanted), wanted) : wanted;
  const rows = await db.all<ProductRow>(pageOf(COLUMNS, limit + 1));
  const page = rows.slice(0, limit);
  return {
    products: page.map(render),
    total: count?.n ?? 0,
    next: rows.length > limit ? page.at(-1)?.product_id : undefined,
  };
});

function totalOf({ category, updated_since, q }: ProductPage['filter'], from: Sql, matches: Sql): Sql {
  if (updated_since !== undefined || q !== undefined) return sql`select count(*) as n from ${from} where ${matches}`;
  if (category !== undefined) return sql`select count(*) as n from product_categories where ${matches}`;
  return sql`select n from counters where name = 'products'`;
}

function where({ category, updated_since, q }: ProductPage['filter']): Sql {
  const pattern = q === undefined ? '' : `%${q.toLowerCase().replace(/[!%_]/g, '!$&')}%`;
  return all([
    category === undefined ? undefined : sql`category = ${category}`,
    updated_since === undefined ? undefined : sql`updated_at >= ${updated_since}`,
    q === undefined ? undefined : sql`search like ${pattern} escape '!'`,
  ]);
}

function render(row: ProductRow): string {
  return renderProduct({ ...row, stock_as_of: null });
}
