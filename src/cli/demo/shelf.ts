import { isoTime, parseTime } from '../../lib/clock.ts';
import { decimalText } from '../../lib/money.ts';
import type { ProductPatch } from '../../shop/products/rules.ts';
import type { MovementRequest } from '../../shop/products/stock/move.ts';
import { DEFAULT_LOCATION } from '../../shop/products/stock/rules.ts';
import type { Article } from '../../sample/catalogue.ts';
import type { Random } from '../../sample/random.ts';
import { extrasOf } from './product-extras.ts';

const PRICE_CHANGES = 2;
const LOWEST_PRICE = 190;
/** So many articles have a ledger. */
const TRACKED = 12;
/** The second place where goods are: the first is the warehouse. */
const STORE = 'store';

interface Stocked {
  article: Article;
  price: number;
  stock: number;
  sold: number;
  /** How many are ordered at a time. */
  lot: number;
  /** Of what is tracked: how many can still be promised, at least. */
  free: number | undefined;
}

/** What changes on the shelf on one day. */
export interface ShelfChange {
  patches: ProductPatch[];
  movements: MovementRequest[];
}

/** The goods with their present price and stock. */
export interface Shelf {
  /** What everything is and costs on the first day. */
  opening(): ShelfChange;
  /** Takes a product from the shelf for a customer and tells its price in cents. */
  take(product_id: string, quantity: number): number;
  /** Whether an order for these holds what it takes: something of it is tracked, and there is enough. */
  isHeld(items: readonly { product_id: string; quantity: number }[]): boolean;
  /** The week's stock-taking: what was sold is gone, what ran low was ordered, a few prices change. */
  takeStock(random: Random): ShelfChange;
  /** From now on the stock of some articles is tracked. */
  track(): ShelfChange;
  /** What a count has found at that time, when those were just tracked: it is told later, and what has moved since stays. */
  count(at: number): ShelfChange;
}

/** `weeklyItems`: about how many products are bought in a week, all together. */
export function fillShelf(articles: readonly Article[], weeklyItems: number): Shelf {
  const demand = articles.reduce((sum, article) => sum + article.demand, 0);
  const goods = new Map<string, Stocked>();
  for (const article of articles) {
    const lot = Math.max(12, Math.ceil(((article.demand / demand) * weeklyItems * 5) / 12) * 12);
    goods.set(article.product_id, { article, price: article.price, stock: lot, sold: 0, lot, free: undefined });
  }
  const all = [...goods.values()];
  const tracked = all.slice(0, TRACKED);
  const stocked = (product_id: string): Stocked | undefined => goods.get(product_id);
  return {
    opening: () => ({ patches: all.map(openingOf), movements: [] }),
    take: (product_id, quantity) => {
      const good = stocked(product_id) as Stocked;
      good.sold += quantity;
      return good.price;
    },
    isHeld: (items) => {
      const held = items.flatMap(({ product_id, quantity }) => {
        const good = stocked(product_id);
        return good?.free === undefined ? [] : [{ good, quantity, free: good.free }];
      });
      if (held.length === 0 || held.some(({ free, quantity }) => free < quantity)) return false;
      for (const { good, quantity, free } of held) good.free = free - quantity;
      return true;
    },
    takeStock: (random) => {
      const movements = all.flatMap((good) => restock(random, good));
      changePrices(random, all);
      return { patches: all.map(weeklyPatch), movements };
    },
    track: () => ({
      patches: tracked.map((good, place) => {
        good.stock = good.free = 2 * good.lot;
        // The voucher of a shop never runs out; here it is the last of them.
        const more = { track_stock: true, ...(place === tracked.length - 1 && { allow_backorder: true }) };
        return { product_id: good.article.product_id, stock_quantity: good.stock, more };
      }),
      movements: [],
    }),
    count: (at) => {
      const [good] = tracked;
      if (good?.free === undefined) return { patches: [], movements: [] };
      good.free -= 2;
      const stock_as_of = parseTime(isoTime(at))?.exact;
      return { patches: [{ product_id: good.article.product_id, stock_quantity: good.stock - 2, stock_as_of }], movements: [] };
    },
  };
}

function openingOf({ article, price, stock }: Stocked): ProductPatch {
  return {
    product_id: article.product_id,
    name: article.name,
    price: priceText(price),
    stock_quantity: stock,
    categories: JSON.stringify(article.categories),
    more: { extras: extrasOf(article, price) },
  };
}

/** What came in of an article in a week, where that is written down; of others their stock is set. */
function restock(random: Random, good: Stocked): MovementRequest[] {
  const { sold, lot, article } = good;
  good.sold = 0;
  if (good.free === undefined) {
    good.stock = Math.max(0, good.stock - sold);
    if (good.stock < lot / 3 && random.chance(0.7)) good.stock += lot;
    return [];
  }
  const move = (location: string, delta: number, reason: string): MovementRequest => {
    good.free = (good.free ?? 0) + delta;
    return { product_id: article.product_id, location, delta, reason };
  };
  if (sold === 0) return [];
  const delivery = `delivery ${random.between(1000, 9999)}`;
  return [
    move(DEFAULT_LOCATION, Math.ceil(sold / 6) * 6, delivery),
    move(STORE, 6, delivery),
    ...(random.chance(0.15) ? [move(STORE, -1, 'broken on the way')] : []),
  ];
}

function changePrices(random: Random, goods: readonly Stocked[]): void {
  for (let change = 0; change < PRICE_CHANGES; change++) {
    const good = random.pick(goods);
    const changed = good.price * (0.95 + random.next() * 0.15);
    good.price = Math.max(LOWEST_PRICE, Math.round(changed / 100) * 100 - 10);
  }
}

function weeklyPatch({ article, price, stock, free }: Stocked): ProductPatch {
  return { product_id: article.product_id, price: priceText(price), ...(free === undefined && { stock_quantity: stock }) };
}

function priceText(cents: number): string {
  return decimalText(BigInt(cents) * 100n);
}
