import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onBothEngines } from '../support/databases.ts';
import { oneFault } from '../support/one-fault.ts';
import { type Reply, type Service, startService } from '../support/service.ts';

const MOVEMENTS = '/api/v1/stock/movements';
const ORDERS = '/api/v1/orders';

onBothEngines('stock', (engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
  });
  after(() => service.close());

  let products = 0;
  /** A product of its own for each test, with so many units that are tracked. */
  const tracked = async (stock_quantity: number, more: object = {}): Promise<string> => {
    const product_id = `p-${products++}`;
    const body = { product_id, name: 'P', price: 1, stock_quantity, track_stock: true, ...more };
    assert.equal((await service.post('/api/v1/products/sync', body)).status, 200);
    return product_id;
  };
  const stock = async (id: string, query = '') => (await service.get(`/api/v1/products/${id}/stock${query}`)).body;
  const units = async (id: string): Promise<number[]> => {
    const { on_hand, reserved, available } = (await stock(id)).data;
    const product = (await service.get(`/api/v1/products/${id}`)).body.data;
    assert.equal(product.stock_quantity, on_hand, 'stock_quantity is what is on hand in all');
    return [on_hand, reserved, available];
  };
  const order = (items: object[], more: object = {}): Promise<Reply> =>
    service.post(ORDERS, { customer_id: 'c', reserve: true, items, ...more });
  const line = (product_id: string, quantity: number): object => ({ product_id, quantity, price: 1 });
  const made = async (items: object[], more: object = {}): Promise<string> => {
    const reply = await order(items, more);
    assert.equal(reply.status, 200, reply.text);
    return reply.body.data.id;
  };
  const move = (id: string, to: string, more: object = {}): Promise<Reply> => service.post(`${ORDERS}/${id}/transitions`, { to, ...more });
  const kinds = async (id: string): Promise<string[]> =>
    (await stock(id)).data.movements.map(({ kind }: { kind: string }) => kind).toReversed();

  test('no key 401, wrong scope 403, bad body 400 that names the field, no product 404', async () => {
    const body = { product_id: 'p', delta: 1 };
    assert.equal((await service.post(MOVEMENTS, body, { key: null })).status, 401);
    assert.equal((await service.post(MOVEMENTS, body, { key: await service.keyWith('products:read') })).status, 403);
    assert.equal((await service.get('/api/v1/products/p/stock', { key: null })).status, 401);
    assert.equal((await service.get('/api/v1/products/p/stock', { key: await service.keyWith('products:write') })).status, 403);
    for (const [bad, field] of [
      [{ delta: 1 }, 'product_id'],
      [{ product_id: 'p', delta: 0 }, 'delta'],
      [{ product_id: 'p', delta: 1.5 }, 'delta'],
      [{ product_id: 'p', delta: 1, location: '' }, 'location'],
      [{ product_id: 'p', delta: 1, other: 1 }, 'other'],
      [[{ product_id: 'p', delta: 1 }, { product_id: 'p' }], '[1].delta'],
      [[], ''],
      ['text', ''],
    ] as const) {
      const { status, body: answer } = await service.post(MOVEMENTS, bad);
      assert.deepEqual([status, answer.error.details.field], [400, field], JSON.stringify(answer));
    }
    assert.equal((await service.post(MOVEMENTS, { product_id: 'nothing', delta: 1 })).status, 404);
    assert.equal((await service.get('/api/v1/products/nothing/stock')).status, 404);
  });

  test('an order takes all of its lines or none, and says which there is too little for; lines of one product add up', async () => {
    const [a, b] = [await tracked(5), await tracked(1)];
    const reply = await order([line(a, 3), line(b, 1), line(a, 3), line('untracked', 9)]);
    assert.deepEqual([reply.status, reply.body.error.code], [409, 'OUT_OF_STOCK']);
    assert.deepEqual(reply.body.error.details.lines, [
      { index: 0, product_id: a, wanted: 6, available: 5 },
      { index: 2, product_id: a, wanted: 6, available: 5 },
    ]);
    assert.equal(reply.body.error.details.field, 'items[0].quantity');
    assert.deepEqual(
      [await units(a), await units(b)],
      [
        [5, 0, 5],
        [1, 0, 1],
      ],
    );
    const id = await made([line(a, 3), line(b, 1), line(a, 2), line('untracked', 9)]);
    assert.equal((await service.get(`${ORDERS}/${id}`)).body.data.reserve, true);
    assert.deepEqual(
      [await units(a), await units(b)],
      [
        [5, 5, 0],
        [1, 1, 0],
      ],
    );
    // Orders that reserve nothing are taken as ever.
    const plain = await service.post(ORDERS, { customer_id: 'c', items: [line(a, 100)] });
    assert.deepEqual([plain.status, 'reserve' in plain.body.data], [200, false]);
  });

  test('cancelled gives back, shipped takes out, returned puts back when that is said', async () => {
    const id = await tracked(10);
    const orders = [await made([line(id, 2)]), await made([line(id, 3)]), await made([line(id, 4)])];
    assert.deepEqual(await units(id), [10, 9, 1]);
    await move(orders[0] ?? '', 'cancelled');
    assert.deepEqual(await units(id), [10, 7, 3]);
    for (const one of orders.slice(1)) for (const to of ['processing', 'shipped']) assert.equal((await move(one, to)).status, 200);
    assert.deepEqual(await units(id), [3, 0, 3]);
    await move(orders[1] ?? '', 'returned');
    assert.deepEqual(await units(id), [3, 0, 3]);
    await move(orders[2] ?? '', 'returned', { restock: true });
    assert.deepEqual(await units(id), [7, 0, 7]);
    assert.deepEqual(await kinds(id), ['opened', 'shipped', 'shipped', 'returned']);
  });

  test('parcels, returns and refunds move what they name', async () => {
    const id = await tracked(10);
    const one = await made([line(id, 4), line(id, 2)]);
    const deed = async (what: string, body: object): Promise<number[]> => {
      const reply = await service.post(`${ORDERS}/${one}/${what}`, body);
      assert.equal(reply.status, 200, reply.text);
      return units(id);
    };
    assert.deepEqual(await deed('fulfillments', { lines: [{ line: 1, quantity: 3 }] }), [7, 3, 4]);
    assert.deepEqual(await deed('refunds', { lines: [{ line: 2, quantity: 1 }], restock: true }), [7, 2, 5]);
    assert.deepEqual(await deed('returns', { lines: [{ line: 1, quantity: 1 }] }), [7, 2, 5]);
    assert.deepEqual(await deed('returns', { lines: [{ line: 1, quantity: 1 }], restock: true, location: 'attic' }), [8, 2, 6]);
    assert.deepEqual(await deed('fulfillments', {}), [6, 0, 6]);
    assert.equal((await service.get(`${ORDERS}/${one}`)).body.data.status, 'shipped');
  });

  test('a change of lines reserves those that there are now, or changes nothing', async () => {
    const [a, b] = [await tracked(5), await tracked(2)];
    const one = await made([line(a, 3)]);
    const patch = (items: object[]): Promise<Reply> => service.call('PATCH', `${ORDERS}/${one}`, { body: { items } });
    const refused = await patch([line(a, 1), line(b, 3)]);
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'OUT_OF_STOCK']);
    assert.deepEqual(refused.body.error.details.lines, [{ index: 1, product_id: b, wanted: 3, available: 2 }]);
    assert.deepEqual([await units(a), (await service.get(`${ORDERS}/${one}`)).body.data.version], [[5, 3, 2], 1]);
    const changed = await patch([line(a, 5), line(b, 2)]);
    assert.deepEqual([changed.status, changed.body.data.reserve], [200, true], changed.text);
    assert.deepEqual(
      [await units(a), await units(b)],
      [
        [5, 5, 0],
        [2, 2, 0],
      ],
    );
    await patch([line(b, 1)]);
    assert.deepEqual(
      [await units(a), await units(b)],
      [
        [5, 0, 5],
        [2, 1, 1],
      ],
    );
  });

  test('allow_backorder lets orders take more than there is', async () => {
    const id = await tracked(1, { allow_backorder: true });
    const one = await made([line(id, 3)]);
    assert.deepEqual(await units(id), [1, 3, -2]);
    for (const to of ['processing', 'shipped']) await move(one, to);
    assert.deepEqual(await units(id), [-2, 0, -2]);
    await service.post(MOVEMENTS, { product_id: id, delta: 5 });
    assert.deepEqual(await units(id), [3, 0, 3]);
  });

  test('movements add and take away, at locations; an array is made as a whole; what is reserved stays', async () => {
    const id = await tracked(5);
    const both = await service.post(MOVEMENTS, [
      { product_id: id, delta: -2, reason: 'to the attic' },
      { product_id: id, delta: 2, location: 'attic' },
    ]);
    assert.equal(both.status, 200, both.text);
    const [out, into] = both.body.data;
    assert.deepEqual(
      [out.location, out.on_hand, out.reason, into.location, into.on_hand, into.kind],
      ['default', 3, 'to the attic', 'attic', 2, 'adjusted'],
    );
    assert.deepEqual((await stock(id)).data.locations, [
      { location: 'default', on_hand: 3, reserved: 0, available: 3 },
      { location: 'attic', on_hand: 2, reserved: 0, available: 2 },
    ]);
    // From `default` first, and what is missing there from the others.
    await made([line(id, 4)]);
    assert.deepEqual((await stock(id)).data.locations[1], { location: 'attic', on_hand: 2, reserved: 1, available: 1 });
    const short = await service.post(MOVEMENTS, [
      { product_id: id, delta: 7 },
      { product_id: id, delta: -2, location: 'attic' },
    ]);
    assert.deepEqual([short.status, short.body.error.code, short.body.error.details.field], [409, 'OUT_OF_STOCK', '[1].delta']);
    assert.deepEqual(await units(id), [5, 4, 1]);
    const blind = await service.post(MOVEMENTS, { product_id: id, delta: 1 }, { key: await service.keyWith('products:write') });
    assert.deepEqual([blind.body.data.delta, 'on_hand' in blind.body.data], [1, false]);
    await service.post(MOVEMENTS, { product_id: id, delta: -1 });
    const audit = (await service.get('/api/v1/audit?limit=1')).body.data[0];
    assert.deepEqual([audit.action, audit.object_id, audit.details.movements], ['stock.adjusted', id, 1]);
    await service.post('/api/v1/products/sync', { product_id: 'loose', name: 'L', price: 1 });
    assert.equal((await service.post(MOVEMENTS, { product_id: 'loose', delta: 1 })).body.error.code, 'CONFLICT');
  });

  test('an Idempotency-Key makes movements once, whoever comes first', async () => {
    const id = await tracked(5);
    const headers = { 'idempotency-key': `moved ${id}` };
    const body = { product_id: id, delta: 1 };
    const replies = await Promise.all(Array.from({ length: 6 }, () => service.post(MOVEMENTS, body, { headers })));
    assert.deepEqual(new Set(replies.map(({ text }) => text)).size, 1);
    assert.equal(replies.filter((reply) => reply.headers.get('idempotent-replayed') === 'true').length, 5);
    assert.deepEqual(await units(id), [6, 0, 6]);
    assert.equal((await service.post(MOVEMENTS, { ...body, delta: 2 }, { headers })).body.error.code, 'IDEMPOTENCY_KEY_REUSED');
    assert.equal((await service.post(MOVEMENTS, body, { headers: { 'idempotency-key': 'ü' } })).status, 400);
  });

  test('an order that was refused does not use up its key, and is made when there is something', async () => {
    const id = await tracked(0);
    const body = { customer_id: 'c', reserve: true, items: [line(id, 1)] };
    const headers = { 'idempotency-key': `order of ${id}` };
    assert.equal((await service.post(ORDERS, body, { headers })).status, 409);
    await service.post(MOVEMENTS, { product_id: id, delta: 1 });
    const first = await service.post(ORDERS, body, { headers });
    const second = await service.post(ORDERS, body, { headers });
    assert.deepEqual([first.status, second.text, await units(id)], [200, first.text, [1, 1, 0]]);
    // One that is there already takes nothing more.
    const named = { ...body, external_id: `x-${id}` };
    await service.post(MOVEMENTS, { product_id: id, delta: 5 });
    const statuses = await Promise.all(Array.from({ length: 4 }, async () => (await service.post(ORDERS, named)).status));
    assert.deepEqual(
      [statuses.toSorted((a, b) => a - b), await units(id)],
      [
        [200, 409, 409, 409],
        [6, 2, 4],
      ],
    );
    const batch = await service.post(`${ORDERS}/batch`, [body, { ...body, items: [line(id, 4)] }, { ...body, imported: true }]);
    assert.deepEqual(
      batch.body.data.map((entry: { error?: { code: string } }) => entry.error?.code),
      [undefined, 'OUT_OF_STOCK', 'INVALID_PARAMS'],
    );
  });

  test('a count is a movement against what was true when it was made: what has moved since stays', async () => {
    const id = await tracked(10);
    const sync = async (more: object): Promise<{ stock_quantity: number; result: string }> =>
      (await service.post('/api/v1/products/sync', { product_id: id, ...more })).body.data;
    const counted = new Date().toISOString();
    const one = await made([line(id, 4)]);
    for (const to of ['processing', 'shipped']) await move(one, to);
    assert.deepEqual(await units(id), [6, 0, 6]);
    // Nine were there before four of them were shipped.
    const told = await sync({ stock_quantity: 9, stock_as_of: new Date(Date.parse(counted)).toISOString() });
    const again = await sync({ stock_quantity: 9, stock_as_of: counted });
    assert.deepEqual([told.result, again.result, await units(id)], ['updated', 'unchanged', [5, 0, 5]]);
    const entry = (await stock(id)).data.movements[0];
    assert.deepEqual([entry.kind, entry.delta, entry.as_of], ['counted', -1, counted]);
    // Without a time it is of now.
    await sync({ stock_quantity: 7 });
    assert.deepEqual(await units(id), [7, 0, 7]);
    // Four had left since: what had left was there.
    await sync({ stock_quantity: 0, stock_as_of: counted });
    assert.deepEqual(await units(id), [0, 0, 0]);
  });

  test('tracking begins with what there is, and cannot end while orders wait; a deleted product takes its ledger along', async () => {
    const id = await tracked(3);
    const one = await made([line(id, 1)]);
    const change = (body: object): Promise<Reply> => service.call('PATCH', `/api/v1/products/${id}`, { body });
    assert.deepEqual((await change({ track_stock: false })).body.error.details, oneFault('track_stock', '1 unit is reserved'));
    await move(one, 'cancelled');
    assert.equal((await change({ track_stock: false })).status, 200);
    const { data, total } = await stock(id);
    assert.deepEqual([data.on_hand, data.available, data.locations, data.track_stock, total], [3, 3, [], false, 2]);
    await change({ track_stock: true });
    assert.deepEqual([await units(id), (await kinds(id)).at(-1)], [[3, 0, 3], 'opened']);
    const held = await made([line(id, 2)]);
    assert.equal((await service.call('DELETE', `/api/v1/products/${id}`)).status, 200);
    assert.equal((await move(held, 'cancelled')).status, 200);
  });

  test('the ledger is paged, by location if that is asked for, and names orders to those only who may read them', async () => {
    const id = await tracked(1);
    for (let n = 0; n < 4; n++) await service.post(MOVEMENTS, { product_id: id, delta: 1, location: n % 2 ? 'attic' : 'default' });
    const order_id = await made([line(id, 1)]);
    for (const to of ['processing', 'shipped']) await move(order_id, to);
    const all = await stock(id, '?limit=1000');
    const seen: object[] = [];
    for (let query = '?limit=2'; ; ) {
      const { data, total, next_cursor } = await stock(id, query);
      assert.equal(total, 6);
      seen.push(...data.movements);
      if (next_cursor === null) break;
      query = `?limit=2&cursor=${next_cursor}`;
    }
    assert.deepEqual(seen, all.data.movements);
    assert.equal((await stock(id, '?location=attic')).total, 2);
    assert.equal(all.data.movements[0].order_id, order_id);
    const key = await service.keyWith('products:read');
    const veiled = (await service.get(`/api/v1/products/${id}/stock`, { key })).body.data.movements;
    assert.equal(veiled[0].order_id, null);
  });

  test('events tell of every change, in the feed of those who may read products', async () => {
    const { next_cursor } = (await service.get('/api/v1/events?limit=1000')).body;
    const id = await tracked(2);
    const one = await made([line(id, 1)]);
    for (const to of ['processing', 'shipped']) await move(one, to);
    // The last one is taken, and free again.
    await move(await made([line(id, 1)]), 'cancelled');
    const events = (await service.get(`/api/v1/events?after=${next_cursor}`, { key: await service.keyWith('products:read') })).body.data;
    assert.deepEqual(
      events.map(({ type, data }: { type: string; data: { on_hand?: number; reserved?: number; stock_quantity?: number } }) => [
        type,
        data.on_hand ?? data.stock_quantity,
        data.reserved,
      ]),
      [
        ['product.created', 2, undefined],
        ['stock.changed', 2, 0],
        ['product.updated', 1, undefined],
        ['stock.changed', 1, 0],
        ['stock.changed', 1, 1],
        ['stock.changed', 1, 0],
      ],
    );
  });
});
