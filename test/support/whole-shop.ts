import assert from 'node:assert/strict';
import type { Connection } from '../../src/db/database.ts';
import { sql } from '../../src/db/sql.ts';
import { ANY_STATUS } from '../../src/shop/orders/counts.ts';
import { allowedFrom } from '../../src/shop/orders/rules.ts';
import { withOrders } from '../../src/shop/orders/told.ts';
import { checkStock } from './whole-stock.ts';

interface StoredOrder {
  id: string;
  status: string;
  version: number;
  created_at: string;
  updated_at: string;
}

interface Move {
  order_id: string;
  version: number;
  status: string;
  at: string;
}

interface StoredEvent {
  seq: number;
  topic: string;
  topic_seq: number;
  type: string;
  object_id: string;
  data: string;
}

/** Every order is whole, every event is there, every count is right: what any moment of the database must show. */
export async function checkWhole(db: Connection): Promise<void> {
  const orders = await db.all<StoredOrder>(sql`select id, status, version, created_at, updated_at from orders order by id`);
  const moves = await db.all<Move>(sql`select order_id, version, status, at from order_history order by order_id, version`);
  const stored = await db.all<StoredEvent>(sql`select seq, topic, topic_seq, type, object_id, data from events order by seq`);
  const events = await withOrders(db, stored);
  const eventsOf = Map.groupBy(events, (event) => event.object_id);
  const movesOf = Map.groupBy(moves, (move) => move.order_id);
  for (const order of orders) checkOrder(order, movesOf.get(order.id) ?? [], eventsOf.get(order.id) ?? []);
  assert.equal(movesOf.size, new Set(orders.filter((order) => movesOf.has(order.id)).map((order) => order.id)).size, 'history of nothing');
  checkFeed(events);
  await checkCounts(db, events.length);
  await checkRelations(db);
  await checkStock(db);
}

function checkOrder(order: StoredOrder, moves: readonly Move[], events: readonly StoredEvent[]): void {
  let status = 'new';
  let time = order.created_at;
  const statuses = new Map([[1, status]]);
  for (const move of moves) {
    assert.ok((allowedFrom(status) as readonly string[]).includes(move.status), `${order.id} went from ${status} to ${move.status}`);
    assert.ok(move.at >= time, `${order.id} went back in time`);
    assert.ok(
      move.version > 1 && move.version <= order.version && !statuses.has(move.version),
      `${order.id} has no version ${move.version}`,
    );
    status = move.status;
    time = move.at;
    statuses.set(move.version, status);
  }
  const told = events.map(({ type, data }) => ({ type, ...(JSON.parse(data) as StoredOrder) }));
  // Each version is told once, and those that are no moves leave the status as it was.
  const expected = Array.from({ length: order.version }, (_, index) => {
    status = statuses.get(index + 1) ?? status;
    return [index + 1, status, index === 0 ? 'order.created' : statuses.has(index + 1)];
  });
  assert.deepEqual(
    told.map((state) => [state.version, state.status, state.version === 1 ? state.type : state.type === 'order.status_changed']),
    expected,
    `the events of ${order.id}`,
  );
  assert.deepEqual([order.status, order.updated_at], [status, told.at(-1)?.updated_at], order.id);
}

/** The feed has no gap, neither as a whole nor in one of its topics. */
function checkFeed(events: readonly StoredEvent[]): void {
  const last = new Map<string, number>();
  events.forEach((event, index) => {
    assert.equal(event.seq, index + 1);
    last.set(event.topic, (last.get(event.topic) ?? 0) + 1);
    assert.equal(event.topic_seq, last.get(event.topic));
  });
}

async function checkCounts(db: Connection, events: number): Promise<void> {
  const counted = await db.all<{ name: string; n: number }>(sql`
    select 'orders:' || status as name, count(*) as n from orders group by status
    union all select ${`orders:${ANY_STATUS}`}, count(*) from orders
    union all select 'events:' || topic, count(*) from events group by topic
    union all select 'events', count(*) from events
    union all select 'products', count(*) from products
    union all select 'runs:' || status, count(*) from runs group by status
    union all select 'runs:*', count(*) from runs`);
  // Those of alerts count tries, which leave no rows.
  const counters = await db.all<{ name: string; n: number }>(sql`select name, n from counters where name not like 'alerts:%'`);
  assert.deepEqual(asCounts(counters), asCounts(counted));
  assert.equal(asCounts(counters)['events'] ?? 0, events);
  // Every block counts exactly the orders from its start to the next one's.
  const wrong = await db.all(sql`
    select block.* from (
      select b.*, (select min(later.start) from order_blocks later where later.start > b.start) as until from order_blocks b) as block
    where n <> (select count(*) from orders o
      where block.status in (o.status, ${ANY_STATUS}) and o.id >= block.start and (block.until is null or o.id < block.until))`);
  assert.deepEqual(wrong, []);
  const blocks = await db.all<{ name: string; n: string }>(
    sql`select 'orders:' || status as name, sum(n) as n from order_blocks group by status`,
  );
  const ofOrders = counted.filter(({ name }) => name.startsWith('orders:'));
  assert.deepEqual(asCounts(blocks), asCounts(ofOrders));
}

async function checkRelations(db: Connection): Promise<void> {
  const lost = await db.all(sql`
    select key from idempotency_keys where order_id not in (select id from orders)
    union all select hash from key_secrets where key_id not in (select id from keys)`);
  assert.deepEqual(lost, []);
  const products = await db.all<{ product_id: string; categories: string }>(sql`select product_id, categories from products`);
  const index = await db.all<{ product_id: string; category: string }>(sql`select product_id, category from product_categories`);
  assert.deepEqual(
    index.map(({ product_id, category }) => `${product_id} ${category}`).sort(),
    products.flatMap(({ product_id, categories }) => (JSON.parse(categories) as string[]).map((name) => `${product_id} ${name}`)).sort(),
  );
}

function asCounts(rows: readonly { name: string; n: number | string }[]): Record<string, number> {
  const counts = rows.map(({ name, n }): [string, number] => [name, Number(n)]);
  return Object.fromEntries(counts.filter(([, n]) => n !== 0));
}
