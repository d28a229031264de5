import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Handler, sendJson } from '../../../../../test/support/api-server.ts';
import { failureOf, openHttp, readAll } from '../../../../../test/support/http-connector.ts';
import { useApis } from '../../../../../test/support/served-apis.ts';
import { until } from '../../../../../test/support/until.ts';

const { serve } = useApis();

const streams = [{ name: 's', path: '/s', fields: [{ name: 'id', type: 'int64' }] }];
const request = { stream: 's', fields: ['id'] };
const login = {
  type: 'login',
  url: '/login',
  values: [{ name: 'user', value: 'ann' }],
  secrets: [{ name: 'credentials.password', value: 'pass word' }],
  token: 'data.token',
  expires: 'data.expires_in',
};

/** An API with a log-in: the tokens that were given out, and which of them still count. */
function shop({ seconds = 3600 }: { seconds?: number } = {}) {
  const state = { given: 0, oldest: 1 };
  const handler: Handler = ({ url, body, headers }, response) => {
    if (url.pathname === '/login') {
      const { user, credentials } = JSON.parse(body) as { user: string; credentials: { password: string } };
      if (user !== 'ann' || credentials.password !== 'pass word')
        return sendJson(response, { error: { message: `no ${credentials.password} for ${user}` } }, 401);
      return sendJson(response, { data: { token: `token-${++state.given}`, expires_in: seconds } });
    }
    const token = Number(/^Bearer token-(\d+)$/.exec(headers.authorization ?? '')?.[1] ?? 0);
    return token >= state.oldest ? sendJson(response, [{ id: 1 }]) : sendJson(response, { message: 'who?' }, 401);
  };
  return { state, handler };
}

describe('a log-in by a request', () => {
  test('one for many requests, another when the token is refused or about to end', async () => {
    const { state, handler } = shop();
    const api = await serve(handler);
    const session = await openHttp({ base_url: api.url, auth: login, streams });
    await Promise.all([1, 2, 3, 4].map(() => readAll(session, request)));
    assert.equal(state.given, 1, 'streams share it');
    state.oldest = 2;
    await Promise.all([1, 2, 3, 4].map(() => readAll(session, request)));
    assert.equal(state.given, 2, 'one new log-in for all that were refused');
    state.oldest = 100;
    const refused = await failureOf(readAll(session, request));
    assert.deepEqual([refused.kind, refused.code, state.given], ['auth', 'UNAUTHORIZED', 3], 'once, not for ever');
    const brief = shop({ seconds: 1 });
    const other = await serve(brief.handler);
    const short = await openHttp({ base_url: other.url, auth: login, streams });
    await readAll(short, request);
    await until('its token has ended', async () => (await readAll(short, request)).rows.length === 1 && brief.state.given === 2);
  });

  test('a wrong secret is refused in words, without it, and is not tried again', async () => {
    const { handler } = shop();
    const api = await serve(handler);
    const auth = { ...login, secrets: [{ name: 'credentials.password', value: 'wrong one' }] };
    const session = await openHttp({ base_url: api.url, auth, streams });
    const outcomes = await Promise.all([1, 2, 3].map(() => failureOf(readAll(session, request))));
    outcomes.push(await failureOf(session.check()));
    for (const { kind, code, field, message } of outcomes) {
      assert.deepEqual([kind, code, field], ['auth', 'LOGIN_REFUSED', 'auth.secrets']);
      assert.match(message, /refused to let us in \(401\): no \*\*\* for ann\.$/);
    }
    assert.equal(api.received.length, 1, 'accounts are locked by those who try again and again');
  });

  test('a refusal with the status of a success, as GraphQL has it; the token in a header of the answer', async () => {
    const api = await serve(({ url, body, headers }, response) => {
      if (url.pathname === '/s') return sendJson(response, headers['x-session'] === 't-1' ? [{ id: 1 }] : []);
      const { query, variables } = JSON.parse(body) as { query: string; variables: { name: string; password: string } };
      assert.match(query, /^mutation/);
      const isKnown = variables.name === 'ann' && variables.password === 'pass word';
      const answer = isKnown
        ? { __typename: 'CurrentUser' }
        : { __typename: 'InvalidCredentials', message: 'The credentials do not match.' };
      return sendJson(response, { data: { login: answer } }, 200, isKnown ? { 'x-token': 't-1' } : {});
    });
    const auth = {
      type: 'login',
      url: `${api.url}/graphql`,
      body: JSON.stringify({
        query: 'mutation($name: String!, $password: String!) { login(name: $name, password: $password) { __typename } }',
      }),
      values: [{ name: 'variables.name', value: 'ann' }],
      secrets: [{ name: 'variables.password', value: 'pass word' }],
      token_header: 'X-Token',
      name: 'X-Session',
      scheme: '',
      success: { path: 'data.login.__typename', equals: 'CurrentUser' },
      errors: { message: 'data.login.message' },
    };
    const session = await openHttp({ base_url: api.url, auth, streams });
    assert.equal((await readAll(session, request)).rows.length, 1);
    const wrong = { ...auth, secrets: [{ name: 'variables.password', value: 'none' }] };
    const failure = await failureOf(readAll(await openHttp({ base_url: api.url, auth: wrong, streams }), request));
    assert.deepEqual([failure.kind, failure.code], ['auth', 'LOGIN_REFUSED']);
    assert.match(failure.message, /The credentials do not match\.$/);
  });

  test('the token goes where it is said, and never into a position', async () => {
    const api = await serve(({ url }, response) => {
      if (url.pathname === '/login') return sendJson(response, JSON.stringify('se cret'));
      return sendJson(response, {
        data: [{ id: 1 }],
        next: url.searchParams.has('page') ? null : `/s?page=2&key=${url.searchParams.get('key')}`,
      });
    });
    const paged = [{ ...streams[0], paging: { type: 'next_url', next: 'next' }, records: 'data' }];
    const auth = { ...login, format: 'form', token: '/', expires: undefined, send_in: 'query', name: 'key' };
    const session = await openHttp({ base_url: api.url, auth: JSON.parse(JSON.stringify(auth)), streams: paged });
    const { batches } = await readAll(session, { ...request, batchRows: 1 });
    assert.equal(api.received[0]?.body, 'user=ann&credentials.password=pass+word');
    assert.ok(api.received.slice(1).every(({ url }) => url.searchParams.get('key') === 'se cret'));
    for (const { position } of batches) assert.doesNotMatch(position, /cret/);
  });
});

