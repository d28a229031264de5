import assert from 'node:assert/strict';
import { test } from 'node:test';
import { preparedPlace, onEitherEngine } from '../support/databases.ts';
import { type Reply, type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

/** Many requests at once, sorted into those that came through and those that were too many. */
async function flood(service: Service, key: string, requests: number): Promise<{ passed: Reply[]; limited: Reply[] }> {
  const replies = await Promise.all(Array.from({ length: requests }, () => service.get('/api/v1/orders', { key })));
  const passed = replies.filter((reply) => reply.status === 200);
  const limited = replies.filter((reply) => reply.status === 429);
  assert.equal(passed.length + limited.length, requests);
  return { passed, limited };
}

async function keyWithLimit(service: Service, rate_limit?: number): Promise<string> {
  const { body } = await service.post('/api/v1/keys', {
    name: 'limited',
    scopes: ['orders:read'],
    ...(rate_limit !== undefined && { rate_limit }),
  });
  return body.data.key;
}

onEitherEngine('rate limit', (engine) => {
  test("a key's own limit: twice as many in a burst, 429 with Retry-After and RateLimit, then it recovers", async (t) => {
    const service = await startService(engine);
    t.after(() => service.close());
    const key = await keyWithLimit(service, 3);
    const began = performance.now();
    const { passed, limited } = await flood(service, key, 40);
    const refilled = ((performance.now() - began) / 1000) * 3;
    assert.ok(passed.length >= 6 && passed.length <= 6 + Math.ceil(refilled), `${passed.length} of 40 came through`);
    assert.ok(limited.length > 0);
    for (const { body, headers } of limited) {
      assert.equal(body.success, false);
      assert.equal(body.error.code, 'RATE_LIMITED');
      assert.match(body.error.details.reason, /3 requests a second/);
      assert.equal(headers.get('retry-after'), '1');
      assert.equal(headers.get('ratelimit'), '"default";r=0;t=1');
      assert.equal(headers.get('ratelimit-policy'), '"default";q=6;w=2');
    }
    // Another key is another caller.
    assert.equal((await service.get('/api/v1/orders')).status, 200);
    await until('the key to be let in again', async () => (await service.get('/api/v1/orders', { key })).status === 200, 3000);
  });

  test('SYNCLINE_RATE_LIMIT is for every key that has no limit of its own', async (t) => {
    const service = await startService(engine, { environment: { SYNCLINE_RATE_LIMIT: '2' } });
    t.after(() => service.close());
    const free = await keyWithLimit(service, 0);
    const ordinary = await keyWithLimit(service);
    const own = await until('a key with its own limit', async () => {
      const { status, body } = await service.post('/api/v1/keys', { name: 'own', scopes: ['orders:read'], rate_limit: 10 });
      return status === 200 && (body.data.key as string);
    });
    assert.ok((await flood(service, ordinary, 20)).limited.length > 0);
    assert.equal((await flood(service, own, 20)).limited.length, 0);
    assert.equal((await flood(service, free, 60)).limited.length, 0);
  });

  test('SYNCLINE_RATE_LIMIT=0 is no limit, a refused key is not counted, a forbidden request is', async (t) => {
    const service = await startService(engine, { environment: { SYNCLINE_RATE_LIMIT: '0' } });
    t.after(() => service.close());
    assert.equal((await flood(service, service.adminKey, 100)).limited.length, 0);
    const key = await keyWithLimit(service, 1);
    const replies = await Promise.all(Array.from({ length: 20 }, () => service.get('/api/v1/keys', { key })));
    const codes = new Set(replies.map((reply) => reply.status));
    assert.deepEqual(codes, new Set([403, 429]));
    const unknown = await Promise.all(Array.from({ length: 20 }, () => service.get('/api/v1/keys', { key: 'slk_unknown' })));
    assert.deepEqual([...new Set(unknown.map((reply) => reply.status))], [401]);
  });
});

test('two nodes: a revocation and a rotation hold on the other within a second', async (t) => {
  const place = await preparedPlace('postgres');
  const near = await startService('postgres', { place });
  const far = await startService('postgres', { place });
  t.after(async () => {
    await near.close();
    await far.close();
    await place.remove();
  });
  const statusAt = async (key: string): Promise<number> => (await far.get('/api/v1/orders', { key })).status;

  for (const end of [
    (id: string) => near.call('DELETE', `/api/v1/keys/${id}`),
    (id: string) => near.post(`/api/v1/keys/${id}/rotate`, { overlap_seconds: 0 }),
  ]) {
    const { id, key } = (await near.post('/api/v1/keys', { name: 'n', scopes: ['orders:read'] })).body.data;
    assert.equal(await statusAt(key), 200);
    assert.equal((await end(id)).status, 200);
    const ended = performance.now();
    await until('the key to be refused on the other node', async () => {
      const asked = performance.now();
      if ((await statusAt(key)) === 401) return true;
      assert.ok(asked - ended < 1000, 'it was let in more than a second later');
      return false;
    });
    assert.equal((await near.get('/api/v1/orders', { key })).status, 401);
  }
});

onEitherEngine('what a key follows', (engine) => {
  const STREAMS: readonly [path: string, accept: string][] = [
    ['/api/v1/events', 'text/event-stream'],
    ['/api/v1/datasync/logs?follow=true', 'application/x-ndjson'],
  ];

  test('ends when the key is revoked; what others follow goes on', async (t) => {
    const service = await startService(engine);
    t.after(() => service.close());
    const { id, key } = (await service.post('/api/v1/keys', { name: 'n', scopes: ['datasync:read'] })).body.data;
    const follow = async ([path, accept]: (typeof STREAMS)[number], token: string) => {
      const response = await fetch(service.url + path, { headers: { accept, authorization: `Bearer ${token}` } });
      assert.equal(response.status, 200);
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      await reader.read();
      return reader;
    };
    const mine = await Promise.all(STREAMS.map((stream) => follow(stream, key)));
    const others = await Promise.all(STREAMS.map((stream) => follow(stream, service.adminKey)));
    await service.call('DELETE', `/api/v1/keys/${id}`);
    const revoked = performance.now();
    await Promise.all(mine.map((reader) => assert.rejects(reader.read())));
    assert.ok(performance.now() - revoked < 5_000, `${Math.round(performance.now() - revoked)} ms`);
    await service.post('/api/v1/orders', { customer_id: 'c', items: [{ product_id: 'p', quantity: 1, price: 1 }] });
    const [events] = others;
    assert.equal((await events?.read())?.done, false);
    await Promise.all(others.map((reader) => reader.cancel()));
  });
});

onEitherEngine('last_used_at', (engine) => {
  test('tells when a key was used last, not the keys that were not', async () => {
    const place = await preparedPlace(engine);
    const now = Date.now() + 60_000;
    const first = await startService(engine, { place, clock: () => now });
    const [used, unused] = [
      await first.post('/api/v1/keys', { name: 'u', scopes: ['orders:read'] }),
      await first.post('/api/v1/keys', { name: 'n', scopes: ['admin'] }),
    ];
    await first.get('/api/v1/orders', { key: used.body.data.key });
    await first.close();
    const second = await startService(engine, { place });
    const lastUse = async (reply: Reply) => (await second.get(`/api/v1/keys/${reply.body.data.id}`)).body.data.last_used_at;
    assert.equal(await lastUse(used), new Date(now).toISOString());
    assert.equal(await lastUse(unused), null);
    await second.close();
    await place.remove();
  });
});
