import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { newSecret } from '../../src/keys/format.ts';
import { preparedPlace, onEitherEngine } from '../support/databases.ts';
import { startOidcIssuer } from '../support/oidc-issuer.ts';
import type { ServiceProcess } from '../../src/cli/prove/service-process.ts';
import { startProcess } from '../support/process.ts';
import { parsePrometheusText } from '../support/prometheus-text.ts';
import { callService, type Reply } from '../support/service.ts';
import { until } from '../support/until.ts';

const LIMIT = 20;
const wrongKey = (): string => newSecret('key_01kfa0v2m3f8rb4v3k7m2t9xqe');

onEitherEngine('keys that are refused', (engine) => {
  let issuer: Awaited<ReturnType<typeof startOidcIssuer>>;
  before(async () => {
    issuer = await startOidcIssuer();
  });
  after(() => issuer.stop());

  async function start(t: TestContext, settings: Record<string, string> = {}): Promise<ServiceProcess & { ask: typeof ask }> {
    const place = await preparedPlace(engine);
    const environment = { SYNCLINE_WRONG_KEYS: String(LIMIT), SYNCLINE_OIDC_ISSUER: issuer.url, ...settings };
    const service = await startProcess(place, { environment });
    t.after(async () => {
      await service.kill();
      await place.remove();
    });
    const { url, adminKey } = service;
    const ask = (key: string | null | undefined, path = '/api/v1/orders', headers: Record<string, string> = {}): Promise<Reply> =>
      callService(url, adminKey, 'GET', path, { ...(key !== undefined && { key }), headers });
    return Object.assign(service, { ask });
  }
  const linesOf = (service: ServiceProcess, words: string): Record<string, unknown>[] =>
    service
      .logs()
      .split('\n')
      .filter((line) => line.startsWith('{') && line.includes(words))
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  test('are counted, told of, slowed down after a burst and raised as an event; valid keys are not concerned', async (t) => {
    const service = await start(t);
    const { ask } = service;
    let [wrong, slowed] = [0, 0];
    const guess = async (secret: string): Promise<Reply> => {
      const reply = await ask(secret);
      wrong++;
      if (reply.status === 429) slowed++;
      return reply;
    };
    const secrets = Array.from({ length: LIMIT + 30 }, wrongKey);
    const replies: Reply[] = [];
    for (const secret of secrets) replies.push(await guess(secret));
    /** One more is allowed every three seconds, which is soon on a slow machine. */
    const assertSlowed = async (secret: string, what: string): Promise<void> => {
      for (let tries = 1; (await guess(secret)).status !== 429; tries++) assert.ok(tries < 5, what);
    };
    assert.deepEqual(
      replies.slice(0, LIMIT).map(({ status }) => status),
      Array.from({ length: LIMIT }, () => 401),
    );
    const late = replies.findLast(({ status }) => status === 429) as Reply;
    assert.equal(late.body.error.code, 'RATE_LIMITED');
    assert.equal(late.body.error.details.field, 'Authorization');
    assert.match(late.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    assert.match(late.headers.get('ratelimit-policy') ?? '', /q=20;w=60/);

    // Whatever else comes from the same address, a token of an issuer too.
    assert.equal((await ask(undefined)).status, 200);
    assert.equal((await ask(await issuer.token())).status, 200);
    assert.equal((await ask(null)).status, 401, 'no key at all is no guess');
    await assertSlowed(await issuer.token({ aud: 'other' }), 'a wrong token counts as a wrong key');
    await assertSlowed('slk_short', 'and so does what is no key');

    const metrics = parsePrometheusText((await ask(undefined, '/api/v1/datasync/metrics', { accept: 'text/plain' })).text);
    const valueOf = (name: string, kind?: string): number | undefined =>
      metrics.get(name)?.samples.find((sample) => sample.name === name && (kind === undefined || sample.labels['kind'] === kind))?.value;
    assert.equal(valueOf('syncline_keys_refused_total', 'unknown'), wrong);
    assert.equal(valueOf('syncline_keys_refused_total', 'missing'), 1);
    assert.ok(slowed > LIMIT && valueOf('syncline_keys_slowed_total') === slowed, `${slowed}`);

    const events = await until('the event', async () => {
      const found = (await ask(undefined, '/api/v1/events')).body.data.filter(({ type }: { type: string }) => type === 'key.refused');
      return found.length > 0 && found;
    });
    assert.equal(events.length, 1, 'a burst is told once');
    assert.partialDeepStrictEqual(events[0], { object_id: '127.0.0.1', data: { address: '127.0.0.1', refused: LIMIT + 1 } });
    const audit = (await ask(undefined, '/api/v1/audit?action=key.refused')).body;
    assert.equal(audit.total, 1);
    assert.partialDeepStrictEqual(audit.data[0], { actor: 'unknown', address: '127.0.0.1', object_id: '127.0.0.1' });
    assert.match(audit.data[0].request_id, /^req_/);
    for (const { since } of [events[0].data, audit.data[0].details]) assert.equal(new Date(since).toISOString(), since);

    const [first, ...more] = linesOf(service, 'a key was refused');
    assert.deepEqual(more, [], 'the first is told at once, and the others together');
    assert.partialDeepStrictEqual(first, { address: '127.0.0.1', key_id: 'key_01kfa0v2m3f8rb4v3k7m2t9xqe' });
    assert.equal(linesOf(service, 'many wrong keys come from one address').length, 1);
    await service.stop();
    const [told] = linesOf(service, '"msg":"keys were refused"');
    assert.partialDeepStrictEqual(told, { address: '127.0.0.1', refused: LIMIT + 32, different_keys: LIMIT + 32 });
    for (const secret of secrets) assert.ok(!service.logs().includes(secret.slice(31)), 'no key is in the log');
  });

  test('of one client behind a trusted proxy do not slow down another', async (t) => {
    const { ask } = await start(t, { SYNCLINE_TRUSTED_PROXIES: '127.0.0.0/8' });
    const from = (address: string): Promise<Reply> => ask(wrongKey(), '/api/v1/orders', { 'x-forwarded-for': address });
    for (let i = 0; i < LIMIT; i++) await from(`2001:db8::${i.toString(16)}`);
    assert.equal((await from('2001:db8::ffff')).status, 429, 'an IPv6 network is one client');
    assert.equal((await from('2001:db8:0:1::1')).status, 401);
    assert.equal((await from('198.51.100.7')).status, 401);
  });
});
