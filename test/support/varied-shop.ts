import assert from 'node:assert/strict';
import { ORDER_STATUSES } from '../../src/shop/orders/rules.ts';
import { insertSync, insertTraces, runStatement } from './commands.ts';
import { seedOrders } from './orders.ts';
import type { Service } from './service.ts';

const HOUR = 60 * 60 * 1000;

export interface VariedShop {
  /** A key with a scope, one that was rotated and one that was revoked. */
  keys: { reader: string; rotated: string; revoked: string };
  /** A request that was made with an idempotency key, and its answer. */
  first: { raw: string; idempotencyKey: string; answer: string };
}

const AT = "'2026-01-01T00:00:00.000Z'";
/** One row of each table that tells others, or is told by them; nothing of it is under way. */
const TOLD = [
  `insert into webhooks (id, name, url, types, payload, signature, secrets, headers, max_in_flight, scopes, version, created_at, updated_at)
    values ('whk_1', '"quoted"', 'http://127.0.0.1:9/', '["*"]', 'full', 'symmetric', '[]', '{}', 8, '[]', 1, ${AT}, ${AT})`,
  `insert into webhook_state (webhook_id, status, status_at, reason, position, failures) values ('whk_1', 'paused', ${AT}, 'It was paused by hand.', 0, 0)`,
  `insert into webhook_deliveries (webhook_id, seq, type, object_id, status, attempts, created_at, updated_at, log)
    values ('whk_1', 1, 'order.created', 'ord_1', 'failed', 10, '9999-01-01', '9999-01-01', '[]')`,
  `insert into hooks (id, name, scheme, calls, refused, version, created_at, updated_at, created_by)
    values ('hok_1', '{a,b}', 'token', 1, 0, 1, ${AT}, ${AT}, 'key_1')`,
  `insert into hook_tokens (hash, hook_id, created_at) values ('abc', 'hok_1', ${AT})`,
  `insert into hook_calls (hook_id, seq, received_at, headers, body, encoding) values ('hok_1', 1, '9999-01-01', '{}', 'NULL', 'utf8')`,
  `insert into alerts (id, name, channel_type, channel, secrets, rules, scopes, version, created_at, updated_at, created_by)
    values ('alt_1', 'ß', 'slack', '{"type":"slack","url":"********"}', 'v1.gone.x', '[{"type":"late"}]', '[]', 1, ${AT}, ${AT}, 'key_1')`,
  `insert into incidents (id, rule, object_id, object_name, opened_at, closed_at, summary, details, ending)
    values ('inc_1', 'late', 'syn_1', 'NULL', ${AT}, '9999-01-01', 'It is "late".', '{}', 'It is not.')`,
  `insert into alert_incidents (alert_id, incident_id, remind_at) values ('alt_1', 'inc_1', '9999-01-01')`,
  `insert into alert_messages (id, alert_id, incident_id, kind, status, attempts, created_at, sent_at)
    values ('msg_1', 'alt_1', 'inc_1', 'opened', 'sent', 1, ${AT}, ${AT})`,
];

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
  const more = { sku: 'NULL', attributes: { '{a,b}': ['ß', null] }, prices: { EUR: 0.0001 } };
  await done('POST', '/api/v1/products/sync', {
    product_id: 'tracked',
    name: 'T',
    price: 1,
    stock_quantity: 9,
    track_stock: true,
    ...more,
  });
  await done('POST', '/api/v1/stock/movements', { product_id: 'tracked', delta: 3, location: '{"a"} NULL', reason: 'ß "quoted"' });
  await done('POST', '/api/v1/orders', { customer_id: 'c', reserve: true, items: [{ product_id: 'tracked', quantity: 10, price: 1 }] });

  const secretive = { host: 'db"x"', database: 'NULL "y" {a,b}', user: 'ü', password: 'hunter2' };
  const source = { name: 'quoted " \\ 🦊', type: 'postgres', config: secretive };
  const { data: made } = JSON.parse(await done('POST', '/api/v1/datasync/sources', source)) as { data: { id: string } };
  await service.app.db.write(insertSync, { source: made.id, target: made.id });
  await service.app.db.write(insertTraces, { sync: 'syn_1' });
  for (const statement of TOLD) await service.app.db.write(runStatement, statement);

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
  // It was changed, shipped and refunded since: the first answer has to be found all the same.
  const own = `/api/v1/orders/${answered.body.data.id}`;
  await done('PATCH', own, { items: body.items.slice(1), note: 'NULL', metadata: null });
  assert.equal((await service.post(`${own}/fulfillments`, { lines: [{ line: 1, quantity: 1 }] }, { headers })).status, 200);
  await done('POST', `${own}/refunds`, { lines: [{ line: 1, quantity: 1 }], restock: true, reason: '"{NULL}"' });
  assert.equal(answered.status, 200, answered.text);
  await done('POST', `/api/v1/orders/${answered.body.data.id}/transitions`, { to: 'on_hold', reason: 'he said "wait" \\ {NULL}' });

  const reader = await service.keyWith('orders:read');
  const [rotated, revoked] = await Promise.all([service.keyWith('orders:read'), service.keyWith('orders:read')]);
  const idOf = (key: string): string => `key_${key.slice(4, 30)}`;
  await done('POST', `/api/v1/keys/${idOf(rotated)}/rotate`, { overlap_seconds: 3600 });
  await done('DELETE', `/api/v1/keys/${idOf(revoked)}`);
  return { keys: { reader, rotated, revoked }, first: { raw, idempotencyKey: 'first', answer: answered.text } };
}
