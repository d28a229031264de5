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
  /** Who has ordered `paidOrder`: an id that needs care, too. */
  customer: string;
  /** An order with all that there is: money, a parcel, a return, a refund. Whatever is text is not nice. */
  paidOrder: string;
  /** A product whose stock is tracked at two locations, with all that a product may have. */
  stocked: string;
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
  const { customer, paidOrder, stocked } = await makeMerchandise(post);
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
  return { order, product, customer, paidOrder, stocked };
}

// oxlint-disable-next-line no-explicit-any -- answers of all kinds
type Post = (path: string, body: unknown) => Promise<any>;

/** A product with a ledger, and an order that was paid, shipped, and in part returned and refunded. */
async function makeMerchandise(post: Post): Promise<Pick<SampleShop, 'customer' | 'paidOrder' | 'stocked'>> {
  const stocked = 'pot/1 50%';
  const customer = 'ada/1 50%';
  await post('/api/v1/products/sync', {
    product_id: stocked,
    name: `Pot ${HOSTILE}`,
    price: 30,
    stock_quantity: 20,
    categories: [],
    track_stock: true,
    sku: HOSTILE,
    barcode: HOSTILE,
    status: 'draft',
    prices: { CHF: 29.5 },
    weight: { value: 1.2, unit: 'kg' },
    variants: [{ sku: HOSTILE, name: HOSTILE, options: { size: 'S' } }],
    images: [{ url: 'https://example.com/pot.png', alt: HOSTILE }],
    attributes: { note: HOSTILE },
  });
  await post('/api/v1/stock/movements', [
    { product_id: stocked, location: HOSTILE, delta: 12, reason: HOSTILE },
    { product_id: stocked, delta: -1, reason: 'broken' },
  ]);
  const paidOrder: string = (
    await post('/api/v1/orders', {
      customer_id: customer,
      items: [{ product_id: stocked, quantity: 3, price: 30, name: HOSTILE, sku: HOSTILE, variant: HOSTILE, tax: { rate: 19 } }],
      reserve: true,
      prices_include_tax: true,
      shipping: { method: HOSTILE, price: 4.9 },
      discounts: [{ code: HOSTILE, percent: 10 }],
      customer: { name: `Ada ${HOSTILE}`, email: 'ada@example.com', phone: HOSTILE, company: HOSTILE, tax_id: HOSTILE },
      billing_address: { street: HOSTILE, city: 'Accra', country: 'GH' },
      payment: { status: 'paid', method: HOSTILE, reference: HOSTILE, paid_at: new Date() },
      note: HOSTILE,
      tags: ['gift', HOSTILE],
      channel: HOSTILE,
    })
  ).id;
  const tracking = { carrier: HOSTILE, number: HOSTILE, url: 'https://example.com/parcel' };
  await post(`/api/v1/orders/${paidOrder}/fulfillments`, { lines: [{ line: 1, quantity: 2 }], tracking, location: HOSTILE });
  await post(`/api/v1/orders/${paidOrder}/returns`, { lines: [{ line: 1, quantity: 1 }], reason: HOSTILE, restock: true });
  await post(`/api/v1/orders/${paidOrder}/refunds`, { lines: [{ line: 1, quantity: 1 }], reason: HOSTILE });
  return { customer, paidOrder, stocked };
}
