import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Type } from '../../src/lib/schema.ts';
import { brokenServer } from '../support/broken-server.ts';
import { rawRequest } from '../support/raw-request.ts';
import { type CallOptions, type Reply, type Service, startService } from '../support/service.ts';

const SECURITY = ['x-content-type-options', 'cache-control', 'content-security-policy', 'referrer-policy', 'cross-origin-resource-policy'];
/** Of pages alone. */
const OF_PAGES = ['cross-origin-opener-policy', 'permissions-policy'];
const ORDER = { customer_id: 'c', items: [{ product_id: 'p', quantity: 1, price: 1 }] };

interface Failure {
  name: string;
  call: string;
  options?: CallOptions;
  status: number;
  code: string;
  field?: string;
}

const json = (name: string, raw: string | Buffer, code = 'MALFORMED_JSON', field = ''): Failure => ({
  name: `JSON ${name}`,
  call: 'POST /api/v1/orders',
  options: { raw },
  status: 400,
  code,
  field,
});
const type = (contentType: string, call = 'POST /api/v1/orders'): Failure => ({
  name: `content type ${contentType} on ${call}`,
  call,
  options: { raw: JSON.stringify(ORDER), headers: { 'content-type': contentType } },
  status: 415,
  code: 'UNSUPPORTED_MEDIA_TYPE',
  field: 'Content-Type',
});

const FAILURES: Failure[] = [
  { name: 'no key', call: 'GET /api/v1/orders', options: { key: null }, status: 401, code: 'UNAUTHORIZED', field: 'Authorization' },
  { name: 'unknown path', call: 'GET /api/v1/nothing', status: 404, code: 'NOT_FOUND', field: 'path' },
  { name: 'unknown path outside the areas, without a key', call: 'GET /nothing', options: { key: null }, status: 404, code: 'NOT_FOUND' },
  { name: 'unknown path with a broken body', call: 'POST /api/v1/nothing', options: { raw: '{' }, status: 404, code: 'NOT_FOUND' },
  { name: 'path that cannot be decoded', call: 'GET /api/v1/orders/%zz', status: 400, code: 'INVALID_PARAMS', field: 'path' },
  { name: 'wrong method with a broken body', call: 'PUT /api/v1/orders', options: { raw: '{' }, status: 405, code: 'METHOD_NOT_ALLOWED' },
  { name: 'unknown order', call: 'GET /api/v1/orders/ord_00000000000000000000000000', status: 404, code: 'NOT_FOUND' },
  { name: 'unknown order, in another form', call: 'GET /api/v1/orders/1', status: 404, code: 'NOT_FOUND' },
  { name: 'unknown product', call: 'GET /api/v1/products/none', status: 404, code: 'NOT_FOUND' },
  { name: 'unknown query parameter', call: 'GET /api/v1/orders/ord_1?x=1', status: 400, code: 'INVALID_PARAMS', field: 'x' },
  {
    name: 'unknown query parameter on POST',
    call: 'POST /api/v1/orders?dry=1',
    options: { body: ORDER },
    status: 400,
    code: 'INVALID_PARAMS',
    field: 'dry',
  },
  { name: 'NUL in a query', call: 'GET /api/v1/orders?customer_id=%00', status: 400, code: 'INVALID_PARAMS', field: 'customer_id' },
  json('cut off', '{"customer_id":'),
  json('with a comma too many', '{"customer_id":"c",}'),
  json('with single quotes', "{'customer_id':'c'}"),
  json('followed by more', '{} {}'),
  json('that is no JSON', 'customer_id=c'),
  json('that is not UTF-8', Buffer.from('{"customer_id":"\xff"}', 'latin1')),
  json('with a NUL', '{"customer_id":"a\\u0000b","items":[]}', 'INVALID_PARAMS', 'customer_id'),
  json('that is empty', '', 'INVALID_PARAMS', 'body'),
  json('that is an array', '[]', 'INVALID_PARAMS'),
  json('that is null', 'null', 'INVALID_PARAMS'),
  json('with an unknown field', JSON.stringify({ ...ORDER, custmer: 1 }), 'INVALID_PARAMS', 'custmer'),
  type('text/plain'),
  type('application/x-www-form-urlencoded'),
  type('multipart/form-data; boundary=x'),
  type('application/x-ndjson'),
  type('application/jsonp'),
  type('nonsense'),
  type('application/xml', 'POST /api/v1/products/sync/batch'),
  type('text/plain', 'DELETE /api/v1/products/p'),
  {
    name: 'a body where none is taken',
    call: 'DELETE /api/v1/products/p',
    options: { raw: '{}' },
    status: 400,
    code: 'INVALID_PARAMS',
    field: 'body',
  },
  { name: 'no body where one is needed', call: 'POST /api/v1/orders', status: 400, code: 'INVALID_PARAMS', field: 'body' },
  {
    name: 'a body of more than 1 MiB',
    call: 'POST /api/v1/orders',
    options: { raw: 'x'.repeat(1024 * 1024 + 1) },
    status: 413,
    code: 'PAYLOAD_TOO_LARGE',
  },
  {
    name: 'a batch of more than 16 MiB',
    call: 'POST /api/v1/products/sync/batch',
    options: { raw: 'x'.repeat(16 * 1024 * 1024 + 1) },
    status: 413,
    code: 'PAYLOAD_TOO_LARGE',
  },
];