describe('the cookies of a session', () => {
  const auth = { ...login, token: undefined, expires: undefined, cookies: true, format: 'form' };
  const plain = JSON.parse(JSON.stringify(auth)) as object;

  test('are kept, sent where they belong, changed and forgotten as the API says', async () => {
    let [logins, valid] = [0, 's1'];
    const api = await serve(({ url, headers }, response) => {
      if (url.pathname === '/app/login') {
        valid = `s${++logins}`;
        response.setHeader('set-cookie', [
          `sid=${valid}; Path=/; HttpOnly`,
          'other=1; Path=/elsewhere',
          'safe=1; Secure',
          'gone=1; Max-Age=0',
        ]);
        return void response.writeHead(302, { location: '/app/welcome' }).end();
      }
      const cookies = headers.cookie ?? '';
      if (!cookies.includes(`sid=${valid}`)) return sendJson(response, {}, 401);
      if (cookies === `sid=${valid}`) response.setHeader('set-cookie', 'step=2; Path=/');
      return sendJson(response, [{ id: 1 }]);
    });
    const session = await openHttp({ base_url: `${api.url}/app`, auth: plain, streams });
    await readAll(session, request);
    await readAll(session, request);
    assert.deepEqual(
      api.received.map(({ headers }) => headers.cookie),
      [undefined, 'sid=s1', 'sid=s1; step=2'],
    );
    valid = 'other';
    assert.equal((await readAll(session, request)).rows.length, 1, 'a session that is over is begun anew');
    assert.equal(logins, 2);
  });

  test('a form that leads back to itself has refused us', async () => {
    const api = await serve((_, response) => void response.writeHead(302, { location: '/login?error=1' }).end());
    const failure = await failureOf(readAll(await openHttp({ base_url: api.url, auth: plain, streams }), request));
    assert.deepEqual([failure.kind, failure.code, failure.field], ['config', 'LOGIN_REFUSED', 'auth.url']);
    assert.match(failure.hint ?? '', /has refused them/);
  });
});

describe('rude log-ins', () => {
  const answers: [name: string, handler: Handler, expected: [string, string, string | undefined]][] = [
    ['a web page', (_, response) => void response.end('<html><title>Hi</title></html>'), ['config', 'TOKEN_MISSING', 'auth.token']],
    ['no token', (_, response) => sendJson(response, { data: {} }), ['config', 'TOKEN_MISSING', 'auth.token']],
    [
      'a token with a line break',
      (_, response) => sendJson(response, { data: { token: 'a\r\nx: y' } }),
      ['config', 'TOKEN_MISSING', 'auth.token'],
    ],
    [
      'a token that is an object',
      (_, response) => sendJson(response, { data: { token: { a: 1 } } }),
      ['config', 'TOKEN_MISSING', 'auth.token'],
    ],
    [
      'an error in a 200',
      (_, response) => sendJson(response, { errors: [{ message: 'locked' }] }),
      ['auth', 'LOGIN_REFUSED', 'auth.secrets'],
    ],
    ['a broken server', (_, response) => sendJson(response, { message: 'oh' }, 500), ['transient', 'TOKEN_FAILED', undefined]],
    [
      'another address',
      (_, response) => sendJson(response, {}, 307, { location: 'http://127.0.0.1:1/' }),
      ['config', 'LOGIN_REFUSED', 'auth.url'],
    ],
    ['nothing there', (_, response) => sendJson(response, {}, 404), ['config', 'LOGIN_REFUSED', 'auth.url']],
    [
      'endless words',
      (_, response) => sendJson(response, JSON.stringify({ message: 'x'.repeat(1e6) }), 403),
      ['auth', 'LOGIN_REFUSED', 'auth.secrets'],
    ],
  ];
  for (const [name, handler, expected] of answers)
    test(name, async () => {
      const api = await serve(handler);
      const failure = await failureOf(readAll(await openHttp({ base_url: api.url, auth: login, streams, max_wait_seconds: 0 }), request));
      assert.deepEqual([failure.kind, failure.code, failure.field], expected);
      assert.ok(failure.message.length < 1000);
      assert.equal(api.received.length, 1);
    });

  test('one that is silent holds nobody who wants to stop', async () => {
    const api = await serve(() => {});
    const session = await openHttp({ base_url: api.url, auth: login, streams });
    const stop = new AbortController();
    const reading = failureOf(readAll(session, { ...request, signal: stop.signal }));
    await until('it is asked', () => api.received.length > 0);
    stop.abort();
    assert.equal((await reading).code, 'ABORTED');
    await session.close();
  });
});
