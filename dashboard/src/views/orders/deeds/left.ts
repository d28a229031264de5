import type { Order } from '../../../api/resources.ts';

export type DeedKind = 'fulfillments' | 'returns' | 'refunds';

const GONE = new Set<string>(['shipped', 'delivered', 'returned']);

/** How many pieces of each line are left for this, as the service counts them. */
export function leftOfLines(order: Order, kind: DeedKind): number[] {
  const sums = (deeds: readonly { lines?: readonly { line: number; quantity: number }[] }[] = []): number[] => {
    const counts = order.items.map(() => 0);
    for (const { lines = [] } of deeds) for (const { line, quantity } of lines) counts[line - 1] = (counts[line - 1] ?? 0) + quantity;
    return counts;
  };
  const withdrawn = sums(order.refunds?.filter(({ restock }) => restock));
  const refunded = sums(order.refunds);
  const returned = sums(order.returns);
  const inParcels = sums(order.fulfillments);
  return order.items.map(({ quantity }, index) => {
    const toShip = quantity - (withdrawn[index] ?? 0);
    const shipped = GONE.has(order.status) ? toShip : (inParcels[index] ?? 0);
    if (kind === 'refunds') return quantity - (refunded[index] ?? 0);
    if (kind === 'fulfillments') return order.status === 'cancelled' ? 0 : toShip - shipped;
    return order.status === 'returned' ? 0 : shipped - (returned[index] ?? 0);
  });
}

/** What may still be given back, for the eye: the service counts exactly. */
export function leftOfTotal({ total, refunds = [] }: Order): number {
  return exactly(total - refunds.reduce((sum, { amount }) => sum + amount, 0));
}

/** An amount has four decimals; what is behind them comes from adding binary fractions. */
export function exactly(amount: number): number {
  return Math.round(amount * 10_000) / 10_000;
}
