import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, test } from 'node:test';
import { type Handler, sendJson } from '../../../test/support/api-server.ts';
import { failureOf, openHttp } from '../../../test/support/http-connector.ts';
import { useApis } from '../../../test/support/served-apis.ts';
import { AUTHORITY, CERTIFICATE, CERTIFICATE_KEY, EXPIRED_CERTIFICATE, EXPIRED_KEY } from '../../../test/support/tls-certificates.ts';
import { reachOf } from '../../outside/reach.ts';

const { serve } = useApis();

const streams = [{ name: 'orders', path: '/orders' }];
const some: Handler = (_, response) => sendJson(response, { data: [{ id: 1 }], next: null });

/** What a failed check says: kind, code, member, and words that match. */
async function says(config: object, expected: [kind: string, code: string, field: string | undefined], words: RegExp): Promise<void> {
  const started = performance.now();
  const session = await openHttp({ streams, ...config });
  const error = await failureOf(session.check());
  await session.close();
  assert.deepEqual([error.kind, error.code, error.field], expected, error.message);
  assert.match(error.message, words);
  assert.ok(error.hint, 'it says what to do next');
  assert.ok(performance.now() - started < 10_000, 'within ten seconds');
}

describe('checking an HTTP API', () => {
  test('says what was reached, and what was guessed', async () => {
    const api = await serve(some);
    const session = await openHttp({
      base_url: api.url,
      streams: [
        { name: 'orders', path: '/orders' },
        { name: 'sure', path: '/sure', records: 'data', paging: { type: 'cursor', next: 'meta.next' } },
        { name: 'written', write: { path: '/written' } },
      ],
    });
    const report = await session.check();
    assert.equal(report.message, `127.0.0.1:${api.port}, 2 of 3 streams answered`);
    assert.deepEqual(report.warnings, [
      'orders: the records are taken from "data"; say so with `records` to make it certain.',
      'sure: the first page has no "meta.next"; either there is only one page, or `paging.next` is wrong.',
      'Writing cannot be tried without writing: written.',
    ]);
  });

  test('a host that nobody knows', async () => {
    await says(
      { base_url: 'http://no-such-host.invalid/v1' },
      ['config', 'HOST_UNKNOWN', 'base_url'],
      /host "no-such-host.invalid" is not known/,
    );
  });

  test('a port that is closed', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    await says({ base_url: `http://127.0.0.1:${port}` }, ['transient', 'PORT_CLOSED', 'base_url'], /Nothing answers at 127.0.0.1:\d+/);
  });

  test('a server that accepts and never answers', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await says(
      { base_url: `http://127.0.0.1:${port}`, timeout_seconds: 0.5 },
      ['transient', 'TIMEOUT', undefined],
      /did not answer within 0.5 s/,
    );
    // However long a request may take, a check does not.
    const started = performance.now();
    await says(
      { base_url: `http://127.0.0.1:${port}`, timeout_seconds: 600 },
      ['transient', 'TIMEOUT', 'base_url'],
      /did not answer in time/,
    );
    assert.ok(performance.now() - started > 8000);
    server.close();
  });

  test('certificates that cannot be trusted', async () => {
    const good = await serve(some, { key: CERTIFICATE_KEY, cert: CERTIFICATE });
    await says({ base_url: good.url }, ['config', 'TLS_REFUSED', 'tls.ca'], /is not signed by an authority that Syncline trusts/);
    const expired = await serve(some, { key: EXPIRED_KEY, cert: EXPIRED_CERTIFICATE });
    await says({ base_url: expired.url, tls: { ca: EXPIRED_CERTIFICATE } }, ['config', 'TLS_REFUSED', 'base_url'], /has expired/);
    const elsewhere = await serve(some, { key: CERTIFICATE_KEY, cert: CERTIFICATE }, '127.0.0.2');
    await says({ base_url: elsewhere.url, tls: { ca: AUTHORITY } }, ['config', 'TLS_REFUSED', 'base_url'], /is for another name/);
    for (const tls of [{ ca: AUTHORITY }, { verify: false }]) {
      const session = await openHttp({ base_url: good.url, streams, tls });
      assert.match((await session.check()).message, /1 of 1 streams/);
      await session.close();
    }
  });

  test('http where https is spoken, and the other way round, and something else altogether', async () => {
    const plain = await serve(some);
    await says({ base_url: plain.url.replace('http:', 'https:') }, ['config', 'TLS_FAILED', 'base_url'], /may speak plain HTTP/);
    const secure = await serve(some, { key: CERTIFICATE_KEY, cert: CERTIFICATE });
    const error = await failureOf((await openHttp({ base_url: secure.url.replace('https:', 'http:'), streams })).check());
    assert.match(error.code, /NOT_HTTP|CONNECTION_LOST/);
    const ssh = createServer((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n')).listen(0, '127.0.0.1');
    await once(ssh, 'listening');
    await says(
      { base_url: `http://127.0.0.1:${(ssh.address() as AddressInfo).port}` },
      ['config', 'NOT_HTTP', 'base_url'],
      /does not speak HTTP/,
    );
    ssh.close();
  });

  test('answers that refuse us, each with what the API says about it', async () => {
    const secret = 'tok-0123456789';
    const answers: [number, unknown, [string, string, string | undefined], RegExp][] = [
      [
        401,
        { error: { message: `Bad token ${secret}.` } },
        ['auth', 'UNAUTHORIZED', 'auth'],
        /does not accept who we are \(401\) on GET \/v1\/orders.*: Bad token \*\*\*\.$/,
      ],
      [
        403,
        { detail: 'needs the scope orders:read' },
        ['auth', 'FORBIDDEN', 'auth'],
        /does not allow.*\(403\): needs the scope orders:read/,
      ],
      [
        404,
        { errors: [{ title: 'Not found' }] },
        ['config', 'PATH_MISSING', 'streams[0].path'],
        /nothing at GET \/v1\/orders.*\(404\): Not found/,
      ],
      [400, 'limit is mandatory', ['config', 'REQUEST_REFUSED', 'streams[0].path'], /\(400\): limit is mandatory/],
      [
        200,
        '<html><title>Sign in</title>',
        ['config', 'NOT_JSON', 'streams[0].path'],
        /a web page titled "Sign in" \(HTML\) instead of JSON/,
      ],
      [200, '{"orders":"none"}', ['config', 'RECORDS_MISSING', 'streams[0].path'], /has no "data"; it has orders/],
    ];
    for (const [status, body, expected, words] of answers) {
      const api = await serve((_, response) => sendJson(response, body, status));
      const config = { base_url: `${api.url}/v1`, auth: { type: 'bearer', token: secret }, streams: [{ ...streams[0], records: 'data' }] };
      await says(config, expected, words);
    }
    const busy = await serve((_, response) => sendJson(response, {}, 429, { 'retry-after': '120' }));
    const error = await failureOf((await openHttp({ base_url: busy.url, streams })).check());
    assert.deepEqual([error.kind, error.code, error.retryAfter], ['transient', 'RATE_LIMITED', 120]);
    assert.equal(busy.received.length, 1, 'a check does not wait');
    const strict = await serve(({ url }, response) => sendJson(response, [], url.pathname === '/first' ? 200 : 429));
    const several = [
      { name: 'first', path: '/first' },
      { name: 'second', path: '/second' },
    ];
    const report = await (await openHttp({ base_url: strict.url, streams: several })).check();
    assert.deepEqual([report.message, report.warnings.at(-1)], [`127.0.0.1:${strict.port}, 1 of 2 streams answered`, 'Not tried: second.']);
    const down = await serve((_, response) => sendJson(response, {}, 502));
    assert.deepEqual((await failureOf((await openHttp({ base_url: down.url, streams })).check())).code, 'API_FAILED');
  });

  test('addresses that the operator does not allow', async () => {
    const api = await serve(some);
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1']) {
      const session = await openHttp({ base_url: `http://${host}:${api.port}`, streams }, { reach: reachOf('public') });
      const error = await failureOf(session.check());
      assert.deepEqual([error.kind, error.code, error.field], ['config', 'ADDRESS_REFUSED', 'base_url'], host);
      assert.match(error.hint ?? '', /SYNCLINE_NETWORKS/);
    }
    for (const host of ['169.254.169.254', '[::ffff:169.254.169.254]', '[fe80::1]', '0.0.0.0']) {
      const error = await failureOf((await openHttp({ base_url: `http://${host}`, streams })).check());
      assert.equal(error.code, 'ADDRESS_REFUSED', host);
    }
    assert.equal(api.received.length, 0);
  });

  test('with nothing to read, that the API is there and accepts us', async () => {
    let status = 404;
    const api = await serve((_, response) => sendJson(response, {}, status));
    const session = await openHttp({ base_url: `${api.url}/v1`, streams: [{ name: 'w', write: { path: '/w' } }] });
    assert.match((await session.check()).message, /0 of 1 streams/);
    status = 401;
    assert.equal((await failureOf(session.check())).code, 'UNAUTHORIZED');
  });
});
