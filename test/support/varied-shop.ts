import assert from 'node:assert/strict';
import { ORDER_STATUSES } from '../../src/shop/orders/rules.ts';
import { insertSync, insertTraces } from './commands.ts';
import { seedOrders } from './orders.ts';
import type { Service } from './service.ts';

const HOUR = 60 * 60 * 1000;

export interface VariedShop {
  /** A key with a scope, one that was rotated and one that was revoked. */
  keys: { reader: string; rotated: string; revoked: string };
  /** A request that was made with an idempotency key, and its answer. */
  first: { raw: string; idempotencyKey: string; answer: string };
}

/** Fills a service with everything that its tables can hold, the extremes included, and `orders` orders besides. */
export async function varyShop(service: Service, orders: number): Promise<VariedShop> {
  const done = async (method: string, path: string, body?: unknown): Promise<string> => {
    const { status, text } = await service.call(method, path, body === undefined ? {} : { body });
    assert.equal(status, 200, text);
    return text;
  };
  const products = [
    {
      product_id: 'O\'Hara "quoted" \\ {a,b} NULL',
      name: 'Zoë 🦊 \u2028 名前',
      price: 99_999_999.9999,
      stock_quantity: Number.MAX_SAFE_INTEGER,
    },
    { product_id: 'NULL', name: 'null', price: 0, categories: ['a,b', '{}', 'NULL', 'ß'] },
    { product_id: 'gone', name: 'Gone', price: 1.5 },
    { product_id: 'dated', name: 'Dated', price: 0.0001, stock_as_of: '2026-01-01T00:00:00.123456789Z' },
  ];
  for (const product of products) await done('POST', '/api/v1/products/sync', product);
  await done('POST', '/api/v1/products/sync', { product_id: 'NULL', price: 10 });
  await done('DELETE', '/api/v1/products/gone');

  const secretive = { host: 'db"x"', database: 'NULL "y" {a,b}', user: 'ü', password: 'hunter2' };
  const source = { name: 'quoted " \\ 🦊', type: 'postgres', config: secretive };
  const { data: made } = JSON.parse(await done('POST', '/api/v1/datasync/sources', source)) as { data: { id: string } };
  await service.app.db.write(insertSync, { source: made.id, target: made.id });
  await service.app.db.write(insertTraces, { sync: 'syn_1' });

  await seedOrders(
    service.app.db,
    Array.from({ length: orders }, (_, index) => ({
      time: Date.now() - (orders - index) * HOUR,
      customer_id: `c${index % 97}`,
      status: ORDER_STATUSES[index % ORDER_STATUSES.length] ?? 'new',
      ...(index % 3 === 0 && { external_id: `x-${index}` }),
    })),
  );
  const body = {
    customer_id: 'ü\t"\\',
    external_id: 'NULL',
    currency: 'JPY',
    items: [
      { product_id: 'NULL', quantity: 1_000_000, price: 99_999_999.9999 },
      { product_id: 'unknown', quantity: 3, price: 19.99 },
    ],
    shipping_address: { street: 'Straße 1\nHof', city: '東京', zip: '1', name: 'NULL' },
    metadata: { text: '\u0007\u{1F98A}</script>', nested: [{ a: [null, true, 1e21, -0.5] }] },
  };
  const headers = { 'idempotency-key': 'first' };
  // A number that JavaScript would round.
  const raw = JSON.stringify(body).replace('"nested"', '"exact":12345678901234567890.123456789,"nested"');
  const answered = await service.call('POST', '/api/v1/orders', { raw, headers });
  assert.equal(answered.status, 200, answered.text);
  await done('POST', `/api/v1/orders/${answered.body.data.id}/transitions`, { to: 'on_hold', reason: 'he said "wait" \\ {NULL}' });

  const reader = await service.keyWith('orders:read');
  const [rotated, revoked] = await Promise.all([service.keyWith('orders:read'), service.keyWith('orders:read')]);
  const idOf = (key: string): string => `key_${key.slice(4, 30)}`;
  await done('POST', `/api/v1/keys/${idOf(rotated)}/rotate`, { overlap_seconds: 3600 });
  await done('DELETE', `/api/v1/keys/${idOf(revoked)}`);
  return { keys: { reader, rotated, revoked }, first: { raw, idempotencyKey: 'first', answer: answered.text } };
}
