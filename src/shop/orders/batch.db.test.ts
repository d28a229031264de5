import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onBothEngines } from '../../../test/support/databases.ts';
import { openLineStream } from '../../../test/support/line-stream.ts';
import { type Reply, type Service, startService } from '../../../test/support/service.ts';
import { sql } from '../../db/sql.ts';
import { EXAMPLE_BATCH, EXAMPLE_BATCH_ANSWER, ORDER_ID } from './examples.ts';
import { withOrders } from './told.ts';

const BATCH = '/api/v1/orders/batch';
const ORDER = { customer_id: 'c', items: [{ product_id: 'p', quantity: 3, price: 19.99 }] };

onBothEngines('batches of orders', (engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
  });
  after(() => service.close());

  const send = (orders: unknown[], key?: string): Promise<Reply> =>
    service.post(BATCH, orders, { headers: key === undefined ? {} : { 'idempotency-key': key } });
  const read = async (id: string) => (await service.get(`/api/v1/orders/${id}`)).body.data;
  const totals = async (): Promise<Record<string, number>> => {
    const names = ['new', 'shipped', 'delivered', 'cancelled'];
    const counts = await Promise.all(names.map(async (name) => (await service.get(`/api/v1/orders?status=${name}`)).body.total as number));
    return {
      all: (await service.get('/api/v1/orders')).body.total,
      ...Object.fromEntries(names.map((name, i) => [name, counts[i] as number])),
    };
  };

  test('no key 401, wrong scope 403, no list 400', async () => {
    assert.equal((await service.post(BATCH, [ORDER], { key: null })).status, 401);
    assert.equal((await service.post(BATCH, [ORDER], { key: await service.keyWith('orders:read') })).status, 403);
    for (const body of [{}, [], Array.from({ length: 1001 }, () => ORDER)]) assert.equal((await service.post(BATCH, body)).status, 400);
    const { status, body } = await send([ORDER], 'ü');
    assert.deepEqual([status, body?.error?.details.field], [400, 'Idempotency-Key']);
  });

  test('the example of the documents is answered as they say', async () => {
    const { text, body } = await send(EXAMPLE_BATCH);
    const { id, created_at } = body.data[0].data;
    const expected = JSON.stringify(EXAMPLE_BATCH_ANSWER).replaceAll(ORDER_ID, id).replace('2026-11-01T09:30:00.000Z', created_at);
    assert.deepEqual(JSON.parse(text), JSON.parse(expected));
  });

  test('history comes in as it was: time, state, history and total; created_at is ours', async () => {
    const before = await totals();
    const history = [
      { status: 'new', at: '2019-12-31T23:59:59Z' },
      { status: 'shipped', at: '2020-01-01T00:00:00.5Z', reason: 'by hand' },
      { status: 'delivered', at: '2020-01-03T10:00:00+02:00', reason: null },
    ];
    const shipping = { price: 4.9 };
    const { body, text } = await send([
      { ...ORDER, imported: true, placed_at: '2019-12-31T23:59:59Z', history, shipping, total: 60, customer: { email: 'jo@example.com' } },
      { ...ORDER, imported: true, status: 'cancelled', placed_at: '2020-02-01' },
      { ...ORDER, imported: true },
      { ...ORDER, imported: false, note: 'a new one' },
    ]);
    assert.equal(body.failed, 0, text);
    const [whole, cancelled, bare, fresh] = await Promise.all(body.data.map(({ data }: { data: { id: string } }) => read(data.id)));
    assert.deepEqual([whole.status, whole.version, whole.imported, whole.placed_at], ['delivered', 1, true, '2019-12-31T23:59:59.000Z']);
    assert.deepEqual(whole.history, [
      { status: 'new', at: '2019-12-31T23:59:59.000Z', reason: null },
      { status: 'shipped', at: '2020-01-01T00:00:00.500Z', reason: 'by hand' },
      { status: 'delivered', at: '2020-01-03T08:00:00.000Z', reason: null },
    ]);
    assert.deepEqual([whole.total, whole.subtotal, whole.shipping_total, whole.tax_total, whole.adjustment], [60, 59.97, 4.9, 0, -4.87]);
    assert.ok(whole.created_at > '2026');
    assert.deepEqual(
      [cancelled.status, cancelled.history, cancelled.total, cancelled.adjustment],
      ['cancelled', [{ status: 'cancelled', at: '2020-02-01T00:00:00.000Z', reason: null }], 59.97, undefined],
    );
    assert.deepEqual([bare.status, bare.history.length, bare.imported, bare.placed_at], ['new', 1, true, undefined]);
    assert.deepEqual([fresh.status, fresh.imported, fresh.note], ['new', undefined, 'a new one']);

    const after = await totals();
    const more = Object.fromEntries(Object.keys(after).map((name) => [name, (after[name] ?? 0) - (before[name] ?? 0)]));
    assert.deepEqual(more, { all: 4, new: 2, shipped: 0, delivered: 1, cancelled: 1 });
    const events = await withOrders(
      service.app.db.read,
      await service.app.db.read.all<{ type: string; data: string; object_id: string }>(
        sql`select type, data, object_id from events where topic = 'orders' order by seq desc limit 4`,
      ),
    );
    assert.deepEqual(events.map(({ type }) => type).sort(), ['order.created', 'order.imported', 'order.imported', 'order.imported']);
    assert.deepEqual(JSON.parse(events.find(({ object_id }) => object_id === whole.id)?.data ?? ''), whole);

    const moved = await service.post(`/api/v1/orders/${whole.id}/transitions`, { to: 'returned', reason: 'broken' });
    assert.deepEqual(
      moved.body.data.history.map(({ status }: { status: string }) => status),
      ['new', 'shipped', 'delivered', 'returned'],
    );
  });

  test('what cannot be is refused for the order that has it, and the others are made', async () => {
    const cases: [object, string][] = [
      [{ status: 'shipped' }, 'status'],
      [{ total: 5 }, 'total'],
      [{ imported: true, total: 5.00001 }, 'total'],
      [{ imported: true, placed_at: '2999-01-01' }, 'placed_at'],
      [{ imported: true, status: 'gone' }, 'status'],
      [{ imported: true, status: 'new', history: [{ status: 'shipped', at: '2020-01-01' }] }, 'status'],
      [
        {
          imported: true,
          history: [
            { status: 'new', at: '2020-01-02' },
            { status: 'shipped', at: '2020-01-01' },
          ],
        },
        'history[1].at',
      ],
      [{ imported: true, history: [] }, 'history'],
      [{ items: [] }, 'items'],
    ];
    const { body } = await send(cases.flatMap(([more]) => [{ ...ORDER, ...more }, ORDER]));
    assert.equal(body.failed, cases.length);
    cases.forEach(([, field], i) => {
      assert.equal(body.data[2 * i].error.details.field, field);
      assert.equal(body.data[2 * i + 1].success, true);
    });
  });

  test('sent again with its key, a batch makes only what was not made, and answers the rest as before', async () => {
    const before = (await totals())['all'] ?? 0;
    const orders = [
      { ...ORDER, external_id: 'again-1' },
      { ...ORDER, imported: true, status: 'delivered' },
      { ...ORDER, external_id: 'again-1' },
    ];
    const first = await send(orders, 'again');
    assert.deepEqual(
      first.body.data.map(({ success, error }: { success: boolean; error?: { code: string } }) => [success, error?.code]),
      [
        [true, undefined],
        [true, undefined],
        [false, 'CONFLICT'],
      ],
    );
    await service.post(`/api/v1/orders/${first.body.data[1].data.id}/transitions`, { to: 'returned' });
    const again = await send([...orders.slice(0, 2), { ...ORDER, external_id: 'again-2' }], 'again');
    assert.deepEqual(again.body.data[0].data, { ...first.body.data[0].data, replayed: true });
    assert.deepEqual(again.body.data[1].data, { ...first.body.data[1].data, replayed: true });
    assert.equal(again.body.data[2].success, true);
    assert.equal(again.body.data[2].data.replayed, undefined);
    const other = await send([{ ...ORDER, customer_id: 'other' }], 'again');
    assert.equal(other.body.data[0].error.code, 'IDEMPOTENCY_KEY_REUSED');
    assert.equal((await totals())['all'], before + 3);
    // The same word for a single order is another key.
    assert.equal((await service.post('/api/v1/orders', ORDER, { headers: { 'idempotency-key': 'again' } })).status, 200);
  });

  test('lines: thousands in one stream, a broken one among them, each answered in its turn', async () => {
    const before = (await totals())['all'] ?? 0;
    const stream = openLineStream(service, BATCH);
    const [total, broken] = [3_000, 1_234];
    for (let i = 0; i < total; i++)
      stream.write(
        i === broken
          ? '{"customer_id":\n'
          : `${JSON.stringify({ ...ORDER, customer_id: `line ${i}`, imported: true, status: 'delivered' })}\n`,
      );
    stream.end();
    assert.equal((await stream.response()).statusCode, 200);
    for (let i = 0; i < total; i++) {
      const answer = await stream.next();
      assert.deepEqual([answer.index, answer.success], [i, i !== broken], JSON.stringify(answer));
    }
    assert.equal(await stream.next(), undefined);
    assert.equal((await totals())['all'], before + total - 1);
    assert.equal((await service.get('/api/v1/orders?customer_id=line%202999')).body.total, 1);
  });

  test('lines: what has been sent is answered while the request is still open', async () => {
    const stream = openLineStream(service, BATCH);
    for (let i = 0; i < 3; i++) {
      stream.write(`${JSON.stringify(ORDER)}\n`);
      assert.partialDeepStrictEqual(await stream.next(), { index: i, success: true, data: { total: 59.97 } });
    }
    stream.end();
    assert.equal(await stream.next(), undefined);
  });
});
