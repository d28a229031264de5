import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onBothEngines } from '../../../test/support/databases.ts';
import { startService, type Service } from '../../../test/support/service.ts';
import { foldOnce } from '../orders/find/follower.ts';

onBothEngines('customers', (engine) => {
  let service: Service;
  const ids = ['c-1', 'c-2', 'c/3 ü'];
  before(async () => {
    service = await startService(engine);
    const order = (customer_id: string, price: number, currency: string, name?: string) => ({
      customer_id,
      currency,
      items: [{ product_id: 'p', quantity: 3, price }],
      ...(name !== undefined && { customer: { name } }),
    });
    const orders = [
      order('c-1', 0.1, 'EUR', 'Old Name'),
      order('c-1', 0.2, 'EUR', 'Jo Doe'),
      order('c-1', 1.0001, 'USD'),
      order('c-2', 5, 'EUR'),
    ];
    assert.equal((await service.post('/api/v1/orders/batch', orders)).body.failed, 0);
    while (await foldOnce(service.app.db));
    // This one is not in the index.
    assert.equal((await service.post('/api/v1/orders', order('c/3 ü', 7, 'JPY'))).status, 200);
  });
  after(() => service.close());

  test('need a key with orders:read', async () => {
    const key = await service.keyWith('orders:write');
    for (const path of ['/api/v1/customers', '/api/v1/customers/c-1', '/api/v1/customers/c-1/orders']) {
      assert.equal((await service.get(path, { key: null })).status, 401);
      assert.equal((await service.get(path, { key })).status, 403);
    }
    assert.equal((await service.get('/api/v1/customers?limit=0')).body.error.details.field, 'limit');
  });

  test('are what their orders say, with exact sums', async () => {
    const { data } = (await service.get('/api/v1/customers/c-1')).body;
    assert.deepEqual(
      [data.orders, data.customer, data.totals],
      [
        3,
        { name: 'Jo Doe' },
        [
          { currency: 'EUR', orders: 2, total: 0.9 },
          { currency: 'USD', orders: 1, total: 3.0003 },
        ],
      ],
    );
    assert.ok(data.first_order.id < data.last_order.id);
    assert.equal((await service.get('/api/v1/customers/c-1/orders')).body.total, 3);
    assert.equal((await service.get(`/api/v1/customers/${encodeURIComponent('c/3 ü')}`)).body.data.orders, 1);
    for (const path of ['nobody', 'nobody/orders']) assert.equal((await service.get(`/api/v1/customers/${path}`)).status, 404);
  });

  test('a cursor that somebody has made up is refused', async () => {
    for (const made of ['1:\0', '2:c-1', 'c-1']) {
      const refused = await service.get(`/api/v1/customers?cursor=${Buffer.from(made).toString('base64url')}`);
      assert.deepEqual([refused.status, refused.body.error.details.field], [400, 'cursor'], made);
    }
  });

  test('are listed page by page, with an exact total, also those of the newest orders', async () => {
    const found: string[] = [];
    for (let cursor = ''; ; ) {
      const { data, total, next_cursor } = (await service.get(`/api/v1/customers?limit=2${cursor}`)).body;
      assert.equal(total, 3);
      found.push(...data.map(({ id }: { id: string }) => id));
      if (next_cursor === null) break;
      cursor = `&cursor=${next_cursor}`;
    }
    assert.deepEqual(found, ids);
    assert.equal((await service.get('/api/v1/customers?offset=1&limit=1')).body.data[0].id, 'c-2');
    assert.deepEqual((await service.get('/api/v1/customers?offset=9007199254740991')).body.data, []);
  });

  test('have exact sums of the largest orders, too', async () => {
    const items = Array.from({ length: 500 }, () => ({ product_id: 'p', quantity: 1_000_000, price: 99_999_999.9999 }));
    for (let n = 0; n < 3; n++) assert.equal((await service.post('/api/v1/orders', { customer_id: 'c-vast', items })).status, 200);
    const { text } = await service.get('/api/v1/customers/c-vast');
    // 3 × 500 × 1,000,000 × 99,999,999.9999
    assert.match(text, /"orders":3,"total":149999999999850000\}/);
  });
});