describe('conventions of the interface', () => {
  let service: Service;
  before(async () => {
    service = await startService('sqlite');
  });
  after(() => service.close());

  /** What holds for every answer. */
  const assertHeaders = ({ headers }: Pick<Reply, 'headers'>, isPage = false): void => {
    for (const name of SECURITY) assert.ok(headers.get(name), `the header ${name}`);
    for (const name of OF_PAGES) assert.equal(headers.has(name), isPage, `the header ${name}`);
    assert.match(headers.get('x-request-id') ?? '', /^[\w.-]{1,100}$/);
  };

  for (const { name, call, options, status, code, field } of FAILURES) {
    test(`failure: ${name} is ${status} ${code}`, async () => {
      const [method = '', path = ''] = call.split(' ');
      const reply = await service.call(method, path, options);
      assert.equal(reply.status, status, reply.text);
      assert.equal(reply.headers.get('content-type'), 'application/json; charset=utf-8');
      assert.deepEqual(Object.keys(reply.body), ['success', 'error']);
      assert.deepEqual(Object.keys(reply.body.error), ['code', 'message', 'details']);
      assert.equal(reply.body.success, false);
      assert.equal(reply.body.error.code, code);
      assert.match(reply.body.error.message, /\w.*\.$/);
      if (field !== undefined) assert.equal(reply.body.error.details.field, field);
      assertHeaders(reply);
      assert.equal((await service.get('/healthz')).status, 200);
    });
  }

  test('failure: every method that a path does not take is 405 and Allow lists those that it takes', async () => {
    for (const route of new Set(service.app.routes.map(({ path }) => path))) {
      const path = route.replace(/\{\w+\}/g, 'x');
      const allowed = new Set<string>(service.app.routes.filter((other) => other.path === route).map(({ method }) => method));
      // A product may have any name, also this one.
      if (route === '/api/v1/products/sync') for (const method of ['GET', 'PATCH', 'DELETE']) allowed.add(method);
      if (allowed.has('GET')) allowed.add('HEAD');
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter((name) => !allowed.has(name))) {
        const reply = await service.call(method, path);
        assert.equal(reply.status, 405, `${method} ${path}`);
        assert.deepEqual(new Set(reply.headers.get('allow')?.split(', ')), allowed, `${method} ${path}`);
        if (method !== 'HEAD') assert.equal(reply.body.error.code, 'METHOD_NOT_ALLOWED');
        assertHeaders(reply);
      }
    }
  });

  test('a word of a path is no id of an order or a source, however it is spelt, and still one of a product', async () => {
    for (const path of ['/api/v1/orders/batch', '/api/v1/orders/batch/', '/api/v1/orders/%62atch']) {
      const reply = await service.get(path);
      assert.deepEqual([reply.status, reply.headers.get('allow')], [405, 'POST'], path);
    }
    assert.equal((await service.call('PATCH', '/api/v1/orders/export', { body: {} })).headers.get('allow'), 'GET, HEAD');
    assert.equal((await service.get('/api/v1/orders/batches')).status, 404);
    await service.call('POST', '/api/v1/products/sync', { body: { product_id: 'sync', name: 'Sync', price: 1 } });
    assert.equal((await service.get('/api/v1/products/sync')).body.data.name, 'Sync');
    // Ids of customers are their own, so nothing may stand in their place.
    for (const { path } of service.app.routes) assert.doesNotMatch(path, /^\/api\/v1\/customers\/[^{]/);
  });

  test('failure: a body without a content type is 415', async () => {
    const body = JSON.stringify(ORDER);
    const head = `POST /api/v1/orders HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.adminKey}\r\nConnection: close\r\n`;
    const reply = await rawRequest(service.url, `${head}Content-Length: ${body.length}\r\n\r\n${body}`);
    assert.equal(reply.status, 415);
    assert.equal(JSON.parse(reply.body).error.code, 'UNSUPPORTED_MEDIA_TYPE');
  });

  for (const [name, value] of [
    ['Authorization', 'Bearer slk_another'],
    ['Host', 'elsewhere'],
  ]) {
    test(`failure: ${name} sent twice is 400, whatever the second one says`, async () => {
      for (const second of [`${name}: ${value}`, `${name?.toLowerCase()}: ${value}`]) {
        const head = `GET /api/v1/orders HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.adminKey}\r\nConnection: close\r\n`;
        const reply = await rawRequest(service.url, `${head}${second}\r\n\r\n`);
        assert.equal(reply.status, 400);
        const { error } = JSON.parse(reply.body);
        assert.deepEqual([error.code, error.details.field, error.details.reason], ['INVALID_PARAMS', name, 'must be sent once']);
        assertHeaders({ headers: new Headers(reply.headers) });
      }
    });
  }

  test('failure: what is not HTTP is 400, with the same body and headers', async () => {
    const reply = await rawRequest(service.url, 'hello\r\n\r\n');
    assert.equal(reply.status, 400);
    assert.equal(JSON.parse(reply.body).error.code, 'INVALID_PARAMS');
    assertHeaders({ headers: new Headers(reply.headers) });
  });

  test('other spellings of application/json are taken', async () => {
    for (const contentType of [
      'application/json',
      'application/json; charset=utf-8',
      'APPLICATION/JSON',
      'application/json;charset=UTF-8',
    ]) {
      const reply = await service.post('/api/v1/orders', ORDER, { headers: { 'content-type': contentType } });
      assert.equal(reply.status, 200, contentType);
    }
  });

  test('success: 200 with success and data, creation and deletion included, with the same headers', async () => {
    const made = await service.post('/api/v1/orders', ORDER);
    assert.equal(made.headers.get('location'), `/api/v1/orders/${made.body.data.id}`);
    await service.post('/api/v1/products/sync', { product_id: 'x', name: 'X', price: 1 });
    for (const reply of [made, await service.call('DELETE', '/api/v1/products/x'), await service.get('/api/v1/keys')]) {
      assert.equal(reply.status, 200);
      assert.equal(reply.body.success, true);
      assert.ok(reply.body.data);
      assertHeaders(reply);
    }
  });

  test('a trailing slash means the same resource', async () => {
    const { body } = await service.post('/api/v1/orders', ORDER);
    for (const path of ['/api/v1/orders', `/api/v1/orders/${body.data.id}`, '/api/v1/keys', '/healthz']) {
      assert.equal((await service.get(`${path}/`)).text, (await service.get(path)).text);
    }
    assert.deepEqual((await service.get('/api/v1/orders/?limit=1')).body.data.length, 1);
    const moved = await service.post(`/api/v1/orders/${body.data.id}/transitions/`, { to: 'processing' });
    assert.equal(moved.body.data.status, 'processing');
  });

  test('HEAD answers like GET, without the body', async () => {
    for (const path of ['/api/v1/orders', '/api/v1/keys?limit=1', '/api/v1/orders/none', '/healthz', '/openapi.json']) {
      const [head, get] = [await service.call('HEAD', path), await service.get(path)];
      assert.equal(head.text, '');
      assert.equal(head.status, get.status);
      assert.equal(head.headers.get('content-length'), String(Buffer.byteLength(get.text)));
      assert.equal(head.headers.get('content-type'), get.headers.get('content-type'));
    }
    assert.equal((await service.call('HEAD', '/api/v1/orders', { key: null })).status, 401);
  });

  test('X-Request-Id: a harmless one comes back, any other is replaced, and each is its own', async () => {
    for (const id of ['abc', 'req-1.2_3', 'x'.repeat(100)]) {
      for (const path of ['/api/v1/orders', '/api/v1/nothing', '/healthz'])
        assert.equal((await service.get(path, { headers: { 'x-request-id': id } })).headers.get('x-request-id'), id);
    }
    const ids = new Set<string>();
    for (const id of ['', 'a b', 'x'.repeat(101), '<script>', 'a;b']) {
      const given = (await service.get('/api/v1/orders', { headers: { 'x-request-id': id } })).headers.get('x-request-id') ?? '';
      assert.match(given, /^req_\w+$/);
      ids.add(given);
    }
    assert.equal(ids.size, 5);
  });

  test('/healthz, /readyz, /docs and /openapi.json need no key and carry the headers', async () => {
    assert.deepEqual((await service.get('/healthz', { key: null })).body, { success: true, data: { status: 'alive' } });
    assert.deepEqual((await service.get('/readyz', { key: null })).body, { success: true, data: { status: 'ready' } });
    for (const path of ['/healthz', '/readyz', '/docs', '/openapi.json']) {
      const reply = await service.get(path, { key: null });
      assert.equal(reply.status, 200);
      assertHeaders(reply, path === '/docs');
    }
  });
});

describe('our own faults', () => {
  test('a bug is 500 that names the request id and nothing else', async () => {
    const { fastify } = brokenServer();
    const reply = await fastify.inject({ url: '/api/v1/broken', headers: { authorization: 'Bearer any', 'x-request-id': 'the-id' } });
    assert.equal(reply.statusCode, 500);
    assert.equal(reply.headers['x-request-id'], 'the-id');
    assert.deepEqual(reply.json(), {
      success: false,
      error: { code: 'INTERNAL_ERROR', message: 'Something went wrong on our side. Tell the operator the request id the-id.', details: {} },
    });
    for (const name of SECURITY) assert.ok(reply.headers[name]);
    assert.ok(!JSON.stringify(reply.headers).includes('secret words'));
    await fastify.close();
  });

  test('a route without a scope does not start', () => {
    for (const none of [null, '', []]) assert.throws(() => brokenServer(none as never), /GET \/api\/v1\/broken declares no scope/);
  });

  test('a route whose schema says what nothing checks does not start', () => {
    const query = Type.Object({ page: Type.Integer({ multipleOf: 2 }) });
    assert.throws(() => brokenServer('orders:read', query), /GET \/api\/v1\/broken, query: the schema of page says "multipleOf"/);
  });
});
