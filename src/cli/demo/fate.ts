import type { OrderStatus } from '../../shop/orders/rules.ts';
import type { Random } from '../../sample/random.ts';

export interface Move {
  to: OrderStatus;
  at: number;
  reason: string | null;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const OPENS = 7;
const CLOSES = 16;

/** No order is touched sooner than this: the newest ones are still new. */
export const FIRST_LOOK = 30 * MINUTE;

/** Everything that becomes of an order in the end, in the order in which it happens. `collected`: the customer fetches it. */
export function fateOf(random: Random, created: number, collected: boolean): Move[] {
  const moves: Move[] = [];
  let at = created;
  /** The next change, after a while between the two. */
  const move = (to: OrderStatus, soonest: number, latest: number, reason: string | null = null): void => {
    at += random.between(soonest, latest);
    moves.push({ to, at, reason });
  };
  /** The same for what people do: in working hours. */
  const work = (to: OrderStatus, soonest: number, latest: number, reason: string | null = null): void => {
    at = workingTime(random, at + random.between(soonest, latest));
    moves.push({ to, at, reason });
  };

  if (random.chance(0.05)) {
    move('cancelled', FIRST_LOOK, 20 * HOUR, random.pick(['customer changed their mind', 'ordered twice', 'found it elsewhere']));
    return moves;
  }
  if (random.chance(0.08)) {
    move('on_hold', FIRST_LOOK, 3 * HOUR, random.pick(['waiting for the payment', 'payment under review', 'address to be checked']));
    const next = random.weighted([
      ['released', 80],
      ['cancelled', 12],
      ['forgotten', 8],
    ] as const);
    if (next === 'forgotten') return moves;
    if (next === 'cancelled') {
      work('cancelled', 7 * DAY, 14 * DAY, 'not paid in time');
      return moves;
    }
    work('processing', 3 * HOUR, 4 * DAY, 'cleared');
  } else {
    work('processing', FIRST_LOOK, 4 * HOUR);
  }
  if (random.chance(0.03)) {
    work('on_hold', HOUR, 6 * HOUR, 'out of stock, more is on its way');
    if (random.chance(0.2)) {
      work('cancelled', 2 * DAY, 8 * DAY, 'no longer available');
      return moves;
    }
    work('processing', 2 * DAY, 6 * DAY, 'stock has arrived');
  } else if (random.chance(0.01)) {
    work('cancelled', HOUR, 8 * HOUR, 'cancelled by the customer before dispatch');
    return moves;
  }
  work('shipped', 3 * HOUR, 30 * HOUR, collected ? 'ready for collection' : `parcel ${random.between(10_000_000, 99_999_999)}`);
  if (random.chance(0.012)) {
    work('returned', 5 * DAY, 10 * DAY, collected ? 'never collected' : 'could not be delivered');
    return moves;
  }
  work('delivered', 20 * HOUR, 4 * DAY);
  if (random.chance(0.045)) {
    work('returned', 3 * DAY, 16 * DAY, random.pick(['arrived damaged', 'not as expected', 'wrong article', 'no longer needed']));
  }
  return moves;
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
