import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onEitherEngine } from '../support/databases.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const SHARE = 256;

onEitherEngine('streams of events and logs', (engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
  });
  after(() => service.close());

  /** Opens a stream and leaves it open until the signal. */
  async function open(key: string, path: string, signal: AbortSignal): Promise<Response> {
    const accept = path.includes('follow') ? 'application/x-ndjson' : 'text/event-stream';
    return await fetch(service.url + path, { headers: { authorization: `Bearer ${key}`, accept }, signal });
  }

  for (const path of ['/api/v1/events', '/api/v1/datasync/logs?follow=true']) {
    test(`one key cannot have all of them: ${path}`, async () => {
      const [greedy, other] = [await service.keyWith('datasync:read'), await service.keyWith('datasync:read')];
      const leaving = new AbortController();
      const opened = await Promise.all(Array.from({ length: SHARE }, () => open(greedy, path, leaving.signal)));
      assert.deepEqual(new Set(opened.map(({ status }) => status)), new Set([200]));
      const refused = await open(greedy, path, leaving.signal);
      assert.equal(refused.status, 429);
      assert.equal(refused.headers.get('retry-after'), '1');
      const { error } = (await refused.json()) as { error: { code: string; message: string } };
      assert.equal(error.code, 'RATE_LIMITED');
      assert.equal(error.message, `This key has ${SHARE} streams of events or logs open, as many as one key may have. Close some of them.`);
      for (const key of [other, service.adminKey]) assert.equal((await open(key, path, leaving.signal)).status, 200);
      leaving.abort();
      const again = new AbortController();
      await until('there is room again', async () => (await open(greedy, path, again.signal)).status === 200);
      again.abort();
    });
  }
});
