import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { brokenServer } from '../support/broken-server.ts';
import { onBothEngines } from '../support/databases.ts';
import { type CallOptions, type Reply, type Service, startService } from '../support/service.ts';

// One scenario for every statement of the interface description, named after it.

interface Scenario {
  /** The statement. */
  name: string;
  /** Method and path. */
  call: string;
  options?: CallOptions;
  status: number;
  /** What the body must contain at least. */
  content?: object;
  check?: (reply: Reply, service: Service) => unknown;
}

const SEEDED = 60;
const ISO_UTC = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const ITEM = { product_id: 'p-1', quantity: 2, price: 10.5 };
const ADDRESS = { street: 'Main St 1', city: 'Springfield', zip: '12345' };
const ORDER = { customer_id: 'c-1', items: [ITEM], shipping_address: ADDRESS };
const PRODUCT = { product_id: 'p-9', name: 'Mug', price: 19.99, stock_quantity: 40, categories: ['mugs', 'blue'] };

/** A list that has something in it: what is said of all members of an empty one says nothing. */
function some(list: Record<string, unknown>[]): Record<string, unknown>[] {
  assert.ok(list.length > 0);
  return list;
}

const describesTheService: Scenario[] = [
  {
    name: 'Area A has the base address {base_url}/api/v1/datasync and requires authentication',
    call: 'GET /api/v1/datasync/sync',
    options: { key: null },
    status: 401,
  },
  {
    name: 'Area B has the base address {base_url}/api/v1/ and requires authentication',
    call: 'GET /api/v1/orders',
    options: { key: null },
    status: 401,
  },
  {
    name: 'Area B lists orders, over HTTP with JSON bodies',
    call: 'GET /api/v1/orders',
    status: 200,
    check: ({ headers, body }) => {
      assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
      assert.equal(body.success, true);
    },
  },
  { name: 'Area B creates orders', call: 'POST /api/v1/orders', options: { body: ORDER }, status: 200, content: { success: true } },
  {
    name: 'Area B synchronizes products',
    call: 'POST /api/v1/products/sync',
    options: { body: PRODUCT },
    status: 200,
    content: { success: true },
  },
];

const orderFields: Scenario[] = [
  {
    name: 'order (as returned in a list): exactly id, status, total, created_at',
    call: 'GET /api/v1/orders',
    status: 200,
    check: ({ body }) => some(body.data).forEach((order) => assert.deepEqual(Object.keys(order), ['id', 'status', 'total', 'created_at'])),
  },
  {
    name: 'order.id: string, order identifier',
    call: 'GET /api/v1/orders?limit=1000',
    status: 200,
    check: ({ body }) => {
      const ids = some(body.data).map((order) => String(order['id']));
      for (const id of ids) assert.match(id, /^ord_[0-9a-z]{26}$/);
      assert.equal(new Set(ids).size, ids.length);
    },
  },
  {
    name: 'order.status: string, the filter parameter of the list operation applies to it',
    call: 'GET /api/v1/orders?status=processing',
    status: 200,
    check: ({ body }) => {
      assert.equal(body.total, 5);
      for (const order of some(body.data)) assert.equal(order['status'], 'processing');
    },
  },
  {
    name: 'order.total: number (decimal), order total',
    call: 'GET /api/v1/orders?status=processing',
    status: 200,
    check: ({ text, body }) => {
      for (const order of some(body.data)) assert.equal(order['total'], 59.97);
      assert.match(text, /"total":59\.97,/);
    },
  },
  {
    name: 'order.created_at: ISO 8601 UTC timestamp',
    call: 'GET /api/v1/orders',
    status: 200,
    check: ({ body }) => some(body.data).forEach((order) => assert.match(String(order['created_at']), ISO_UTC)),
  },
];

/** A field of a body: kept as sent, and refused by its name when it is of another type. */
const fieldOf =
  (call: string, body: object) =>
  (field: string, type: string, kept: object, wrong: object): Scenario[] => [
    { name: `${field}: ${type}`, call, options: { body }, status: 200, content: { data: kept } },
    {
      name: `${field}: nothing else than ${type}`,
      call,
      options: { body: { ...body, ...wrong } },
      status: 400,
      content: { success: false, error: { code: 'INVALID_PARAMS', details: { field } } },
    },
  ];
