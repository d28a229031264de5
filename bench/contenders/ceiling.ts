// The ceiling: a bare Fastify with the same body schema and the same answers, which stores nothing and asks for no key.
import { randomUUID } from 'node:crypto';
import Fastify from 'fastify';
import type { Static } from '../../src/lib/schema.ts';
import { NewOrder } from '../../src/shop/orders/schemas.ts';

const text = { type: 'string' };
const textOrNull = { type: 'string', nullable: true };
const listed = { id: text, status: text, total: { type: 'number' }, created_at: text };
const anything = { type: 'object', additionalProperties: true };
const line = {
  type: 'object',
  properties: {
    product_id: text,
    quantity: { type: 'integer' },
    price: { type: 'number' },
    line_total: { type: 'number' },
    product_known: { type: 'boolean' },
  },
};
const full = {
  ...listed,
  updated_at: text,
  version: { type: 'integer' },
  customer_id: text,
  currency: text,
  external_id: textOrNull,
  items: { type: 'array', items: line },
  shipping_address: { type: 'object', nullable: true, properties: { street: text, city: text, zip: text } },
  metadata: anything,
  history: { type: 'array', items: { type: 'object', properties: { status: text, at: text, reason: textOrNull } } },
};
const answer = (data: object, more: object = {}): object => ({
  200: { type: 'object', properties: { success: { type: 'boolean' }, data, ...more } },
});

const fifty = Array.from({ length: 50 }, (_, index) => ({
  id: `ord_01kfa0v2m3f8rb4v3k7m2t9x${10 + index}`,
  status: 'new',
  total: 59.97 + index,
  created_at: '2026-11-01T09:30:00.000Z',
}));

// As strict as ours: Fastify would otherwise convert types and drop unknown fields. Our schemas have keywords of their own, which it passes over.
const fastify = Fastify({ ajv: { customOptions: { coerceTypes: false, removeAdditional: false, strict: false } } });

fastify.get('/readyz', () => ({ success: true }));

const listSchema = {
  response: answer(
    { type: 'array', items: { type: 'object', properties: listed } },
    { total: { type: 'integer' }, next_cursor: textOrNull },
  ),
};
fastify.get('/api/v1/orders', { schema: listSchema }, () => ({
  success: true,
  data: fifty,
  total: 1_000_000,
  next_cursor: 'MTpvcmRfMDFrZmEwdjJtM2Y4cmI0djNrN20ydDl4NTk',
}));

const postSchema = { body: NewOrder, response: answer({ type: 'object', properties: full }) };
fastify.post('/api/v1/orders', { schema: postSchema }, (request) => {
  const order = request.body as Static<typeof NewOrder>;
  const now = new Date().toISOString();
  let total = 0;
  const items = order.items.map(({ product_id, quantity, price }) => {
    const line_total = quantity * price;
    total += line_total;
    return { product_id, quantity, price, line_total, product_known: true };
  });
  const data = {
    id: randomUUID(),
    status: 'new',
    total,
    created_at: now,
    updated_at: now,
    version: 1,
    customer_id: order.customer_id,
    currency: order.currency ?? 'EUR',
    external_id: order.external_id ?? null,
    items,
    shipping_address: order.shipping_address ?? null,
    metadata: order.metadata ?? {},
    history: [{ status: 'new', at: now, reason: null }],
  };
  return { success: true, data };
});

await fastify.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) });
