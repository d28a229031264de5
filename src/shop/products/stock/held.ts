import { list } from '../../../db/bulk.ts';
import type { Connection } from '../../../db/database.ts';
import { sql } from '../../../db/sql.ts';
import type { Shortage, StockBook, StockHold } from './book.ts';
import { openProductStock, saveProductStock } from './on-hand.ts';
import { cut, DEFAULT_LOCATION, type StockPortion } from './rules.ts';

/** What an order has of a product: promised to it, and sent away and not come back. */
interface Holding {
  held: StockPortion[];
  shipped: StockPortion[];
}

/** So many units of each product; of those that are not named, none. */
export type Quantities = ReadonlyMap<string, number>;

/** Adds up how many units are spoken of, by product. */
export function quantitiesOf(lines: readonly { product_id: string; quantity: number }[]): Map<string, number> {
  const quantities = new Map<string, number>();
  for (const { product_id, quantity } of lines) quantities.set(product_id, (quantities.get(product_id) ?? 0) + quantity);
  return quantities;
}

/**
 * The stock that orders hold, within a transaction that has locked these orders. What is
 * asked for is done as far as the order has it: an order for something that was not tracked holds nothing of it.
 */
export interface OrderStock {
  /** Gives back what is held for an order: all of it, or so many. */
  release(orderId: string, quantities?: Quantities): void;
  /** Takes out what is held for an order: what is held at that location first. */
  ship(orderId: string, quantities?: Quantities, location?: string): void;
  /** Puts back what was taken out for an order: at that location, or where it was taken. */
  putBack(orderId: string, quantities?: Quantities, location?: string): void;
  /** Has an order hold these quantities, and no others; changes nothing when there is too little, and tells what. */
  hold(orderId: string, wanted: Quantities): Shortage[];
  /** Writes it all down. What it answers tells of it: call that last. */
  save(): Promise<() => Promise<void>>;
}

/** `productIds` are those that orders may want beside what they have. */
export async function openOrderStock(
  tx: Connection,
  orderIds: readonly string[],
  now: number,
  productIds: readonly string[] = [],
): Promise<OrderStock> {
  const holds = await holdsOf(tx, orderIds);
  const stock = await openProductStock(tx, [...productIds, ...holds.map(({ product_id }) => product_id)], now);
  return { ...deedsOn(stock.book, holdingsIn(holds, stock.book)), save: () => saveProductStock(tx, stock) };
}

type Holdings = Map<string, Map<string, Holding>>;

function deedsOn(book: StockBook, holdings: Holdings): Omit<OrderStock, 'save'> {
  const each = (orderId: string, quantities: Quantities | undefined, deed: (id: string, holding: Holding, most: number) => void): void => {
    for (const [productId, holding] of holdings.get(orderId) ?? []) {
      const most = quantities ? (quantities.get(productId) ?? 0) : Number.POSITIVE_INFINITY;
      if (most > 0 && book.levelsOf(productId).length > 0) deed(productId, holding, most);
    }
  };
  const release = (orderId: string, quantities?: Quantities): void =>
    each(orderId, quantities, (productId, holding, most) => {
      const portions = cut(holding.held, most);
      book.release(orderId, productId, portions);
      holding.held = behind(holding.held, most);
    });
  return {
    release,
    ship: (orderId, quantities, location) =>
      each(orderId, quantities, (productId, holding, most) => {
        const held = holding.held.toSorted((a, b) => Number(b.location === location) - Number(a.location === location));
        const portions = cut(held, most);
        book.ship(orderId, productId, portions);
        holding.held = behind(held, most);
        holding.shipped = [...holding.shipped, ...portions];
      }),
    putBack: (orderId, quantities, location) =>
      each(orderId, quantities, (productId, holding, most) => {
        const taken = cutToSum(holding.shipped, most);
        const portions = location === undefined ? taken : [{ location, quantity: sumOf(taken) }];
        if (sumOf(taken) === 0) return;
        book.putBack(orderId, productId, portions);
        holding.shipped = [...holding.shipped, ...portions.map(({ location, quantity }) => ({ location, quantity: -quantity }))];
      }),
    hold: (orderId, wanted) => {
      const ofOrder = holdings.get(orderId) ?? new Map<string, Holding>();
      holdings.set(orderId, ofOrder);
      const heldOf = (productId: string): number => sumOf(ofOrder.get(productId)?.held ?? []);
      const more = new Map<string, number>();
      for (const [productId, quantity] of wanted) if (quantity > heldOf(productId)) more.set(productId, quantity - heldOf(productId));
      const made = book.holds.length;
      const shortages = book.reserve(orderId, more);
      if (shortages.length > 0) return shortages;
      for (const { product_id, location, held } of book.holds.slice(made)) {
        const holding = ofOrder.get(product_id) ?? { held: [], shipped: [] };
        ofOrder.set(product_id, { ...holding, held: [...holding.held, { location, quantity: held }] });
      }
      const fewer = new Map<string, number>();
      for (const productId of ofOrder.keys()) fewer.set(productId, heldOf(productId) - (wanted.get(productId) ?? 0));
      release(orderId, fewer);
      return [];
    },
  };
}

/** As `cut`, and never more than the sum. What came back elsewhere than where it was taken is a portion of less than nothing. */
function cutToSum(portions: readonly StockPortion[], most: number): StockPortion[] {
  const quantity = Math.min(most, Math.max(0, sumOf(portions)));
  const byLocation = new Map<string, number>();
  for (const portion of portions) byLocation.set(portion.location, (byLocation.get(portion.location) ?? 0) + portion.quantity);
  const parts = cut(
    Array.from(byLocation, ([location, n]) => ({ location, quantity: n })),
    quantity,
  );
  const rest = quantity - sumOf(parts);
  return rest > 0 ? [...parts, { location: DEFAULT_LOCATION, quantity: rest }] : parts;
}

/** What is left of portions when the first of them, up to a quantity, are gone. */
function behind(portions: readonly StockPortion[], quantity: number): StockPortion[] {
  let gone = quantity;
  return portions.flatMap((portion) => {
    const left = Math.max(0, portion.quantity - gone);
    gone -= portion.quantity - left;
    return left > 0 ? [{ ...portion, quantity: left }] : [];
  });
}

function sumOf(portions: readonly StockPortion[]): number {
  return portions.reduce((sum, { quantity }) => sum + quantity, 0);
}

async function holdsOf(tx: Connection, orderIds: readonly string[]): Promise<StockHold[]> {
  return tx.all<StockHold>(sql`
    select order_id, product_id, location, held, shipped, opened_at from stock_holds
    where order_id in ${list(orderIds)} order by order_id, product_id, location`);
}

/** What counts of it: a product that was taken out of the catalogue meanwhile, or not tracked, has begun anew. */
function holdingsIn(holds: readonly StockHold[], book: StockBook): Holdings {
  const holdings: Holdings = new Map();
  for (const { order_id, product_id, location, held, shipped, opened_at } of holds) {
    if (book.levelsOf(product_id)[0]?.opened_at !== opened_at) continue;
    const ofOrder = holdings.get(order_id) ?? new Map<string, Holding>();
    holdings.set(order_id, ofOrder);
    const holding = ofOrder.get(product_id) ?? { held: [], shipped: [] };
    ofOrder.set(product_id, holding);
    if (held > 0) holding.held.push({ location, quantity: held });
    if (shipped !== 0) holding.shipped.push({ location, quantity: shipped });
  }
  return holdings;
}
