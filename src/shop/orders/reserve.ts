import { list } from '../../db/bulk.ts';
import type { Connection } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import type { ShortLine } from '../../lib/errors.ts';
import type { Shortage, StockBook } from '../products/stock/book.ts';
import { quantitiesOf } from '../products/stock/held.ts';
import { openBook } from '../products/stock/save.ts';

/** A new order as far as stock is concerned. */
interface Taker {
  id: string;
  external_id: string | null;
  lines: readonly { product_id: string; quantity: number }[];
  reserve?: true;
}

export interface TakenStock<Order> {
  book: StockBook;
  /** The ids of the orders that have got what they want. */
  takers: ReadonlySet<string>;
  /** Those that have not, with the lines that there is too little for. */
  refused: ReadonlyMap<Order, ShortLine[]>;
}

/** Reserves what new orders want, one order after the other: each gets all of its lines, or none. */
export async function takeStock<Order extends Taker>(tx: Connection, orders: readonly Order[], now: number): Promise<TakenStock<Order>> {
  const reserving = orders.filter(({ reserve }) => reserve);
  const productIds = [...new Set(reserving.flatMap(({ lines }) => lines.map(({ product_id }) => product_id)))].sort();
  const [book, known] = await Promise.all([openBook(tx, productIds, now), takenIds(tx, reserving)]);
  const takers = new Set<string>();
  const refused = new Map<Order, ShortLine[]>();
  for (const order of orders) {
    // There is such an order already, so this one is not going to be made, and takes nothing.
    if (order.external_id !== null && known.has(order.external_id)) continue;
    const shortages = order.reserve ? book.reserve(order.id, quantitiesOf(order.lines)) : [];
    if (shortages.length > 0) refused.set(order, shortLines(order.lines, shortages));
    else {
      if (order.reserve) takers.add(order.id);
      if (order.external_id !== null) known.add(order.external_id);
    }
  }
  return { book, takers, refused };
}

/** The ids of other systems that orders have already. One that another node is about to write is found out when the order is. */
async function takenIds(tx: Connection, orders: readonly Taker[]): Promise<Set<string>> {
  const ids = orders.flatMap(({ external_id }) => (external_id === null ? [] : [external_id]));
  if (ids.length === 0) return new Set();
  const rows = await tx.all<{ external_id: string }>(sql`select external_id from orders where external_id in ${list(ids)}`);
  return new Set(rows.map(({ external_id }) => external_id));
}

export function shortLines(lines: Taker['lines'], shortages: readonly Shortage[]): ShortLine[] {
  return lines.flatMap(({ product_id }, index) => {
    const shortage = shortages.find((one) => one.product_id === product_id);
    return shortage ? [{ index, product_id, wanted: shortage.wanted, available: shortage.available }] : [];
  });
}
