import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Batch } from '../../connectors/batch.ts';
import type { Row } from '../../connectors/canonical.ts';
import type { Change, LogRequest } from '../../connectors/changes.ts';
import type { Session } from '../../connectors/session.ts';
import { SHOP_STREAMS, type ShopStream } from '../../connectors/shop-streams.ts';
import { OutsideError } from '../../outside/errors.ts';
import { onBothEngines } from '../../../test/support/databases.ts';
import { openHub } from '../../../test/support/hub-session.ts';
import { type Service, startService } from '../../../test/support/service.ts';
import { until } from '../../../test/support/until.ts';

type Told = Record<string, string | null>;

const NAMES = Object.keys(SHOP_STREAMS) as ShopStream[];

onBothEngines('what was done with orders, customers and stock as streams', (engine) => {
  let service: Service;
  let session: Session;
  let id: string;
  before(async () => {
    service = await startService(engine);
    session = await openHub(service);
    await ok('POST', '/products/sync', { product_id: 'mug', name: 'Mug', price: 5, stock_quantity: 10, track_stock: true, sku: 'M-1' });
    await ok('POST', '/stock/movements', { product_id: 'mug', location: 'north', delta: 3, reason: 'delivery' });
    const customer = { email: 'ada@example.com', name: 'Ada' };
    const items = [
      { product_id: 'mug', quantity: 4, price: 5, sku: 'M-1', tax: { rate: 19 } },
      { product_id: 'gone', quantity: 1, price: 2.5 },
    ];
    ({ id } = await ok('POST', '/orders', { customer_id: 'ada', items, customer, reserve: true, shipping: { price: 4.9 }, tags: ['a'] }));
    const tracking = { carrier: 'post', number: '17' };
    await ok('POST', `/orders/${id}/fulfillments`, { lines: [{ line: 1, quantity: 3 }], tracking, location: 'default' });
    await ok('POST', `/orders/${id}/fulfillments`, {});
    await ok('POST', `/orders/${id}/returns`, { lines: [{ line: 1, quantity: 2 }], reason: 'broken', restock: true });
    await ok('POST', `/orders/${id}/refunds`, { lines: [{ line: 1, quantity: 2 }] });
    await ok('POST', `/orders/${id}/refunds`, { amount: 1.25, reason: 'sorry' });
    await ok('POST', '/orders', { customer_id: 'bob', items: items.slice(1), currency: 'USD' });
  });
  after(async () => {
    await session.close();
    await service.close();
  });

  // oxlint-disable-next-line no-explicit-any -- bodies of several shapes
  const ok = async (method: string, path: string, body?: object): Promise<any> => {
    const reply = await service.call(method, `/api/v1${path}`, body ? { body } : {});
    assert.equal(reply.status, 200, reply.text);
    return reply.body.data;
  };
  const batches = async (stream: ShopStream, more: object = {}): Promise<Batch[]> => {
    const { fields, key } = SHOP_STREAMS[stream];
    const found: Batch[] = [];
    for await (const batch of session.read({ stream, fields: fields.map(({ name }) => name), key, ...more })) found.push(batch);
    return found;
  };
  const rowsOf = (found: readonly Batch[]): Row[] => found.filter(({ operation }) => operation === 'write').flatMap(({ rows }) => rows);
  const told = (stream: ShopStream, row: Row): Told =>
    Object.fromEntries(SHOP_STREAMS[stream].fields.map(({ name }, i) => [name, row[i] ?? null]));
  const read = async (stream: ShopStream, ...names: string[]): Promise<unknown[][]> =>
    rowsOf(await batches(stream)).map((row) => names.map((name) => told(stream, row)[name]));

  test('deeds and their lines are rows, with the order that they belong to', async () => {
    assert.deepEqual(await read('fulfillments', 'order_id', 'tracking_carrier', 'tracking_number', 'tracking_url', 'location'), [
      [id, 'post', '17', null, 'default'],
      [id, null, null, null, null],
    ]);
    assert.deepEqual(await read('fulfillment_lines', 'order_id', 'line', 'quantity'), [
      [id, '1', '3'],
      [id, '1', '1'],
      [id, '2', '1'],
    ]);
    assert.deepEqual(await read('returns', 'order_id', 'reason', 'restock', 'location'), [[id, 'broken', 't', null]]);
    assert.deepEqual(await read('return_lines', 'order_id', 'line', 'quantity'), [[id, '1', '2']]);
    // Two of four mugs at 5 with 19 %.
    assert.deepEqual(await read('refunds', 'order_id', 'amount', 'currency', 'reason', 'restock'), [
      [id, '11.9', 'EUR', null, 'f'],
      [id, '1.25', 'EUR', 'sorry', 'f'],
    ]);
    assert.deepEqual(await read('refund_lines', 'line', 'quantity', 'amount'), [['1', '2', '11.9']]);
    for (const stream of ['fulfillment', 'return', 'refund'] as const) {
      const deeds = new Set((await read(`${stream}s`, 'id')).flat());
      for (const [deed] of await read(`${stream}_lines`, `${stream}_id`)) assert.ok(deeds.has(deed), stream);
    }
  });

  test('orders, lines and products have what only some of them have', async () => {
    const order = (
      await read('orders', 'id', 'subtotal', 'tax_total', 'shipping_total', 'payment_status', 'fulfillment_status', 'tags', 'customer')
    ).find(([one]) => one === id);
    assert.deepEqual(order?.slice(1), [
      '22.5',
      '3.8',
      '4.9',
      'partially_refunded',
      'partially_returned',
      '["a"]',
      '{"email":"ada@example.com","name":"Ada"}',
    ]);
    assert.deepEqual(
      (await read('order_items', 'order_id', 'sku', 'tax')).filter(([one]) => one === id),
      [
        [id, 'M-1', '{"rate":19,"amount":3.8}'],
        [id, null, null],
      ],
    );
    assert.deepEqual(await read('products', 'product_id', 'sku', 'track_stock', 'stock_quantity'), [['mug', 'M-1', 't', '11']]);
  });

  test('stock is told for each location, and the ledger without the orders that it was for', async () => {
    assert.deepEqual(await read('stock', 'product_id', 'location', 'on_hand', 'reserved', 'available'), [
      ['mug', 'default', '8', '0', '8'],
      ['mug', 'north', '3', '0', '3'],
    ]);
    assert.deepEqual(await read('stock_movements', 'product_id', 'location', 'kind', 'delta', 'on_hand', 'reason'), [
      ['mug', 'default', 'opened', '10', '10', null],
      ['mug', 'north', 'adjusted', '3', '3', 'delivery'],
      ['mug', 'default', 'shipped', '-3', '7', null],
      ['mug', 'default', 'shipped', '-1', '6', null],
      ['mug', 'default', 'returned', '2', '8', null],
    ]);
    const names = SHOP_STREAMS.stock_movements.fields.map(({ name }) => name);
    assert.ok(!names.includes('order_id'), 'a key that may read products alone would read it');
  });

  test('a read goes on behind every batch, whatever the stream', async () => {
    for (const stream of NAMES) {
      const { cursor } = SHOP_STREAMS[stream];
      const ask = { batchRows: 1, ...(cursor !== null && { cursor }) };
      const found = await batches(stream, ask);
      const all = rowsOf(found);
      assert.ok(all.length > 0, stream);
      for (const [at, { position }] of found.entries()) {
        const rest = await batches(stream, { ...ask, after: position });
        assert.deepEqual([...rowsOf(found.slice(0, at + 1)), ...rowsOf(rest)], all, `${stream} behind ${position}`);
      }
    }
    for (const after of ['nonsense', '{"seq":1,"table":"mug"}'])
      await assert.rejects(batches('stock', { after }), (error) => error instanceof OutsideError && error.code === 'POSITION_INVALID');
    await assert.rejects(
      batches('customers', { cursor: 'last_order_at' }),
      (error) => error instanceof OutsideError && error.kind === 'config',
    );
  });

  test('entries of the ledger arrive once each, also those that are made while it is read', async () => {
    for (const product_id of ['a', 'b', 'c'])
      await ok('POST', '/products/sync', { product_id, name: product_id, price: 1, stock_quantity: 5, track_stock: true });
    const seen: string[] = [];
    let position: string | undefined;
    for (let round = 0; round < 8; round++) {
      const ask = { cursor: 'at', batchRows: 3, limit: 3, ...(position !== undefined && { after: position }) };
      for (const batch of await batches('stock_movements', ask)) {
        position = batch.position;
        seen.push(...batch.rows.map(([product, entry]) => `${product} ${entry}`));
      }
      // As large as the list is, it comes to nothing at its end: there is an event all the same.
      await ok(
        'POST',
        '/stock/movements',
        ['a', 'c'].flatMap((product_id) => [2, -2].map((delta) => ({ product_id, delta }))),
      );
    }
    for (const batch of await batches('stock_movements', { cursor: 'at', ...(position !== undefined && { after: position }) }))
      seen.push(...batch.rows.map(([product, entry]) => `${product} ${entry}`));
    const all = rowsOf(await batches('stock_movements')).map(([product, entry]) => `${product} ${entry}`);
    assert.deepEqual(seen.toSorted(), all.toSorted());
  });

  test('the feed tells deeds and movements as they happen, and refuses what it cannot tell', async () => {
    const log = session.log ?? assert.fail();
    const names = ['fulfillments', 'fulfillment_lines', 'refunds', 'stock_movements'] as const;
    const request: LogRequest = {
      owner: 'o',
      streams: names.map((stream) => ({ stream, fields: [...SHOP_STREAMS[stream].key], key: SHOP_STREAMS[stream].key })),
      signal: AbortSignal.timeout(60_000),
    };
    const items = [{ product_id: 'mug', quantity: 2, price: 5 }];
    const order = await ok('POST', '/orders', { customer_id: 'eve', items, reserve: true });
    const start = await log.hold(request);
    const one = await ok('POST', `/orders/${order.id}/fulfillments`, { lines: [{ line: 1, quantity: 1 }] });
    const two = await ok('POST', `/orders/${order.id}/fulfillments`, {});
    const refund = await ok('POST', `/orders/${order.id}/refunds`, { amount: 1 });
    const end = await log.end();
    const changes: Change[] = [];
    for await (const set of log.follow(request, start)) {
      changes.push(...set.changes);
      if (set.position !== undefined && !log.isBefore(set.position, end)) break;
    }
    const moved = rowsOf(await batches('stock_movements'))
      .slice(-2)
      .map(([, entry]) => entry);
    const rows = changes.flatMap((change) =>
      'row' in change ? [`${change.op} ${names[change.stream]} ${change.row.slice(1).join(' ')}`] : [],
    );
    assert.deepEqual(
      rows.filter((row) => row.startsWith('insert')),
      [
        `insert fulfillments ${one.id}`,
        `insert fulfillment_lines ${one.id} 1`,
        `insert stock_movements ${moved[0]}`,
        `insert fulfillments ${two.id}`,
        `insert fulfillment_lines ${two.id} 1`,
        `insert stock_movements ${moved[1]}`,
        `insert refunds ${refund.id}`,
      ],
    );
    assert.ok(rows.includes(`update fulfillments ${one.id}`), 'the time of the order is that of its last change');
    const found = await log.follow(request, start).lookUp(3, [['mug', moved[0] ?? '']], request.streams[3]?.fields ?? []);
    assert.deepEqual(found, [['mug', moved[0]]]);
    for (const stream of ['customers', 'stock']) {
      const asked = { ...request, streams: [{ stream, fields: [], key: SHOP_STREAMS[stream as ShopStream].key }] };
      await assert.rejects(log.hold(asked), (error) => error instanceof OutsideError && error.code === 'STREAM_NOT_FOLLOWED');
    }
  });

  test('customers are who ordered, in all currencies, and one who was erased is not there any more', async () => {
    await ok('POST', '/orders', { customer_id: 'ada', items: [{ product_id: 'x', quantity: 1, price: 0.1 }], currency: 'USD' });
    const of = async (): Promise<unknown[][]> => read('customers', 'id', 'email', 'name', 'orders', 'totals');
    const [ada] = await of();
    assert.deepEqual(ada, [
      'ada',
      'ada@example.com',
      'Ada',
      '2',
      '[{"currency":"EUR","orders":1,"total":31.2},{"currency":"USD","orders":1,"total":0.1}]',
    ]);
    const erased = await ok('POST', '/customers/ada/erase');
    await until('the erasure', async () => (await service.get(`/api/v1/erasures/${erased.id}`)).body.data.status === 'done');
    const left = await of();
    assert.ok(!left.some(([one]) => one === 'ada'));
    assert.deepEqual(left.find(([one]) => String(one).startsWith('erased-'))?.slice(1, 4), [null, null, '2']);
    assert.deepEqual(
      (await read('returns', 'order_id', 'reason')).find(([one]) => one === id),
      [id, null],
    );
  });
});
