import assert from 'node:assert/strict';
import type { Connection } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open.ts';
import { sql } from '../../src/db/sql.ts';
import { createLog } from '../../src/lib/log.ts';
import { ANY_STATUS } from '../../src/shop/orders/counts.ts';
import { ORDER_STATUSES } from '../../src/shop/orders/rules.ts';
import type { Place } from '../support/databases.ts';
import type { ServiceProcess } from '../../src/cli/prove/service-process.ts';
import type { AskedOrder, ShopDriver } from './shop-driver.ts';
import { withOrders } from '../../src/shop/orders/told.ts';

interface FullOrder {
  id: string;
  status: string;
  total: number;
  version: number;
  customer_id: string;
  external_id: string | null;
  items: { product_id: string; quantity: number; price: number }[];
  history: { status: string }[];
}

type Counts = Record<string, number>;

/**
 * Compares what the service tells and what its database holds with what it has promised: everything that was
 * acknowledged is there, once and whole; what was not is whole or absent; and all the counts agree. Stops the service.
 */
export async function checkBooks(service: ServiceProcess, place: Place, driver: ShopDriver): Promise<void> {
  const orders = await listAll(service);
  checkOrders(orders, driver.orders);
  const told = await totals(service);
  assert.deepEqual(await service.stop(), { code: 0, signal: null }, service.logs());
  const db = await openDatabase({ ...place, poolSize: 2 }, createLog('silent'));
  try {
    await checkCounts(db.read, told, orders.length);
    await checkBlocks(db.read);
    await checkEvents(db.read, orders, driver);
    await checkKeys(db.read, driver.orders);
    await checkProducts(db.read, driver);
  } finally {
    await db.close();
  }
}

function checkOrders(orders: readonly FullOrder[], asked: readonly AskedOrder[]): void {
  const found = Map.groupBy(orders, (order) => order.customer_id);
  for (const { mark, body, cents, answer, moves, pending } of asked) {
    const [order, ...others] = found.get(mark) ?? [];
    found.delete(mark);
    assert.deepEqual(others, [], `${mark} is there more than once`);
    if (!order) {
      assert.equal(answer, undefined, `${mark} was acknowledged and is gone`);
      continue;
    }
    if (answer) assert.equal(order.id, answer.id);
    assert.equal(order.external_id, body.external_id ?? null);
    assert.equal(order.total, cents / 100);
    assert.deepEqual(
      order.items.map(({ product_id, quantity, price }) => ({ product_id, quantity, price })),
      body.items,
    );
    const history = order.history.map((entry) => entry.status);
    const promised = ['new', ...moves];
    assert.ok(
      [promised, [...promised, pending]].some((states) => String(states) === String(history)),
      `${mark} was ${history.join(' → ')}; acknowledged was ${promised.join(' → ')}, and asked for ${pending}`,
    );
    assert.deepEqual([order.status, order.version], [history.at(-1), history.length]);
  }
  assert.deepEqual([...found.keys()], [], 'orders that nobody asked for');
}

async function checkCounts(db: Connection, told: Counts, listed: number): Promise<void> {
  const rows = await db.all<{ status: string; n: number }>(sql`
    select status, count(*) as n from orders group by status union all select ${ANY_STATUS}, count(*) from orders`);
  const counters = await db.all<{ status: string; n: number }>(sql`
    select substr(name, 8) as status, n from counters where name like 'orders:%'`);
  const blocks = await db.all<{ status: string; n: string }>(sql`select status, sum(n) as n from order_blocks group by status`);
  const stored = countsOf(rows);
  assert.equal(stored[ANY_STATUS], listed);
  assert.deepEqual(told, stored);
  assert.deepEqual(countsOf(counters), stored);
  assert.deepEqual(countsOf(blocks), stored);
}

/** Every block counts exactly the orders from its start to the next one's. */
async function checkBlocks(db: Connection): Promise<void> {
  const wrong = await db.all(sql`
    select block.* from (
      select b.*, (select min(later.start) from order_blocks later where later.start > b.start) as until from order_blocks b) as block
    where n <> (select count(*) from orders o
      where block.status in (o.status, ${ANY_STATUS}) and o.id >= block.start and (block.until is null or o.id < block.until))`);
  assert.deepEqual(wrong, []);
}

