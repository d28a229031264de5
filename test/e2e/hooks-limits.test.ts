import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import { keyIdOf, newKeyText, parseKeyring } from '../../src/lib/secrets.ts';
import { onEitherEngine, preparedPlace } from '../support/databases.ts';
import { type Reply, type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const BASE = '/api/v1/datasync/hooks';

onEitherEngine('what stops calls of a hook', (engine) => {
  const send = (service: Service, token: string, headers: Record<string, string> = {}): Promise<Reply> =>
    service.call('POST', `/api/v1/hooks/${token}`, { key: null, raw: '{}', headers });

  test('SYNCLINE_RATE_LIMIT, each hook for itself: 429 with Retry-After, nothing of it is kept, then calls are taken again', async (t) => {
    const service = await startService(engine, { environment: { SYNCLINE_RATE_LIMIT: '3' } });
    t.after(() => service.close());
    const { key } = (await service.post('/api/v1/keys', { name: 'free', scopes: ['datasync:read', 'datasync:write'], rate_limit: 0 })).body
      .data;
    const [busy, quiet] = await Promise.all(
      ['busy', 'quiet'].map(async (name) => (await service.post(BASE, { name, scheme: 'token' }, { key })).body.data),
    );
    const began = performance.now();
    const replies = await Promise.all(Array.from({ length: 40 }, () => send(service, busy.token)));
    const refilled = ((performance.now() - began) / 1000) * 3;
    const taken = replies.filter(({ status }) => status === 200).length;
    const limited = replies.filter(({ status }) => status === 429);
    assert.equal(taken + limited.length, 40);
    assert.ok(taken >= 6 && taken <= 6 + Math.ceil(refilled), `${taken} of 40 came through`);
    for (const { body, headers } of limited) {
      assert.equal(body.error.code, 'RATE_LIMITED');
      assert.match(body.error.details.reason, /3 requests a second/);
      assert.equal(headers.get('retry-after'), '1');
    }
    assert.equal((await send(service, quiet.token)).status, 200, 'another hook is another caller');
    const { calls, refused } = (await service.get(`${BASE}/${busy.id}`, { key })).body.data;
    assert.deepEqual([calls, refused], [taken, 0]);
    await until('calls to be taken again', async () => (await send(service, busy.token)).status === 200, 3000);
  });

  test('a secret that cannot be read for want of its key: the sender is told to try later, the operator what to do', async (t) => {
    const place = await preparedPlace(engine);
    t.after(() => place.remove());
    const [old, young] = [newKeyText(), newKeyText()];
    const withKeys = async (SYNCLINE_SECRET_KEY: string, work: (service: Service) => Promise<void>): Promise<void> => {
      const service = await startService(engine, { place, environment: { SYNCLINE_SECRET_KEY } });
      try {
        await work(service);
      } finally {
        await service.close();
      }
    };
    const secret = 'the secret of both';
    const shown = { 'x-hook-secret': secret };
    let hook = { id: '', token: '' };
    await withKeys(old, async (service) => {
      hook = (await service.post(BASE, { name: 'kept', scheme: 'secret', secret })).body.data;
    });
    await withKeys(young, async (service) => {
      const call = await send(service, hook.token, shown);
      assert.deepEqual([call.status, call.body.error.code], [503, 'UNAVAILABLE']);
      assert.match(call.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
      assert.doesNotMatch(call.text, /SYNCLINE_SECRET_KEY/, 'that is no business of the sender');
      const rotated = await service.post(`${BASE}/${hook.id}/rotate`, { secret: 'another secret' });
      assert.equal(rotated.status, 409, rotated.text);
      assert.match(rotated.body.error.details.reason, /SYNCLINE_SECRET_KEY/);
      assert.equal((await service.call('PUT', `${BASE}/${hook.id}`, { body: { name: 'still changes' } })).status, 200);
      const other = (await service.post(BASE, { name: 'other', scheme: 'secret', secret })).body.data;
      assert.equal((await send(service, other.token, shown)).status, 200, 'others are not concerned');
    });
    await withKeys(`${young},${old}`, async (service) => {
      assert.equal((await send(service, hook.token, shown)).status, 200);
      await until('the renewal', async () => {
        const [row] = await service.app.db.read.all<{ secrets: string }>(sql`select secrets from hooks where id = ${hook.id}`);
        return keyIdOf(row?.secrets ?? '') === parseKeyring(young).current;
      });
    });
    await withKeys(young, async (service) => assert.equal((await send(service, hook.token, shown)).status, 200));
  });
});
