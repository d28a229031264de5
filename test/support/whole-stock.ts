import assert from 'node:assert/strict';
import type { Connection } from '../../src/db/database.ts';
import { sql } from '../../src/db/sql.ts';

interface Summed {
  product_id: string;
  location: string;
  on_hand: number;
  reserved: number;
}

/** What any moment of the database must show of stock: the ledger sums up to what there is, and orders wait for what is reserved. */
export async function checkStock(db: Connection): Promise<void> {
  const levels = await db.all<Summed & { backorder: number }>(sql`
    select product_id, location, on_hand, reserved, backorder from stock order by product_id, location`);
  const sums = await db.all<Summed>(sql`
    select product_id, location, cast(sum(delta) as bigint) as on_hand, cast(sum(reserved_delta) as bigint) as reserved
    from stock_movements group by product_id, location order by product_id, location`);
  const tracked = new Set(levels.map(({ product_id }) => product_id));
  const rest = sums.filter(({ product_id }) => !tracked.has(product_id));
  assert.deepEqual(
    sums.filter(({ product_id }) => tracked.has(product_id)),
    levels.map(({ backorder: _, ...level }) => level),
    'the ledger sums up to the stock',
  );
  for (const { product_id, on_hand, reserved } of rest)
    assert.deepEqual([on_hand, reserved], [0, 0], `the ledger of ${product_id} was closed`);
  for (const { product_id, on_hand, reserved, backorder } of levels) {
    assert.ok(reserved >= 0, `${product_id}: ${reserved} are reserved`);
    assert.ok(on_hand >= 0 || backorder === 1, `${product_id}: ${on_hand} are on hand`);
  }
  const wrong = await db.all(sql`
    select product_id, stock_quantity from products p where track_stock = 1
    and stock_quantity <> (select sum(on_hand) from stock s where s.product_id = p.product_id)`);
  assert.deepEqual(wrong, [], 'stock_quantity is what is on hand in all');
  await checkBalances(db);
  await checkHolders(db);
}

/** Each entry says what there was after it: that of the entry before at its location, and its own. */
async function checkBalances(db: Connection): Promise<void> {
  const entries = await db.all<Summed & { id: string; delta: number; reserved_delta: number }>(sql`
    select product_id, location, id, delta, reserved_delta, on_hand, reserved from stock_movements order by product_id, id`);
  const last = new Map<string, { on_hand: number; reserved: number }>();
  for (const { product_id, location, id, delta, reserved_delta, on_hand, reserved } of entries) {
    const before = last.get(`${product_id}\0${location}`) ?? { on_hand: 0, reserved: 0 };
    assert.deepEqual([on_hand, reserved], [before.on_hand + delta, before.reserved + reserved_delta], `${product_id} after ${id}`);
    last.set(`${product_id}\0${location}`, { on_hand, reserved });
  }
}

/** What is reserved is reserved for an order that is there, and not shipped or cancelled. */
async function checkHolders(db: Connection): Promise<void> {
  const wrong = await db.all(sql`
    select m.order_id, m.product_id, m.location, sum(m.reserved_delta) as held, max(o.status) as status
    from stock_movements m left join orders o on o.id = m.order_id where m.order_id is not null
    group by m.order_id, m.product_id, m.location
    having sum(m.reserved_delta) < 0 or max(o.status) is null
      or (sum(m.reserved_delta) > 0 and max(o.status) in ('shipped', 'delivered', 'cancelled', 'returned'))`);
  assert.deepEqual(wrong, []);
}
