import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import { onBothEngines } from '../support/databases.ts';
import { startOidcIssuer } from '../support/oidc-issuer.ts';
import { type CallOptions, type Reply, type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const PATH = '/api/v1/sessions';
const ME = '/api/v1/me';
const HOUR = 3_600_000;

/** What a browser sends back of a Set-Cookie. */
const cookieOf = ({ headers }: Reply): string => (headers.getSetCookie()[0] as string).split(';')[0] as string;
/** A request of the page, let in by the cookie. */
const by = (cookie: string, headers: Record<string, string> = { 'sec-fetch-site': 'same-origin' }): CallOptions => ({
  key: null,
  headers: { cookie, ...headers },
});

onBothEngines('sessions', (engine) => {
  let service: Service;
  let hours = 0;
  before(async () => {
    service = await startService(engine, { clock: () => Date.now() + hours * HOUR });
  });
  after(() => service.close());

  const newKey = async (more: object = {}): Promise<{ id: string; key: string }> =>
    (await service.post('/api/v1/keys', { name: 'a person', scopes: ['datasync:read', 'datasync:write'], ...more })).body.data;
  const signIn = async (key: string, more: CallOptions = {}): Promise<{ cookie: string; id: string }> => {
    const reply = await service.post(PATH, undefined, { key, ...more });
    assert.equal(reply.status, 200, reply.text);
    return { cookie: cookieOf(reply), id: reply.body.data.id };
  };
  const statusBy = async (cookie: string, path = ME): Promise<number> => (await service.get(path, by(cookie))).status;
  const isOver = (cookie: string): Promise<unknown> => until('the session to be over', async () => (await statusBy(cookie)) === 401);

  test('no key 401; a body 400', async () => {
    assert.equal((await service.post(PATH, undefined, { key: null })).status, 401);
    assert.equal((await service.post(PATH, { key: 'x' })).status, 400);
  });

  test('the cookie stands for the key, is not to be read by scripts, and its token is in no table', async () => {
    const { id, key } = await newKey();
    const made = await service.post(PATH, undefined, { key });
    const [header = ''] = made.headers.getSetCookie();
    assert.match(header, /^syncline-\d+=sls_[0-9a-z]{52}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict$/);
    const cookie = cookieOf(made);
    const me = await service.get(ME, by(cookie));
    assert.deepEqual([me.status, me.body.data.id], [200, id]);
    assert.equal((await service.get('/api/v1/orders', by(cookie))).status, 403);
    const rows = JSON.stringify(await service.app.db.read.all(sql`select * from sessions`));
    assert.ok(rows.includes(made.body.data.id));
    assert.ok(!rows.includes(cookie.split('=')[1] as string) && !rows.includes(key) && !made.text.includes('sls_'));
    assert.partialDeepStrictEqual(made.body.data, { current: true, address: '127.0.0.1' });
  });

  test('what is sent as a key is what counts, right or wrong; neither is good in the other’s place', async () => {
    const [one, other] = [await newKey(), await newKey()];
    const { cookie } = await signIn(one.key);
    const both = await service.get(ME, { key: other.key, headers: { cookie } });
    assert.equal(both.body.data.id, other.id);
    assert.equal((await service.get(ME, { key: 'slk_wrong', headers: { cookie } })).status, 401);
    assert.equal((await service.get(ME, { key: cookie.split('=')[1] as string })).status, 401);
    const name = cookie.split('=')[0] as string;
    assert.equal(await statusBy(`${name}=${one.key}`), 401);
    assert.equal(await statusBy(`${name}=sls_${'0'.repeat(52)}`), 401);
    // Two of one name: one of them is from someone else.
    assert.equal(await statusBy(`${cookie}; ${name}=sls_x`), 401);
    // Assistants come in by keys alone.
    assert.equal((await service.post('/mcp', {}, by(cookie))).status, 401);
    assert.equal((await service.post(PATH, undefined, by(cookie))).status, 403);
  });

  test('a change is taken from the page itself and from nowhere else', async () => {
    const { cookie } = await signIn((await newKey()).key);
    const own = service.url;
    const port = new URL(own).port;
    const change = (headers: Record<string, string>): Promise<Reply> =>
      service.post('/api/v1/datasync/hooks', { name: `made ${Math.random()}`, scheme: 'github' }, by(cookie, headers));
    const refused = [
      {},
      { origin: 'null' },
      { origin: 'https://evil.example' },
      { origin: `http://127.0.0.1:${Number(port) + 1}` },
      { origin: `http://localhost:${port}` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: own },
      { 'sec-fetch-site': 'none' },
      // As a form of another site sends it.
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', 'content-type': 'text/plain' },
    ];
    for (const headers of refused) {
      const { status, body } = await change(headers);
      assert.deepEqual([status, body.error.details.field], [403, 'Origin'], JSON.stringify(headers));
    }
    for (const headers of [{ origin: own }, { 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'same-origin', origin: own }])
      assert.equal((await change(headers)).status, 200, JSON.stringify(headers));
    // Reading, too: a page of another origin sends the cookie where it is of the same site.
    for (const headers of [{ 'sec-fetch-site': 'same-site' }, { 'sec-fetch-site': 'cross-site' }, { origin: 'null' }])
      assert.equal((await service.get(ME, by(cookie, headers))).status, 403, JSON.stringify(headers));
    for (const headers of [{}, { 'sec-fetch-site': 'none' }]) assert.equal((await service.get(ME, by(cookie, headers))).status, 200);
  });

  test('signing out ends one session, or all of the key; the key goes on working', async () => {
    const { key } = await newKey();
    const sessions = [await signIn(key), await signIn(key), await signIn(key)] as const;
    const list = await service.get(PATH, by(sessions[1].cookie));
    assert.deepEqual(
      list.body.data.map(({ id, current }: { id: string; current: boolean }) => [id, current]),
      sessions.map(({ id }, n) => [id, n === 1]).toReversed(),
    );
    const out = await service.call('DELETE', `${PATH}/current`, by(sessions[0].cookie));
    assert.deepEqual(out.body.data, { ended: 1 });
    assert.match(out.headers.getSetCookie().join('\n'), /^__Host-syncline-\d+=; .*Max-Age=0.*Secure\nsyncline-\d+=; .*Max-Age=0/);
    assert.equal(await statusBy(sessions[0].cookie), 401);
    // Those of others are none of its business.
    const stranger = await signIn((await newKey()).key);
    assert.equal((await service.call('DELETE', `${PATH}/${stranger.id}`, { key })).status, 404);
    assert.deepEqual((await service.call('DELETE', `${PATH}/current`, { key })).body.data, { ended: 0 });
    assert.deepEqual((await service.call('DELETE', PATH, by(sessions[1].cookie))).body.data, { ended: 2 });
    assert.deepEqual(
      [await statusBy(sessions[1].cookie), await statusBy(sessions[2].cookie), await statusBy(stranger.cookie)],
      [401, 401, 200],
    );
    assert.equal((await service.get(ME, { key })).status, 200);
    const audit = await service.get('/api/v1/audit?limit=1000');
    const told = audit.body.data.filter(({ action }: { action: string }) => action.startsWith('session.'));
    assert.partialDeepStrictEqual(told[0], { action: 'session.ended_all', details: { ended: 2, session: sessions[1].id } });
    assert.ok(
      told.some((entry: { action: string; object_id: string }) => entry.action === 'session.ended' && entry.object_id === sessions[0].id),
    );
    assert.ok(
      told.some((entry: { action: string; object_id: string }) => entry.action === 'session.created' && entry.object_id === stranger.id),
    );
  });

  test('signing in again makes another token and ends the one that the browser had: none can be planted', async () => {
    const { key } = await newKey();
    const first = await signIn(key);
    const second = await signIn(key, { headers: { cookie: first.cookie } });
    assert.notEqual(second.cookie, first.cookie);
    assert.deepEqual([await statusBy(first.cookie), await statusBy(second.cookie)], [401, 200]);
    const planted = `${first.cookie.split('=')[0]}=sls_${'a'.repeat(52)}`;
    const third = await signIn(key, { headers: { cookie: planted } });
    assert.notEqual(third.cookie, planted);
    assert.equal(await statusBy(planted), 401);
  });

  test('it ends with its key: revoked, expired, or with another secret', async () => {
    const [revoked, rotated, expiring] = [
      await newKey(),
      await newKey(),
      await newKey({ expires_at: new Date(Date.now() + 2 * HOUR).toISOString() }),
    ];
    const cookies = { revoked: await signIn(revoked.key), rotated: await signIn(rotated.key), expiring: await signIn(expiring.key) };
    await service.call('DELETE', `/api/v1/keys/${revoked.id}`);
    await isOver(cookies.revoked.cookie);
    const next = (await service.post(`/api/v1/keys/${rotated.id}/rotate`, { overlap_seconds: 0 })).body.data.key;
    await isOver(cookies.rotated.cookie);
    assert.equal(await statusBy((await signIn(next)).cookie), 200);
    assert.equal(await statusBy(cookies.expiring.cookie), 200);
    hours += 3;
    await isOver(cookies.expiring.cookie);
  });

  test('it ends when it is not used for a day, and after a week at the latest', async () => {
    const { key } = await newKey();
    const [idle, busy] = [await signIn(key), await signIn(key)];
    for (let day = 0; day < 2; day++) {
      hours += 23;
      await until('the use to be written down', async () => {
        assert.equal(await statusBy(busy.cookie), 200);
        const [row] = await service.app.db.read.all<{ at: string }>(sql`select last_used_at as at from sessions where id = ${busy.id}`);
        return Date.parse(row?.at as string) > Date.now() + (hours - 1) * HOUR;
      });
    }
    assert.equal(await statusBy(idle.cookie), 401);
    hours += 24 * 7;
    await isOver(busy.cookie);
  });

  test('what it listens to ends with it', async () => {
    const { cookie } = await signIn((await newKey()).key);
    const stream = await fetch(`${service.url}/api/v1/events`, {
      headers: { cookie, accept: 'text/event-stream', 'sec-fetch-site': 'same-origin' },
    });
    assert.equal(stream.status, 200);
    const ended = stream.text().then(
      () => 'ended',
      () => 'cut',
    );
    await service.call('DELETE', `${PATH}/current`, by(cookie));
    assert.equal(await ended, 'cut');
  });

  test('a key has a hundred sessions at most: one more ends the oldest', async () => {
    const { key } = await newKey();
    const first = await signIn(key);
    for (let n = 0; n < 99; n += 33) await Promise.all(Array.from({ length: 33 }, () => signIn(key)));
    assert.equal(await statusBy(first.cookie), 200);
    await signIn(key);
    assert.equal(await statusBy(first.cookie), 401);
    assert.equal((await service.get(PATH, { key })).body.data.length, 100);
  });
});

describe('sessions of those who have no key in the table', () => {
  test('the operator’s own key and a token: until the key is another, and until the token expires', async (t) => {
    const issuer = await startOidcIssuer();
    let hours = 0;
    const environment = { SYNCLINE_ADMIN_KEY: 'an-operators-key-of-enough-characters', SYNCLINE_OIDC_ISSUER: issuer.url };
    const first = await startService('sqlite', { environment, clock: () => Date.now() + hours * HOUR });
    t.after(async () => {
      await first.place.remove();
      await issuer.stop();
    });
    const token = await issuer.token({ sub: 'ada', scope: 'orders:read', exp: Math.floor(Date.now() / 1000) + 1800 });
    const operator = cookieOf(await first.post(PATH));
    const ada = cookieOf(await first.post(PATH, undefined, { key: token }));
    const whoIs = async (service: Service, cookie: string): Promise<string> => {
      // Another start, another port: the browser would have another name for it.
      const renamed = cookie.replace(/^syncline-\d+/, `syncline-${new URL(service.url).port}`);
      const { status, body } = await service.get(ME, by(renamed));
      return status === 200 ? body.data.id : String(status);
    };
    assert.deepEqual([await whoIs(first, operator), await whoIs(first, ada)], ['operator', `${issuer.url}|ada`]);
    assert.equal((await first.get('/api/v1/products', by(ada))).status, 403);
    await first.app.close();
    const changed = { SYNCLINE_ADMIN_KEY: 'another-operators-key-of-enough-characters', SYNCLINE_OIDC_ISSUER: issuer.url };
    const second = await startService('sqlite', { environment: changed, place: first.place, clock: () => Date.now() + hours * HOUR });
    assert.deepEqual([await whoIs(second, operator), await whoIs(second, ada)], ['401', `${issuer.url}|ada`]);
    hours = 1;
    await until('the token to be over', async () => (await whoIs(second, ada)) === '401');
    await second.close();
    hours = 0;
    const alone = await startService('sqlite', { environment: { SYNCLINE_ADMIN_KEY: environment.SYNCLINE_ADMIN_KEY }, place: first.place });
    assert.deepEqual([await whoIs(alone, operator), await whoIs(alone, ada)], ['operator', '401']);
    await alone.close();
  });

  test('behind a proxy that is trusted, and over https, the cookie is bound to this host and to TLS', async (t) => {
    const trusting = await startService('sqlite', { environment: { SYNCLINE_TRUSTED_PROXIES: '127.0.0.1' } });
    const plain = await startService('sqlite');
    t.after(() => Promise.all([trusting.close(), plain.close()]));
    const signIn = async (service: Service, headers: Record<string, string>): Promise<string> =>
      (await service.post(PATH, undefined, { headers })).headers.getSetCookie()[0] as string;
    const bound = /^__Host-syncline-\d+=sls_\w+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict; Secure$/;
    assert.match(await signIn(trusting, { 'x-forwarded-proto': 'https' }), bound);
    assert.match(await signIn(trusting, {}), /^syncline-/);
    // Anyone can write the header; whose page it is, the browser says.
    assert.match(await signIn(plain, { 'x-forwarded-proto': 'https' }), /^syncline-/);
    assert.match(await signIn(plain, { origin: plain.url.replace('http:', 'https:') }), bound);
    // Where TLS is known to be spoken, a cookie without the prefix may have been planted, and counts for nothing.
    const [weak = ''] = (await signIn(trusting, {})).split(';');
    assert.equal((await trusting.get(ME, by(weak))).status, 200);
    assert.equal((await trusting.get(ME, by(weak, { 'x-forwarded-proto': 'https' }))).status, 401);
  });
});

test('a session made on one node holds on the other, and ends on both', async (t) => {
  const one = await startService('postgres');
  const other = await startService('postgres', { place: one.place });
  t.after(async () => {
    await other.app.close();
    await one.close();
  });
  const here = cookieOf(await one.post(PATH));
  const there = here.replace(/^syncline-\d+/, `syncline-${new URL(other.url).port}`);
  const status = async (): Promise<number> => (await other.get(ME, by(there))).status;
  assert.equal(await status(), 200);
  await one.call('DELETE', `${PATH}/current`, by(here));
  const since = performance.now();
  await until('the other node to know', async () => (await status()) === 401);
  assert.ok(performance.now() - since < 2000);
});
