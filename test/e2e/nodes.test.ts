import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { after, before, test, type TestContext } from 'node:test';
import { SCHEMA_VERSION } from '../../src/db/migrate.ts';
import { newKeyText } from '../../src/lib/secrets.ts';
import { VERSION } from '../../src/version.ts';
import { runStatement } from '../support/commands.ts';
import { settingsOf, syncline } from '../support/command-line.ts';
import { preparedPlace, onEitherEngine, type Place } from '../support/databases.ts';
import { addSource, ask, madeUp, reaches, sqliteFile } from '../support/real-syncs.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const NODES = '/api/v1/nodes';
const HANGING = { fail: [{ at: 'read', kind: 'transient', hang: true }] };

interface Node {
  id: string;
  role: string;
  status: string;
  seen_at: string;
  runs: { id: string; sync_id: string; started_at: string }[];
  parts: { run_id: string; stream: string; part: number }[];
  problems: string[];
  clock_ahead_ms: number;
}

const nodesOf = async (service: Service): Promise<Node[]> => (await service.get(NODES)).body.data as Node[];

onEitherEngine('nodes', (engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
  });
  after(() => service.close());

  test('no key 401, wrong scope 403, bad parameters 400 that name the field', async () => {
    assert.equal((await service.get(NODES, { key: null })).status, 401);
    const refused = await service.get(NODES, { key: await service.keyWith('datasync:read', 'orders:write') });
    assert.deepEqual([refused.status, refused.body.error.details.reason], [403, 'missing scope admin']);
    for (const [query, field] of [
      ['role=api', 'role'],
      ['limit=0', 'limit'],
      ['cursor=nonsense', 'cursor'],
    ]) {
      const { status, body } = await service.get(`${NODES}?${query}`);
      assert.deepEqual([status, body.error.details.field], [400, field]);
    }
  });

  test('tell who they are, and what they run', async () => {
    const { body } = await service.get(NODES);
    assert.equal(body.total, 1);
    const [{ id, started_at, seen_at, clock_ahead_ms, ...node }] = body.data;
    assert.match(id, /^nod_[0-9a-z]{26}$/);
    assert.ok(started_at <= seen_at);
    assert.ok(Math.abs(clock_ahead_ms) < 5000);
    assert.deepEqual(node, {
      host: hostname(),
      pid: process.pid,
      role: 'all',
      status: 'alive',
      version: VERSION,
      schema_version: SCHEMA_VERSION,
      max_runs: 4,
      runs: [],
      parts: [],
      problems: [],
    });

    const source_id = await addSource(service, 'fake', madeUp(HANGING));
    const target_id = await addSource(service, 'sqlite', { path: sqliteFile(service.place, 'busy.db') });
    const sync = await ask(service, 'POST', '/sync', { name: 'busy', source_id, target_id, streams: [{ source: 't' }] });
    const run = await ask(service, 'POST', `/sync/${sync.id}/runs`);
    const { started_at: begun } = await reaches(service, run.id, 'running');
    assert.deepEqual((await nodesOf(service))[0]?.runs, [{ id: run.id, sync_id: sync.id, started_at: begun }]);
    await service.app.db.write(
      runStatement,
      `insert into run_parts (run_id, target, part, split, version, bounds, status, token, node)
        values ('${run.id}', 't', 3, 's', 1, '[]', 'running', 1, '${service.app.node}'), ('${run.id}', 't', 4, 's', 1, '[]', 'running', 1, null)`,
    );
    assert.deepEqual((await nodesOf(service))[0]?.parts, [{ run_id: run.id, stream: 't', part: 3 }]);
    await ask(service, 'POST', `/runs/${run.id}/cancel`);
    await reaches(service, run.id, 'cancelled');
    assert.deepEqual((await nodesOf(service))[0]?.runs, []);
  });

  test('are listed by the command line', async () => {
    const settings = { ...settingsOf(service.place), SYNCLINE_URL: service.url };
    const { code, stdout } = await syncline(['nodes'], settings);
    assert.equal(code, 0);
    assert.match(stdout, /^ID +HOST +ROLE +STATUS +VERSION +SEEN +RUNS +PROBLEMS\nnod_\w{26} +\S+:\d+ +all +alive +\S+ +\S+Z +0 of 4\n$/);
    assert.deepEqual(
      JSON.parse((await syncline(['nodes', '--json'], settings)).stdout).map(({ id }: Node) => id),
      (await nodesOf(service)).map(({ id }) => id),
    );
  });

  test('that were stopped are gone, and one that was killed leaves nobody in its place on SQLite', async (t) => {
    const place = await placeFor(t, engine);
    await (await startService(engine, { place })).close();
    const again = await startService(engine, { place });
    await again.app.db.write(runStatement, ghost('nod_00000000000000000000000001'));
    assert.deepEqual(
      (await nodesOf(again)).map(({ status }) => status),
      ['alive', 'lost'],
    );
    await again.close();
    const third = await startService(engine, { place });
    t.after(() => third.close());
    assert.deepEqual(
      (await nodesOf(third)).map(({ status }) => status),
      engine === 'sqlite' ? ['alive'] : ['alive', 'lost'],
    );
  });
});

