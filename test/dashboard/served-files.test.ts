import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { type Service, startService } from '../support/service.ts';
import { rawRequest } from '../support/raw-request.ts';

const BUILT = 'dashboard/dist';

describe('the files of the dashboard', () => {
  let service: Service;
  before(async () => {
    service = await startService('sqlite');
  });
  after(() => service.close());

  const get = (path: string, headers: Record<string, string> = {}) => service.get(path, { key: null, headers });

  test('every page of it is the same file, without a key, never kept, and with a strict policy', async () => {
    for (const path of ['/', '/syncs', '/syncs/', '/orders/ord_1?x=1', '/runs/a/b']) {
      const { status, headers, text } = await get(path);
      assert.equal(status, 200, path);
      assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin');
      assert.match(headers.get('permissions-policy') ?? '', /camera=\(\)/);
      const policy = headers.get('content-security-policy') ?? '';
      const nonce = /'nonce-([\w-]{24})'/.exec(policy)?.[1];
      assert.ok(nonce && text.includes(`nonce="${nonce}"`), path);
      for (const part of ["default-src 'none'", "script-src 'self';", "frame-ancestors 'none'", "base-uri 'none'"]) {
        assert.ok(policy.includes(part), part);
      }
      assert.ok(!policy.includes('unsafe'), policy);
    }
  });

  test('a nonce is for one answer', async () => {
    const policies = await Promise.all([1, 2, 3].map(async () => (await get('/')).headers.get('content-security-policy')));
    assert.equal(new Set(policies).size, 3);
  });

  test('nothing in the page is inline or from elsewhere', async () => {
    const { text } = await get('/');
    for (const [script] of text.matchAll(/<script[^>]*>/g)) assert.match(script, / src="\/(assets|static)\/[\w.-]+"/);
    for (const [, address] of text.matchAll(/(?:src|href)="([^"]+)"/g)) assert.match(address ?? '', /^\/(assets|static|docs)/);
    assert.ok(!/<style|style=| on\w+=/.test(text));
  });

  test('what has a hash in its name is kept for ever, and sent as small as the browser takes it', async () => {
    const name = readdirSync(`${BUILT}/assets`).find((file) => /^index-.*\.js$/.test(file));
    const path = `/assets/${name}`;
    const plain = readFileSync(`${BUILT}${path}`, 'utf8');
    const { status, headers, text } = await get(path, { 'accept-encoding': 'identity' });
    assert.deepEqual([status, text === plain, headers.get('content-encoding')], [200, true, null]);
    assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable');
    assert.equal(headers.get('content-type'), 'text/javascript; charset=utf-8');
    for (const [accepted, sent] of [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
      ['br;q=0, gzip', 'gzip'],
      ['zstd', null],
    ] as const) {
      const answer = await get(path, { 'accept-encoding': accepted });
      assert.equal(answer.headers.get('content-encoding'), sent, accepted);
      assert.equal(answer.headers.get('vary'), 'accept-encoding');
      assert.ok(answer.text === plain, accepted);
    }
    assert.equal(gunzipSync(readFileSync(`${BUILT}${path}.gz`)).toString(), plain);
  });

  test('what is not there is 404 with a sentence, also when it tries to climb out', async () => {
    for (const path of [
      '/assets/nothing.js',
      '/assets/index.html',
      '/assets/..%2Findex.html',
      '/static/..%2f..%2fvite.config.ts',
      '/assets/.vite',
      '/nothing',
    ]) {
      const { status, body } = await get(path);
      assert.deepEqual([status, body.error.code], [404, 'NOT_FOUND'], path);
    }
    const climbing = await rawRequest(service.url, 'GET /assets/../../vite.config.ts HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    assert.equal(climbing.status, 404);
  });

  test('the API, the reference and the health stay what they are', async () => {
    assert.equal((await get('/api/v1/orders')).status, 401);
    assert.equal((await get('/api/v1/nothing')).status, 401);
    assert.equal((await service.get('/api/v1/nothing')).status, 404);
    for (const path of ['/docs', '/openapi.json', '/healthz', '/readyz']) assert.equal((await get(path)).status, 200, path);
    assert.equal((await service.post('/orders', {})).status, 404);
  });
});
