import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onBothEngines } from '../../../../test/support/databases.ts';
import { type Reply, type Service, startService } from '../../../../test/support/service.ts';
import { EXAMPLE_CHANGED_ORDER, EXAMPLE_PATCH } from '../examples.ts';

const PATH = '/api/v1/orders';
const ITEMS = [
  { product_id: 'mug', quantity: 3, price: 10 },
  { product_id: 'cup', quantity: 2, price: 5 },
];
const ADDRESS = { street: 'S 1', city: 'C', zip: '1' };
const RICH = {
  customer_id: 'c',
  items: [
    { ...ITEMS[0], name: 'Mug', discount: { percent: 10 }, tax: { rate: 19 } },
    { ...ITEMS[1], tax: { rate: 7, amount: 0.5 } },
  ],
  shipping_address: ADDRESS,
  shipping: { method: 'parcel', price: 4.9, tax: { rate: 19 } },
  discounts: [{ code: 'TEN', percent: 10 }],
  customer: { email: 'jo@example.com', name: 'Jo' },
  payment: { status: 'authorized', method: 'card' },
  metadata: { a: 1, b: { c: 2 } },
  tags: ['x'],
};

onBothEngines('changing orders', (engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
    await service.post('/api/v1/products/sync', { product_id: 'mug-blue', name: 'Mug', price: 1 });
  });
  after(() => service.close());

  const make = async (body: object = { customer_id: 'c', items: ITEMS, shipping_address: ADDRESS }) => {
    const made = await service.post(PATH, body);
    assert.equal(made.status, 200, made.text);
    return made.body.data;
  };
  const patch = (id: string, body: object, options: object = {}): Promise<Reply> =>
    service.call('PATCH', `${PATH}/${id}`, { body, ...options });
  const changed = async (id: string, body: object) => {
    const reply = await patch(id, body);
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.text, (await service.get(`${PATH}/${id}`)).text, 'what is answered is what is read');
    return reply.body.data;
  };
  const refused = async (id: string, body: object, status: number, code: string) => {
    const reply = await patch(id, body);
    assert.deepEqual([reply.status, reply.body.error?.code], [status, code], reply.text);
    return reply.body.error.details;
  };

  test('no key 401, wrong scope 403, a bad body 400 that names the field, no order 404', async () => {
    const { id } = await make();
    assert.equal((await patch(id, {}, { key: null })).status, 401);
    assert.equal((await patch(id, {}, { key: await service.keyWith('orders:read') })).status, 403);
    for (const [body, field] of [
      [{ items: [] }, 'items'],
      [{ items: null }, 'items'],
      [{ customer_id: 'other' }, 'customer_id'],
      [{ currency: 'USD' }, 'currency'],
      [{ shipping_address: { zip: null } }, 'shipping_address.zip'],
      [{ billing_address: { street: 'S' } }, 'billing_address.city'],
      [{ shipping: { method: 'x' } }, 'shipping.price'],
      [{ discounts: [{ amount: 41 }] }, 'discounts'],
      [{ payment: { paid_at: 'yesterday' } }, 'payment.paid_at'],
      [{ metadata: { long: 'x'.repeat(17_000) } }, 'metadata'],
      [{ items: [{ ...ITEMS[0], price: 1.00001 }] }, 'items[0].price'],
    ] as const)
      assert.equal((await refused(id, body, 400, 'INVALID_PARAMS')).field, field, JSON.stringify(body));
    const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
    for (const [raw, field] of [
      [`{"metadata": ${deep}}`, 'metadata'],
      [`{"items": [{"product_id": "p", "quantity": 1, "price": 1, "metadata": ${deep}}]}`, 'items[0].metadata'],
    ] as const)
      assert.equal((await service.call('PATCH', `${PATH}/${id}`, { raw })).body.error.details.field, field);
    await refused('ord_00000000000000000000000000', {}, 404, 'NOT_FOUND');
    await refused('nonsense', {}, 404, 'NOT_FOUND');
    assert.equal((await service.get(`${PATH}/${id}`)).body.data.version, 1);
  });

  test('the example of the documents is what happens', async () => {
    const { id } = await make({
      customer_id: 'c-1001',
      items: [{ product_id: 'mug-blue', quantity: 3, price: 19.99 }],
      shipping_address: { street: 'Main St 1', city: 'Springfield', zip: '12345' },
    });
    const order = await changed(id, EXAMPLE_PATCH);
    const { created_at, updated_at, history } = order;
    const [change] = order.changes;
    assert.match(change.by, /^key_/);
    assert.equal(change.at, updated_at);
    assert.deepEqual(order, {
      ...EXAMPLE_CHANGED_ORDER,
      id,
      created_at,
      updated_at,
      history,
      changes: [{ ...EXAMPLE_CHANGED_ORDER.changes[0], at: updated_at, by: change.by }],
    });
  });

  test('objects are merged, lists are replaced, null removes, and what is left out stays to the letter', async () => {
    const first = await make(RICH);
    const { id } = first;
    const next = await changed(id, {
      customer: { email: null, phone: '+49 1' },
      payment: { status: 'paid', paid_at: '2026-01-01' },
      metadata: { a: null, b: { d: 3 } },
      tags: ['y', 'z'],
      note: 'n',
      billing_address: ADDRESS,
    });
    const { changes, history, version, payment_status } = next;
    assert.deepEqual(omitted(next), {
      ...omitted(first),
      customer: { name: 'Jo', phone: '+49 1' },
      payment: { status: 'paid', method: 'card', paid_at: '2026-01-01T00:00:00.000Z' },
      metadata: { b: { c: 2, d: 3 } },
      tags: ['y', 'z'],
      note: 'n',
      billing_address: ADDRESS,
    });
    assert.deepEqual([version, payment_status, history.length], [2, 'paid', 1]);
    assert.deepEqual(changes[0].members, ['billing_address', 'customer', 'payment', 'note', 'tags', 'metadata']);
    const gone = await changed(id, {
      shipping_address: null,
      customer: null,
      payment: null,
      note: null,
      tags: null,
      metadata: null,
      billing_address: null,
    });
    assert.deepEqual([gone.shipping_address, gone.metadata], [null, {}]);
    for (const name of ['customer', 'payment', 'payment_status', 'note', 'tags', 'billing_address']) assert.ok(!(name in gone), name);
    assert.deepEqual([gone.total, gone.items], [first.total, first.items]);
    const types = (await service.get('/api/v1/events?limit=1000')).body.data.filter(
      (event: { object_id: string }) => event.object_id === id,
    );
    assert.deepEqual(
      types.map((event: { type: string; data: { version: number } }) => [event.type, event.data.version]),
      [
        ['order.created', 1],
        ['order.updated', 2],
        ['order.updated', 3],
      ],
    );
  });

  test('money is computed anew by the rules of a new order; a tax that was given stays, one by its rate follows', async () => {
    const { id } = await make(RICH);
    const bodyNow = { ...RICH, discounts: [{ code: 'TEN', percent: 20 }], shipping: { method: 'parcel', price: 2, tax: { rate: 19 } } };
    const expected = await make(bodyNow);
    const order = await changed(id, { discounts: [{ code: 'TEN', percent: 20 }], shipping: { price: 2 }, expected_total: expected.total });
    for (const name of ['total', 'subtotal', 'discount_total', 'shipping_total', 'tax_total', 'items', 'shipping', 'discounts'])
      assert.deepEqual(order[name], expected[name], name);
    assert.deepEqual(order.items[1].tax, { rate: 7, amount: 0.5 });
    // A part of a tax needs neither: what it leaves out stays.
    assert.deepEqual((await changed(id, { shipping: { tax: {} } })).shipping, order.shipping);
    const taxless = await refused(id, { shipping: { tax: { rate: null, amount: null } } }, 400, 'INVALID_PARAMS');
    assert.deepEqual([taxless.field, taxless.reason], ['shipping.tax', 'must have rate or amount']);
    const plain = await changed(id, { items: ITEMS, shipping: null, discounts: null });
    assert.deepEqual([plain.total, 'subtotal' in plain], [40, false]);
    const wrong = await refused(id, { items: ITEMS.slice(0, 1), expected_total: 31 }, 400, 'INVALID_PARAMS');
    assert.equal(wrong.reason, 'is 31, but the order comes to 30');
  });

  test('lines that a change takes away are told by most_lines and by the number before', async () => {
    const { id } = await make();
    const one = await changed(id, { items: ITEMS.slice(0, 1) });
    assert.deepEqual([one.most_lines, one.changes[0].lines, one.total], [2, 2, 30]);
    const three = await changed(id, { items: [...ITEMS, ...ITEMS] });
    assert.deepEqual([three.most_lines, three.changes[1].lines], [undefined, 1]);
  });

  test('lines stay from the first parcel on, and from the first line that was refunded; the rest can still be changed', async () => {
    const fresh = { items: ITEMS.slice(0, 1) };
    const reasons: string[] = [];
    for (const [what, body] of [
      ['fulfillments', { lines: [{ line: 1, quantity: 1 }] }],
      ['refunds', { lines: [{ line: 1, quantity: 1 }] }],
      ['transitions', { to: 'cancelled' }],
    ] as const) {
      const { id } = await make();
      assert.equal((await service.post(`${PATH}/${id}/${what}`, body)).status, 200);
      reasons.push((await refused(id, fresh, 409, 'CONFLICT')).reason);
      assert.equal((await changed(id, { note: 'still' })).note, 'still');
      // The same lines again are no change.
      assert.equal((await patch(id, { items: ITEMS })).status, 200);
    }
    assert.deepEqual(reasons, [
      'cannot be changed any more: something was shipped already',
      'cannot be changed any more: lines were refunded already',
      'cannot be changed any more: the order is cancelled',
    ]);
    const { id } = await make();
    await service.post(`${PATH}/${id}/refunds`, { amount: 35 });
    assert.equal((await refused(id, fresh, 409, 'CONFLICT')).reason, 'the order would come to 30, and 35 were given back');
    assert.equal((await changed(id, { items: [{ product_id: 'p', quantity: 1, price: 35 }] })).payment_status, 'refunded');
  });

  test('what changes nothing makes no version, also when the version has moved on; another version is refused', async () => {
    const { id } = await make();
    const body = { note: 'n', expected_version: 1 };
    const first = await changed(id, body);
    assert.deepEqual(await changed(id, body), first);
    assert.deepEqual(await changed(id, {}), first);
    assert.equal((await patch(id, { note: 'm', expected_version: 1 })).body.error.code, 'VERSION_CONFLICT');
    const replies = await Promise.all(Array.from({ length: 6 }, (_, n) => patch(id, { note: `note ${n}`, expected_version: 2 })));
    assert.deepEqual(
      replies.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 409, 409, 409, 409, 409],
    );
  });

  test('the last hundred changes are kept with the order, and all of them are in the feed', async () => {
    const { id } = await make();
    const replies = await Promise.all(Array.from({ length: 103 }, (_, n) => patch(id, { note: `note ${n}` })));
    assert.ok(replies.every(({ status }) => status === 200));
    const { changes, version, note } = (await service.get(`${PATH}/${id}`)).body.data;
    assert.deepEqual([version, changes.length, changes[0].version, changes.at(-1).version], [104, 100, 5, 104]);
    const feed = await service.get('/api/v1/events?limit=1000');
    const own = feed.body.data.filter((event: { object_id: string }) => event.object_id === id);
    assert.deepEqual([own.length, own.at(-1).data.note], [104, note]);
  });

  test('the request that made the order is answered as it was, also as part of a batch', async () => {
    const headers = { 'Idempotency-Key': `made ${engine}` };
    const made = await service.post(PATH, RICH, { headers });
    const { id } = made.body.data;
    await changed(id, { items: ITEMS.slice(0, 1), shipping_address: null, payment: { status: 'paid' }, metadata: null });
    await changed(id, { note: 'again' });
    await service.post(`${PATH}/${id}/fulfillments`, {});
    const again = await service.post(PATH, RICH, { headers });
    assert.deepEqual([again.text, again.headers.get('idempotent-replayed')], [made.text, 'true']);
    const batch = await service.post(`${PATH}/batch`, [RICH], { headers });
    const receipt = batch.body.data[0].data;
    await changed(receipt.id, { items: ITEMS.slice(0, 1) });
    const { replayed, ...same } = (await service.post(`${PATH}/batch`, [RICH], { headers })).body.data[0].data;
    assert.deepEqual([same, replayed], [receipt, true]);
  });

  test('an order that was brought in keeps its total, until its money is changed', async () => {
    const brought = { customer_id: 'c', items: ITEMS, imported: true, placed_at: '2024-01-01', total: 35, status: 'processing' };
    const { id } = (await service.post(`${PATH}/batch`, [brought])).body.data[0].data;
    const noted = await changed(id, { note: 'n' });
    assert.deepEqual(
      [noted.total, noted.adjustment, noted.note, noted.imported, noted.placed_at],
      [35, -5, 'n', true, '2024-01-01T00:00:00.000Z'],
    );
    const anew = await changed(id, { shipping: { price: 1 } });
    assert.deepEqual([anew.total, anew.adjustment, anew.note, anew.imported], [41, undefined, 'n', true]);
  });

  test('a key that may not read orders is told the state alone, and in a refusal nothing of the order', async () => {
    const key = await service.keyWith('orders:write');
    const { id } = await make(RICH);
    const reply = await patch(id, { note: 'n' }, { key });
    assert.deepEqual(Object.keys(reply.body.data), ['id', 'status', 'version', 'updated_at']);
    const wrong = await patch(id, { note: 'm', expected_total: 1 }, { key });
    assert.equal(wrong.body.error.details.reason, 'is not what the order comes to');
  });

  /** Without what each change has anew. */
  function omitted(order: Record<string, unknown>): object {
    const anew = new Set(['changes', 'history', 'version', 'updated_at', 'payment_status']);
    return Object.fromEntries(Object.entries(order).filter(([name]) => !anew.has(name)));
  }
});