/** The feed is dense, and tells of every order and product each of its versions once, in their order. */
async function checkEvents(db: Connection, orders: readonly FullOrder[], driver: ShopDriver): Promise<void> {
  const stored = await db.all<{ seq: number; topic: string; topic_seq: number; type: string; object_id: string; data: string }>(sql`
    select seq, topic, topic_seq, type, object_id, data from events order by seq`);
  const events = await withOrders(db, stored);
  const last: Counts = { orders: 0, products: 0 };
  events.forEach((event, index) => {
    assert.equal(event.seq, index + 1, 'the sequence has a gap');
    last[event.topic] = (last[event.topic] ?? 0) + 1;
    assert.equal(event.topic_seq, last[event.topic], `the sequence of ${event.topic} has a gap`);
  });
  const counters = await db.all<{ name: string; n: number }>(sql`select name, n from counters where name like 'events%'`);
  for (const { name, n } of counters) assert.equal(n, name === 'events' ? events.length : last[name.slice('events:'.length)], name);

  const ofShop = events.filter(({ topic }) => topic === 'orders' || topic === 'products');
  const byObject = Map.groupBy(ofShop, (event) => event.object_id);
  const answers = new Map(driver.orders.flatMap(({ answer }) => (answer ? [[answer.id, answer.json]] : [])));
  for (const order of orders) {
    const own = byObject.get(order.id) ?? [];
    byObject.delete(order.id);
    assert.deepEqual(
      own.map((event) => event.type),
      ['order.created', ...order.history.slice(1).map(() => 'order.status_changed')],
      `the events of ${order.customer_id}`,
    );
    const states = own.map((event) => JSON.parse(event.data) as FullOrder);
    assert.deepEqual(
      states.map(({ status, version }) => [status, version]),
      order.history.map(({ status }, index) => [status, index + 1]),
    );
    assert.deepEqual(states.at(-1), order);
    const answer = answers.get(order.id);
    if (answer !== undefined) assert.equal(own[0]?.data, answer, 'the event tells another order than the answer did');
  }
  const products = await db.all<{ product_id: string; version: number }>(sql`select product_id, version from products`);
  for (const { product_id, version } of products) {
    const versions = (byObject.get(product_id) ?? []).map((event) => (JSON.parse(event.data) as { version: number }).version);
    byObject.delete(product_id);
    assert.deepEqual(
      versions,
      Array.from({ length: version }, (_, index) => index + 1),
      `the events of ${product_id}`,
    );
  }
  assert.deepEqual([...byObject.keys()], [], 'events of things that are not there');
}

/** A key is there exactly when its order is. */
async function checkKeys(db: Connection, asked: readonly AskedOrder[]): Promise<void> {
  const rows = await db.all<{ key: string; mark: string }>(sql`
    select k.key, o.customer_id as mark from idempotency_keys k left join orders o on o.id = k.order_id`);
  const stored = await db.all<{ customer_id: string }>(sql`select customer_id from orders`);
  const there = new Set(stored.map((row) => row.customer_id));
  const expected = asked.flatMap(({ key, mark }) => (key !== undefined && there.has(mark) ? [`${key} ${mark}`] : []));
  assert.deepEqual(rows.map(({ key, mark }) => `${key} ${mark}`).sort(), expected.sort());
}

async function checkProducts(db: Connection, driver: ShopDriver): Promise<void> {
  const rows = await db.all<{ product_id: string; stock_quantity: number; version: number; categories: string }>(
    sql`select * from products`,
  );
  const found = new Map(rows.map((row) => [row.product_id, row]));
  for (const { product_id, stock, pending } of driver.products) {
    const row = found.get(product_id);
    assert.ok([stock, pending].includes(row?.stock_quantity), `${product_id} has ${row?.stock_quantity}; acknowledged was ${stock}`);
    if (row) assert.equal(row.version, row.stock_quantity);
  }
  const counter = await db.all<{ n: number }>(sql`select n from counters where name = 'products'`);
  assert.equal(counter[0]?.n ?? 0, rows.length);
  const index = await db.all<{ product_id: string; category: string }>(sql`select product_id, category from product_categories`);
  assert.deepEqual(
    index.map((row) => `${row.product_id} ${row.category}`).sort(),
    rows.flatMap((row) => (JSON.parse(row.categories) as string[]).map((category) => `${row.product_id} ${category}`)).sort(),
  );
}

async function listAll(service: ServiceProcess): Promise<FullOrder[]> {
  const orders: FullOrder[] = [];
  let cursor: string | null = null;
  do {
    const page: { data: FullOrder[]; next_cursor: string | null } = await read(
      service,
      `/api/v1/orders?limit=1000&expand=all${cursor ? `&cursor=${cursor}` : ''}`,
    );
    orders.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return orders;
}

/** The totals that the list tells. */
async function totals(service: ServiceProcess): Promise<Counts> {
  const total = async (status: string): Promise<number> => {
    const filter = status === ANY_STATUS ? '' : `?status=${status}`;
    return (await read<{ total: number }>(service, `/api/v1/orders${filter}`)).total;
  };
  return countsOf(await Promise.all([ANY_STATUS, ...ORDER_STATUSES].map(async (status) => ({ status, n: await total(status) }))));
}

/** By status, with those that are zero left out. */
function countsOf(rows: readonly { status: string; n: number | string }[]): Counts {
  const counts = rows.map(({ status, n }): [string, number] => [status, Number(n)]);
  return Object.fromEntries(counts.filter(([, n]) => n !== 0));
}

async function read<Body>(service: ServiceProcess, path: string): Promise<Body> {
  const response = await fetch(service.url + path, { headers: { authorization: `Bearer ${service.adminKey}` } });
  const text = await response.text();
  assert.equal(response.status, 200, `GET ${path}: ${text}\n${service.logs()}`);
  return JSON.parse(text) as Body;
}