const orderField = fieldOf('POST /api/v1/orders', ORDER);
const productField = fieldOf('POST /api/v1/products/sync', PRODUCT);

const orderBody: Scenario[] = [
  ...orderField('customer_id', 'string', { customer_id: 'c-1' }, { customer_id: 7 }),
  ...orderField('items', 'array of objects', { items: [ITEM] }, { items: ITEM }),
  ...orderField('items[0].product_id', 'string', { items: [{ product_id: 'p-1' }] }, { items: [{ ...ITEM, product_id: 1 }] }),
  ...orderField('items[0].quantity', 'integer', { items: [{ quantity: 2 }] }, { items: [{ ...ITEM, quantity: 1.5 }] }),
  ...orderField('items[0].price', 'number (decimal)', { items: [{ price: 10.5 }], total: 21 }, { items: [{ ...ITEM, price: '10.5' }] }),
  ...orderField('shipping_address', 'object', { shipping_address: ADDRESS }, { shipping_address: 'Main St 1' }),
  ...orderField('shipping_address.street', 'string', { shipping_address: ADDRESS }, { shipping_address: { ...ADDRESS, street: 12 } }),
  ...orderField('shipping_address.city', 'string', { shipping_address: ADDRESS }, { shipping_address: { ...ADDRESS, city: null } }),
  ...orderField('shipping_address.zip', 'string', { shipping_address: ADDRESS }, { shipping_address: { ...ADDRESS, zip: 12345 } }),
];

const productBody: Scenario[] = [
  ...productField('product_id', 'string', { product_id: 'p-9' }, { product_id: 9 }),
  ...productField('name', 'string', { name: 'Mug' }, { name: null }),
  ...productField('price', 'number (decimal)', { price: 19.99 }, { price: '19.99' }),
  ...productField('stock_quantity', 'integer', { stock_quantity: 40 }, { stock_quantity: 0.5 }),
  ...productField('categories', 'array of strings', { categories: ['mugs', 'blue'] }, { categories: 'mugs' }),
  {
    name: 'a missing product_id is reported as a parameter error that names the field product_id',
    call: 'POST /api/v1/products/sync',
    options: { body: { name: 'Mug', price: 1 } },
    status: 400,
    content: { success: false, error: { code: 'INVALID_PARAMS', details: { field: 'product_id', reason: 'is mandatory' } } },
  },
  {
    name: 'a missing product_id of an order line is reported the same way',
    call: 'POST /api/v1/orders',
    options: { body: { customer_id: 'c', items: [{ quantity: 1, price: 1 }] } },
    status: 400,
    content: { error: { code: 'INVALID_PARAMS', details: { field: 'items[0].product_id', reason: 'is mandatory' } } },
  },
];

const listEndpoint: Scenario[] = [
  {
    name: 'limit: integer, number of orders to return',
    call: 'GET /api/v1/orders?limit=7',
    status: 200,
    check: ({ body }) => assert.equal(body.data.length, 7),
  },
  {
    name: 'limit: nothing else than an integer',
    call: 'GET /api/v1/orders?limit=many',
    status: 400,
    content: { error: { code: 'INVALID_PARAMS', details: { field: 'limit' } } },
  },
  {
    name: 'offset: integer, offset into the result',
    call: 'GET /api/v1/orders?offset=3&limit=2',
    status: 200,
    check: async ({ body }, service) => assert.deepEqual(body.data, (await service.get('/api/v1/orders?limit=5')).body.data.slice(3)),
  },
  {
    name: 'offset: nothing else than an integer',
    call: 'GET /api/v1/orders?offset=1.5',
    status: 400,
    content: { error: { code: 'INVALID_PARAMS', details: { field: 'offset' } } },
  },
  {
    name: 'status: string, default none',
    call: 'GET /api/v1/orders?limit=1000',
    status: 200,
    check: ({ body }) => assert.deepEqual(new Set(some(body.data).map((order) => order['status'])), new Set(['new', 'processing'])),
  },
  {
    name: 'status: filter by order status',
    call: 'GET /api/v1/orders?status=new&limit=1000',
    status: 200,
    check: ({ body }) => {
      assert.ok(body.data.length >= SEEDED - 5);
      for (const order of body.data) assert.equal(order.status, 'new');
    },
  },
  {
    name: 'response: HTTP 200, a JSON object with success (true), data (array of order objects), total (integer)',
    call: 'GET /api/v1/orders',
    status: 200,
    check: ({ body }) => {
      assert.equal(body.success, true);
      assert.ok(Array.isArray(body.data));
      assert.ok(Number.isInteger(body.total));
    },
  },
  {
    name: 'total: a count of orders, all that match, whatever the page',
    call: 'GET /api/v1/orders?status=processing&limit=2&offset=1',
    status: 200,
    check: ({ body }) => {
      assert.equal(body.data.length, 2);
      assert.equal(body.total, 5);
    },
  },
  {
    name: 'POST /api/v1/orders takes the order creation body',
    call: 'POST /api/v1/orders',
    options: { body: ORDER },
    status: 200,
    content: { success: true, data: { customer_id: 'c-1', items: [ITEM], shipping_address: ADDRESS, total: 21 } },
  },
  {
    name: 'POST /api/v1/products/sync takes the product synchronization body',
    call: 'POST /api/v1/products/sync',
    options: { body: PRODUCT },
    status: 200,
    content: { success: true, data: PRODUCT },
  },
];

