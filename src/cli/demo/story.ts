import { isoTime } from '../../lib/clock.ts';
import { idAt } from '../../lib/ids.ts';
import type { OrderDraft } from '../../shop/orders/order-draft.ts';
import type { DeedRequest } from '../../shop/orders/deeds/write.ts';
import { draftOrder } from '../../shop/orders/draft.ts';
import type { TransitionRequest } from '../../shop/orders/transition.ts';
import { type Article, CATALOGUE } from '../../sample/catalogue.ts';
import { type Customer, newCustomer } from '../../sample/people.ts';
import { type Random, randomFrom } from '../../sample/random.ts';
import { bodyOf, type BoughtItem } from './bought.ts';
import { FIRST_LOOK, fateOf, type Step } from './fate.ts';
import { fillShelf, type Shelf, type ShelfChange } from './shelf.ts';

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
const DISCONTINUED: BoughtItem = { product_id: 'CUP-SAU', name: 'Saucer', quantity: 1, price: 4.9 };
/** The day from which on the shop keeps ledgers. */
const TRACKS_FROM = DAYS - 45;
const CARRIERS = ['DHL', 'DPD', 'GLS'];

export interface StoryOptions {
  orders: number;
  products: number;
  seed: string;
  /** Where the story ends: half a year after it began. */
  now: number;
  currency: string;
  /** Whether some of the stock is tracked: not where other orders may hold some of it. */
  tracks: boolean;
}

/** What happens in the shop on one day: the orders come, those that are there move on, and then it is about the shelf. */
export interface Day extends ShelfChange {
  drafts: OrderDraft[];
  /** Until something is shipped. */
  moves: TransitionRequest[];
  parcels: DeedRequest[];
  /** What is shipped arrives, or not. */
  arrivals: TransitionRequest[];
  /** Goods that come back, and money that goes back. */
  returns: DeedRequest[];
  end: number;
}

/** What lies ahead of an order. */
type Ahead = Step & { order_id: string };

/** Half a year of a shop, day by day, so that a long story needs no more memory than a short one. */
export function* tellStory({ orders, products, seed, now, currency, tracks }: StoryOptions): Generator<Day> {
  const random = randomFrom(seed);
  const articles = CATALOGUE.slice(0, products);
  const shelf = fillShelf(articles, (orders * ITEMS_PER_ORDER * 7) / DAYS);
  const start = now - DAYS * DAY;
  const counts = ordersPerDay(orders, start);
  const customers: Customer[] = [];
  // What will happen on which day; what lies beyond the last one has not happened yet.
  const ahead = new Map<number, Ahead[]>();
  const counter: Counter = { random, articles, shelf, currency, customers };
  const nothing = { drafts: [], moves: [], parcels: [], arrivals: [], returns: [] };

  yield { ...nothing, ...shelf.opening(), end: start - 14 * DAY };
  for (let day = 0; day < DAYS; day++) {
    const drafts: OrderDraft[] = [];
    for (const created of timesOfDay(random, counts[day] ?? 0, start + day * DAY)) {
      const time = day === DAYS - 1 && drafts.length + 1 === counts[day] ? now - random.between(1, FIRST_LOOK / 2) : created;
      const draft = takeOrder(counter, time);
      drafts.push(draft);
      for (const step of fateOf(random, takenOf(draft, time))) {
        const when = Math.floor((step.at - start) / DAY);
        const steps = ahead.get(when) ?? [];
        steps.push({ ...step, order_id: draft.id });
        ahead.set(when, steps);
      }
    }
    const steps = (ahead.get(day) ?? []).sort((a, b) => a.at - b.at);
    ahead.delete(day);
    const end = start + (day + 1) * DAY;
    yield { drafts, ...stepsOf(random, steps), ...shelfOn(tracks ? day - TRACKS_FROM : -1, day, shelf, random, end), end };
  }
}

function shelfOn(tracked: number, day: number, shelf: Shelf, random: Random, end: number): ShelfChange {
  if (tracked === 0) return shelf.track();
  if (tracked === 1) return shelf.count(end - DAY);
  return day % 7 === 6 ? shelf.takeStock(random) : { patches: [], movements: [] };
}

function stepsOf(random: Random, steps: readonly Ahead[]): Pick<Day, 'moves' | 'parcels' | 'arrivals' | 'returns'> {
  const done: ReturnType<typeof stepsOf> = { moves: [], parcels: [], arrivals: [], returns: [] };
  for (const step of steps) {
    const { order_id, at } = step;
    if (step.kind === 'move') {
      const isLate = step.to === 'delivered' || step.to === 'returned';
      done[isLate ? 'arrivals' : 'moves'].push({ order_id, to: step.to, reason: step.reason, at: isoTime(at) });
    } else {
      done[step.kind === 'parcel' ? 'parcels' : 'returns'].push(deedOf(random, step));
    }
  }
  return done;
}

function deedOf(random: Random, step: Exclude<Ahead, { kind: 'move' }>): DeedRequest {
  const { order_id, at, lines } = step;
  const common = { order_id, at: isoTime(at), idempotency: null, lines: lines?.map((line) => ({ line })) };
  if (step.kind === 'parcel') {
    const number = String(random.between(10_000_000, 99_999_999));
    return { ...common, kind: 'fulfillments', id: idAt('ful', at), tracking: { carrier: random.pick(CARRIERS), number } };
  }
  if (step.kind === 'return') return { ...common, kind: 'returns', id: idAt('ret', at), reason: step.reason, restock: step.restock };
  return { ...common, kind: 'refunds', id: idAt('rfd', at), reason: step.reason, restock: false, amount: step.amount };
}

/** What of an order decides about its fate. */
function takenOf({ total, lines, shipping_address, payment_status }: OrderDraft, created: number) {
  return { created, isCollected: shipping_address === null, isPaid: payment_status === 'paid', lines: lines.length, total };
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
  const demand = articles.map((article) => [article, article.demand] as const);
  const chosen = new Set(Array.from({ length: random.weighted(LINES) }, () => random.weighted(demand)));
  const items = Array.from(chosen, ({ product_id, name }): BoughtItem => {
    const quantity = random.weighted(QUANTITIES);
    return { product_id, name, quantity, price: shelf.take(product_id, quantity) / 100 };
  });
  if (channel === 'marketplace' && items.length < LINES.length && random.chance(0.1)) items.push(DISCONTINUED);
  const body = {
    ...bodyOf(random, customer, channel, items, time),
    ...(channel === 'marketplace' && { external_id: marketplaceNumber(random) }),
    ...(shelf.isHeld(items) && { reserve: true }),
  };
  const draft = draftOrder(body, { now: time, currency, owner: 'demo', idempotencyKey: undefined });
  return { ...draft, id: idAt('ord', time), created_at: isoTime(time) };
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