test('several nodes know of each other, by pages too', async (t) => {
  const place = await placeFor(t, 'postgres');
  const services: Service[] = [];
  for (const SYNCLINE_ROLE of ['all', 'api', 'worker']) {
    services.push(await startService('postgres', { place, environment: { SYNCLINE_ROLE } }));
  }
  t.after(() => Promise.all(services.map((service) => service.close())));
  const [first, second] = services as [Service, Service];
  const seen = await nodesOf(first);
  assert.deepEqual(
    seen.map(({ role, status, problems }) => ({ role, status, problems })),
    ['worker', 'api', 'all'].map((role) => ({ role, status: 'alive', problems: [] })),
  );
  assert.deepEqual(
    (await nodesOf(second)).map(({ id }) => id),
    seen.map(({ id }) => id),
  );
  const page = (await first.get(`${NODES}?limit=2`)).body;
  assert.deepEqual([page.data.length, page.total], [2, 3]);
  const rest = (await first.get(`${NODES}?limit=2&cursor=${page.next_cursor}`)).body;
  assert.deepEqual([rest.data.map(({ id }: Node) => id), rest.total, rest.next_cursor], [[seen[2]?.id], 3, null]);
});

test('a node tells again and again that it is alive; one that was forgotten comes back', async (t) => {
  const place = await placeFor(t, 'postgres');
  const watcher = await startService('postgres', { place });
  const other = await startService('postgres', { place, clock: () => Date.now() + 600_000 });
  t.after(() => Promise.all([watcher.close(), other.close()]));
  const find = async (): Promise<Node | undefined> => (await nodesOf(watcher)).find(({ id }) => id === idOf(other));
  const before = await find();
  assert.match(before?.problems.join() ?? '', /^Its clock is 600 seconds ahead/);
  await until('it to be heard of again', async () => ((await find())?.seen_at ?? '') > (before?.seen_at ?? ''));
  await watcher.app.db.write(runStatement, `delete from nodes where id = '${idOf(other)}'`);
  assert.equal(await find(), undefined);
  await until('it to come back', async () => (await find()) !== undefined);
  await watcher.app.db.write(runStatement, ghost('nod_00000000000000000000000001', '2 hours'));
  assert.equal((await watcher.get(NODES)).body.total, 2, 'after an hour one is forgotten');
});

test('a node that was heard of at a time that has not come yet is not taken for alive: the clock was set back', async (t) => {
  const watcher = await startService('postgres');
  t.after(() => watcher.close());
  const [soon, later] = ['nod_00000000000000000000000002', 'nod_00000000000000000000000003'];
  await watcher.app.db.write(runStatement, ghost(soon, 'in 1 minute'));
  await watcher.app.db.write(runStatement, ghost(later, 'in 2 hours'));
  const found = await nodesOf(watcher);
  assert.deepEqual(
    found.map(({ id, status }) => [id, status]),
    [
      [idOf(watcher), 'alive'],
      [soon, 'lost'],
    ],
  );
});

test('a node with another key for secrets is refused and has changed nothing; so it is by turns of the keys', async (t) => {
  const place = await placeFor(t, 'postgres');
  const [old, next] = [newKeyText(), newKeyText()];
  const start = (SYNCLINE_SECRET_KEY: string): Promise<Service> =>
    startService('postgres', { place, environment: { SYNCLINE_SECRET_KEY } });
  const first = await start(old);
  const config = { host: 'db.example', database: 'd', user: 'u', password: 'secret' };
  const id = await addSource(first, 'postgres', config);
  const sealed = async (): Promise<string> => JSON.stringify(await first.app.db.write(runStatement, `select secrets from sources`));
  const before = await sealed();
  await assert.rejects(start(next), /another key for the secrets of sources than .*SYNCLINE_SECRET_KEY to the same value on all nodes/);
  await assert.rejects(start(`${next},${old}`), /another key/);
  assert.equal(await sealed(), before);
  assert.equal((await nodesOf(first)).length, 1);
  // A node without the setting has a key of its own.
  const elsewhere = { ...place, dataDir: join(place.dataDir, 'elsewhere') };
  await assert.rejects(startService('postgres', { place: elsewhere }), /the file secret-key in its own data directory/);

  const second = await start(`${old},${next}`);
  t.after(() => second.close());
  await first.close();
  const third = await start(`${next},${old}`);
  t.after(() => third.close());
  for (const service of [second, third]) {
    const reply = await service.post(`/api/v1/datasync/sources/${id}/check`);
    assert.doesNotMatch(reply.text, /encrypted with the key/);
  }
});

test('a node with another admin key is warned of', async (t) => {
  const place = await placeFor(t, 'postgres');
  const start = (SYNCLINE_ADMIN_KEY: string): Promise<Service> => startService('postgres', { place, environment: { SYNCLINE_ADMIN_KEY } });
  const first = await start('the-key-of-the-operator-1');
  const second = await start('the-key-of-the-operator-2');
  t.after(() => Promise.all([first.close(), second.close()]));
  const problems = Object.fromEntries((await nodesOf(first)).map((node) => [node.id, node.problems.join()]));
  assert.equal(problems[idOf(first)], '');
  assert.match(problems[idOf(second)] ?? '', /^Its SYNCLINE_ADMIN_KEY is another/);
});

async function placeFor(t: TestContext, engine: 'sqlite' | 'postgres'): Promise<Place> {
  const place = await preparedPlace(engine);
  t.after(() => place.remove());
  return place;
}

function idOf({ app }: Service): string {
  return app.node;
}

const AGO = { '1 minute': 60_000, '2 hours': 7_200_000, 'in 1 minute': -60_000, 'in 2 hours': -7_200_000 };

/** The row of a node that was killed so long ago. */
function ghost(id: string, ago: keyof typeof AGO = '1 minute'): string {
  const seen = new Date(Date.now() - AGO[ago]).toISOString();
  return `insert into nodes (id, host, pid, role, version, schema_version, max_runs, started_at, seen_at, clock_ahead_ms, secret_marks)
    values ('${id}', 'ghost', 1, 'worker', '0.0.1', 5, 4, '2026-01-01T00:00:00.000Z', '${seen}', 0, '[]')`;
}
