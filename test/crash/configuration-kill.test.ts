// The service is killed while it applies a configuration: all of it is there afterwards, or nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createPlace, onBothEngines } from '../support/databases.ts';
import { startProcess } from '../support/process.ts';
import { callService, type Reply } from '../support/service.ts';

const ROUNDS = Math.max(2, Math.round(Number(process.env['CRASHES'] ?? 0) / 10));
const MANY = 150;

onBothEngines('a configuration and kill -9', (engine) => {
  test(`${ROUNDS} times, it is applied as a whole or not at all`, { timeout: 600_000 }, async () => {
    const place = await createPlace(engine);
    let service = await startProcess(place);
    const call = (method: string, path: string, body?: object): Promise<Reply> =>
      callService(service.url, service.adminKey, method, path, body ? { body } : {});
    let [all, none] = [0, 0];
    try {
      for (let round = 0; round < ROUNDS; round++) {
        const names = Array.from({ length: MANY }, (_, at) => `round ${round}, ${at}`);
        const document = {
          sources: Object.fromEntries(names.map((name) => [name, { type: 'sqlite', config: { path: 'x.db' } }])),
          webhooks: Object.fromEntries(names.map((name) => [name, { url: 'http://127.0.0.1:9/', types: ['key.refused'] }])),
          keys: { [`round ${round}`]: { scopes: ['webhooks'] } },
        };
        const asked = call('POST', '/api/v1/datasync/config/apply', { document }).catch(() => undefined);
        // From before the transaction to behind it: the same work takes another time on each machine.
        await pause((round % 5) * 60 + Math.random() * 60);
        await service.kill();
        const answer = await asked;
        service = await startProcess(place);
        const { sources = {}, webhooks = {}, keys } = (await call('GET', '/api/v1/datasync/config')).body.data.document;
        const found = [sources, webhooks].map((section) => names.filter((name) => Object.hasOwn(section, name)).length);
        const isThere = Object.hasOwn(keys, `round ${round}`);
        assert.deepEqual(found, isThere ? [MANY, MANY] : [0, 0]);
        if (answer?.status === 200) assert.ok(isThere, 'what was answered is there');
        if (isThere) all++;
        else none++;
      }
      assert.equal(all + none, ROUNDS);
    } finally {
      await service.kill();
      await place.remove();
    }
  });
});
