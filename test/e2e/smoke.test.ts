import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onBothEngines } from '../support/databases.ts';
import { type Service, startService } from '../support/service.ts';

onBothEngines('smoke', (engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
  });
  after(() => service.close());

  test('an order goes in and comes out', async () => {
    const made = await service.post(
      '/api/v1/orders',
      { customer_id: 'c', items: [{ product_id: 'p', quantity: 3, price: 19.99 }] },
      { headers: { 'idempotency-key': 'k1' } },
    );
    assert.equal(made.status, 200, made.text);
    const again = await service.post(
      '/api/v1/orders',
      { items: [{ price: 19.99, product_id: 'p', quantity: 3 }], customer_id: 'c' },
      { headers: { 'idempotency-key': 'k1' } },
    );
    assert.equal(again.text, made.text);
    const other = await service.post(
      '/api/v1/orders',
      { items: [{ price: 19.99, product_id: 'p', quantity: 4 }], customer_id: 'c' },
      { headers: { 'idempotency-key': 'k1' } },
    );
    assert.equal(other.body.error.code, 'IDEMPOTENCY_KEY_REUSED');
    const list = await service.get('/api/v1/orders?expand=all&created_from=2020-01-01');
    assert.deepEqual(list.body.data[0], made.body.data);
    assert.equal(list.body.total, 1);
    const moved = await service.post(`/api/v1/orders/${made.body.data.id}/transitions`, { to: 'processing' });
    assert.equal(moved.body.data.status, 'processing', moved.text);
    assert.equal((await service.get('/api/v1/orders?status=new')).body.total, 0);
    assert.equal((await service.post('/api/v1/products/sync', { product_id: 'p', name: 'P', price: 1 })).body.data.result, 'created');
    assert.equal((await service.get('/api/v1/products?q=p')).body.total, 1);
    assert.equal((await service.get('/api/v1/events')).body.total, 3);
    assert.equal((await service.call('DELETE', '/api/v1/products/p')).status, 200);
    assert.equal((await service.get('/api/v1/audit')).body.total, 1);
  });
});
