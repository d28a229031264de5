import assert from 'node:assert/strict';
import type { LookupFunction } from 'node:net';
import { describe, test } from 'node:test';
import { type ApiServer, type Handler, sendJson } from '../../../../test/support/api-server.ts';
import { failureOf, openHttp, readAll } from '../../../../test/support/http-connector.ts';
import { useApis } from '../../../../test/support/served-apis.ts';
import { AUTHORITY, CERTIFICATE, CERTIFICATE_KEY } from '../../../../test/support/tls-certificates.ts';
import { until } from '../../../../test/support/until.ts';
import { type Reach, reachOf } from '../../../outside/reach.ts';

const { serve } = useApis();

const fields = [{ name: 'id', type: 'int64' }];
const streams = [{ name: 's', path: '/s', fields }];
const one: Handler = (_, response) => sendJson(response, [{ id: 1 }]);
const request = { stream: 's', fields: ['id'] };

describe('authentication', () => {
  test('each kind is sent where it belongs', async () => {
    const api = await serve(one);
    const kinds: [object, (received: ApiServer['received'][number]) => unknown, unknown][] = [
      [{ type: 'none' }, ({ headers }) => headers.authorization, undefined],
      [{ type: 'bearer', token: 'abc' }, ({ headers }) => headers.authorization, 'Bearer abc'],
      [
        { type: 'basic', username: 'ann', password: 'pä:ss' },
        ({ headers }) => headers.authorization,
        `Basic ${Buffer.from('ann:pä:ss').toString('base64')}`,
      ],
      [{ type: 'header', name: 'X-Api-Key', value: 'k' }, ({ headers }) => headers['x-api-key'], 'k'],
      [{ type: 'query', name: 'api key', value: 'a&b' }, ({ url }) => url.searchParams.get('api key'), 'a&b'],
    ];
    for (const [auth, found, expected] of kinds) {
      const session = await openHttp({ base_url: api.url, auth, headers: [{ name: 'X-Shop', value: '7' }], streams });
      await readAll(session, request);
      const last = api.received.at(-1);
      assert.ok(last);
      assert.equal(found(last), expected);
      assert.equal(last.headers['x-shop'], '7');
      assert.equal(last.headers['user-agent'], 'Syncline');
    }
  });

  test('OAuth 2: one token for many requests, a new one when it is refused or about to expire', async () => {
    let [issued, lifetime, accepted] = [0, 3600, 0];
    const login = await serve(({ body, headers }, response) => {
      const form = new URLSearchParams(body);
      const known =
        headers.authorization === `Basic ${Buffer.from('me:s%20cret').toString('base64')}` || form.get('client_secret') === 's cret';
      if (!known) return sendJson(response, { error: 'invalid_client', error_description: `no such client with s cret` }, 401);
      assert.deepEqual([form.get('grant_type'), form.get('scope'), form.get('audience')], ['client_credentials', 'read write', 'shop']);
      return sendJson(response, { access_token: `token-${++issued}`, token_type: 'Bearer', expires_in: lifetime });
    });
    const api = await serve(({ headers }, response) => {
      const token = Number(String(headers.authorization).replace('Bearer token-', ''));
      return token > accepted ? sendJson(response, [{ id: 1 }]) : sendJson(response, { message: `expired token-${token}` }, 401);
    });
    const auth = {
      type: 'oauth2_client_credentials',
      token_url: `${login.url}/token`,
      client_id: 'me',
      client_secret: 's cret',
      scope: 'read write',
      audience: 'shop',
    };
    const session = await openHttp({ base_url: api.url, auth, streams });
    await Promise.all([1, 2, 3].map(() => readAll(session, request)));
    await readAll(session, request);
    assert.equal(issued, 1, 'one token for all');
    accepted = 1;
    assert.equal((await readAll(session, request)).rows.length, 1, 'a revoked token is replaced');
    assert.equal(issued, 2);
    accepted = 10;
    const refused = await failureOf(readAll(session, request));
    assert.deepEqual([refused.kind, refused.code], ['auth', 'UNAUTHORIZED']);
    assert.equal(issued, 3, 'once, not for ever');
    assert.doesNotMatch(refused.message, /token-3/);
    accepted = 0;
    lifetime = 20;
    const brief = await openHttp({ base_url: api.url, auth: { ...auth, client_in: 'body' }, streams });
    await readAll(brief, request);
    assert.equal(issued, 4);

    const wrong = await failureOf(
      readAll(await openHttp({ base_url: api.url, auth: { ...auth, client_secret: 'wrong' }, streams }), request),
    );
    assert.deepEqual([wrong.kind, wrong.code, wrong.field], ['auth', 'TOKEN_REFUSED', 'auth.client_secret']);
    assert.match(wrong.message, /no such client/);
    for (const [answer, code] of [
      [{ token: 'x' }, 'TOKEN_MISSING'],
      ['<html>', 'TOKEN_MISSING'],
    ] as const) {
      const odd = await serve((_, response) => sendJson(response, answer));
      const error = await failureOf(
        readAll(await openHttp({ base_url: api.url, auth: { ...auth, token_url: odd.url }, streams }), request),
      );
      assert.deepEqual([error.kind, error.code, error.field], ['config', code, 'auth.token_url']);
    }
    const elsewhere = await serve((_, response) => sendJson(response, {}, 307, { location: `${login.url}/token` }));
    const moved = await failureOf(
      readAll(await openHttp({ base_url: api.url, auth: { ...auth, token_url: elsewhere.url }, streams }), request),
    );
    assert.equal(moved.field, 'auth.token_url', 'the secret is not carried on');
  });
});

