import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Batch } from '../../connectors/batch.ts';
import type { CanonicalType } from '../../connectors/canonical.ts';
import type { WriteResult } from '../../connectors/contract.ts';
import type { Session } from '../../connectors/session.ts';
import { onBothEngines } from '../../../test/support/databases.ts';
import { openHub } from '../../../test/support/hub-session.ts';
import { type Service, startService } from '../../../test/support/service.ts';
import { until } from '../../../test/support/until.ts';

// oxlint-disable-next-line no-explicit-any -- bodies of several shapes
type Body = any;

const TYPES: Readonly<Record<string, CanonicalType>> = {
  total: 'decimal',
  imported: 'boolean',
  prices_include_tax: 'boolean',
  placed_at: 'timestamptz',
};

const items = [
  { product_id: 'mug', quantity: 2, price: 10 },
  { product_id: 'cap', quantity: 1, price: 5.5, tax: { rate: 20 } },
];
const address = { street: 'Main 1', city: 'Graz', zip: '8010', country: 'AT' };
/** An order with all that it can have. */
const whole = {
  customer_id: 'ada',
  currency: 'EUR',
  items,
  shipping_address: address,
  billing_address: address,
  customer: { email: 'ada@example.com', name: 'Ada' },
  shipping: { method: 'post', price: 4.9 },
  discounts: [{ code: 'TEN', percent: 10 }],
  payment: { status: 'paid', method: 'card', reference: 'ch_1', paid_at: '2026-01-02T03:04:05.000Z' },
  note: 'ring twice',
  tags: ['a', 'b'],
  channel: 'web',
  metadata: { cart: 7 },
};

