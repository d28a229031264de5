// Large streams are copied in parts, which all nodes share.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { startChaosProxy } from '../support/chaos-proxy.ts';
import { onEitherEngine, type Place, preparedPlace } from '../support/databases.ts';
import { newDatabase, type TestDatabase } from '../support/postgres-database.ts';
import type { ServiceProcess } from '../../src/cli/prove/service-process.ts';
import { startProcess } from '../support/process.ts';
import { addSource, ask, type Caller, reaches } from '../support/real-syncs.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { sampled } from '../support/whole.ts';

const TABLE = `create table items (a text collate "und-x-icu", b int, v text, changed timestamptz not null default now(), primary key (a, b))`;
const fill = (rows: number): string =>
  `insert into items (a, b, v) select chr(65 + n % 57) || repeat('x', n % 3), n, md5(n::text) from generate_series(1, ${rows}) n; analyze items`;
const contents = (database: TestDatabase): Promise<unknown> =>
  database.rows(`select count(*), md5(string_agg(md5(t::text), '' order by a collate "C", b)) from items t`);

/** Both databases do a lot here: a busy machine takes its time. */
const PATIENCE = 90_000;

async function runToEnd(service: Caller, syncId: string, body?: unknown): Promise<Awaited<ReturnType<typeof reaches>>> {
  const { id } = await ask(service, 'POST', `/sync/${syncId}/runs`, body);
  return reaches(service, id, ['succeeded', 'partial', 'failed'], PATIENCE);
}

interface Ends {
  source: TestDatabase;
  target: TestDatabase;
  /** Creates the synchronization; answers its id. */
  sync: (service: Caller, stream?: object, targetPort?: number) => Promise<string>;
}

async function endsWith(rows: number): Promise<Ends> {
  const [source, target] = await Promise.all([newDatabase(), newDatabase()]);
  after(() => Promise.all([source.close(), target.close()]));
  await source.run(`${TABLE}; ${fill(rows)}`);
  return {
    source,
    target,
    sync: async (service, stream = { mode: 'mirror' }, port = target.config.port) => {
      const [source_id, target_id] = [
        await addSource(service, 'postgres', source.config, 'from'),
        await addSource(service, 'postgres', { ...target.config, port }, 'to'),
      ];
      const definition = { name: 'large', source_id, target_id, streams: [{ source: 'public.items', ...stream }] };
      return (await ask(service, 'POST', '/sync', definition)).id;
    },
  };
}

async function partsOf(service: Caller, run: string): Promise<number> {
  const entries = (await ask(service, 'GET', `/logs?run_id=${run}&limit=100`)) as { message: string }[];
  const [, parts = '0'] = entries.flatMap(({ message }) => /copied in (\d+) parts/.exec(message) ?? []);
  return Number(parts);
}

onEitherEngine('one node', (engine) => {
  const ROWS = 4_000;
  let service: Service;
  before(async () => {
    service = await startService(engine, { environment: { SYNCLINE_SPLIT_ROWS: '1600' } });
  });
  after(() => service.close());

  test('copies a large stream in parts: at first, again, and what has changed since', async () => {
    const { source, target, sync } = await endsWith(ROWS);
    const id = await sync(service);
    const first = await runToEnd(service, id);
    assert.equal(first.status, 'succeeded', JSON.stringify(first));
    assert.deepEqual([first.totals.read, first.totals.inserted], [ROWS, ROWS]);
    assert.ok(first.streams[0].rows_per_second > 0);
    assert.equal(await partsOf(service, first.id), 10);
    await source.run(
      `update items set v = 'new' where b % 100 = 0; delete from items where b % 50 = 1; insert into items (a, b, v) values ('', -1, 'first'), ('zzzz', 1, 'last'); analyze items`,
    );
    const second = await runToEnd(service, id);
    const { read, inserted, updated, deleted, unchanged } = second.totals;
    assert.deepEqual([second.status, read, inserted, updated, deleted, unchanged], ['succeeded', 3_922, 2, 40, 80, 3_880]);
    assert.ok((await partsOf(service, second.id)) > 1);
    assert.deepEqual(await contents(target), await contents(source));
    assert.deepEqual(await target.rows(`select relname from pg_class where relname like '\\_syncline\\_stage%'`), []);
    assert.equal((await target.rows('select 1 from _syncline_checkpoints')).length, 1);
  });

  test('an incremental stream is loaded in parts at first, and then goes on by its cursor', async () => {
    const { source, target, sync } = await endsWith(ROWS);
    const id = await sync(service, { mode: 'incremental', cursor: 'changed' });
    const first = await runToEnd(service, id);
    assert.deepEqual([first.status, first.totals.inserted, await partsOf(service, first.id)], ['succeeded', ROWS, 10]);
    await source.run(`update items set v = 'new', changed = now() where b <= 10; insert into items (a, b) values ('new', 1)`);
    const second = await runToEnd(service, id);
    assert.deepEqual([second.totals.read, second.totals.inserted, second.totals.updated], [11, 1, 10]);
    assert.equal(await partsOf(service, second.id), 0);
    assert.deepEqual(await contents(target), await contents(source));
    const full = await runToEnd(service, id, { mode: 'full' });
    assert.deepEqual([full.totals.read, full.totals.unchanged, await partsOf(service, full.id)], [ROWS + 1, ROWS + 1, 10]);
  });

  test('asks for approval when all parts are there, and goes on from there', async () => {
    const { source, target, sync } = await endsWith(ROWS);
    const id = await sync(service);
    await runToEnd(service, id);
    await source.run(`delete from items where b > 2400; analyze items`);
    const { id: run } = await ask(service, 'POST', `/sync/${id}/runs`);
    const asked = await reaches(service, run, 'needs_approval', PATIENCE);
    assert.equal(asked.streams[0].changes.deleted, 1_600);
    await ask(service, 'POST', `/runs/${run}/approve`);
    const done = await reaches(service, run, 'succeeded', PATIENCE);
    assert.deepEqual([done.totals.read, done.totals.deleted], [2_400, 1_600]);
    assert.deepEqual(await contents(target), await contents(source));
  });

  test('rejects rows in every part, and counts them once', async () => {
    const { source, target, sync } = await endsWith(ROWS);
    await target.run(`${TABLE}; alter table items add check (v <> 'bad')`);
    await source.run(`update items set v = 'bad' where b % 200 = 0; analyze items`);
    const id = await sync(service);
    const run = await runToEnd(service, id);
    assert.deepEqual([run.status, run.totals.read, run.totals.inserted, run.totals.rejected], ['partial', ROWS, ROWS - 20, 20]);
    assert.equal((await ask(service, 'GET', `/runs/${run.id}/rejects?limit=100`)).length, 20);
    await source.run(`update items set v = 'good' where v = 'bad'`);
    const again = await runToEnd(service, id);
    assert.deepEqual([again.status, again.totals.inserted, again.totals.unchanged], ['succeeded', 20, ROWS - 20]);
    assert.equal((await ask(service, 'GET', `/runs/${run.id}/rejects?status=open`)).length, 0);
  });
});

