import assert from 'node:assert/strict';
import { chmodSync, copyFileSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { createPlace, onBothEngines, type Place } from '../support/databases.ts';
import type { ServiceProcess } from '../../src/cli/prove/service-process.ts';
import { startProcess } from '../support/process.ts';
import { callService, type Reply } from '../support/service.ts';
import { until } from '../support/until.ts';

const order = { customer_id: 'c', items: [{ product_id: 'p', quantity: 1, price: 1 }] };

interface Started {
  place: Place;
  service: ServiceProcess;
  call: (method: string, path: string, body?: unknown) => Promise<Reply>;
}

async function start(t: TestContext, engine: 'sqlite' | 'postgres', under: string[] = [], folder = ''): Promise<Started> {
  const made = await createPlace(engine);
  const place = { ...made, dataDir: join(made.dataDir, folder) };
  const service = await startProcess(place, { under });
  t.after(async () => {
    await service.kill();
    await made.remove();
  });
  const { adminKey } = service;
  const call: Started['call'] = (method, path, body) =>
    callService(service.url, adminKey, method, path, body === undefined ? {} : { body });
  return { place, service, call };
}

async function assertLost({ place, service, call }: Started): Promise<void> {
  // At once: an order that goes into a deleted file is never acknowledged.
  const refused = await call('POST', '/api/v1/orders', order);
  assert.equal(refused.status, 503, refused.text);
  assert.equal(refused.body.error.code, 'UNAVAILABLE');
  assert.match(refused.body.error.message, /put the data directory back, or .*restore a backup/);
  assert.equal(refused.body.error.details.reason, 'try again when the operator has put the files back or restored a backup');
  assert.equal(refused.headers.get('retry-after'), '30');
  const ready = await call('GET', '/readyz');
  assert.equal(ready.status, 503);
  assert.match(ready.body.error.message, /removed or replaced/);
  assert.ok(!ready.text.includes(place.dataDir), 'a client without a key does not learn where');
  await until('the log to say so', () => service.logs().includes(`in ${place.dataDir} were removed or replaced`), 5000);
  const nodes = await call('GET', '/api/v1/nodes');
  assert.match(nodes.body.data[0].problems.join(), /removed or replaced/);
  assert.equal((await call('GET', '/healthz')).status, 200);
}

describe('the data directory of a service on SQLite', { timeout: 120_000 }, () => {
  test('is removed: from then on nothing is acknowledged, and the service says so', async (t) => {
    const started = await start(t, 'sqlite', [], 'data');
    const { place, service, call } = started;
    let removed = false;
    let after = 0;
    const acknowledged: string[] = [];
    const customers = Array.from({ length: 8 }, async () => {
      while (after < 100) {
        const begun = removed;
        const { status } = await call('POST', '/api/v1/orders', order);
        if (begun) after++;
        if (begun && status === 200) acknowledged.push('after the removal');
      }
    });
    await until('some orders', async () => (await call('GET', '/api/v1/orders')).body.total > 20);
    rmSync(place.dataDir, { recursive: true });
    removed = true;
    await Promise.all(customers);
    assert.deepEqual(acknowledged, []);
    await assertLost(started);
    assert.deepEqual(await service.stop(), { code: 0, signal: null });
  });

  test('is moved away and back: ready again, with every order that was acknowledged', async (t) => {
    const started = await start(t, 'sqlite', [], 'data');
    const { place, service, call } = started;
    const first = (await call('POST', '/api/v1/orders', order)).body.data.id as string;
    renameSync(place.dataDir, `${place.dataDir}-elsewhere`);
    await assertLost(started);
    renameSync(`${place.dataDir}-elsewhere`, place.dataDir);
    await until('it to be ready again', async () => (await call('GET', '/readyz')).status === 200);
    assert.equal((await call('POST', '/api/v1/orders', order)).status, 200);
    assert.equal((await call('GET', `/api/v1/orders/${first}`)).status, 200);
    await until('the log to say so', () => service.logs().includes('are back'));
    assert.deepEqual((await call('GET', '/api/v1/nodes')).body.data[0].problems, []);
  });

  test('gets another file in place of the database, or loses the log of it', async (t) => {
    for (const harm of [
      (file: string) => {
        copyFileSync(file, `${file}.copy`);
        renameSync(`${file}.copy`, file);
      },
      (file: string) => rmSync(`${file}-wal`),
    ]) {
      const started = await start(t, 'sqlite');
      harm(join(started.place.dataDir, 'syncline.db'));
      await assertLost(started);
    }
  });
});

test('the data directory of a service on PostgreSQL is removed: it is told, and orders are taken as before', async (t) => {
  const { place, service, call } = await start(t, 'postgres', [], 'data');
  rmSync(place.dataDir, { recursive: true });
  await until('the log to say so', () => service.logs().includes(`Its data directory ${place.dataDir} was removed or replaced`));
  assert.match((await call('GET', '/api/v1/nodes')).body.data[0].problems.join(), /removed or replaced/);
  assert.equal((await call('POST', '/api/v1/orders', order)).status, 200);
  assert.equal((await call('GET', '/readyz')).status, 200);
});

onBothEngines('what a service keeps in its data directory', (engine) => {
  test('is for its user alone, however generous the umask is', async (t) => {
    const { place, service, call } = await start(t, engine, ['sh', '-c', 'umask 0; exec "$@"', 'sh'], 'made/data');
    await call('POST', '/api/v1/orders', order);
    const modes = [place.dataDir, ...readdirSync(place.dataDir).map((name) => join(place.dataDir, name))].map((path) => ({
      path: path.slice(place.dataDir.length),
      open: (statSync(path).mode & 0o077).toString(8),
    }));
    assert.deepEqual(
      modes.filter(({ open }) => open !== '0'),
      [],
    );
    assert.doesNotMatch(service.logs(), /others on this machine/);
  });

  test('may have files elsewhere: a folder for them that is not there is told at the start', async (t) => {
    const place = await createPlace(engine);
    const missing = join(tmpdir(), 'syncline-not-mounted', 'nowhere');
    const service = await startProcess(place, { environment: { SYNCLINE_FILE_ROOTS: `${place.dataDir}/files,${missing}` } });
    t.after(async () => {
      await service.kill();
      await place.remove();
    });
    const told = service
      .logs()
      .split('\n')
      .filter((line) => line.includes('SYNCLINE_FILE_ROOTS'));
    assert.deepEqual(
      told.map((line) => (JSON.parse(line) as { folder: string }).folder),
      [missing],
    );
    const { body } = await callService(service.url, service.adminKey, 'POST', '/api/v1/datasync/sources/check', {
      body: { type: 'sqlite', config: { path: join(missing, 'a.db'), create: false } },
    });
    assert.deepEqual([body.data.ok, body.data.error.code], [false, 'FILE_MISSING']);
    assert.match(body.data.error.message, /^The folder .*nowhere, where .* is not there/);
  });

  test('is told of at the start when others can look into it', async (t) => {
    const { place, service } = await start(t, engine);
    assert.doesNotMatch(service.logs(), /others on this machine/);
    await service.stop();
    for (const [mode, told] of [
      [0o755, true],
      [0o750, true],
      [0o701, true],
      [0o2770, false],
      [0o700, false],
    ] as const) {
      chmodSync(place.dataDir, mode);
      const again = await startProcess(place);
      await again.stop();
      const line = again
        .logs()
        .split('\n')
        .find((text) => text.includes('others on this machine can look into the data directory'));
      assert.equal(line !== undefined, told, mode.toString(8));
      if (line) assert.match(line, /chmod/);
    }
  });
});
