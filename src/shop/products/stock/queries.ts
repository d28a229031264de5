import { command, first } from '../../../db/database.ts';
import { all, sql } from '../../../db/sql.ts';
import type { StockMovement } from './book.ts';
import { inTurn, type StockLevel } from './rules.ts';

export interface LedgerPage {
  productId: string;
  location: string | undefined;
  limit: number;
  offset: number;
  /** The id of the last entry of the page before. */
  after?: string | undefined;
}

/** What a product has, and a page of its ledger, newest first, on one snapshot; undefined when there is no such product. */
export const readStock = command(import.meta.url, 'readStock', async (db, { productId, location, limit, offset, after }: LedgerPage) => {
  const product = await first<{ stock_quantity: number; track_stock: number | null; allow_backorder: number | null }>(
    db,
    sql`select stock_quantity, track_stock, allow_backorder from products where product_id = ${productId}`,
  );
  if (!product) return undefined;
  const levels = await db.all<StockLevel>(sql`select * from stock where product_id = ${productId}`);
  const matches = all([sql`product_id = ${productId}`, location === undefined ? undefined : sql`location = ${location}`]);
  const position = after === undefined ? sql`` : sql`and id < ${after}`;
  const rows = await db.all<StockMovement>(sql`
    select * from stock_movements where ${matches} ${position} order by id desc limit ${limit + 1} offset ${offset}`);
  const counted = await first<{ n: number }>(db, sql`select count(*) as n from stock_movements where ${matches}`);
  const movements = rows.slice(0, limit);
  return {
    product,
    levels: levels.sort(inTurn),
    movements,
    total: counted?.n ?? 0,
    next: rows.length > limit ? movements.at(-1)?.id : undefined,
  };
});
