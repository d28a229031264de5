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
  const sums = await db.all<Omit<Summed, 'reserved'>>(sql`
    select product_id, location, cast(sum(delta) as bigint) as on_hand
    from stock_movements group by product_id, location order by product_id, location`);
  const tracked = new Set(levels.map(({ product_id }) => product_id));
  assert.deepEqual(
    sums.filter(({ product_id }) => tracked.has(product_id)),
    levels.map(({ product_id, location, on_hand }) => ({ product_id, location, on_hand })),
    'the ledger sums up to what is on hand',
  );
  for (const { product_id, on_hand } of sums)
    if (!tracked.has(product_id)) assert.equal(on_hand, 0, `the ledger of ${product_id} was closed`);
  const held = await db.all<Omit<Summed, 'on_hand'>>(sql`
    select s.product_id, s.location, cast(coalesce(sum(h.held), 0) as bigint) as reserved from stock s
    left join stock_holds h on h.product_id = s.product_id and h.location = s.location and h.opened_at = s.opened_at
    group by s.product_id, s.location order by s.product_id, s.location`);
  assert.deepEqual(
    held,
    levels.map(({ product_id, location, reserved }) => ({ product_id, location, reserved })),
    'orders wait for what is reserved',
  );
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
  const entries = await db.all<Summed & { id: string; delta: number }>(sql`
    select product_id, location, id, delta, on_hand from stock_movements order by product_id, id`);
  const last = new Map<string, number>();
  for (const { product_id, location, id, delta, on_hand } of entries) {
    const name = `${product_id}\0${location}`;
    assert.equal(on_hand, (last.get(name) ?? 0) + delta, `${product_id} after ${id}`);
    last.set(name, on_hand);
  }
}

/** What is reserved is reserved for an order that is there, and not shipped or cancelled. */
async function checkHolders(db: Connection): Promise<void> {
  const wrong = await db.all(sql`
    select h.*, o.status from stock_holds h join stock s on s.product_id = h.product_id and s.location = h.location and s.opened_at = h.opened_at
    left join orders o on o.id = h.order_id
    where h.held < 0 or o.id is null or (h.held > 0 and o.status in ('shipped', 'delivered', 'cancelled', 'returned'))`);
  assert.deepEqual(wrong, []);
}
