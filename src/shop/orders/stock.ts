import type { Connection } from '../../db/database.ts';
import { openOrderStock, type Quantities, quantitiesOf } from '../products/stock/held.ts';

// What becomes of the stock that an order has reserved. Orders that have reserved nothing do not touch it.

export interface StockDeed {
  order_id: string;
  at: string;
  kind: 'release' | 'ship' | 'put_back';
  /** So many of each product; all that the order has, when it is left out. */
  quantities?: Quantities;
  /** Where the goods leave or come in. */
  location?: string | undefined;
}

/** Whether an order has reserved its lines. Nothing else in it is called so: what callers name themselves is kept elsewhere. */
export function reserves({ extra }: { extra: string | null }): boolean {
  return extra !== null && extra.includes('"reserve":true');
}

/** How many units some pieces of lines are, by product. */
export function unitsOfPieces(items: string, pieces: readonly { line: number; quantity: number }[]): Quantities {
  const lines = JSON.parse(items) as { product_id: string }[];
  return quantitiesOf(pieces.map(({ line, quantity }) => ({ product_id: lines[line - 1]?.product_id ?? '', quantity })));
}

/** Does all of it, in its order, for orders that are locked. What it answers tells of it: call that last. */
export async function settleStock(tx: Connection, deeds: readonly StockDeed[]): Promise<() => Promise<void>> {
  if (deeds.length === 0) return async () => {};
  const ids = [...new Set(deeds.map(({ order_id }) => order_id))];
  const stock = await openOrderStock(tx, ids, Math.max(...deeds.map(({ at }) => Date.parse(at))));
  for (const { order_id, kind, quantities, location } of deeds) {
    if (kind === 'release') stock.release(order_id, quantities);
    else if (kind === 'ship') stock.ship(order_id, quantities, location);
    else stock.putBack(order_id, quantities, location);
  }
  return stock.save();
}