test('a token server that is silent holds nobody who wants to stop', async () => {
  const login = await serve(() => {});
  const auth = { type: 'oauth2_client_credentials', token_url: login.url, client_id: 'me', client_secret: 'secret' };
  const session = await openHttp({ base_url: login.url, auth, streams });
  const stop = new AbortController();
  const reading = failureOf(readAll(session, { ...request, signal: stop.signal }));
  await until('the token server is asked', () => login.received.length > 0);
  stop.abort();
  assert.equal((await reading).code, 'ABORTED');
  await session.close();
});

test('an API that tells our secret back is not quoted, wherever its words are cut', async () => {
  const token = `secret-${'0123456789'.repeat(20)}`;
  for (const padding of [0, 10, 100, 190, 195]) {
    const api = await serve((_, response) =>
      sendJson(response, { message: `${'.'.repeat(padding)} ${token} ${encodeURIComponent(token)}` }, 401),
    );
    const error = await failureOf(readAll(await openHttp({ base_url: api.url, auth: { type: 'bearer', token }, streams }), request));
    assert.doesNotMatch(`${error.message} ${error.hint}`, /secret-0|0123/);
  }
});

describe('redirects', () => {
  const auth = { type: 'bearer', token: 'a-secret' };
  const headers = [{ name: 'X-Shop', value: 'private' }];

  test('are followed, without credentials to another origin', async () => {
    const other = await serve(({ headers: sent, url }, response) => {
      assert.deepEqual([sent.authorization, sent['x-shop'], url.search], [undefined, undefined, '']);
      return sendJson(response, [{ id: 9 }]);
    });
    const api = await serve(({ url, headers: sent }, response) => {
      assert.equal(sent.authorization, 'Bearer a-secret');
      if (url.pathname === '/s') return sendJson(response, {}, 302, { location: '/moved' });
      return sendJson(response, {}, 301, { location: `http://user:pw@127.0.0.1:${other.port}/` });
    });
    const session = await openHttp({ base_url: api.url, auth, headers, streams });
    assert.deepEqual((await readAll(session, request)).rows, [['9']]);
    assert.equal(other.received.length, 1);
  });

  test('end after five, and lead nowhere but to web addresses', async () => {
    const loop = await serve(({ url }, response) => sendJson(response, {}, 302, { location: `/s${url.pathname}` }));
    const error = await failureOf(readAll(await openHttp({ base_url: loop.url, streams }), request));
    assert.deepEqual([error.kind, error.code, loop.received.length], ['config', 'REDIRECT_LOOP', 6]);
    for (const location of ['file:///etc/passwd', 'gopher://x/', 'http://']) {
      const odd = await serve((_, response) => sendJson(response, {}, 302, { location }));
      assert.equal((await failureOf(readAll(await openHttp({ base_url: odd.url, streams }), request))).code, 'REDIRECT_REFUSED', location);
    }
  });

  test('never lead from a safe connection to one that is not', async () => {
    const open = await serve(one);
    const secure = await serve((_, response) => sendJson(response, {}, 302, { location: open.url }), {
      key: CERTIFICATE_KEY,
      cert: CERTIFICATE,
    });
    const error = await failureOf(readAll(await openHttp({ base_url: secure.url, tls: { ca: AUTHORITY }, streams }), request));
    assert.deepEqual([error.code, open.received.length], ['REDIRECT_REFUSED', 0]);
  });

  test('to an address that is not allowed are refused at the door', async () => {
    const inside = await serve(one, undefined, '127.0.0.2');
    const places = [
      `http://127.0.0.2:${inside.port}/`,
      `http://[::ffff:127.0.0.2]:${inside.port}/`,
      'http://169.254.169.254/latest/meta-data',
      `http://2130706434:${inside.port}/`,
    ];
    for (const location of places) {
      const api = await serve((_, response) => sendJson(response, {}, 302, { location }));
      const session = await openHttp({ base_url: api.url, streams }, { reach: reachOf('127.0.0.1/32') });
      assert.equal((await failureOf(readAll(session, request))).code, 'ADDRESS_REFUSED', location);
    }
    assert.equal(inside.received.length, 0);
  });
});