const authentication: Scenario[] = [
  ...[
    'GET /api/v1/orders',
    'POST /api/v1/orders',
    'POST /api/v1/products/sync',
    'GET /api/v1/datasync/sources',
    'POST /api/v1/datasync/sync',
  ].map(
    (call): Scenario => ({
      name: `every request to either area must be authenticated: ${call}`,
      call,
      options: { key: null },
      status: 401,
      content: { success: false, error: { code: 'UNAUTHORIZED' } },
    }),
  ),
  {
    name: 'the credential is sent in the header Authorization with the scheme Bearer',
    call: 'GET /api/v1/orders',
    status: 200,
    check: async (_, service) => {
      for (const authorization of [`Bearer ${service.adminKey}`, `bearer ${service.adminKey}`]) {
        assert.equal((await service.get('/api/v1/orders', { headers: { authorization } })).status, 200, authorization);
      }
      for (const authorization of [service.adminKey, `Basic ${service.adminKey}`, `Token ${service.adminKey}`, 'Bearer', 'Bearer ']) {
        assert.equal((await service.get('/api/v1/orders', { headers: { authorization } })).status, 401, authorization);
      }
      assert.equal((await service.get('/api/v1/orders', { key: null, headers: { 'x-api-key': service.adminKey } })).status, 401);
      assert.equal((await service.get(`/api/v1/orders?access_token=${service.adminKey}`, { key: null })).status, 401);
    },
  },
  {
    name: 'a request without valid authentication fails with HTTP 401',
    call: 'GET /api/v1/orders',
    options: { key: 'slk_not-a-key' },
    status: 401,
    content: { success: false, error: { code: 'UNAUTHORIZED' } },
    check: ({ headers }) => assert.equal(headers.get('www-authenticate'), 'Bearer'),
  },
  {
    name: 'a request that is authenticated but not permitted fails with HTTP 403',
    call: 'GET /api/v1/orders',
    status: 200,
    check: async (_, service) => {
      const key = await service.keyWith('products:read');
      const { status, body } = await service.get('/api/v1/orders', { key });
      assert.equal(status, 403);
      assert.equal(body.error.code, 'FORBIDDEN');
      assert.match(body.error.details.reason, /orders:read/);
    },
  },
];