// Most of their time they wait for a lease to end.
describe('several nodes', { timeout: 300_000, concurrency: 4 }, () => {
  const ROWS = 40_000;
  /** How late everything comes to the target, in milliseconds, until a node is hit: so that there is time to hit it. */
  const LATENCY = 50;
  const KEY = 'the-admin-key-of-the-nodes';
  const environment = {
    SYNCLINE_ADMIN_KEY: KEY,
    SYNCLINE_SECRET_KEY: Buffer.alloc(32, 'parts').toString('base64'),
    SYNCLINE_SPLIT_ROWS: '8000',
    SYNCLINE_MAX_RUNS: '2',
  };

  function startNodes(place: Place, count: number): Promise<ServiceProcess[]> {
    return Promise.all(
      Array.from({ length: count }, (_, n) => {
        const dataDir = join(place.dataDir, String(n));
        mkdirSync(dataDir);
        return startProcess({ ...place, dataDir }, { environment });
      }),
    );
  }

  function callerOf(node: () => ServiceProcess | undefined): Caller {
    return {
      call: async (method, path, { body } = {}) => {
        const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
        const answer = await fetch(`${node()?.url}${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
        const text = await answer.text();
        return { status: answer.status, headers: answer.headers, text, body: JSON.parse(text) };
      },
    };
  }

  const ends = [
    ['the node that has the run is killed', 'mirror', 'kill'],
    ['a node that helps is told to stop', 'incremental', 'stop'],
    ['a node that helps is killed', 'mirror', 'kill'],
    ['the node that has the run is told to stop', 'incremental', 'stop'],
  ] as const;
  for (const [what, mode, end] of ends.slice(0, sampled(1, ends.length)))
    test(`${what} while a stream is copied in parts (${mode}): nothing is lost, doubled or counted twice`, async (t) => {
      const place = await preparedPlace('postgres');
      const nodes = await startNodes(place, 2);
      const own = new pg.Client({ connectionString: place.databaseUrl });
      await own.connect();
      t.after(async () => {
        await Promise.all(nodes.map((node) => node.kill()));
        await own.end();
        await place.remove();
      });
      const { source, target, sync } = await endsWith(ROWS);
      const proxy = await startChaosProxy(target.config);
      t.after(() => proxy.close());
      const caller = callerOf(() => nodes[0]);
      const id = await sync(caller, mode === 'mirror' ? { mode } : { mode, cursor: 'changed' }, proxy.port);
      proxy.latency = LATENCY;
      const { id: run } = await ask(caller, 'POST', `/sync/${id}/runs`);
      const pidOf = async (table: 'runs' | 'run_parts'): Promise<number | undefined> => {
        const others = table === 'run_parts' ? 'and n.id not in (select node from runs where node is not null)' : '';
        const found = await own.query(
          `select n.pid from ${table} t join nodes n on n.id = t.node where t.status = 'running' ${others} limit 1`,
        );
        return found.rows[0] === undefined ? undefined : Number(found.rows[0].pid);
      };
      const isHelped = async (): Promise<boolean> =>
        (await pidOf('run_parts')) !== undefined && (await own.query(`select 1 from run_parts where status = 'done'`)).rows.length > 0;
      await until('another node helps', isHelped, PATIENCE);
      const pid = await pidOf(what.startsWith('the node') ? 'runs' : 'run_parts');
      const victim = nodes.find((node) => node.pid === pid);
      assert.ok(victim, `there is no node ${pid}`);
      nodes.splice(nodes.indexOf(victim), 1);
      await victim[end]();
      proxy.latency = 0;
      const done = await reaches(caller, run, ['succeeded', 'partial', 'failed'], PATIENCE);
      assert.equal(done.status, 'succeeded', `${JSON.stringify(done)}\n${nodes.map((node) => node.logs()).join('\n')}`);
      assert.deepEqual([done.totals.read, done.totals.inserted, done.totals.updated], [ROWS, ROWS, 0]);
      assert.deepEqual(await contents(target), await contents(source));
      assert.equal((await own.query('select 1 from run_parts')).rows.length, 0);
    });
});
