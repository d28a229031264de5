import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { after, before, test } from 'node:test';
import { onEitherEngine } from '../support/databases.ts';
import { addSource, ask, type Body, madeUp, rowsIn, sqliteFile } from '../support/real-syncs.ts';
import { type Reply, type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const BASE = '/api/v1/datasync/hooks';

onEitherEngine('hooks', (engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
  });
  after(() => service.close());

  const made = async (body: object): Promise<Body> => {
    const reply = await service.post(BASE, { name: 'a hook', ...body });
    assert.equal(reply.status, 200, reply.text);
    return reply.body.data;
  };
  const call = (hook: Body, raw: string | Buffer, headers: Record<string, string> = {}): Promise<Reply> =>
    service.call('POST', new URL(hook.url).pathname, { key: null, raw, headers });
  const callsOf = async (hook: Body): Promise<Body[]> => (await service.get(`${BASE}/${hook.id}/calls`)).body.data;
  const stateOf = async (hook: Body): Promise<Body> => (await service.get(`${BASE}/${hook.id}`)).body.data;

  test('no key 401, wrong scope 403, bad body 400 that names the field', async () => {
    assert.equal((await service.get(BASE, { key: null })).status, 401);
    const reader = await service.keyWith('datasync:read');
    assert.equal((await service.get(BASE, { key: reader })).status, 200);
    assert.equal((await service.post(BASE, { name: 'x', scheme: 'token' }, { key: reader })).status, 403);
    const faults: [object, string][] = [
      [{ scheme: 'token' }, 'name'],
      [{ name: 'x', scheme: 'magic' }, 'scheme'],
      [{ name: 'x', scheme: 'stripe' }, 'secret'],
      [{ name: 'x', scheme: 'shopify' }, 'secret'],
      [{ name: 'x', scheme: 'token', secret: 'something' }, 'secret'],
      [{ name: 'x', scheme: 'standard', secret: 'not base64!' }, 'secret'],
      [{ name: 'x', scheme: 'standard', secret: 'whpk_c2hvcnQ=' }, 'secret'],
      [{ name: 'x', scheme: 'github', header: 'X-Secret' }, 'header'],
      [{ name: 'x', scheme: 'secret', header: 'not a header' }, 'header'],
      [{ name: 'x', scheme: 'token', sync_id: 'syn_none' }, 'sync_id'],
      [{ name: 'x', scheme: 'github', secret: '********' }, 'secret'],
      [{ name: 'x', scheme: 'secret', secret: ' '.repeat(8) }, 'secret'],
      [{ name: 'x', scheme: 'github', secret: ' '.repeat(8) }, 'secret'],
      [{ name: 'x', scheme: 'secret', secret: ' not as it is sent' }, 'secret'],
    ];
    for (const [body, field] of faults) {
      const reply = await service.post(BASE, body);
      assert.deepEqual([reply.status, reply.body.error.details.field], [400, field], reply.text);
    }
  });

  test('is made, shown without its secrets, changed and deleted; the feed and the audit tell of it', async () => {
    const hook = await made({ scheme: 'github' });
    assert.match(hook.token, /^slh_[0-9a-z]{39}$/);
    assert.equal(hook.url, `${service.url}/api/v1/hooks/${hook.token}`);
    assert.match(hook.secret, /^[\w-]{32}$/);
    const { token: _, url: __, secret: ___, ...open } = hook;
    assert.deepEqual(await stateOf(hook), { ...open, secret: '********' });
    const put = await service.call('PUT', `${BASE}/${hook.id}`, { body: { name: 'called otherwise', secret: '********' } });
    assert.deepEqual([put.body.data.name, put.body.data.version, put.body.data.secret], ['called otherwise', 2, '********']);
    assert.equal((await service.call('PUT', `${BASE}/${hook.id}`, { body: { scheme: 'stripe' } })).body.error.details.field, 'secret');
    assert.equal((await service.call('PUT', `${BASE}/${hook.id}`, { body: { scheme: 'token' } })).body.data.secret, null);
    assert.ok((await service.get(BASE)).body.data.some(({ id }: Body) => id === hook.id));
    assert.equal((await call(hook, '{}')).status, 200);
    assert.equal((await service.call('DELETE', `${BASE}/${hook.id}`)).status, 200);
    assert.equal((await service.get(`${BASE}/${hook.id}`)).status, 404);
    assert.equal((await call(hook, '{}')).status, 401);
    const events = (await service.get('/api/v1/events?limit=1000')).body.data.filter(({ object_id }: Body) => object_id === hook.id);
    assert.deepEqual(
      events.map(({ type }: Body) => type),
      ['hook.created', 'hook.updated', 'hook.updated', 'hook.deleted'],
    );
    const told = JSON.stringify([events, (await service.get(`/api/v1/audit?object_id=${hook.id}`)).body.data]);
    assert.doesNotMatch(told, new RegExp(`${hook.secret}|${hook.token}`));
  });

  test('a call is kept as it was sent, and answered when it is', async () => {
    const hook = await made({ scheme: 'token' });
    const sent = '{"name": "ä",\n "n": 12345678901234567890.10}';
    const first = await call(hook, sent, { 'x-topic': 'orders', authorization: 'Basic c2VjcmV0', 'x-api-key': 'secret', cookie: 'a=b' });
    assert.deepEqual([first.status, first.body.data], [200, { id: `${hook.id}.1`, duplicate: false }]);
    await call(hook, Buffer.from([0, 255, 1]), { 'content-type': 'application/octet-stream' });
    await call(hook, 'a=1&b=2', { 'content-type': 'application/x-www-form-urlencoded' });
    await call(hook, '', {});
    const calls = await callsOf(hook);
    assert.deepEqual(
      calls.map(({ sequence, body, encoding }) => [sequence, body, encoding]),
      [
        [4, '', 'utf8'],
        [3, 'a=1&b=2', 'utf8'],
        [2, 'AP8B', 'base64'],
        [1, sent, 'utf8'],
      ],
    );
    const { headers } = calls[3];
    assert.deepEqual(
      [headers['x-topic'], headers.authorization, headers['x-api-key'], headers.cookie],
      ['orders', '********', '********', '********'],
    );
    const state = await stateOf(hook);
    assert.deepEqual([state.calls, state.last_call_at, state.refused], [4, calls[0].received_at, 0]);
    const page = (await service.get(`${BASE}/${hook.id}/calls?limit=3`)).body;
    assert.equal(page.total, 4);
    const rest = (await service.get(`${BASE}/${hook.id}/calls?limit=3&cursor=${page.next_cursor}`)).body;
    assert.deepEqual([rest.data.length, rest.data[0].sequence, rest.next_cursor], [1, 1, null]);
    const reads = await until('the audit', async () => {
      const { data } = (await service.get(`/api/v1/audit?object_id=${hook.id}&action=hook.calls_read`)).body;
      return data.length > 0 && data;
    });
    assert.ok(reads[0].details.rows > 0);
  });

  test('an unknown address is an unknown key: 401, whatever is sent there', async () => {
    const unknown = await service.get('/api/v1/orders', { key: 'slk_wrong' });
    for (const token of ['x', 'slh_0000000000000000000000000000000000000000', `slh_${'0'.repeat(39)}`]) {
      const reply = await service.call('POST', `/api/v1/hooks/${token}`, { key: null, raw: '{}' });
      assert.deepEqual([reply.status, reply.body], [401, unknown.body]);
      // A key opens no hook.
      assert.equal((await service.call('POST', `/api/v1/hooks/${token}`, { raw: '{}' })).status, 401);
    }
    const hook = await made({ scheme: 'token' });
    const path = new URL(hook.url).pathname;
    assert.equal((await service.get(path, { key: null })).status, 401);
    const other = await service.get(path);
    assert.deepEqual([other.status, other.headers.get('allow')], [405, 'POST']);
    assert.equal((await service.call('POST', `${path}?x=1`, { key: null, raw: '{}' })).status, 400);
    assert.equal((await service.call('POST', path.replace('/api', '/%61pi'), { key: null, raw: '{}' })).status, 200);
    assert.deepEqual((await callsOf(hook)).length, 1);
  });

  test('an address that tries many tokens is told to wait', async () => {
    const strict = await startService(engine, { environment: { SYNCLINE_WRONG_KEYS: '5' } });
    try {
      const tried: number[] = [];
      for (let n = 0; n < 8; n++)
        tried.push((await strict.call('POST', `/api/v1/hooks/slh_${String(n).repeat(39)}`, { key: null, raw: '{}' })).status);
      assert.deepEqual(tried.slice(0, 5), [401, 401, 401, 401, 401]);
      assert.equal(tried.at(-1), 429);
      const { url } = (await strict.post(BASE, { name: 'x', scheme: 'token' })).body.data;
      assert.equal((await strict.call('POST', new URL(url).pathname, { key: null, raw: '{}' })).status, 200, 'a right one works');
    } finally {
      await strict.close();
    }
  });

  test('what is forged, changed or old is refused, counted and not kept', async () => {
    const hook = await made({ scheme: 'standard' });
    const signed = (id: string, body: string, at = Date.now(), secret = hook.secret) => {
      const time = String(Math.floor(at / 1000));
      const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
      const signature = createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64');
      return { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': `v1,${signature}` };
    };
    const good = signed('msg_1', '{"a":1}');
    const forged: [string, Record<string, string>][] = [
      ['{"a":1}', {}],
      ['{"a":2}', good],
      ['{"a":1} ', good],
      ['{"a":1}', { ...good, 'webhook-id': 'msg_2' }],
      ['{"a":1}', { ...good, 'webhook-timestamp': String(Number(good['webhook-timestamp']) + 1) }],
      ['{"a":1}', { ...good, 'webhook-signature': 'v1,AAAA' }],
      ['{"a":1}', { ...good, 'webhook-signature': 'v2,x nonsense' }],
      ['{"a":1}', signed('msg_1', '{"a":1}', Date.now() - 6 * 60_000)],
      ['{"a":1}', signed('msg_1', '{"a":1}', Date.now() + 6 * 60_000)],
      ['{"a":1}', signed('msg_1', '{"a":1}', Date.now(), 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')],
    ];
    for (const [body, headers] of forged) {
      const reply = await call(hook, body, headers);
      assert.deepEqual([reply.status, reply.body.error.code], [401, 'UNAUTHORIZED'], JSON.stringify(headers));
    }
    assert.deepEqual(await callsOf(hook), []);
    const state = await until('the count', async () => {
      const now = await stateOf(hook);
      return now.refused === forged.length && now;
    });
    assert.match(state.refused_reason, /^The signature is wrong/);
    // Replayed: it is there once, whatever order they come in.
    const later = signed('msg_0', '{"b":1}');
    assert.deepEqual((await call(hook, '{"b":1}', later)).body.data, { id: `${hook.id}.1`, duplicate: false });
    assert.deepEqual((await call(hook, '{"a":1}', good)).body.data, { id: `${hook.id}.2`, duplicate: false });
    const replays = await Promise.all(Array.from({ length: 20 }, () => call(hook, '{"a":1}', good)));
    for (const { body } of replays) assert.deepEqual(body.data, { id: `${hook.id}.2`, duplicate: true });
    const fresh = signed('msg_3', '{"c":1}');
    const doubled = await Promise.all(Array.from({ length: 20 }, () => call(hook, '{"c":1}', fresh)));
    assert.equal(doubled.filter(({ body }) => !body.data.duplicate).length, 1);
    assert.equal((await callsOf(hook)).length, 3);
    const metrics = (await service.get('/api/v1/datasync/metrics', { headers: { accept: 'text/plain' } })).text;
    assert.match(metrics, /syncline_hook_refused_total\{reason="wrong"\} [1-9]/);
    assert.match(metrics, /syncline_hook_duplicates_total 39\n/);
  });

  test('ed25519, and two secrets while one is replaced', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
    const hook = await made({ scheme: 'standard', secret: `whpk_${raw.toString('base64')}` });
    const time = String(Math.floor(Date.now() / 1000));
    const headers = (id: string, body: string) => ({
      'webhook-id': id,
      'webhook-timestamp': time,
      'webhook-signature': `v1,AAAA v1a,${sign(null, Buffer.from(`${id}.${time}.${body}`), privateKey).toString('base64')}`,
    });
    assert.equal((await call(hook, 'x', headers('a', 'x'))).status, 200);
    assert.equal((await call(hook, 'y', headers('a', 'x'))).status, 401);
    const shared = await made({ scheme: 'secret', secret: 'the first secret', header: 'X-Mine' });
    assert.equal(shared.header, 'X-Mine');
    assert.equal((await call(shared, '{}', { 'x-mine': 'the first secret' })).status, 200);
    const rotated = await service.post(`${BASE}/${shared.id}/rotate`, { secret: 'the second secret' });
    assert.deepEqual([rotated.status, rotated.body.data.token, rotated.body.data.secret], [200, null, '********'], rotated.text);
    for (const secret of ['the first secret', 'the second secret'])
      assert.equal((await call(shared, '{}', { 'x-mine': secret })).status, 200, secret);
    assert.equal((await call(shared, '{}', { 'x-mine': 'the third secret' })).status, 401);
    await service.post(`${BASE}/${shared.id}/rotate`, { secret: 'the third secret', overlap_seconds: 0 });
    assert.deepEqual([(await call(shared, '{}', { 'x-mine': 'the second secret' })).status], [401]);
    const [kept] = await callsOf(shared);
    assert.equal(kept.headers['x-mine'], '********');
    // The last three count, so that a call costs no more than that.
    for (const n of [4, 5, 6]) await service.post(`${BASE}/${shared.id}/rotate`, { secret: `the secret ${n}` });
    const taken = await Promise.all(
      ['the third secret', 'the secret 4', 'the secret 5', 'the secret 6'].map((secret) => call(shared, '{}', { 'x-mine': secret })),
    );
    assert.deepEqual(
      taken.map(({ status }) => status),
      [401, 200, 200, 200],
    );
    await service.post(`${BASE}/${shared.id}/rotate`, { secret: 'the third secret', overlap_seconds: 0 });
    // The address is replaced: both lead there for a while.
    const { data } = (await service.post(`${BASE}/${shared.id}/rotate`)).body;
    for (const { url } of [shared, data]) assert.equal((await call({ url }, '{}', { 'x-mine': 'the third secret' })).status, 200);
    await service.post(`${BASE}/${shared.id}/rotate`, { overlap_seconds: 0 });
    assert.equal((await call(shared, '{}', { 'x-mine': 'the third secret' })).status, 401);
  });

  test('a body of 10 MiB is taken, a larger one is not', async () => {
    const hook = await made({ scheme: 'token' });
    const large = Buffer.alloc(10 * 1024 * 1024, 'x');
    assert.equal((await call(hook, large)).status, 200);
    const [kept] = await callsOf(hook);
    assert.equal(kept.body.length, large.length);
    const tooLarge = await call(hook, Buffer.alloc(large.length + 1, 'x')).catch(() => undefined);
    assert.ok(tooLarge === undefined || tooLarge.status === 413);
    assert.equal((await stateOf(hook)).calls, 1);
  });

  test('a call starts the synchronization that the hook belongs to, once at a time and never missing the last', async () => {
    const path = sqliteFile(service.place, `hooked-${engine}.db`);
    const [source_id, target_id] = [await addSource(service, 'fake', madeUp()), await addSource(service, 'sqlite', { path })];
    const sync = await ask(service, 'POST', '/sync', { name: 's', source_id, target_id, streams: [{ source: 't' }] });
    const hook = await made({ scheme: 'token', sync_id: sync.id });
    const replies = await Promise.all(Array.from({ length: 50 }, (_, n) => call(hook, `{"n":${n}}`, { 'webhook-id': `m${n}` })));
    assert.ok(replies.every(({ status }) => status === 200));
    const lastCall = (await stateOf(hook)).last_call_at;
    const runs: Body[] = await until('a run after the last call', async () => {
      const found = await ask(service, 'GET', `/sync/${sync.id}/runs`);
      return found.length > 0 && found.every(({ status }: Body) => status === 'succeeded') && found[0].started_at >= lastCall && found;
    });
    assert.ok(runs.length <= 10, `${runs.length} runs for 50 calls`);
    for (const { trigger, triggered_by } of runs) assert.deepEqual([trigger, triggered_by], ['change', { type: 'hook', id: hook.id }]);
    assert.equal(rowsIn(path, 't'), 10);
    // It is refused while one more run is going on.
    await until('the deletion', async () => {
      const { status, text } = await service.call('DELETE', `/api/v1/datasync/sync/${sync.id}`);
      assert.ok(status === 200 || status === 409, text);
      return status === 200;
    });
    assert.equal((await stateOf(hook)).sync_id, null);
    assert.equal((await call(hook, '{}')).status, 200);
  });

  test('its calls are a source of their own, followed on change', async () => {
    const hook = await made({ scheme: 'token' });
    await call(hook, '{"order": {"number": 1}}');
    const path = sqliteFile(service.place, `calls-${engine}.db`);
    const source_id = await addSource(service, 'hook', { hook: hook.id }, 'calls');
    assert.match((await ask(service, 'POST', `/sources/${source_id}/check`)).message, /The hook "a hook[^"]*": 1 call/);
    const target_id = await addSource(service, 'sqlite', { path });
    const sync = await ask(service, 'POST', '/sync', { name: 'calls', source_id, target_id, streams: [{ source: 'hook' }] });
    assert.deepEqual(
      [sync.schedule.type, sync.streams[0].mode, sync.streams[0].cursor, sync.streams[0].key],
      ['on_change', 'incremental', 'sequence', ['id']],
    );
    await until('what was there before', () => rowsIn(path, 'hook') === 1);
    for (let n = 2; n < 6; n++) await call(hook, `{"order": {"number": ${n}}}`);
    await until('all of them', () => rowsIn(path, 'hook') === 5);
    const runs: Body[] = await ask(service, 'GET', `/sync/${sync.id}/runs`);
    assert.deepEqual(
      [runs[0].triggered_by, runs.at(-1)?.triggered_by],
      [{ type: 'hook', id: hook.id }, null],
      'the first one was asked for by none',
    );
    const refused = await service.call('DELETE', `${BASE}/${hook.id}`);
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'IN_USE']);
    const sample = await ask(service, 'GET', `/sources/${source_id}/streams/hook/sample?limit=1`);
    assert.deepEqual([sample.rows[0].sequence, sample.rows[0].encoding], [1, 'json']);
  });
});
