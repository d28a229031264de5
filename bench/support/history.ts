import { newOrders } from './shop.ts';

export const ORDERS_A_ROUND = 60_000;

const STATUSES = ['delivered', 'delivered', 'delivered', 'cancelled', 'returned'];

/** Orders of another shop, a line each, with a state, a time and an id of their own: different ones in every round. */
export function historyOf(round: number): string[] {
  return newOrders(ORDERS_A_ROUND).map((order, number) =>
    JSON.stringify({
      ...order,
      external_id: `old-${round}-${number}`,
      imported: true,
      placed_at: new Date(Date.UTC(2020, 0, 1) + number * 60_000).toISOString(),
      status: STATUSES[number % STATUSES.length],
    }),
  );
}
