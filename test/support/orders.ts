import type { Database } from '../../src/db/database.ts';
import { isoTime } from '../../src/lib/clock.ts';
import { idAt } from '../../src/lib/ids.ts';
import { createOrders } from '../../src/shop/orders/create.ts';
import type { OrderDraft } from '../../src/shop/orders/order-draft.ts';
import type { OrderStatus } from '../../src/shop/orders/rules.ts';
import { transitionOrders } from '../../src/shop/orders/transition.ts';

const BATCH = 256;
/** How an order gets into each state. */
const WAY_TO: Record<OrderStatus, readonly OrderStatus[]> = {
  new: [],
  on_hold: ['on_hold'],
  processing: ['processing'],
  shipped: ['processing', 'shipped'],
  delivered: ['processing', 'shipped', 'delivered'],
  cancelled: ['cancelled'],
  returned: ['processing', 'shipped', 'returned'],
};

export interface OrderSpec {
  /** When it was made, in milliseconds. */
  time: number;
  customer_id: string;
  external_id?: string;
  status: OrderStatus;
}

/** What a list or a filter can see of an order. */
export interface SeededOrder {
  id: string;
  status: OrderStatus;
  total: number;
  created_at: string;
  updated_at: string;
  customer_id: string;
  external_id: string | null;
}

/** Writes orders of any time and state, much faster than requests would, and tells what is in the database now. */
export async function seedOrders(db: Database, specs: readonly OrderSpec[]): Promise<SeededOrder[]> {
  const seeded: SeededOrder[] = [];
  for (let start = 0; start < specs.length; start += BATCH) seeded.push(...(await seedBatch(db, specs.slice(start, start + BATCH), start)));
  return seeded;
}

async function seedBatch(db: Database, specs: readonly OrderSpec[], first: number): Promise<SeededOrder[]> {
  const orders = specs.map(
    ({ time, customer_id, external_id = null, status }, index): SeededOrder => ({
      id: idAt('ord', time),
      status,
      total: first + index + 0.25,
      created_at: isoTime(time),
      updated_at: isoTime(time + 1000 * WAY_TO[status].length),
      customer_id,
      external_id,
    }),
  );
  await db.write(createOrders, { drafts: orders.map(draftOf), now: isoTime(Date.now()) });
  for (let step = 0; step < 3; step++) {
    const moves = orders.flatMap(({ id, status, created_at }) => {
      const to = WAY_TO[status][step];
      return to ? [{ order_id: id, to, reason: null, at: isoTime(Date.parse(created_at) + 1000 * (step + 1)) }] : [];
    });
    if (moves.length > 0) await db.write(transitionOrders, moves);
  }
  return orders;
}

function draftOf({ id, created_at, customer_id, external_id, total }: SeededOrder): OrderDraft {
  const price = String(total);
  return {
    id,
    created_at,
    customer_id,
    currency: 'EUR',
    external_id,
    total: price,
    lines: [{ product_id: 'p', quantity: 1, price, line_total: price }],
    shipping_address: null,
    metadata: '{}',
    idempotency: null,
  };
}

/** The order of every list of orders: newest first. */
export function newestFirst(orders: readonly SeededOrder[]): SeededOrder[] {
  return orders.toSorted((a, b) => (a.id < b.id ? 1 : -1));
}
