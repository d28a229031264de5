import { isoTime } from '../../lib/clock.ts';
import { idAt } from '../../lib/ids.ts';
import { decimalText } from '../../lib/money.ts';
import type { OrderDraft } from '../../shop/orders/create.ts';
import { dress, type Extras } from '../../shop/orders/extras.ts';
import { type OrderLine, priceLines } from '../../shop/orders/rules.ts';
import type { TransitionRequest } from '../../shop/orders/transition.ts';
import type { ProductPatch } from '../../shop/products/rules.ts';
import { type Article, CATALOGUE } from '../../sample/catalogue.ts';
import { FIRST_LOOK, fateOf } from './fate.ts';
import { type Customer, newCustomer } from '../../sample/people.ts';
import { type Random, randomFrom } from '../../sample/random.ts';
import { fillShelf, type Shelf } from './shelf.ts';

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
const DAYS = 183;
const ITEMS_PER_ORDER = 3.2;

// How busy the hours (UTC) and the days (from Sunday) are, beside each other: lunch, the evening, the start of the week.
const HOURS = [2, 1, 1, 1, 1, 2, 4, 6, 8, 9, 10, 12, 11, 9, 8, 9, 10, 13, 16, 18, 16, 11, 7, 4].map(
  (weight, hour) => [hour, weight] as const,
);
const WEEKDAYS = [11, 12, 10, 10, 9, 8, 9];
const LINES = [30, 28, 18, 12, 7, 5].map((weight, index) => [index + 1, weight] as const);
const QUANTITIES = [76, 16, 5, 2, 0, 1].map((weight, index) => [index + 1, weight] as const);
const CHANNELS = [
  ['web', 80],
  ['marketplace', 12],
  ['phone', 4],
  ['store', 4],
] as const;
/** Sold on the marketplace though it is in the catalogue no more. */
const DISCONTINUED = { product_id: 'CUP-SAU', quantity: 1, price: 4.9 };

const VAT = { rate: 19 };
const VOUCHER = { code: 'WELCOME10', percent: 10 };
const SHIPPING = 4.9;
const FREE_FROM = 50;

export interface StoryOptions {
  orders: number;
  products: number;
  seed: string;
  /** Where the story ends: half a year after it began. */
  now: number;
  currency: string;
}

/** What happens in the shop on one day: first the orders come, then those that are there move on, then stock is taken. */
export interface Day {
  drafts: OrderDraft[];
  moves: TransitionRequest[];
  patches: ProductPatch[];
  end: number;
}

/** Half a year of a shop, day by day, so that a long story needs no more memory than a short one. */
export function* tellStory({ orders, products, seed, now, currency }: StoryOptions): Generator<Day> {
  const random = randomFrom(seed);
  const articles = CATALOGUE.slice(0, products);
  const shelf = fillShelf(articles, (orders * ITEMS_PER_ORDER * 7) / DAYS);
  const start = now - DAYS * DAY;
  const counts = ordersPerDay(orders, start);
  const customers: Customer[] = [];
  // What will happen on which day; what lies beyond the last one has not happened yet.
  const ahead = new Map<number, TransitionRequest[]>();
  const counter: Counter = { random, articles, shelf, currency, customers };

  yield { drafts: [], moves: [], patches: shelf.opening(), end: start - 14 * DAY };
  for (let day = 0; day < DAYS; day++) {
    const drafts: OrderDraft[] = [];
    for (const created of timesOfDay(random, counts[day] ?? 0, start + day * DAY)) {
      const time = day === DAYS - 1 && drafts.length + 1 === counts[day] ? now - random.between(1, FIRST_LOOK / 2) : created;
      const draft = takeOrder(counter, time);
      drafts.push(draft);
      for (const { to, at, reason } of fateOf(random, time, draft.shipping_address === null)) {
        const when = Math.floor((at - start) / DAY);
        const moves = ahead.get(when) ?? [];
        moves.push({ order_id: draft.id, to, reason, at: isoTime(at) });
        ahead.set(when, moves);
      }
    }
    const moves = (ahead.get(day) ?? []).sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
    ahead.delete(day);
    yield { drafts, moves, patches: day % 7 === 6 ? shelf.takeStock(random) : [], end: start + (day + 1) * DAY };
  }
}

