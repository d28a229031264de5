import { command, type Connection, first } from '../../db/database.ts';
import { bytesOf, rowsThatFit } from '../../db/page-bytes.ts';
import { all, type Sql, sql } from '../../db/sql.ts';
import { renderProduct, SHOWN } from './rows.ts';
import type { Product } from './rules.ts';

export interface ProductPage {
  filter: { category?: string | undefined; updated_since?: string | undefined; q?: string | undefined };
  limit: number;
  offset: number;
  after?: string | undefined;
}

type ProductRow = Omit<Product, 'stock_as_of'>;

const BYTES = sql`${bytesOf('name', 'categories', 'extra')} as bytes`;
/** A product holds 160 KiB at most: a hundred categories of a hundred characters, and what only some have. */
const ALWAYS_FIT = 50;

export async function findProduct(db: Connection, productId: string): Promise<string | undefined> {
  const rows = await db.all<ProductRow>(sql`select ${SHOWN} from products where product_id = ${productId}`);
  return rows[0] && renderProduct(rows[0]);
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
  const rows = await db.all<ProductRow>(pageOf(SHOWN, limit + 1));
  const page = rows.slice(0, limit);
  return {
    products: page.map(renderProduct),
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
