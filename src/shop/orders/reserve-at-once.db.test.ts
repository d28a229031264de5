import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onBothEngines, preparedPlace } from '../../../test/support/databases.ts';
import { type Reply, type Service, startService } from '../../../test/support/service.ts';
import { checkStock } from '../../../test/support/whole-stock.ts';
import { sql } from '../../db/sql.ts';

const TRACKED = { name: 'x', price: 1, track_stock: true };

// Products that there is much of are reserved without a look at their stock: what is so by now has to count all the same.
onBothEngines('reserving what there is much of', (engine) => {
  let nodes: Service[];
  before(async () => {
    const place = await preparedPlace(engine);
    const open = (): Promise<Service> => startService(engine, { place });
    nodes = engine === 'postgres' ? [await open(), await open()] : [await open()];
  });
  after(async () => {
    await Promise.all(nodes.map((node) => node.close()));
    await nodes[0]?.place.remove();
  });

  const node = (n = 0): Service => nodes[n % nodes.length] as Service;
  const sync = async (product_id: string, body: object): Promise<void> => {
    const { status, text } = await node().post('/api/v1/products/sync', { product_id, ...body });
    assert.equal(status, 200, text);
  };
  const order = (lines: Record<string, number>, n = 0, more: object = {}): Promise<Reply> => {
    const items = Object.entries(lines).map(([product_id, quantity]) => ({ product_id, quantity, price: 1 }));
    return node(n).post('/api/v1/orders', { customer_id: 'c', items, reserve: true, ...more });
  };
  const levels = (id: string) =>
    node().app.db.read.all<{ location: string; on_hand: number; reserved: number }>(
      sql`select location, on_hand, reserved from stock where product_id = ${id} order by location`,
    );
  const check = async (): Promise<void> => checkStock(node().app.db.read);

  test('sells exactly what there is, from all nodes at once, and tells when the last unit is gone', async () => {
    await sync('run', { ...TRACKED, stock_quantity: 1_500 });
    await sync('beside', { ...TRACKED, stock_quantity: 1_000_000 });
    for (let n = 0; n < nodes.length; n++) await order({ run: 1, beside: 1 }, n);
    const replies = await Promise.all(Array.from({ length: 620 }, (_, n) => order({ run: 3, beside: 1 }, n)));
    const sold = replies.filter(({ status }) => status === 200).length;
    const refused = replies.filter(({ status, body }) => status === 409 && body.error.code === 'OUT_OF_STOCK').length;
    assert.deepEqual([sold, sold + refused], [Math.floor((1_500 - nodes.length) / 3), 620]);
    const left = (1_500 - nodes.length) % 3;
    if (left > 0) assert.equal((await order({ run: left })).status, 200);
    assert.deepEqual(await levels('run'), [{ location: 'default', on_hand: 1_500, reserved: 1_500 }]);
    const told = (await node().get('/api/v1/events?limit=1000')).body.data as {
      type: string;
      object_id: string;
      data: { available: number };
    }[];
    const ofStock = told.filter(({ type, object_id }) => type === 'stock.changed' && object_id === 'run');
    assert.equal(ofStock.at(-1)?.data.available, 0);
    await check();
  });

  test('holds for each order what it wants of each product, which it gives back, ships and takes back', async () => {
    await sync('much', { ...TRACKED, stock_quantity: 10_000 });
    await order({ much: 1 });
    const { body } = await node().post('/api/v1/orders', {
      customer_id: 'c',
      reserve: true,
      items: [2, 3, 4].map((quantity, index) => ({ product_id: index === 1 ? 'nobody knows it' : 'much', quantity, price: 1 })),
    });
    const cancelled = (await order({ much: 5 })).body.data.id;
    assert.deepEqual(await levels('much'), [{ location: 'default', on_hand: 10_000, reserved: 12 }]);
    await node().post(`/api/v1/orders/${cancelled}/transitions`, { to: 'cancelled' });
    for (const to of ['processing', 'shipped']) await node().post(`/api/v1/orders/${body.data.id}/transitions`, { to });
    assert.deepEqual(await levels('much'), [{ location: 'default', on_hand: 9_994, reserved: 1 }]);
    await check();
  });

  test('sees that a product is tracked by now, or no more, is at a second location, or is gone', async () => {
    await sync('later', { name: 'x', price: 1, stock_quantity: 2 });
    await order({ later: 100 });
    await sync('later', { track_stock: true });
    assert.equal((await order({ later: 3 })).status, 409);
    assert.equal((await order({ later: 2 })).status, 200);
    assert.deepEqual(await levels('later'), [{ location: 'default', on_hand: 2, reserved: 2 }]);

    await sync('spread', { ...TRACKED, stock_quantity: 5_000 });
    await order({ spread: 1 });
    await node().post('/api/v1/stock/movements', { product_id: 'spread', location: 'attic', delta: 7_000, reason: 'found' });
    assert.equal((await order({ spread: 6_000 })).status, 200);
    assert.deepEqual(
      (await levels('spread')).map(({ location, reserved }) => [location, reserved]),
      [
        ['attic', 1_001],
        ['default', 5_000],
      ],
    );

    await sync('short', { ...TRACKED, stock_quantity: 5_000 });
    await order({ short: 1 });
    await sync('short', { stock_quantity: 3 });
    assert.equal((await order({ short: 3 })).status, 409);
    assert.equal((await order({ short: 1 })).status, 200);

    await sync('gone', { ...TRACKED, stock_quantity: 5_000 });
    await order({ gone: 1 });
    await node().call('DELETE', '/api/v1/products/gone');
    const last = await order({ gone: 1 });
    assert.deepEqual([last.status, last.body.data.items[0].product_known], [200, false]);
    await check();
  });

  test('takes nothing for an order that another system has sent before, nor twice for one that is sent again', async () => {
    await sync('once', { ...TRACKED, stock_quantity: 5_000 });
    await order({ once: 1 });
    const headers = { 'idempotency-key': 'the same' };
    const items = [{ product_id: 'once', quantity: 10, price: 1 }];
    const body = { customer_id: 'c', items, reserve: true };
    const replies = await Promise.all([0, 1, 2, 3].map((n) => node(n).post('/api/v1/orders', body, { headers })));
    assert.equal(new Set(replies.map(({ text }) => text)).size, 1);
    const named = await Promise.all([0, 1, 2, 3].map((n) => order({ once: 100 }, n, { external_id: 'theirs' })));
    assert.deepEqual(named.map(({ status }) => String(status)).toSorted(), ['200', '409', '409', '409']);
    assert.deepEqual(await levels('once'), [{ location: 'default', on_hand: 5_000, reserved: 111 }]);
    await check();
  });
});
