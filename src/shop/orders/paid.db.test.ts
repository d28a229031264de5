import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { onBothEngines } from '../../../test/support/databases.ts';
import { type Reply, type Service, startService } from '../../../test/support/service.ts';
import { sql } from '../../db/sql.ts';
import { isoTime } from '../../lib/clock.ts';
import { draftOrder } from './draft.ts';
import { EXAMPLE_NEW_ORDER, EXAMPLE_PAID_ORDER } from './examples.ts';
import { withOrders } from './told.ts';

const NOW = Date.UTC(2026, 10, 1, 12);
const PLAIN = { customer_id: 'c', items: [{ product_id: 'p', quantity: 3, price: 19.99 }] };

onBothEngines('what was paid for an order', (engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine, { clock: () => NOW });
    await service.post('/api/v1/products/sync', { product_id: 'mug-blue', name: 'Mug', price: 19.99 });
  });
  after(() => service.close());

  const post = (body: object, idempotencyKey?: string): Promise<Reply> =>
    service.post('/api/v1/orders', body, { headers: idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey } });
  const toldOf = async (id: string) => {
    const { read } = service.app.db;
    return withOrders(
      read,
      await read.all<{ object_id: string; data: string }>(sql`select object_id, data from events where object_id = ${id}`),
    );
  };
  const refused = async (body: object): Promise<[string, string]> => {
    const { status, body: answer } = await post({ ...PLAIN, ...body });
    assert.equal(status, 400, JSON.stringify(answer));
    assert.equal(answer.error.code, 'INVALID_PARAMS');
    return [answer.error.details.field, answer.error.details.reason];
  };

  test('the example of the documents comes to what they say', async () => {
    const { status, body, text } = await post(EXAMPLE_NEW_ORDER);
    assert.equal(status, 200, text);
    const { id, created_at, updated_at, history, ...rest } = body.data;
    const { id: _, created_at: __, updated_at: ___, history: ____, ...expected } = EXAMPLE_PAID_ORDER;
    assert.deepEqual(rest, expected);
    assert.deepEqual(history, [{ status: 'new', at: created_at, reason: null }]);
    assert.equal(updated_at, created_at);
    assert.match(id, /^ord_/);
  });

  test('an order with nothing of it is answered, read and told byte for byte as ever', async () => {
    const { body, text } = await post({ ...PLAIN, shipping_address: { street: 'S', city: 'C', zip: '1' }, metadata: { a: 1 } });
    const { id, created_at: at } = body.data;
    const order =
      `{"id":"${id}","status":"new","total":59.97,"created_at":"${at}","updated_at":"${at}","version":1,"customer_id":"c","currency":"EUR",` +
      `"external_id":null,"items":[{"product_id":"p","quantity":3,"price":19.99,"line_total":59.97,"product_known":false}],` +
      `"shipping_address":{"street":"S","city":"C","zip":"1"},"metadata":{"a":1},"history":[{"status":"new","at":"${at}","reason":null}]}`;
    assert.equal(text, `{"success":true,"data":${order}}`);
    assert.equal((await service.get(`/api/v1/orders/${id}`)).text, text);
    const [event] = await toldOf(id);
    assert.equal(event?.data, order);
  });

  test('all of it is read, listed, told and repeated as it was answered', async () => {
    const body = {
      ...PLAIN,
      items: [
        {
          product_id: 'p',
          quantity: 2,
          price: 10.005,
          name: 'Zoë "quoted"',
          sku: 's',
          variant: 'red, L',
          discount: { code: 'x', amount: 0.01 },
          tax: { rate: 7.7, amount: 1.5 },
          metadata: { big: 1 },
        },
        { product_id: 'q', quantity: 1, price: 5, discount: { percent: 33.3333 } },
      ],
      shipping: { price: 4.9 },
      discounts: [{ amount: 1 }, { code: 'TEN', percent: 10 }],
      taxes: [{ name: 'state', rate: 4 }, { name: 'county', rate: 1.125 }, { amount: 0.3 }],
      prices_include_tax: false,
      customer: { email: 'jo@example.com', name: 'Jo', phone: '1', company: 'J', tax_id: 'DE1' },
      billing_address: { street: 'S', city: 'C', country: 'HK' },
      payment: { status: 'paid', method: 'card', reference: 'r', paid_at: '2026-11-01T10:00:00+01:00' },
      note: 'leave it\nat the door',
      tags: ['gift', 'vip'],
      channel: 'web',
    };
    const made = await post(body, 'all of it');
    assert.equal(made.status, 200, made.text);
    const { id, total, ...order } = made.body.data;
    // Lines: 20.01 − 0.01 and 5 − 1.67; goods 23.33, less 1 and 2.33. Untaxed: 3.33 × 20 / 23.33 + 4.90 = 7.7547 …
    assert.deepEqual([order.subtotal, order.discount_total, order.shipping_total, order.tax_total], [25.01, 5.01, 4.9, 2.2]);
    assert.equal(total, 27.1);
    assert.deepEqual(order.items[0].discount, { code: 'x', amount: 0.01 });
    assert.deepEqual(order.items[0].tax, { rate: 7.7, amount: 1.5 });
    assert.deepEqual(order.items[1].discount, { percent: 33.3333, amount: 1.67 });
    assert.equal(order.items[1].tax, undefined);
    assert.deepEqual(order.taxes, [
      { name: 'state', rate: 4, amount: 0.31 },
      { name: 'county', rate: 1.125, amount: 0.09 },
      { amount: 0.3 },
    ]);
    assert.deepEqual(order.payment, { status: 'paid', method: 'card', reference: 'r', paid_at: '2026-11-01T09:00:00.000Z' });
    for (const name of ['customer', 'billing_address', 'note', 'tags', 'channel', 'prices_include_tax'] as const)
      assert.deepEqual(order[name], body[name], name);

    assert.equal((await service.get(`/api/v1/orders/${id}`)).text, made.text);
    const list = await service.get('/api/v1/orders?expand=all&limit=1');
    assert.deepEqual(list.body.data[0], made.body.data);
    const [event] = await toldOf(id);
    assert.equal(`{"success":true,"data":${event?.data}}`, made.text);
    const moved = await service.post(`/api/v1/orders/${id}/transitions`, { to: 'processing' });
    assert.deepEqual([moved.body.data.tags, moved.body.data.total, moved.body.data.version], [body.tags, 27.1, 2]);

    const respelt = {
      ...Object.fromEntries(Object.entries(body).toReversed()),
      items: body.items.map((item) => Object.fromEntries(Object.entries(item).toReversed())),
    };
    const again = await post(respelt, 'all of it');
    assert.deepEqual([again.text, again.headers.get('idempotent-replayed')], [made.text, 'true']);
    const other = await post({ ...body, note: 'another' }, 'all of it');
    assert.equal(other.body.error.code, 'IDEMPOTENCY_KEY_REUSED');
  });

  test('plain orders and others that come at the same moment do not mix', async () => {
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, n) => post({ ...PLAIN, customer_id: `c${n}`, ...(n % 3 === 0 && { note: `note ${n}` }) })),
    );
    replies.forEach(({ body }, n) =>
      assert.deepEqual([body.data.customer_id, body.data.note], [`c${n}`, n % 3 === 0 ? `note ${n}` : undefined]),
    );
    const texts = await Promise.all(replies.map(({ body }) => service.get(`/api/v1/orders/${body.data.id}`)));
    texts.forEach(({ text }, n) => assert.equal(text, replies[n]?.text));
  });

  test('an expected total that is another one is refused, and both are shown', async () => {
    assert.deepEqual(await refused({ expected_total: 59.98 }), ['expected_total', 'is 59.98, but the order comes to 59.97']);
    assert.deepEqual(await refused({ expected_total: 59.97, shipping: { price: 4.9 } }), [
      'expected_total',
      'is 59.97, but the order comes to 64.87',
    ]);
    const made = await post({ ...PLAIN, expected_total: 59.97 });
    assert.deepEqual([made.status, made.body.data.expected_total], [200, undefined]);
  });

  test('what cannot be is refused by the name of the field', async () => {
    const [item] = PLAIN.items;
    const cases: [object, string][] = [
      [{ items: [{ ...item, discount: { amount: 60 } }] }, 'items[0].discount'],
      [{ items: [{ ...item, discount: {} }] }, 'items[0].discount'],
      [{ items: [{ ...item, discount: { amount: 1, percent: 1 } }] }, 'items[0].discount'],
      [{ items: [{ ...item, tax: {} }] }, 'items[0].tax'],
      [{ items: [{ ...item, tax: { rate: 0.12345 } }] }, 'items[0].tax.rate'],
      [{ items: [{ ...item, tax: { rate: -1 } }] }, 'items[0].tax.rate'],
      [{ items: [{ ...item, metadata: { text: 'x'.repeat(17_000) } }] }, 'items[0].metadata'],
      [{ discounts: [{ amount: 30 }, { amount: 30 }] }, 'discounts'],
      [{ discounts: [{ percent: 101 }] }, 'discounts[0].percent'],
      [{ shipping: { method: 'x' } }, 'shipping.price'],
      [{ shipping: { price: 1.00001 } }, 'shipping.price'],
      [{ taxes: [{ name: 'x' }] }, 'taxes[0]'],
      [{ taxes: [{ amount: 60 }], prices_include_tax: true }, 'prices_include_tax'],
      [{ payment: { paid_at: 'yesterday' } }, 'payment.paid_at'],
      [{ payment: { status: 'payed' } }, 'payment.status'],
      [{ tags: ['a', 'a'] }, 'tags'],
      [{ customer: { mail: 'x' } }, 'customer.mail'],
      [{ subtotal: 1 }, 'subtotal'],
    ];
    for (const [body, field] of cases) assert.equal((await refused(body))[0], field, JSON.stringify(body));
  });

  test('a postal code is left out only where the country has none', async () => {
    const address = { street: 'S', city: 'C' };
    for (const country of ['HK', 'ae', 'Hong Kong', 'UGANDA']) {
      const made = await post({ ...PLAIN, shipping_address: { ...address, country } });
      assert.deepEqual([made.status, made.body.data?.shipping_address], [200, { ...address, country }], made.text);
    }
    for (const country of ['DE', '', undefined]) {
      assert.deepEqual(await refused({ shipping_address: { ...address, country } }), ['shipping_address.zip', 'is mandatory']);
    }
    assert.deepEqual(await refused({ billing_address: address }), ['billing_address.zip', 'is mandatory']);
  });
});

test('the body of a plain order has the hash that it had before orders could have more: keys outlive an upgrade', () => {
  const body = { ...PLAIN, shipping_address: { zip: '1', street: 'S', city: 'C' }, metadata: { b: 1, a: [2] } };
  const draft = draftOrder(body, { now: NOW, currency: 'EUR', owner: 'o', idempotencyKey: 'k' });
  const hashed =
    '{"customer_id":"c","currency":"EUR","external_id":null,"total":"59.97","lines":[{"product_id":"p","quantity":3,"price":"19.99","line_total":"59.97"}],' +
    '"shipping_address":[["city","C"],["street","S"],["zip","1"]],"metadata":[["a",[2]],["b",1]]}';
  assert.equal(draft.idempotency?.bodyHash, hash('sha256', hashed));
  assert.equal(draft.idempotency?.expiresAt, isoTime(NOW + 7 * 24 * 60 * 60 * 1000));
});
