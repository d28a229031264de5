import type { Units } from '../../../lib/money.ts';
import type { OrderStatus } from '../rules.ts';
import { type Since, sinceOf, unitsIn } from './records.ts';

// How much of each line is shipped, returned and refunded, counted from what was done with the order. Nothing of it is kept beside the
// deeds themselves, so that the two cannot disagree.

export const FULFILLMENT_STATUSES = ['unfulfilled', 'partial', 'fulfilled', 'partially_returned', 'returned'] as const;

type FulfillmentStatus = (typeof FULFILLMENT_STATUSES)[number];

export interface LineTally {
  ordered: number;
  shipped: number;
  /** Refunded before it was shipped, and to stay where it is: it is not going to be shipped. */
  withdrawn: number;
  returned: number;
  refunded: number;
}

export interface Tally {
  lines: LineTally[];
  /** The money that was given back. */
  refunded: Units;
}

/** States in which all of an order has left the house, whatever parcels are known. */
const GONE: ReadonlySet<string> = new Set(['shipped', 'delivered', 'returned']);

export function tallyOf(order: { status: string; items: string; since: string | null }, since: Since = sinceOf(order)): Tally {
  const items = JSON.parse(order.items) as { quantity: number }[];
  const lines = items.map(({ quantity }): LineTally => ({ ordered: quantity, shipped: 0, withdrawn: 0, returned: 0, refunded: 0 }));
  const add = (what: keyof LineTally, deed: readonly { line: number; quantity: number }[] = []): void => {
    for (const { line, quantity } of deed) (lines[line - 1] as LineTally)[what] += quantity;
  };
  for (const deed of since.fulfillments ?? []) add('shipped', deed.lines);
  for (const deed of since.returns ?? []) add('returned', deed.lines);
  for (const deed of since.refunds ?? []) {
    add('refunded', deed.lines);
    if (deed.restock) add('withdrawn', deed.lines);
  }
  if (GONE.has(order.status)) for (const line of lines) line.shipped = line.ordered - line.withdrawn;
  if (order.status === 'returned') for (const line of lines) line.returned = line.shipped;
  return { lines, refunded: givenBack(since) };
}

/** The money that was given back. */
export function givenBack({ refunds = [] }: Since): Units {
  return refunds.reduce((sum, { amount }) => sum + unitsIn(amount), 0n);
}

export function leftToShip({ ordered, shipped, withdrawn }: LineTally, status: string): number {
  return status === 'cancelled' ? 0 : ordered - shipped - withdrawn;
}

export function leftToReturn({ shipped, returned }: LineTally): number {
  return shipped - returned;
}

export function leftToRefund({ ordered, refunded }: LineTally): number {
  return ordered - refunded;
}

export function fulfillmentStatus({ lines }: Tally, status: string): FulfillmentStatus {
  const shipped = sumOf(lines, ({ shipped: n }) => n);
  const returned = sumOf(lines, ({ returned: n }) => n);
  const open = sumOf(lines, (line) => line.ordered - line.shipped - line.withdrawn);
  if (shipped === 0) return 'unfulfilled';
  if (returned === shipped && (open === 0 || status === 'cancelled')) return 'returned';
  if (open > 0) return 'partial';
  return returned > 0 ? 'partially_returned' : 'fulfilled';
}

/** Whether an order has something of which `fulfillment_status` tells. */
export function tellsFulfillment({ fulfillments, returns, refunds }: Since): boolean {
  return fulfillments !== undefined || returns !== undefined || (refunds?.some(({ restock }) => restock) ?? false);
}

/** The states that an order goes through because of what was done with it; none when it stays. */
export function followingMoves(status: string, { lines }: Tally): OrderStatus[] {
  if (status === 'cancelled' || status === 'returned') return [];
  const shipped = sumOf(lines, ({ shipped: n }) => n);
  const moves: OrderStatus[] = [];
  if (!GONE.has(status)) {
    if (sumOf(lines, (line) => leftToShip(line, status)) > 0) return [];
    // Nothing was shipped, and nothing is going to be.
    if (shipped === 0) return ['cancelled'];
    if (status !== 'processing') moves.push('processing');
    moves.push('shipped');
  }
  if (lines.every((line) => leftToReturn(line) === 0)) moves.push('returned');
  return moves;
}

/** Told as `payment.status`: nothing was paid, or nothing is left of it. */
const UNPAID: ReadonlySet<string> = new Set(['pending', 'authorized', 'voided', 'failed', 'refunded']);

/** What may be given back of what was paid. An order of whose payment nothing is known counts as paid. */
export function leftOfMoney(total: Units, { refunded }: Pick<Tally, 'refunded'>, told: string | undefined): Units {
  return told !== undefined && UNPAID.has(told) ? 0n : total - refunded;
}

export function paymentStatus(total: Units, refunded: Units, told: string | undefined): string | null {
  if (refunded === 0n) return told ?? null;
  return refunded >= total ? 'refunded' : 'partially_refunded';
}

function sumOf(lines: readonly LineTally[], of: (line: LineTally) => number): number {
  return lines.reduce((sum, line) => sum + of(line), 0);
}
