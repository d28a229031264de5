import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onBothEngines } from '../../../../test/support/databases.ts';
import { type Reply, type Service, startService } from '../../../../test/support/service.ts';
import { EXAMPLE_NEW_ORDER } from '../examples.ts';
import {
  EXAMPLE_AFTER,
  EXAMPLE_FULFILLMENT,
  EXAMPLE_NEW_FULFILLMENT,
  EXAMPLE_NEW_REFUND,
  EXAMPLE_NEW_RETURN,
  EXAMPLE_REFUND,
  EXAMPLE_RETURN,
} from './examples.ts';

const PATH = '/api/v1/orders';
const ITEMS = [
  { product_id: 'mug', quantity: 3, price: 10 },
  { product_id: 'mug', quantity: 2, price: 5 },
];

onBothEngines('fulfilments, returns and refunds', (engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
  });
  after(() => service.close());

  const order = async (more: object = {}): Promise<string> => {
    const made = await service.post(PATH, { customer_id: 'c', items: ITEMS, ...more });
    assert.equal(made.status, 200, made.text);
    return made.body.data.id;
  };
  const read = async (id: string) => (await service.get(`${PATH}/${id}`)).body.data;
  const ask = (id: string, what: string, body: object = {}, options: object = {}): Promise<Reply> =>
    service.post(`${PATH}/${id}/${what}`, body, options);
  const done = async (id: string, what: string, body: object = {}) => {
    const reply = await ask(id, what, body);
    assert.equal(reply.status, 200, reply.text);
    return reply.body.data;
  };
  const refused = async (id: string, what: string, body: object, status: number, code: string) => {
    const reply = await ask(id, what, body);
    assert.deepEqual([reply.status, reply.body.error?.code], [status, code], reply.text);
    return reply.body.error;
  };
  const states = ({ status, fulfillment_status, payment_status }: Record<string, string>) => [status, fulfillment_status, payment_status];
  const told = async (id: string): Promise<[string, number, string][]> => {
    const { data } = (await service.get('/api/v1/events?limit=1000')).body;
    const own = data.filter((event: { object_id: string }) => event.object_id === id);
    return own.map((event: { type: string; data: { version: number; status: string } }) => [
      event.type,
      event.data.version,
      event.data.status,
    ]);
  };

  test('no key is 401, a wrong scope 403, a bad body 400 that names the field, no order 404', async () => {
    const id = await order();
    const reader = await service.keyWith('orders:read');
    const writer = await service.keyWith('orders:write');
    for (const what of ['fulfillments', 'returns', 'refunds']) {
      assert.equal((await ask(id, what, {}, { key: null })).status, 401);
      assert.equal((await ask(id, what, {}, { key: reader })).status, 403);
      assert.equal((await service.get(`${PATH}/${id}/${what}`, { key: writer })).status, 403);
      assert.equal((await refused(id, what, { lines: [{ line: 0 }] }, 400, 'INVALID_PARAMS')).details.field, 'lines[0].line');
      assert.equal((await refused(id, what, { lines: [{ line: 1 }, { line: 1 }] }, 400, 'INVALID_PARAMS')).details.field, 'lines[1].line');
      assert.equal(
        (await refused(id, what, { lines: [{ line: 3 }] }, 400, 'INVALID_PARAMS')).details.reason,
        'must be at most 2, as the order has so many lines',
      );
      const nowhere = what === 'refunds' ? { amount: 1 } : {};
      await refused('ord_00000000000000000000000000', what, nowhere, 404, 'NOT_FOUND');
      await refused('nonsense', what, nowhere, 404, 'NOT_FOUND');
      assert.equal((await service.get(`${PATH}/nonsense/${what}`)).status, 404);
    }
    assert.equal((await refused(id, 'refunds', {}, 400, 'INVALID_PARAMS')).details.field, 'amount');
    assert.equal((await refused(id, 'refunds', { amount: 0 }, 400, 'INVALID_PARAMS')).details.field, 'amount');
    assert.equal((await refused(id, 'refunds', { amount: 1.00001 }, 400, 'INVALID_PARAMS')).details.field, 'amount');
    assert.equal((await refused(id, 'refunds', { amount: 1, restock: true }, 400, 'INVALID_PARAMS')).details.field, 'restock');
    const tracked = { tracking: { url: 'javascript:alert(1)' } };
    assert.equal((await refused(id, 'fulfillments', tracked, 400, 'INVALID_PARAMS')).details.field, 'tracking.url');
    const { history: _, ...now } = await read(id);
    assert.deepEqual([now.version, now.fulfillment_status, 'fulfillments' in now], [1, undefined, false], 'nothing of it left a trace');
  });

  test('the examples of the documents are what happens', async () => {
    const { id } = (await service.post(PATH, EXAMPLE_NEW_ORDER)).body.data;
    const steps = [
      ['fulfillments', EXAMPLE_NEW_FULFILLMENT, EXAMPLE_FULFILLMENT],
      ['returns', EXAMPLE_NEW_RETURN, EXAMPLE_RETURN],
      ['refunds', EXAMPLE_NEW_REFUND, EXAMPLE_REFUND],
    ] as const;
    for (const [what, body, example] of steps) {
      const { order: after, ...deed } = await done(id, what, body);
      assert.deepEqual({ ...deed, id: example.id, created_at: example.created_at }, example);
      assert.match(deed.id, new RegExp(`^${example.id.slice(0, 4)}[0-9a-z]{26}$`));
      assert.deepEqual(after, { ...EXAMPLE_AFTER[what], id, updated_at: after.updated_at });
      const list = await service.get(`${PATH}/${id}/${what}`);
      assert.deepEqual(list.body, { success: true, data: [deed], total: 1, next_cursor: null });
    }
  });

  test('a new order goes by way of processing to shipped, part by part, and each step is told', async () => {
    const id = await order();
    const first = await done(id, 'fulfillments', { lines: [{ line: 1, quantity: 2 }], location: 'berlin' });
    assert.deepEqual(states(first.order), ['processing', 'partial', undefined]);
    const rest = await done(id, 'fulfillments');
    assert.deepEqual(rest.lines, [
      { line: 1, quantity: 1 },
      { line: 2, quantity: 2 },
    ]);
    const whole = await read(id);
    assert.deepEqual(states(whole), ['shipped', 'fulfilled', undefined]);
    assert.deepEqual([rest.order.version, whole.version], [5, 5]);
    assert.deepEqual(
      whole.fulfillments.map((one: { id: string; location?: string }) => [one.id, one.location]),
      [
        [first.id, 'berlin'],
        [rest.id, undefined],
      ],
    );
    assert.deepEqual(
      whole.history.map((entry: { status: string; reason: string }) => [entry.status, entry.reason]),
      [
        ['new', null],
        ['processing', `fulfillment ${first.id}`],
        ['shipped', `fulfillment ${rest.id}`],
      ],
    );
    assert.deepEqual(await told(id), [
      ['order.created', 1, 'new'],
      ['order.status_changed', 2, 'processing'],
      ['order.fulfilled', 3, 'processing'],
      ['order.fulfilled', 4, 'processing'],
      ['order.status_changed', 5, 'shipped'],
    ]);
    assert.equal((await refused(id, 'fulfillments', {}, 409, 'CONFLICT')).details.reason, 'nothing is left to ship');
  });

  test('more than is left is 409 that names every such line and what is left of it', async () => {
    const id = await order();
    await done(id, 'fulfillments', { lines: [{ line: 1, quantity: 2 }] });
    const lines = [
      { line: 1, quantity: 2 },
      { line: 2, quantity: 3 },
    ];
    const error = await refused(id, 'fulfillments', { lines }, 409, 'CONFLICT');
    assert.deepEqual(error.details.errors, [
      { field: 'lines[0].quantity', reason: '1 of line 1 is left to ship' },
      { field: 'lines[1].quantity', reason: '2 of line 2 are left to ship' },
    ]);
    assert.equal(
      (await refused(id, 'returns', { lines: [{ line: 2 }] }, 409, 'CONFLICT')).details.reason,
      '0 of line 2 are left to return',
    );
    assert.equal((await read(id)).version, 3);
  });

  test('what is on hold or at its end is not shipped', async () => {
    for (const to of ['on_hold', 'cancelled']) {
      const id = await order();
      await ask(id, 'transitions', { to });
      assert.equal((await refused(id, 'fulfillments', {}, 409, 'INVALID_TRANSITION')).details.reason, `the order is ${to}`);
    }
  });

  test('an order that was moved by hand is shipped, and returned, with all that it has', async () => {
    const id = await order();
    await done(id, 'fulfillments', { lines: [{ line: 1, quantity: 1 }] });
    await done(id, 'transitions', { to: 'shipped' });
    assert.deepEqual(states(await read(id)), ['shipped', 'fulfilled', undefined]);
    await done(id, 'transitions', { to: 'delivered' });
    await done(id, 'returns', { lines: [{ line: 2 }], restock: true });
    assert.deepEqual(states(await read(id)), ['delivered', 'partially_returned', undefined]);
    await done(id, 'returns');
    assert.deepEqual(states(await read(id)), ['returned', 'returned', undefined]);

    const plain = await order();
    for (const to of ['processing', 'shipped', 'returned']) await done(plain, 'transitions', { to });
    assert.equal('fulfillment_status' in (await read(plain)), false);
    assert.equal((await refused(plain, 'returns', {}, 409, 'CONFLICT')).details.reason, 'nothing is left to return');
  });

  test('what is refunded before it was shipped stays in stock when it is said so, and is not shipped any more', async () => {
    const id = await order({ payment: { status: 'paid' } });
    assert.deepEqual(states(await read(id)), ['new', undefined, 'paid']);
    const refund = await done(id, 'refunds', { lines: [{ line: 1 }], restock: true });
    assert.deepEqual([refund.amount, ...states(refund.order)], [30, 'new', 'unfulfilled', 'partially_refunded']);
    await done(id, 'fulfillments');
    assert.deepEqual(states(await read(id)), ['shipped', 'fulfilled', 'partially_refunded']);
    const error = await refused(id, 'refunds', { lines: [{ line: 2 }], restock: true }, 409, 'CONFLICT');
    assert.equal(error.details.reason, '0 of line 2 are left to ship');
    await done(id, 'refunds', { lines: [{ line: 2 }] });
    assert.deepEqual(states(await read(id)), ['shipped', 'fulfilled', 'refunded']);

    const all = await order();
    const { order: after } = await done(all, 'refunds', { lines: [{ line: 1 }, { line: 2 }], restock: true });
    assert.deepEqual(states(after), ['cancelled', 'unfulfilled', 'refunded']);
  });

  test('never more is given back than was paid, and what is left is said', async () => {
    const id = await order();
    const sums = ({ refunded_total, remaining_total }: Record<string, number>) => [refunded_total, remaining_total];
    const { text } = await service.get(`${PATH}/${id}`);
    assert.doesNotMatch(text, /refunded_total|remaining_total/);
    await done(id, 'refunds', { amount: 39.5, reason: 'goodwill' });
    assert.deepEqual(sums(await read(id)), [39.5, 0.5]);
    const { body: listed } = await service.get(`${PATH}?expand=all&limit=1`);
    assert.deepEqual(sums(listed.data[0]), [39.5, 0.5]);
    const error = await refused(id, 'refunds', { lines: [{ line: 2, quantity: 1 }] }, 409, 'CONFLICT');
    assert.equal(error.details.reason, 'is 5, but 0.5 EUR can be given back');
    await done(id, 'refunds', { lines: [{ line: 2, quantity: 1 }], amount: 0.5 });
    assert.equal((await read(id)).payment_status, 'refunded');
    assert.deepEqual(sums(await read(id)), [40, 0]);
    // A note that looks like refunds is none.
    const noted = await order({ note: '"refunds":[' });
    await done(noted, 'fulfillments', { lines: [{ line: 1 }], tracking: { number: '"refunds":[{' } });
    assert.deepEqual(sums(await read(noted)), [undefined, undefined]);
    for (const status of ['pending', 'authorized', 'voided', 'failed', 'refunded']) {
      const unpaid = await order({ payment: { status } });
      await refused(unpaid, 'refunds', { amount: 0.0001 }, 409, 'CONFLICT');
    }
  });

  test('parts of lines with discounts and taxes come to exactly what was paid for them', async () => {
    const money = { discounts: [{ percent: 10 }], shipping: { price: 4.9 }, taxes: [{ rate: 19 }] };
    const items = [{ product_id: 'a', quantity: 3, price: 3.33 }, ...ITEMS];
    const id = await order({ items, ...money });
    const { total, shipping_total } = await read(id);
    let sum = 0;
    for (const line of [1, 2, 3]) {
      for (let n = 0; n < (items[line - 1]?.quantity ?? 0); n++) {
        const { amount } = await done(id, 'refunds', { lines: [{ line, quantity: 1 }] });
        assert.ok(Number.isInteger(Math.round(amount * 1e6) / 1e4), `${amount} has no more digits than the currency`);
        sum += Math.round(amount * 10_000);
      }
    }
    // What is left is the shipping with its tax.
    assert.equal(sum, Math.round((total - shipping_total - 0.93) * 10_000));
  });

  test('the same Idempotency-Key does it once and gets the first answer again; another body is refused; a refusal uses up no key', async () => {
    const [id, other] = [await order(), await order()];
    const headers = { 'Idempotency-Key': 'one' };
    const lines = [{ line: 1, quantity: 1 }];
    const replies = await Promise.all(Array.from({ length: 5 }, () => ask(id, 'fulfillments', { lines }, { headers })));
    assert.equal(new Set(replies.map(({ text }) => text)).size, 1);
    assert.equal(replies.filter((reply) => reply.headers.get('idempotent-replayed') === 'true').length, 4);
    await done(id, 'fulfillments');
    const late = await ask(id, 'fulfillments', { lines }, { headers });
    assert.deepEqual([late.text, late.headers.get('idempotent-replayed')], [replies[0]?.text, 'true']);
    assert.equal((await ask(id, 'fulfillments', {}, { headers })).body.error.code, 'IDEMPOTENCY_KEY_REUSED');
    assert.equal((await read(id)).fulfillments.length, 2);
    // The key counts for one order and one operation.
    assert.equal((await ask(other, 'fulfillments', { lines }, { headers })).headers.get('idempotent-replayed'), null);
    assert.equal((await ask(id, 'returns', { lines }, { headers })).status, 200);
    const second = { headers: { 'Idempotency-Key': 'two' } };
    assert.equal((await ask(other, 'returns', { lines: [{ line: 2 }] }, second)).status, 409);
    assert.equal((await ask(other, 'returns', { lines }, second)).status, 200);
  });

  test('the request that made the order is still answered as it was', async () => {
    const headers = { 'Idempotency-Key': 'make' };
    const body = { customer_id: 'c', items: ITEMS, payment: { status: 'paid' } };
    const made = await service.post(PATH, body, { headers });
    await done(made.body.data.id, 'fulfillments');
    await done(made.body.data.id, 'refunds', { amount: 40 });
    assert.equal((await service.post(PATH, body, { headers })).text, made.text);
  });

  test('an order at another version than expected is left alone', async () => {
    const id = await order();
    await refused(id, 'fulfillments', { expected_version: 2 }, 409, 'VERSION_CONFLICT');
    await done(id, 'fulfillments', { expected_version: 1 });
  });

  test('a key that may not read orders is told ids and the state, and in a refusal nothing of the order', async () => {
    const key = await service.keyWith('orders:write');
    const id = await order({ shipping_address: { street: 'Canary', city: 'C', zip: '1' } });
    const shipped = await ask(id, 'fulfillments', { lines: [{ line: 1 }] }, { key });
    const { updated_at } = await read(id);
    const state = { id, status: 'processing', version: 3, updated_at };
    assert.deepEqual(shipped.body.data, { id: shipped.body.data.id, order: state });
    const answers = [
      await ask(id, 'fulfillments', { lines: [{ line: 2, quantity: 3 }] }, { key }),
      await ask(id, 'fulfillments', { lines: [{ line: 9 }] }, { key }),
      await ask(id, 'refunds', { amount: 1000 }, { key }),
      await ask(id, 'refunds', { lines: [{ line: 1 }], restock: true }, { key }),
    ];
    assert.deepEqual(
      answers.map(({ status, body }) => [status, body.error.details.reason]),
      [
        [409, 'is more than is left to ship'],
        [400, 'is no line of the order'],
        [409, 'is more than is left'],
        [409, 'more than is left to ship'],
      ],
    );
    for (const { text } of answers) assert.doesNotMatch(text, /Canary|40|"2 |has 2/);
  });

  test('an order has so many parcels and no more', async () => {
    const id = await order({ items: [{ product_id: 'p', quantity: 300, price: 1 }] });
    const one = { lines: [{ line: 1, quantity: 1 }] };
    const replies = await Promise.all(Array.from({ length: 205 }, () => ask(id, 'fulfillments', one)));
    const refusals = replies.filter(({ status }) => status !== 200).map(({ body }) => [body.error.code, body.error.details.reason]);
    assert.deepEqual(
      refusals,
      Array.from({ length: 5 }, () => ['CONFLICT', 'an order has at most 200 fulfillments']),
    );
    assert.equal((await service.get(`${PATH}/${id}/fulfillments?limit=1`)).body.total, 200);
    await done(id, 'returns', one);
  });

  test('lists are read page by page', async () => {
    const id = await order({ items: [{ product_id: 'p', quantity: 5, price: 1 }] });
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.push((await done(id, 'fulfillments', { lines: [{ line: 1, quantity: 1 }] })).id);
    const page = async (query: string) => (await service.get(`${PATH}/${id}/fulfillments?${query}`)).body;
    const idsOf = ({ data }: { data: { id: string }[] }) => data.map((one) => one.id);
    const first = await page('limit=2');
    assert.deepEqual([idsOf(first), first.total], [ids.slice(0, 2), 5]);
    const second = await page(`limit=2&cursor=${first.next_cursor}`);
    assert.deepEqual(idsOf(second), ids.slice(2, 4));
    const last = await page('limit=2&offset=4');
    assert.deepEqual([idsOf(last), last.next_cursor], [ids.slice(4), null]);
  });
});