onBothEngines('orders and products that come by a synchronization', (engine) => {
  let service: Service;
  let session: Session;
  before(async () => {
    service = await startService(engine);
    session = await openHub(service);
  });
  after(async () => {
    await session.close();
    await service.close();
  });

  /** Writes rows as a run would: typed values, null for what a row lacks. */
  const write = async (
    rows: readonly object[],
    { stream = 'orders', mode = 'upsert' }: { stream?: string; mode?: 'append' | 'upsert' } = {},
  ): Promise<WriteResult> => {
    const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    const fields = names.map((name) => ({ name, type: TYPES[name] ?? typeIn(rows, name), nullable: true }));
    const writer = await session.write({ stream, fields, key: [names[0] ?? ''], mode, owner: 'o', token: 1n, create: false });
    const values = rows.map((row) => fields.map(({ name, type }) => valueOf((row as Body)[name], type)));
    const result = await writer.write(Batch.ofRows(values, { position: '1' }));
    await writer.close();
    return result;
  };
  const typeIn = (rows: readonly object[], name: string): CanonicalType =>
    rows.some((row) => typeof (row as Body)[name] === 'object')
      ? 'json'
      : rows.some((row) => typeof (row as Body)[name] === 'number')
        ? 'decimal'
        : 'text';
  const valueOf = (value: Body, type: CanonicalType): string | null => {
    if (value === undefined || value === null) return null;
    if (type === 'boolean') return value === true ? 't' : 'f';
    if (type === 'timestamptz')
      return String(value)
        .replace('T', ' ')
        .replace(/\.?0*Z$/, '+00');
    return type === 'json' ? JSON.stringify(value) : String(value);
  };
  const counts = ({ inserted, updated, unchanged, rejects }: WriteResult): number[] => [inserted, updated, unchanged, rejects.length];
  const take = async (...rows: object[]): Promise<number[]> => counts(await write(rows));
  const refused = async (row: object): Promise<{ field: string | undefined; reason: string }> => {
    const result = await write([row]);
    assert.deepEqual(counts(result), [0, 0, 0, 1], JSON.stringify(result));
    const [{ field, reason } = { field: '', reason: '' }] = result.rejects;
    return { field, reason };
  };
  const find = async (external_id: string): Promise<Body> =>
    (await service.get(`/api/v1/orders?external_id=${external_id}&expand=all`)).body.data[0];
  const eventsOf = async (id: string): Promise<string[]> =>
    (await service.get('/api/v1/events?limit=1000')).body.data
      .filter(({ object_id }: Body) => object_id === id)
      .map(({ type }: Body) => type);

  test('what no text can hold is rejected with its row, and the others are taken', async () => {
    const lines = (product_id: string) => [{ product_id, quantity: 1, price: 1 }];
    const good = { customer_id: 'c', note: 'n', metadata: { a: 'b' }, items: lines('p') };
    for (const bad of ['a\0b', 'a\ud800b']) {
      const rows = [
        { external_id: `${bad} id`, ...good },
        { external_id: `customer ${bad.length}`, ...good, customer_id: bad },
        { external_id: 'product', ...good, items: lines(bad) },
        { external_id: 'metadata', ...good, metadata: { a: [bad] } },
        { external_id: 'name', ...good, metadata: { [bad]: 1 } },
        { external_id: `good, beside ${bad === 'a\0b' ? 'NUL' : 'half a pair'}`, ...good },
      ];
      const { inserted, rejects } = await write(rows);
      assert.deepEqual([inserted, rejects.map(({ index }) => index)], [1, [0, 1, 2, 3, 4]], JSON.stringify(rejects));
      assert.deepEqual(
        rejects.map(({ field }) => field?.split(/[.[]/)[0]),
        ['external_id', 'customer_id', 'items', 'metadata', 'metadata'],
      );
      const products = await write(
        [
          { product_id: bad, name: 'x', price: 1 },
          { product_id: 'sound', name: bad, price: 1 },
          { product_id: 'sound', name: 's', price: 1 },
        ],
        {
          stream: 'products',
        },
      );
      assert.deepEqual(
        products.rejects.map(({ index, field }) => [index, field]),
        [
          [0, 'product_id'],
          [1, 'name'],
        ],
      );
    }
  });

  test('history comes in as a batch of the API brings it in: state, money and people, with what was paid', async () => {
    const history = [
      { status: 'new', at: '2026-01-02T03:00:00.000Z' },
      { status: 'cancelled', at: '2026-01-03T03:00:00.000Z', reason: 'changed their mind' },
    ];
    const order = { ...whole, imported: true, placed_at: '2026-01-02T03:00:00.000Z', total: 30, status: 'cancelled', history };
    assert.deepEqual(await take({ external_id: 'old-1', ...order }), [1, 0, 0, 0]);
    const batch = await service.post('/api/v1/orders/batch', [{ external_id: 'old-2', ...order }]);
    assert.equal(batch.body.data[0].success, true, batch.text);
    const [one, two] = [await find('old-1'), await find('old-2')];
    const bare = ({ id: _id, created_at: _made, updated_at: _changed, external_id: _name, ...rest }: Body): Body => rest;
    assert.deepEqual(bare(one), bare(two));
    assert.deepEqual([one.total, one.status, one.payment_status, one.placed_at], [30, 'cancelled', 'paid', '2026-01-02T03:00:00.000Z']);
    assert.deepEqual(await eventsOf(one.id), ['order.imported']);
    assert.deepEqual(await take({ external_id: 'old-1', ...order }), [0, 0, 1, 0]);
    assert.deepEqual(bare(await find('old-1')), bare(two), 'what is said again changes nothing');
  });

  test('a new order is made as one, goes through the states to where it is, and has to come to what was paid', async () => {
    // 25.50 − 10 %, with 20 % of the cap's 4.95 and 4.90 for shipping.
    const row = { external_id: 'new-1', ...whole, status: 'shipped' };
    assert.equal((await refused({ ...row, total: 28.83 })).field, 'total');
    assert.equal(await find('new-1'), undefined);
    assert.deepEqual(await take({ ...row, total: 28.84 }), [1, 0, 0, 0]);
    const order = await find('new-1');
    assert.deepEqual([order.status, order.total, order.imported], ['shipped', 28.84, undefined]);
    assert.deepEqual(await eventsOf(order.id), ['order.created', 'order.status_changed', 'order.status_changed']);
    assert.deepEqual(await take({ ...row, total: 28.84 }), [0, 0, 1, 0]);
  });

  test('another status, lines, payment and money are those of the order from then on', async () => {
    const order = { external_id: 'chg-1', ...whole, imported: true, total: 29.5, status: 'new' };
    await take(order);
    const before = await find('chg-1');
    const later = {
      ...order,
      status: 'processing',
      items: [items[0], { product_id: 'pin', quantity: 3, price: 1 }, items[1]],
      shipping_address: { ...address, street: 'Side 2', country: undefined },
      payment: { status: 'paid', method: 'invoice' },
      note: 'leave it at the door',
      total: 33,
    };
    assert.deepEqual(await take(later), [0, 1, 0, 0]);
    const after = await find('chg-1');
    assert.deepEqual([after.id, after.total, after.status, after.items.length, after.note], [before.id, 33, 'processing', 3, later.note]);
    assert.deepEqual(after.payment, later.payment, 'what is said takes the place of what was there');
    assert.deepEqual(after.shipping_address, { street: 'Side 2', city: 'Graz', zip: '8010' });
    assert.deepEqual([after.changes.at(-1).by, after.history.at(-1).reason], ['hub', 'synchronization']);
    assert.deepEqual(await eventsOf(before.id), ['order.imported', 'order.updated', 'order.status_changed']);
    assert.deepEqual(await take(later), [0, 0, 1, 0]);
    assert.deepEqual(await take({ ...later, items: later.items.toReversed() }), [0, 0, 1, 0], 'the same lines in another order');
    // What a row leaves out stays. A row may tell the state alone.
    assert.deepEqual(await take({ external_id: 'chg-1', status: 'delivered', note: null }), [0, 1, 0, 0]);
    const end = await find('chg-1');
    assert.deepEqual([end.status, end.note, end.total], ['delivered', later.note, 33]);
    assert.deepEqual(await take({ external_id: 'chg-1', status: 'delivered' }), [0, 0, 1, 0]);
    assert.equal((await find('chg-1')).version, end.version);
    assert.deepEqual(await refused({ external_id: 'nobody', status: 'delivered' }), {
      field: 'customer_id',
      reason: 'Invalid request: customer_id is mandatory for an order that is not there yet (and 1 more).',
    });
  });

  test('refunds are made once, however often they are told, and tell what is left of the payment', async () => {
    const order = { external_id: 'ref-1', ...whole, imported: true, total: 29.5, status: 'delivered' };
    const refunds = [{ id: 'r1', amount: 5, reason: 'late' }];
    assert.deepEqual(await take({ ...order, refunds }), [1, 0, 0, 0]);
    assert.deepEqual(await take({ ...order, refunds }), [0, 0, 1, 0]);
    const more = [...refunds, { id: 'r2', amount: 24.5 }];
    const paid = { ...order, payment: { ...whole.payment, status: 'refunded' }, refunds: more };
    assert.deepEqual(counts(await write([paid, paid])), [0, 1, 1, 0]);
    const { refunds: kept, payment_status, total } = await find('ref-1');
    assert.deepEqual(
      kept.map(({ external_id, amount, reason }: Body) => [external_id, amount, reason]),
      [
        ['r1', 5, 'late'],
        ['r2', 24.5, undefined],
      ],
    );
    assert.deepEqual([payment_status, total], ['refunded', 29.5]);
    assert.match(
      (await refused({ ...order, refunds: [...more, { id: 'r3', amount: 0.01 }] })).reason,
      /more than is left of what was paid.*0 EUR can be given back/,
    );
    assert.match(
      (await refused({ ...order, refunds: [{ id: 'r1', amount: 6 }] })).reason,
      /refund r1 is there already, with another amount/,
    );
    assert.equal(
      (
        await refused({
          ...order,
          refunds: [
            { id: 'r1', amount: 5 },
            { id: 'r1', amount: 5 },
          ],
        })
      ).field,
      'refunds[1].id',
    );
    // What is refused of a new order leaves the order there, and says so.
    assert.match(
      (await refused({ ...order, external_id: 'ref-2', refunds: [{ id: 'r1', amount: 99 }] })).reason,
      /^The order was made, but not all of it: /,
    );
    assert.equal((await find('ref-2')).refunds, undefined);
  });

  test('several who bring the same orders at the same time make each once, with each refund once', async () => {
    const rows = Array.from({ length: 30 }, (_, n) => ({
      external_id: `many-${n}`,
      customer_id: 'ada',
      items,
      status: 'shipped',
      refunds: [{ id: 'r', amount: 1 }],
    }));
    const shuffled = [rows, rows.toReversed(), rows.toSorted((a, b) => (a.external_id < b.external_id ? -1 : 1)), rows];
    const results = await Promise.all(shuffled.map((some) => write(some)));
    const sums = results.map(counts).reduce((sum, one) => sum.map((n, at) => n + (one[at] ?? 0)), [0, 0, 0, 0]);
    assert.deepEqual([sums[0], sums[3]], [30, 0], JSON.stringify(results));
    for (const { external_id } of rows) {
      const { status, refunds, history } = await find(external_id);
      assert.deepEqual([status, refunds.length, history.length], ['shipped', 1, 3], external_id);
    }
  });

  test('what cannot be is refused as a whole, in words', async () => {
    const order = { external_id: 'not-1', ...whole, status: 'processing' };
    await take(order);
    const before = await find('not-1');
    assert.deepEqual(await refused({ ...order, status: 'new', note: 'n' }), {
      field: 'status',
      reason: 'An order that is processing cannot become new. status is processing here, from where no way leads to new.',
    });
    assert.equal((await refused({ ...order, customer_id: 'bob' })).field, 'customer_id');
    assert.equal((await refused({ ...order, currency: 'USD' })).field, 'currency');
    assert.match((await refused({ ...order, total: 1 })).reason, /total is 1, but the order comes to 28\.84/);
    assert.equal((await refused({ ...order, payment: { status: 'stolen' } })).field, 'payment.status');
    assert.equal((await refused({ ...order, placed_at: '2026-01-02T03:00:00.000Z', external_id: 'not-2' })).field, 'placed_at');
    assert.deepEqual(await find('not-1'), before);
    await take({ ...order, status: 'shipped' });
    assert.match(
      (await refused({ ...order, status: 'delivered', items: items.slice(1) })).reason,
      /until something is shipped: the order is shipped\./,
    );
    assert.equal((await find('not-1')).status, 'shipped');
  });

  test('of an order that has reserved stock nothing is lost where a change is refused in the end', async () => {
    const stock = async (): Promise<number[]> => {
      const { on_hand, reserved } = (await service.get('/api/v1/products/bowl/stock')).body.data;
      return [on_hand, reserved];
    };
    await service.post('/api/v1/products/sync', { product_id: 'bowl', name: 'Bowl', price: 1, stock_quantity: 10, track_stock: true });
    const bowls = (quantity: number) => [{ product_id: 'bowl', quantity, price: 1 }];
    await service.post('/api/v1/orders', { customer_id: 'ada', items: bowls(4), external_id: 'res-1', reserve: true });
    assert.match((await refused({ external_id: 'res-1', items: bowls(7), refunds: [{ id: 'r', amount: 8 }] })).reason, /more than is left/);
    assert.deepEqual(await stock(), [10, 4]);
    assert.match((await refused({ external_id: 'res-1', items: bowls(11) })).reason, /too little of bowl in stock/);
    assert.deepEqual(await take({ external_id: 'res-1', items: bowls(6) }), [0, 1, 0, 0]);
    assert.deepEqual(await stock(), [10, 6]);
    assert.deepEqual(await take({ external_id: 'res-1', status: 'cancelled' }), [0, 1, 0, 0]);
    assert.deepEqual(await stock(), [10, 0]);
  });

  test('where rows are only added, an order that is there stays as it is', async () => {
    const order = { external_id: 'add-1', ...whole };
    assert.deepEqual(counts(await write([order], { mode: 'append' })), [1, 0, 0, 0]);
    assert.deepEqual(counts(await write([{ ...order, note: 'other', status: 'cancelled' }], { mode: 'append' })), [0, 0, 1, 0]);
    assert.deepEqual([(await find('add-1')).note, (await find('add-1')).status], [whole.note, 'new']);
  });

  test('a person who was erased does not come back with a change of the order', async () => {
    const order = { external_id: 'era-1', ...whole, customer_id: 'zoe', items: [{ ...items[0], metadata: { for: 'Zoe' } }] };
    await take(order);
    const { id } = (await service.post('/api/v1/customers/zoe/erase')).body.data;
    await until('the erasure', async () => (await service.get(`/api/v1/erasures/${id}`)).body.data.status === 'done');
    const before = await find('era-1');
    assert.deepEqual(await take({ ...order, note: 'Zoe again' }), [0, 0, 1, 0]);
    assert.deepEqual(await find('era-1'), before);
    const refunds = [{ id: 'r', amount: 1, reason: 'for Zoe' }];
    assert.deepEqual(await take({ ...order, status: 'processing', payment: { ...whole.payment, method: 'bank' }, refunds }), [0, 1, 0, 0]);
    const after = await find('era-1');
    assert.deepEqual([after.status, after.payment.method, after.refunds.length], ['processing', 'bank', 1]);
    assert.doesNotMatch(JSON.stringify(after), /zoe|"ada"|ada@|Main 1|ch_1/i);
  });

  test('products come with all that they may have, and a count of their stock is a movement as of its time', async () => {
    const product = {
      product_id: 'tea',
      name: 'Tea',
      price: 4,
      sku: 'T-1',
      barcode: '4006381333931',
      status: 'active',
      prices: { USD: 5 },
      weight: { value: 100, unit: 'g' },
    };
    const more = {
      variants: [{ sku: 'T-1-L', price: 8 }],
      images: [{ url: 'https://example.com/tea.png' }],
      attributes: { origin: 'Assam' },
    };
    const first = { ...product, ...more, track_stock: 'true', stock_quantity: 10 };
    assert.deepEqual(counts(await write([first], { stream: 'products' })), [1, 0, 0, 0]);
    const stored = (await service.get('/api/v1/products/tea')).body.data;
    assert.deepEqual({ ...stored, ...product, ...more }, stored);
    const counted = new Date(Date.now() - 1000).toISOString();
    const moved = await service.post('/api/v1/stock/movements', { product_id: 'tea', delta: 5 });
    assert.equal(moved.status, 200, moved.text);
    const late = new Date(Date.parse(moved.body.data.at) + 1).toISOString();
    await until('a later moment', async () => new Date().toISOString() > late);
    assert.deepEqual(
      counts(await write([{ product_id: 'tea', stock_quantity: 12, stock_as_of: late }], { stream: 'products' })),
      [0, 1, 0, 0],
    );
    assert.deepEqual(
      counts(await write([{ product_id: 'tea', stock_quantity: 99, stock_as_of: counted }], { stream: 'products' })),
      [0, 0, 1, 0],
    );
    const { on_hand, movements } = (await service.get('/api/v1/products/tea/stock')).body.data;
    assert.equal(on_hand, 12);
    assert.deepEqual([movements[0].kind, movements[0].delta], ['counted', -3]);
    const bad = await write(
      [
        { product_id: 'tea', prices: { euro: 1 } },
        { product_id: 'tea', barcode: '1' },
      ],
      { stream: 'products' },
    );
    assert.deepEqual([counts(bad), bad.rejects[0]?.field], [[0, 1, 0, 1], 'prices.euro']);
  });
});
