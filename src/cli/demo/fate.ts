import type { OrderStatus } from '../../shop/orders/rules.ts';
import type { Random } from '../../sample/random.ts';

/** One thing that happens to an order. `lines`: places of its lines, counted from 1; without any, all that is left. */
export type Step = { at: number } & (
  | { kind: 'move'; to: OrderStatus; reason: string | null }
  | { kind: 'parcel'; lines?: number[] }
  | { kind: 'return'; lines?: number[]; reason: string; restock: boolean }
  | { kind: 'refund'; lines?: number[]; amount?: string; reason: string }
);

/** What decides about the fate of an order. */
export interface Taken {
  created: number;
  /** The customer fetches it. */
  isCollected: boolean;
  isPaid: boolean;
  lines: number;
  /** Decimal text. */
  total: string;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const OPENS = 7;
const CLOSES = 16;

/** No order is touched sooner than this: the newest ones are still new. */
export const FIRST_LOOK = 30 * MINUTE;

/** Writes down what happens to an order, one thing after the other. */
class Fate {
  readonly steps: Step[] = [];
  readonly #random: Random;
  #at: number;

  constructor(random: Random, created: number) {
    this.#random = random;
    this.#at = created;
  }

  /** The next status, after a while between the two. */
  move(to: OrderStatus, soonest: number, latest: number, reason: string | null = null): void {
    this.#at += this.#random.between(soonest, latest);
    this.steps.push({ kind: 'move', to, reason, at: this.#at });
  }

  /** When people do the next thing: in working hours. */
  later(soonest: number, latest: number): number {
    this.#at = workingTime(this.#random, this.#at + this.#random.between(soonest, latest));
    return this.#at;
  }

  work(to: OrderStatus, soonest: number, latest: number, reason: string | null = null): void {
    this.steps.push({ kind: 'move', to, reason, at: this.later(soonest, latest) });
  }
}

/** Everything that becomes of an order in the end, in the order in which it happens. */
export function fateOf(random: Random, order: Taken): Step[] {
  const fate = new Fate(random, order.created);
  if (isPrepared(random, fate)) {
    send(random, fate, order);
    receive(random, fate, order);
  } else {
    const last = fate.steps.at(-1);
    const isOver = last?.kind === 'move' && last.to === 'cancelled';
    if (isOver && order.isPaid)
      fate.steps.push({ kind: 'refund', at: fate.later(HOUR, 2 * DAY), amount: order.total, reason: last.reason ?? '' });
  }
  return fate.steps;
}

/** From its arrival until it is packed; false when that never comes. */
function isPrepared(random: Random, fate: Fate): boolean {
  if (random.chance(0.05)) {
    fate.move('cancelled', FIRST_LOOK, 20 * HOUR, random.pick(['customer changed their mind', 'ordered twice', 'found it elsewhere']));
    return false;
  }
  if (random.chance(0.08)) {
    fate.move('on_hold', FIRST_LOOK, 3 * HOUR, random.pick(['waiting for the payment', 'payment under review', 'address to be checked']));
    const next = random.weighted([
      ['released', 80],
      ['cancelled', 12],
      ['forgotten', 8],
    ] as const);
    if (next === 'cancelled') fate.work('cancelled', 7 * DAY, 14 * DAY, 'not paid in time');
    if (next !== 'released') return false;
    fate.work('processing', 3 * HOUR, 4 * DAY, 'cleared');
  } else {
    fate.work('processing', FIRST_LOOK, 4 * HOUR);
  }
  if (random.chance(0.03)) {
    fate.work('on_hold', HOUR, 6 * HOUR, 'out of stock, more is on its way');
    if (random.chance(0.2)) {
      fate.work('cancelled', 2 * DAY, 8 * DAY, 'no longer available');
      return false;
    }
    fate.work('processing', 2 * DAY, 6 * DAY, 'stock has arrived');
  } else if (random.chance(0.01)) {
    fate.work('cancelled', HOUR, 8 * HOUR, 'cancelled by the customer before dispatch');
    return false;
  }
  return true;
}

/** In one parcel, or in two when something comes later. */
function send(random: Random, fate: Fate, { isCollected, lines }: Taken): void {
  if (isCollected) {
    fate.work('shipped', 3 * HOUR, 30 * HOUR, 'ready for collection');
    return;
  }
  const at = fate.later(3 * HOUR, 30 * HOUR);
  if (lines === 1 || !random.chance(0.12)) {
    fate.steps.push({ kind: 'parcel', at });
    return;
  }
  fate.steps.push({ kind: 'parcel', at, lines: [1] });
  fate.steps.push({ kind: 'parcel', at: fate.later(20 * HOUR, 3 * DAY) });
}

function receive(random: Random, fate: Fate, order: Taken): void {
  const { isCollected, isPaid, total, lines } = order;
  if (random.chance(0.012)) {
    if (isCollected) fate.work('returned', 5 * DAY, 10 * DAY, 'never collected');
    else takeBack(fate, order, { reason: 'could not be delivered', restock: true });
    return;
  }
  fate.work('delivered', 20 * HOUR, 4 * DAY);
  if (random.chance(0.045)) {
    const reason = random.pick(['arrived damaged', 'not as expected', 'wrong article', 'no longer needed']);
    takeBack(fate, order, { reason, restock: reason !== 'arrived damaged' });
  } else if (lines > 1 && random.chance(0.04)) {
    takeBack(fate, order, { reason: 'did not like one of them', restock: true, lines: [lines] });
  } else if (isPaid && Number(total) > 20 && random.chance(0.015)) {
    fate.steps.push({ kind: 'refund', at: fate.later(2 * HOUR, 3 * DAY), amount: '5', reason: 'sorry that it came late' });
  }
}

/** The goods come back, and then the money goes. */
function takeBack(fate: Fate, { isPaid, total }: Taken, { lines, ...why }: { reason: string; restock: boolean; lines?: number[] }): void {
  const some = lines && { lines };
  fate.steps.push({ kind: 'return', at: fate.later(3 * DAY, 16 * DAY), ...why, ...some });
  if (isPaid) fate.steps.push({ kind: 'refund', at: fate.later(4 * HOUR, 2 * DAY), reason: why.reason, ...(some ?? { amount: total }) });
}

/** This time if people are at work, else some time in the first hours of the next working day. */
function workingTime(random: Random, time: number): number {
  const date = new Date(time);
  const weekday = date.getUTCDay();
  const hour = date.getUTCHours();
  const free = weekday === 0 || weekday === 6;
  if (!free && hour >= OPENS && hour < CLOSES) return time;
  let morning = Math.floor(time / DAY) * DAY + OPENS * HOUR;
  if (free || hour >= CLOSES) morning += DAY;
  while ([0, 6].includes(new Date(morning).getUTCDay())) morning += DAY;
  return morning + random.between(0, 3 * HOUR);
}
