import { bulk, list } from '../../db/bulk.ts';
import type { Connection } from '../../db/database.ts';
import { holds } from '../../db/premise.ts';
import { sql } from '../../db/sql.ts';
import type { StockBook } from '../products/stock/book.ts';
import { quantitiesOf } from '../products/stock/held.ts';
import type { OrderDraft } from './order-draft.ts';

// On PostgreSQL, where the rows of the stock stay locked while an answer is waited for: of products that there is much of, an order reserves its lines without a look at them.

/** Products that were not tracked, or at one location and with much available, when this process last looked. What is so now, the database says. */
const roomy = new Set<string>();
const MOST_ROOMY = 50_000;
const MUCH = 1_000;

/** Keeps in mind which products there is much of. */
export function noteRoom(book: StockBook, drafts: readonly OrderDraft[]): void {
  if (roomy.size > MOST_ROOMY) roomy.clear();
  for (const id of quantitiesOfAll(drafts).keys()) {
    const [level, ...others] = book.levelsOf(id);
    if (others.length === 0 && (!level || level.on_hand - level.reserved >= MUCH)) roomy.add(id);
  }
}

/**
 * What reserves all that these orders want, if there was much of all of it. It fails the transaction when there is too little now, when the last unit would be taken, of
 * which there is to be told, or when a product has come to a second location: it is tried again with a look at the stock.
 */
export function reserveAtOnce(tx: Connection, drafts: readonly OrderDraft[]): (() => Promise<void>) | undefined {
  const wanted = quantitiesOfAll(drafts);
  for (const id of wanted.keys()) if (!roomy.has(id)) return undefined;
  return async () => {
    try {
      await reserve(tx, drafts, wanted);
    } catch (error) {
      for (const id of wanted.keys()) roomy.delete(id);
      throw error;
    }
  };
}

async function reserve(tx: Connection, drafts: readonly OrderDraft[], wanted: ReadonlyMap<string, number>): Promise<void> {
  const ofOrders = drafts.flatMap(({ id, reserve, lines }) =>
    reserve ? Array.from(quantitiesOf(lines), ([productId, quantity]) => [id, productId, quantity]) : [],
  );
  const input = bulk({ product_id: 'text', quantity: 'bigint' }, [...wanted]);
  const held = bulk({ order_id: 'text', product_id: 'text', quantity: 'bigint' }, ofOrders);
  await Promise.all([
    // In the order in which all lock them.
    tx.all(sql`
      select count(*) from (
        select 1 from stock where product_id in ${list([...wanted.keys()].sort())} order by product_id, location for update) as locked`),
    // What was reserved too much, or at two locations, is taken back with the transaction.
    tx.all(sql`
      with taken as (
        update stock set reserved = reserved + input.quantity from ${input} as input where stock.product_id = input.product_id
        returning stock.product_id, location, opened_at, on_hand - reserved as available),
      held as (
        insert into stock_holds (order_id, product_id, location, held, shipped, opened_at)
        select held.order_id, taken.product_id, taken.location, held.quantity, 0, taken.opened_at
        from ${held} as held join taken on taken.product_id = held.product_id)
      select ${holds(sql`coalesce(min(available) > 0, true) and count(*) = count(distinct product_id)`)} from taken`),
  ]);
}

function quantitiesOfAll(drafts: readonly OrderDraft[]): Map<string, number> {
  return quantitiesOf(drafts.flatMap(({ reserve, lines }) => (reserve ? lines : [])));
}
