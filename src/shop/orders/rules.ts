import { decimalText, type Units, unitsOf } from '../../lib/money.ts';

/** The states an order can be in, each with those it may go to, the usual one first. */
export const ORDER_TRANSITIONS = {
  new: ['processing', 'on_hold', 'cancelled'],
  on_hold: ['processing', 'cancelled'],
  processing: ['shipped', 'on_hold', 'cancelled'],
  shipped: ['delivered', 'returned'],
  delivered: ['returned'],
  cancelled: [],
  returned: [],
} as const satisfies Record<string, readonly string[]>;

export type OrderStatus = keyof typeof ORDER_TRANSITIONS;

export const ORDER_STATUSES = Object.keys(ORDER_TRANSITIONS) as OrderStatus[];

export function isOrderStatus(text: string): text is OrderStatus {
  return Object.hasOwn(ORDER_TRANSITIONS, text);
}

export type TransitionVerdict = 'move' | 'unchanged' | 'version_conflict' | 'illegal';

/**
 * What asking for a state leads to. An order that is there already is left alone before anything else is looked at: the
 * retry of a request whose answer was lost must succeed, though the version has moved on.
 */
export function judgeTransition(
  order: { status: string; version: number },
  to: OrderStatus,
  expectedVersion: number | undefined,
): TransitionVerdict {
  if (order.status === to) return 'unchanged';
  if (expectedVersion !== undefined && expectedVersion !== order.version) return 'version_conflict';
  return allowedFrom(order.status).includes(to) ? 'move' : 'illegal';
}

export function allowedFrom(status: string): readonly OrderStatus[] {
  return isOrderStatus(status) ? ORDER_TRANSITIONS[status] : [];
}

/** The states that an order goes through to get from one to another, the last included, by the shortest way; undefined when there is none. */
export function wayTo(from: string, to: OrderStatus): OrderStatus[] | undefined {
  if (from === to) return [];
  const seen = new Set<string>([from]);
  let ways: OrderStatus[][] = allowedFrom(from).map((next) => [next]);
  while (ways.length > 0) {
    const found = ways.find((way) => way.at(-1) === to);
    if (found) return found;
    for (const way of ways) seen.add(way.at(-1) as string);
    ways = ways.flatMap((way) =>
      allowedFrom(way.at(-1) as string)
        .filter((next) => !seen.has(next))
        .map((next) => [...way, next]),
    );
  }
  return undefined;
}

export interface OrderLine {
  product_id: string;
  quantity: number;
  price: string;
  line_total: string;
  /** What else it has, as JSON members behind these, each with a comma before it. */
  more?: string;
}

/** The lines with their exact totals, and the total of them all; undefined at `lines[i]` where a price has too many decimals. */
export function priceLines(items: readonly { product_id: string; quantity: number; price: number }[]): {
  lines: (OrderLine | undefined)[];
  /** Quantity × price of each line. */
  sums: Units[];
  total: Units;
} {
  let total: Units = 0n;
  const sums: Units[] = [];
  const lines = items.map((item) => {
    const unit = unitsOf(item.price);
    if (unit === undefined) return undefined;
    const lineTotal = unit * BigInt(item.quantity);
    total += lineTotal;
    sums.push(lineTotal);
    return { product_id: item.product_id, quantity: item.quantity, price: decimalText(unit), line_total: decimalText(lineTotal) };
  });
  return { lines, sums, total };
}
