// What one would write first: Fastify, a pool of connections, and one INSERT for each order, committed before the answer.
import { randomUUID } from 'node:crypto';
import Fastify from 'fastify';
import pg from 'pg';
import type { Static } from '../../src/lib/schema.ts';
import { NewOrder } from '../../src/shop/orders/schemas.ts';

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], options: '-c synchronous_commit=on' });
await pool.query(`create table if not exists orders (
  id text primary key, status text not null, total numeric not null, created_at text not null, updated_at text not null, version bigint not null,
  customer_id text not null, currency text not null, external_id text, items json not null, shipping_address json, metadata json not null)`);

const fastify = Fastify({ ajv: { customOptions: { coerceTypes: false, removeAdditional: false, strict: false } } });

fastify.get('/readyz', () => ({ success: true }));

async function createOrder(order: Static<typeof NewOrder>): Promise<object> {
  const now = new Date().toISOString();
  const items = order.items.map((item) => ({ ...item, line_total: item.quantity * item.price, product_known: true }));
  const data = {
    id: randomUUID(),
    status: 'new',
    total: items.reduce((sum, item) => sum + item.line_total, 0),
    created_at: now,
    updated_at: now,
    version: 1,
    customer_id: order.customer_id,
    currency: order.currency ?? 'EUR',
    external_id: order.external_id ?? null,
    items,
    shipping_address: order.shipping_address ?? null,
    metadata: order.metadata ?? {},
  };
  await pool.query(
    `insert into orders (id, status, total, created_at, updated_at, version, customer_id, currency, external_id, items, shipping_address, metadata)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    Object.values({ ...data, items: JSON.stringify(data.items) }),
  );
  return { success: true, data: { ...data, history: [{ status: 'new', at: now, reason: null }] } };
}

fastify.post('/api/v1/orders', { schema: { body: NewOrder } }, (request) => createOrder(request.body as Static<typeof NewOrder>));

await fastify.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) });
