import assert from 'node:assert/strict';
import type { Service } from '../../support/service.ts';

/** Names as no client should send them, but one will: markup, and a mark that turns the direction of what follows. */
export const HOSTILE = '<script>alert(1)</script> \u202Egnp.exe';

/** What the views of the shop and of keys show, beside the orders and products of the story. */
export interface SampleShop {
  /** An order that has been on hold, with names from outside that are not nice. */
  order: string;
  /** A product with such a name, and an id that needs care in an address. */
  product: string;
}

export async function makeSampleShop(service: Service): Promise<SampleShop> {
  const product = 'tea/50%2F <b>';
  const post = async (path: string, body: unknown) => {
    const answer = await service.post(path, body);
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data;
  };
  await post('/api/v1/products/sync', {
    product_id: product,
    name: HOSTILE,
    price: 12.3456,
    stock_quantity: 0,
    categories: ['tea', HOSTILE],
  });
  const order: string = (
    await post('/api/v1/orders', {
      customer_id: HOSTILE,
      external_id: 'SHOP-1042',
      currency: 'EUR',
      items: [
        { product_id: product, quantity: 3, price: 19.99 },
        { product_id: 'no-such-thing', quantity: 1, price: 0.0001 },
      ],
      shipping_address: { name: 'Ada Lovelace', street: 'Main St 1', zip: '12345', city: 'Springfield', country: 'DE' },
      metadata: { channel: 'web', note: HOSTILE },
    })
  ).id;
  await post(`/api/v1/orders/${order}/transitions`, { to: 'on_hold', reason: `The address is unclear: ${HOSTILE}` });
  await post(`/api/v1/orders/${order}/transitions`, { to: 'processing' });
  await post('/api/v1/keys', {
    name: 'Web shop',
    scopes: ['orders:write', 'products:read'],
    expires_at: new Date(Date.now() + 40 * 86_400_000),
  });
  await post('/api/v1/keys', {
    name: HOSTILE,
    scopes: ['datasync:read', 'datasync:write', 'orders:read', 'orders:write', 'products:read'],
  });
  const old = await post('/api/v1/keys', { name: 'Old ERP', scopes: ['admin'] });
  assert.equal((await service.call('DELETE', `/api/v1/keys/${old.id}`)).status, 200);
  return { order, product };
}