describe('names', () => {
  /** A name server that answers as it pleases; whether its answers are judged is for the test to say. */
  function dns(reach: Reach, answers: string[], isJudged: boolean): Reach {
    const lookup: LookupFunction = (_, options, callback) => {
      const address = answers.shift() ?? '';
      try {
        if (isJudged) reach.demand(address);
      } catch (error) {
        return callback(error as Error, []);
      }
      return options.all ? callback(null, [{ address, family: 4 }]) : callback(null, address, 4);
    };
    return { demand: (address) => reach.demand(address), lookup, socket: (onread) => reach.socket(onread) };
  }

  test('that change their address between two connections are judged each time, by the address connected to', async () => {
    const outside = await serve((_, response) => sendJson(response, [{ id: 1 }], 200, { connection: 'close' }), undefined, '127.0.0.2');
    const inside = await serve(one, undefined, '127.0.0.1', outside.port);
    for (const isJudged of [true, false]) {
      const reach = dns(reachOf('127.0.0.2/32'), ['127.0.0.2', '127.0.0.1', '127.0.0.2'], isJudged);
      const session = await openHttp({ base_url: `http://shop.test:${outside.port}`, streams }, { reach });
      assert.equal((await readAll(session, request)).rows.length, 1);
      const error = await failureOf(readAll(session, request));
      assert.deepEqual([error.kind, error.code, error.field], ['config', 'ADDRESS_REFUSED', 'base_url'], `judged: ${isJudged}`);
      assert.equal((await readAll(session, request)).rows.length, 1);
      await session.close();
    }
    assert.equal(inside.received.length, 0, 'not a byte of a request arrived there');
  });
});

describe('patience', () => {
  test('no more requests a second than allowed', async () => {
    const api = await serve(({ url }, response) =>
      sendJson(response, Number(url.searchParams.get('page')) < 6 ? [{ id: Number(url.searchParams.get('page')) }] : []),
    );
    const session = await openHttp({ base_url: api.url, requests_per_second: 20, streams: [{ ...streams[0], paging: { type: 'page' } }] });
    const started = performance.now();
    assert.equal((await readAll(session, request)).rows.length, 5);
    const took = performance.now() - started;
    assert.ok(took >= 245 && took < 2000, `6 requests took ${took} ms`);
  });

  test('waits when the API asks for it, for a while', async () => {
    let refusals = 2;
    const api = await serve((_, response) =>
      refusals-- > 0
        ? sendJson(response, {}, refusals === 1 ? 429 : 503, {
            'retry-after': refusals === 1 ? '0.1' : new Date(Date.now() - 1000).toUTCString(),
          })
        : sendJson(response, [{ id: 1 }]),
    );
    const session = await openHttp({ base_url: api.url, streams });
    assert.equal((await readAll(session, request)).rows.length, 1);
    assert.equal(api.received.length, 3);
  });

  test('hands a longer wait on to the queue of runs', async () => {
    const cases: [number, string, number][] = [
      [429, '3600', 3600],
      [503, new Date(Date.now() + 7_200_000).toUTCString(), 7200],
    ];
    for (const [status, header, seconds] of cases) {
      const api = await serve((_, response) => sendJson(response, { message: 'slow down' }, status, { 'retry-after': header }));
      const error = await failureOf(readAll(await openHttp({ base_url: api.url, streams }), request));
      assert.deepEqual([error.kind, error.code], ['transient', status === 429 ? 'RATE_LIMITED' : 'UNAVAILABLE']);
      assert.ok(Math.abs((error.retryAfter ?? 0) - seconds) <= 2);
      assert.equal(api.received.length, 1);
    }
    const api = await serve((_, response) => sendJson(response, {}, 429, { 'retry-after': '0' }));
    const error = await failureOf(readAll(await openHttp({ base_url: api.url, streams }), request));
    assert.equal(error.code, 'RATE_LIMITED');
    assert.equal(api.received.length, 5, 'and does not ask for ever');
  });

  test('ends at once when it is told to, also while it waits', async () => {
    const api = await serve((_, response) => sendJson(response, {}, 429, { 'retry-after': '30' }));
    const stop = new AbortController();
    const reading = readAll(await openHttp({ base_url: api.url, streams }), { ...request, signal: stop.signal });
    const started = performance.now();
    setTimeout(() => stop.abort(), 100);
    const error = await failureOf(reading);
    assert.equal(error.code, 'ABORTED');
    assert.ok(performance.now() - started < 2000);
  });

  test('a connection that the server has closed meanwhile is replaced without a word', async () => {
    const api = await serve(one);
    const session = await openHttp({ base_url: api.url, streams });
    for (let round = 0; round < 20; round++) {
      assert.equal((await readAll(session, request)).rows.length, 1);
      if (round % 3 === 0) api.server.closeAllConnections();
    }
  });
});