/** Spreads the orders over the days: the shop grows, and no two weekdays are alike. */
function ordersPerDay(orders: number, start: number): number[] {
  const weights = Array.from({ length: DAYS }, (_, day) => {
    const weekday = WEEKDAYS[new Date(start + (day + 0.5) * DAY).getUTCDay()] ?? 1;
    return weekday * (0.6 + (0.9 * day) / DAYS);
  });
  const sum = weights.reduce((total, weight) => total + weight, 0);
  let reached = 0;
  let given = 0;
  return weights.map((weight) => {
    reached += weight;
    const count = Math.round((orders * reached) / sum) - given;
    given += count;
    return count;
  });
}

/** Times within the 24 hours from `start`, sorted. */
function timesOfDay(random: Random, count: number, start: number): number[] {
  const midnight = Math.floor(start / DAY) * DAY;
  const times = Array.from({ length: count }, () => {
    const time = midnight + random.weighted(HOURS) * HOUR + random.between(0, HOUR - 1);
    return time < start ? time + DAY : time;
  });
  return times.sort((a, b) => a - b);
}

interface Counter {
  random: Random;
  articles: readonly Article[];
  shelf: Shelf;
  currency: string;
  customers: Customer[];
}

function takeOrder({ random, articles, shelf, currency, customers }: Counter, time: number): OrderDraft {
  const customer = whoOrders(random, customers);
  const channel = random.weighted(CHANNELS);
  const demand = articles.map((article) => [article.product_id, article.demand] as const);
  const chosen = new Set(Array.from({ length: random.weighted(LINES) }, () => random.weighted(demand)));
  const items = [...chosen].map((product_id) => {
    const quantity = random.weighted(QUANTITIES);
    return { product_id, quantity, price: shelf.take(product_id, quantity) / 100 };
  });
  if (channel === 'marketplace' && items.length < LINES.length && random.chance(0.1)) items.push(DISCONTINUED);
  const { lines, sums } = priceLines(items);
  const paid = paidFor(items, channel, channel === 'store' ? undefined : customer, random.chance(0.08));
  const { total, extra, ...dressed } = dress(paid, lines as OrderLine[], sums, currency);
  return {
    id: idAt('ord', time),
    created_at: isoTime(time),
    customer_id: customer.customer_id,
    currency,
    external_id: channel === 'marketplace' ? marketplaceNumber(random) : null,
    total: decimalText(total),
    lines: dressed.lines,
    // What is ordered in the store is collected there.
    shipping_address: channel === 'store' ? null : JSON.stringify(customer.address),
    metadata: JSON.stringify({ channel }),
    ...(extra !== undefined && { extra }),
    idempotency: null,
  };
}

/** What a customer of this shop pays: the tax is in the prices, shipping is free from a sum on, and some have a voucher. */
function paidFor(
  items: readonly { product_id: string; quantity: number; price: number }[],
  channel: string,
  shippedTo: Customer | undefined,
  hasVoucher: boolean,
): Extras {
  const goods = items.reduce((sum, { quantity, price }) => sum + quantity * price, 0);
  return {
    items: items.map((item) => ({ ...item, tax: VAT })),
    prices_include_tax: true,
    ...(shippedTo && { shipping: { method: 'parcel', price: goods < FREE_FROM ? SHIPPING : 0, tax: VAT } }),
    ...(hasVoucher && { discounts: [VOUCHER] }),
    ...(shippedTo && { customer: { name: shippedTo.address.name } }),
    channel,
  };
}

/** The longer the shop is there, the more often it is a customer who was there before, and the faithful most of all. */
function whoOrders(random: Random, customers: Customer[]): Customer {
  if (random.chance((0.6 * customers.length) / (customers.length + 100))) {
    return customers[Math.floor(random.next() ** 1.4 * customers.length)] as Customer;
  }
  const customer = newCustomer(random, customers.length + 1);
  customers.push(customer);
  return customer;
}

function marketplaceNumber(random: Random): string {
  const digits = (count: number): string => String(random.between(10 ** (count - 1), 10 ** count - 1));
  return `${digits(3)}-${digits(7)}-${digits(7)}`;
}
