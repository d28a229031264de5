import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { adminKeyFile } from '../../src/keys/admin-key.ts';
import { settingsOf, syncline } from '../support/command-line.ts';
import { preparedPlace, type Place } from '../support/databases.ts';
import { startProcess } from '../support/process.ts';
import { addSource, ask, madeUp, reaches, rowsIn, sqliteFile } from '../support/real-syncs.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const ADMIN = { SYNCLINE_ADMIN_KEY: 'the-key-of-the-operator-of-roles' };

async function placeFor(t: TestContext, engine: 'sqlite' | 'postgres'): Promise<Place> {
  const place = await preparedPlace(engine);
  t.after(() => place.remove());
  return place;
}

test('a role that makes no sense is refused, with what to do', async (t) => {
  const sqlite = settingsOf(await placeFor(t, 'sqlite'));
  const postgres = settingsOf(await placeFor(t, 'postgres'));
  const cases: [string[], Record<string, string>, RegExp][] = [
    [
      ['--role', 'api'],
      sqlite,
      /^The role api is for nodes that share a PostgreSQL: set DATABASE_URL\. On SQLite one process does everything/,
    ],
    [['--role=worker'], sqlite, /^The role worker is for nodes/],
    [[], { ...sqlite, SYNCLINE_ROLE: 'worker' }, /^The role worker is for nodes/],
    [['--role', 'boss'], postgres, /^There is no role "boss": choose all, api, worker\./],
    [[], { ...postgres, SYNCLINE_ROLE: 'boss' }, /SYNCLINE_ROLE must be all, api or worker/],
    [
      ['--role', 'worker'],
      { ...postgres, SYNCLINE_MAX_RUNS: '0' },
      /^A worker that may run nothing has nothing to do: set SYNCLINE_MAX_RUNS/,
    ],
    [['--rolle', 'api'], postgres, /Unknown option '--rolle'/],
  ];
  for (const [args, settings, said] of cases) {
    const { code, stderr } = await syncline(['start', ...args], settings);
    assert.match(stderr, said);
    assert.equal(code, 2, stderr);
  }
});

test('the role on the command line outweighs the setting', async (t) => {
  const place = await placeFor(t, 'sqlite');
  const { stderr } = await syncline(['start', '--role', 'all'], {
    ...settingsOf(place),
    SYNCLINE_ROLE: 'worker',
    PORT: '1',
    HOST: '192.0.2.1',
  });
  assert.match(stderr, /cannot listen on 192\.0\.2\.1:1/, 'it got as far as the port');
});

test('a worker runs what others have queued, answers to probes and for its metrics, and to nothing else', async (t) => {
  const place = await placeFor(t, 'postgres');
  // The first on an empty database: a worker makes no admin key.
  const workerAlone = await startProcess(place, { environment: { SYNCLINE_ROLE: 'worker' } });
  assert.ok(!existsSync(adminKeyFile(place.dataDir)));
  assert.match(workerAlone.logs(), /Probes +http.*\/readyz\n +Metrics +http.*\n +Role +worker/);
  assert.equal((await workerAlone.stop()).code, 0);

  const start = (role: string): Promise<Service> => startService('postgres', { place, environment: { ...ADMIN, SYNCLINE_ROLE: role } });
  const [api, worker] = [await start('api'), await start('worker')];
  t.after(() => Promise.all([api.close(), worker.close()]));
  for (const path of ['/healthz', '/readyz']) assert.equal((await worker.get(path, { key: null })).status, 200);
  const metrics = '/api/v1/datasync/metrics';
  assert.equal((await worker.get(metrics, { key: null })).status, 401);
  assert.match((await worker.get(metrics, { headers: { accept: 'text/plain' } })).text, /^# HELP /);
  for (const path of ['/api/v1/orders', '/api/v1/nodes', '/docs', '/openapi.json']) {
    const { status, body } = await worker.get(path);
    assert.equal(status, 404, path);
    assert.match(body.error.message, /^This node is a worker: .*Ask a node with the role api\./);
  }
  assert.equal((await worker.get('/api/v1/orders', { key: null })).status, 401);

  const path = sqliteFile(place, 'target.db');
  const [source_id, target_id] = [await addSource(api, 'fake', madeUp({ count: 25 })), await addSource(api, 'sqlite', { path })];
  const sync = await ask(api, 'POST', '/sync', { name: 's', source_id, target_id, streams: [{ source: 't' }] });
  const { id } = await ask(api, 'POST', `/sync/${sync.id}/runs`);
  await reaches(api, id, 'succeeded');
  assert.equal(rowsIn(path, 't'), 25);
});

test('a node with the role api runs nothing, says when no node does, and when one does again', async (t) => {
  const place = await placeFor(t, 'postgres');
  const environment = { ...ADMIN, SYNCLINE_ROLE: 'api' };
  const process = await startProcess(place, { environment });
  t.after(() => process.kill());
  await until('it to say that nobody runs anything', () => process.logs().includes('no node runs synchronizations'));
  const api = await startService('postgres', { place, environment });
  t.after(() => api.close());
  const path = sqliteFile(place, 'target.db');
  const [source_id, target_id] = [await addSource(api, 'fake', madeUp()), await addSource(api, 'sqlite', { path })];
  const sync = await ask(api, 'POST', '/sync', { name: 's', source_id, target_id, streams: [{ source: 't' }] });
  const { id } = await ask(api, 'POST', `/sync/${sync.id}/runs`);
  const worker = await startService('postgres', { place, environment: { ...ADMIN, SYNCLINE_ROLE: 'worker' } });
  t.after(() => worker.close());
  const run = await reaches(api, id, 'succeeded');
  const nodes = (await api.get('/api/v1/nodes')).body.data as { id: string; started_at: string }[];
  const began = nodes.find((node) => node.id === worker.app.node)?.started_at ?? '';
  assert.ok(run.started_at >= began, 'it has waited for the worker');
  await until('it to say that a node does', () => process.logs().includes('synchronizations are run again'));
  assert.equal((await process.stop()).code, 0);
});
