import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SCOPES, type Scope } from '../../src/http/scopes.ts';
import { newSecret } from '../../src/keys/format.ts';
import { newId } from '../../src/lib/ids.ts';
import { onEitherEngine } from '../support/databases.ts';
import { oneFault } from '../support/one-fault.ts';
import { rawRequest } from '../support/raw-request.ts';
import { type Reply, type Service, startService } from '../support/service.ts';

const HOUR = 60 * 60 * 1000;

/** Headers that carry no key at all. */
const MALFORMED_HEADERS = ['', 'Bearer', 'Bearer ', 'Bearer a b', 'Basic dXNlcjpwYXNz', 'Token abc', 'Bearer,abc', 'slk_abc'];

/** What must be the same for every key that is not (or no longer) valid. */
function visible({ status, text, headers }: Reply) {
  return { status, text, headers: [...headers].filter(([name]) => name !== 'x-request-id' && name !== 'date') };
}

onEitherEngine('every route with every kind of key', (engine) => {
  let service: Service;
  let now = Date.now();
  const keys = {} as Record<'malformed' | 'badChecksum' | 'unknown' | 'expired' | 'revoked', string> & Record<Scope, string>;
  before(async () => {
    service = await startService(engine, { clock: () => now });
    for (const scope of SCOPES) keys[scope] = await service.keyWith(scope);
    const expires_at = new Date(now + HOUR).toISOString();
    const expiring = await service.post('/api/v1/keys', { name: 'expires', scopes: ['admin'], expires_at });
    keys.expired = expiring.body.data.key;
    const revoked = await service.post('/api/v1/keys', { name: 'revoked', scopes: ['admin'] });
    await service.call('DELETE', `/api/v1/keys/${revoked.body.data.id}`);
    keys.revoked = revoked.body.data.key;
    keys.unknown = newSecret(newId('key', now).id);
    keys.badChecksum = keys.admin.slice(0, -1) + (keys.admin.endsWith('0') ? '1' : '0');
    keys.malformed = 'slk_short';
    now += 2 * HOUR;
  });
  after(() => service.close());

  /** Every route of the service, as method, path and needed scopes. */
  const routes = () =>
    service.app.routes.map(({ method, path, scope }) => ({
      name: `${method} ${path}`,
      method,
      path: path.replace(/\{\w+\}/g, 'x'),
      needed: typeof scope === 'string' ? [scope] : [...scope],
    }));
  const ask = (method: string, path: string, key: string | null, authorization?: string) =>
    service.call(method, path, {
      key,
      ...(authorization !== undefined && { headers: { authorization } }),
      ...(method === 'POST' && { raw: '{}' }),
    });
  const assertUnauthorized = (reply: Reply, what: string): void => {
    assert.equal(reply.status, 401, what);
    assert.equal(reply.body.error.code, 'UNAUTHORIZED', what);
    assert.equal(reply.headers.get('www-authenticate'), 'Bearer', what);
    assert.deepEqual(reply.body.error.details, oneFault('Authorization', 'must carry a valid key'), what);
  };

  test('the table of routes is there', () => {
    const names = new Set(routes().map(({ name }) => name));
    for (const one of [
      'GET /api/v1/orders',
      'POST /api/v1/products/sync/batch',
      'DELETE /api/v1/keys/{id}',
      'GET /api/v1/audit',
      'GET /api/v1/events',
    ])
      assert.ok(names.has(one), one);
  });

  test('no key, and headers that carry none: 401', async () => {
    for (const { name, method, path } of routes()) {
      assertUnauthorized(await ask(method, path, null), name);
      for (const header of MALFORMED_HEADERS) assertUnauthorized(await ask(method, path, null, header), `${name} with "${header}"`);
    }
  });

  test('malformed, bad checksum, unknown, expired, revoked: 401, all alike', async () => {
    for (const { name, method, path } of routes()) {
      const unknown = await ask(method, path, keys.unknown);
      assertUnauthorized(unknown, name);
      for (const kind of ['malformed', 'badChecksum', 'expired', 'revoked'] as const) {
        assert.deepEqual(visible(await ask(method, path, keys[kind])), visible(unknown), `${name} with a key that is ${kind}`);
      }
    }
  });

  test('each single scope: its routes are open, all others 403 naming what is missing', async () => {
    for (const { name, method, path, needed } of routes()) {
      for (const scope of SCOPES) {
        const { status, body, text } = await ask(method, path, keys[scope]);
        const what = `${name} with ${scope}: ${text}`;
        if (scope === 'admin' || needed.includes(scope)) {
          assert.ok(status !== 401 && status !== 403 && status < 500, what);
        } else {
          assert.equal(status, 403, what);
          assert.equal(body.error.code, 'FORBIDDEN', what);
          assert.equal(body.error.details.reason, `missing scope ${needed.join(' or ')}`, what);
        }
      }
    }
  });

  test('scopes are looked at before the request is', async () => {
    for (const { name, method, path, needed } of routes()) {
      // What this key may ask is looked at, and found wrong in one way or the other.
      const statuses = needed.includes('webhooks') ? [400, 415] : [403];
      const options = { raw: '{"broken', headers: { 'content-type': 'text/plain' } };
      const body = method === 'POST' ? options : {};
      const { status } = await service.call(method, `${path}?nonsense=1`, { key: keys.webhooks, ...body });
      assert.ok(statuses.includes(status), `${name}: ${status}`);
      assert.equal((await service.call(method, `${path}?nonsense=1`, { key: null, ...body })).status, 401, name);
    }
  });

  test('other spellings of a path need the key as well', async () => {
    for (const { name, method, path } of routes()) {
      for (const spelling of [
        path.replace('/api', '/%61pi'),
        path.replace('/api', '/%61%70%69'),
        `http://other.example${path}`,
        `${path}/`,
      ]) {
        const { status, body } = await rawRequest(service.url, `${method} ${spelling} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
        assert.equal(status, 401, `${name} as ${spelling}: ${body}`);
      }
    }
  });

  test('an unknown path of either area: 401 without a key, 404 with one', async () => {
    for (const path of [
      '/api',
      '/api/',
      '/api/v1',
      '/api/v1/nothing',
      '/api/v2/orders',
      '/api/v1/datasync/nothing',
      '/api/v1/orders/x/y',
      '/api?x=1',
      '/%61pi/v1/no',
    ]) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        for (const key of [null, keys.unknown, keys.expired, keys.revoked]) assertUnauthorized(await ask(method, path, key), path);
        for (const key of [keys.admin, keys.webhooks]) {
          const { status, body } = await ask(method, path, key);
          assert.equal(status, 404, path);
          assert.equal(body.error.code, 'NOT_FOUND');
        }
      }
    }
  });
});