const errors: Scenario[] = [
  { name: '200: successful request', call: 'GET /api/v1/orders', status: 200, content: { success: true } },
  { name: '400: invalid request parameters', call: 'GET /api/v1/orders?limit=0', status: 400, content: { success: false } },
  { name: '401: authentication error', call: 'GET /api/v1/orders', options: { key: null }, status: 401, content: { success: false } },
  { name: '404: resource not found', call: 'GET /api/v1/orders/ord_00000000000000000000000000', status: 404, content: { success: false } },
  {
    name: 'error body: success (false), error.code INVALID_PARAMS, error.message, error.details.field, error.details.reason',
    call: 'POST /api/v1/products/sync',
    options: { body: { name: 'Mug' } },
    status: 400,
    check: ({ body }) => {
      assert.deepEqual(Object.keys(body), ['success', 'error']);
      assert.equal(body.success, false);
      assert.equal(body.error.code, 'INVALID_PARAMS');
      assert.match(body.error.message, /product_id/);
      assert.equal(body.error.details.field, 'product_id');
      assert.match(body.error.details.reason, /mandatory/);
    },
  },
  {
    name: 'error.details lists every failure, the first of them is also in field and reason',
    call: 'POST /api/v1/orders',
    options: { body: { customer_id: '', items: [{ product_id: 'p', quantity: 0, price: -1 }], extra: 1 } },
    status: 400,
    check: ({ body }) => {
      const { field, reason, errors: all } = body.error.details;
      assert.deepEqual(
        all.map((fault: { field: string }) => fault.field),
        ['customer_id', 'items[0].quantity', 'items[0].price', 'extra'],
      );
      assert.deepEqual({ field, reason }, all[0]);
    },
  },
];

const limitsAndVersioning: Scenario[] = [
  {
    name: 'default page size of the order list: 50',
    call: 'GET /api/v1/orders',
    status: 200,
    check: ({ body }) => assert.equal(body.data.length, 50),
  },
  {
    name: 'default offset: 0',
    call: 'GET /api/v1/orders',
    status: 200,
    check: async ({ body }, service) => assert.deepEqual(body.data, (await service.get('/api/v1/orders?offset=0')).body.data),
  },
  { name: 'the version is part of the path: v1', call: 'GET /api/v1/orders', status: 200 },
  { name: 'the version is part of the path: not without it', call: 'GET /api/orders', status: 404 },
  { name: 'the version is part of the path: not another one', call: 'GET /api/v2/orders', status: 404 },
];

const SECTIONS: Record<string, Scenario[]> = {
  '1. what the service does': describesTheService,
  '2. order': orderFields,
  '2. order creation body': orderBody,
  '2. product synchronization body': productBody,
  '3. states': [
    {
      name: 'order status is a string; the value new occurs',
      call: 'POST /api/v1/orders',
      options: { body: ORDER },
      status: 200,
      content: { data: { status: 'new' } },
    },
  ],
  '4. endpoints': listEndpoint,
  '5. authentication': authentication,
  '7. errors': errors,
  '8. limits, 9. versioning': limitsAndVersioning,
};

onBothEngines('the interface', (engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
    const body = { customer_id: 'seed', items: [{ product_id: 'p', quantity: 3, price: 19.99 }] };
    const made = await Promise.all(Array.from({ length: SEEDED }, () => service.post('/api/v1/orders', body)));
    for (const { body: answer } of made.slice(0, 5))
      await service.post(`/api/v1/orders/${answer.data.id}/transitions`, { to: 'processing' });
  });
  after(() => service.close());

  for (const [section, scenarios] of Object.entries(SECTIONS)) {
    for (const { name, call, options, status, content, check } of scenarios) {
      test(`${section}: ${name}`, async () => {
        const [method = '', path = ''] = call.split(' ');
        const reply = await service.call(method, path, options);
        assert.equal(reply.status, status, reply.text);
        if (content) assert.partialDeepStrictEqual(reply.body, content);
        await check?.(reply, service);
      });
    }
  }
});

test('7. errors: 403: access denied', async () => {
  const service = await startService('sqlite');
  const reply = await service.get('/api/v1/keys', { key: await service.keyWith('orders:read', 'products:write') });
  assert.equal(reply.status, 403);
  assert.partialDeepStrictEqual(reply.body, { success: false, error: { code: 'FORBIDDEN' } });
  await service.close();
});

test('7. errors: 500: internal server error', async () => {
  const { fastify } = brokenServer();
  const reply = await fastify.inject({ url: '/api/v1/broken', headers: { authorization: 'Bearer any' } });
  assert.equal(reply.statusCode, 500);
  assert.partialDeepStrictEqual(reply.json(), { success: false, error: { code: 'INTERNAL_ERROR' } });
  await fastify.close();
});
