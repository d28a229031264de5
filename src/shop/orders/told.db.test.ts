import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { runStatement } from '../../../test/support/commands.ts';
import { onBothEngines } from '../../../test/support/databases.ts';
import { type Reply, type Service, startService } from '../../../test/support/service.ts';
import { until } from '../../../test/support/until.ts';
import { sql } from '../../db/sql.ts';
import { isLeftOut, TOLD_BYTES } from '../../events/left-out.ts';

const LINES = [
  { product_id: 'p', quantity: 3, price: 19.99 },
  { product_id: 'q', quantity: 1, price: 0.0001, name: 'Zoë "quoted"', tax: { rate: 19 } },
];
const ADDRESS = { street: 'Main Street 1', city: 'Springfield', zip: '12345', name: 'Ada Lovelace' };
const PAID = {
  customer_id: 'ada',
  items: LINES,
  shipping_address: ADDRESS,
  customer: { email: 'ada@example.org', name: 'Ada Lovelace' },
  discounts: [{ code: 'WELCOME', percent: 10 }],
  payment: { status: 'paid', method: 'card' },
  note: 'ring twice',
};

onBothEngines('what events tell of new orders', (engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
    await service.post('/api/v1/products/sync', { product_id: 'p', name: 'P', price: 1 });
  });
  after(() => service.close());

  const made = async (body: object): Promise<{ id: string; json: string }> => {
    const reply = await service.post('/api/v1/orders', body);
    assert.equal(reply.status, 200, reply.text);
    return { id: reply.body.data.id, json: reply.text.slice('{"success":true,"data":'.length, -1) };
  };
  const done = async (reply: Promise<Reply>): Promise<void> => {
    const { status, text } = await reply;
    assert.equal(status, 200, text);
  };
  /** The feed as it is sent. */
  const feed = async (): Promise<string> => (await service.get('/api/v1/events?limit=1000')).text;
  const createdEvent = async (id: string) => {
    const { data } = JSON.parse(await feed()) as { data: { type: string; object_id: string; data: Record<string, unknown> }[] };
    return data.find(({ type, object_id }) => object_id === id && type === 'order.created')?.data;
  };

  test('is the answer, byte for byte, whatever becomes of the order; their rows hold no copy of it', async () => {
    const plain = await made({ customer_id: 'c', items: LINES.slice(0, 1) });
    const paid = await made(PAID);
    const orders = [plain, paid];
    for (const { json } of orders) assert.ok((await feed()).includes(`"data":${json}}`), json);
    const stored = await service.app.db.read.all<{ data: string; bytes: number }>(sql`
      select data, ${TOLD_BYTES} as bytes from events where type = 'order.created' order by seq`);
    stored.forEach(({ data, bytes }, index) => {
      assert.ok(isLeftOut(data), data);
      const { length } = orders[index]?.json ?? '';
      assert.ok(bytes > 0.7 * length && bytes < 2 * length, `${bytes} bytes are told of ${length}`);
    });

    for (const { id } of orders) {
      const path = `/api/v1/orders/${id}`;
      await done(
        service.call('PATCH', path, {
          body: { items: [{ product_id: 'other', quantity: 7, price: 3 }], shipping_address: null, note: 'changed' },
        }),
      );
      await done(service.call('PATCH', path, { body: { customer: { email: 'other@example.org' }, metadata: { a: 1 } } }));
      await done(service.post(`${path}/transitions`, { to: 'processing', reason: 'it is packed' }));
      await done(service.post(`${path}/fulfillments`, { lines: [{ line: 1, quantity: 2 }] }));
      await done(service.post(`${path}/refunds`, { amount: 1, reason: 'late' }));
    }
    for (const { json } of orders) assert.ok((await feed()).includes(`"data":${json}}`), json);
  });

  test('counts for a page as many bytes as it has, whatever its letters are', async () => {
    for (const letter of ['a', 'é', '漢', '🛒', '\u0001']) {
      const items = LINES.map((line) => ({ ...line, metadata: { word: letter.repeat(2000) } }));
      const { id, json } = await made({ customer_id: 'c', items });
      const [told] = await service.app.db.read.all<{ bytes: number }>(sql`
        select ${TOLD_BYTES} as bytes from events where object_id = ${id} and type = 'order.created'`);
      const share = (told?.bytes ?? 0) / Buffer.byteLength(json);
      assert.ok(share > 0.95 && share < 1.05, `${letter}: ${share} of it are told`);
    }
  });

  test('is the history that came with it, for an order that was brought in', async () => {
    const line = { ...PAID, imported: true, placed_at: '2024-02-29T10:00:00Z', status: 'delivered', total: 12.34 };
    const { body } = await service.post('/api/v1/orders/batch', [line]);
    const { id } = body.data[0].data;
    const before = (await service.get(`/api/v1/orders/${id}`)).body.data;
    await done(service.post(`/api/v1/orders/${id}/transitions`, { to: 'returned' }));
    const { data } = (await service.get('/api/v1/events?limit=1000')).body;
    const told = data.filter((event: { object_id: string }) => event.object_id === id);
    assert.deepEqual(
      told.map(({ type, data: order }: { type: string; data: { status: string } }) => [type, order.status]),
      [
        ['order.imported', 'delivered'],
        ['order.status_changed', 'returned'],
      ],
    );
    assert.deepEqual(told[0].data, before);
  });

  test('keeps the lines and the money of then when the person is erased, and nothing of the person', async () => {
    const { id, json } = await made({ ...PAID, customer_id: 'grace', customer: { email: 'grace@example.org', name: 'Grace Hopper' } });
    await done(service.call('PATCH', `/api/v1/orders/${id}`, { body: { items: [{ product_id: 'other', quantity: 7, price: 3 }] } }));
    await done(service.call('POST', '/api/v1/customers/grace/erase'));
    await until('the erasure', async () => !(await feed()).includes('grace'));
    const then = JSON.parse(json) as Record<string, unknown>;
    const told = await createdEvent(id);
    for (const name of ['items', 'total', 'discounts', 'version', 'created_at']) assert.deepEqual(told?.[name], then[name], name);
    assert.deepEqual([told?.['shipping_address'], told?.['customer'], told?.['note']], [null, undefined, undefined]);
    assert.match(String(told?.['customer_id']), /^erased-/);
  });

  test('goes on when somebody has taken an order out of our tables', async () => {
    const { id } = await made({ customer_id: 'c', items: LINES });
    await service.app.db.write(runStatement, `delete from orders where id = '${id}'`);
    assert.deepEqual(await createdEvent(id), { id });
  });
});
