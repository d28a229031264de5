import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { after, before, test, type TestContext } from 'node:test';
import { preparedPlace, onBothEngines, type Place } from '../support/databases.ts';
import { addSource, ask, madeUp, reaches, rowsIn, runOf, runToEnd, sqliteFile } from '../support/real-syncs.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { oneIsEnough } from '../support/whole.ts';

const HANGING = { fail: [{ at: 'read', kind: 'transient', hang: true }] };

onBothEngines('running synchronizations', (engine) => {
  let place: Place;
  let service: Service;
  let files = 0;
  before(async () => {
    place = await preparedPlace(engine);
    service = await start();
  });
  after(async () => {
    await service.close();
    await place.remove();
  });

  const start = (environment: Record<string, string> = {}): Promise<Service> =>
    startService(engine, { place, environment: { SYNCLINE_FILE_ROOTS: join(place.dataDir, 'files'), ...environment } });
  /** Begins anew with other settings, and puts that back afterwards. */
  const restartWith = async (t: TestContext, environment: Record<string, string>): Promise<void> => {
    await service.close();
    service = await start(environment);
    t.after(async () => {
      await service.close();
      service = await start();
    });
  };
  const addTarget = async (): Promise<{ id: string; path: string }> => {
    const path = sqliteFile(place, `${files++}.db`);
    return { id: await addSource(service, 'sqlite', { path }), path };
  };
  const addSync = async (options: {
    source: unknown;
    sourceId?: string;
    stream?: object;
  }): Promise<{ id: string; path: string; sourceId: string }> => {
    const target = await addTarget();
    const sourceId = options.sourceId ?? (await addSource(service, 'fake', options.source));
    const streams = [{ source: 't', ...options.stream }];
    const { id } = await ask(service, 'POST', '/sync', { name: 's', source_id: sourceId, target_id: target.id, streams });
    return { id, path: target.path, sourceId };
  };
  const startRun = async (syncId: string): Promise<string> => (await ask(service, 'POST', `/sync/${syncId}/runs`)).id;
  const cancel = (runId: string) => ask(service, 'POST', `/runs/${runId}/cancel`);

  test('a run begins at once, ends well, and its story is in the log', async () => {
    const sync = await addSync({ source: madeUp({ count: 25 }) });
    const run = await runToEnd(service, sync.id);
    assert.equal(run.status, 'succeeded', JSON.stringify(run));
    assert.deepEqual({ read: run.totals.read, inserted: run.totals.inserted }, { read: 25, inserted: 25 });
    assert.equal(rowsIn(sync.path, 't'), 25);
    assert.ok(Date.parse(run.started_at) - Date.parse(run.created_at) < 1000);
    // The end of a run is told after it is written down.
    const words = await until('the whole story', async () => {
      await service.app.logs.flush();
      const story = (await service.get(`/api/v1/datasync/logs?run_id=${run.id}`)).body.data as { level: string; message: string }[];
      return story.length > 1 && story.map(({ level, message }) => `${level} ${message}`).toReversed();
    });
    assert.deepEqual(words, ['info The run begins (manual).', 'info The run succeeded: 25 rows read, 25 inserted.']);
  });

  test('what is known already is not written again: a second run changes nothing', async () => {
    const sync = await addSync({ source: madeUp({ count: 5 }) });
    await runToEnd(service, sync.id);
    const again = await runToEnd(service, sync.id);
    assert.deepEqual([again.status, again.totals.inserted, again.totals.unchanged], ['succeeded', 0, 5]);
  });

  test('cancelling stops a run that hangs, within a second', async () => {
    const sync = await addSync({ source: madeUp(HANGING) });
    const id = await startRun(sync.id);
    await reaches(service, id, 'running');
    const asked = performance.now();
    await cancel(id);
    const run = await reaches(service, id, 'cancelled');
    assert.ok(performance.now() - asked < 1000, 'within a second');
    assert.equal(run.streams[0].status, 'cancelled');
  });

  test('an error that may heal is tried again later, and says when; another one is not', async () => {
    const flaky = await addSync({ source: madeUp({ fail: [{ at: 'read', kind: 'transient', message: 'Come back later.' }] }) });
    const id = await startRun(flaky.id);
    const run = await reaches(service, id, 'retrying');
    const wait = Date.parse(run.next_attempt_at) - Date.now();
    assert.ok(wait > 5_000 && wait <= 10_000, String(wait));
    assert.match(run.error.message, /Come back later/);
    await cancel(id);
    const broken = await addSync({ source: madeUp({ fail: [{ at: 'read', kind: 'auth', message: 'Not you.' }] }) });
    assert.equal((await runToEnd(service, broken.id)).status, 'failed');
  });

  test('a source whose secrets cannot be read fails the run in words that say what to do', async () => {
    const sync = await addSync({ source: madeUp() });
    const secret = randomBytes(32).toString('base64');
    await ask(service, 'PUT', `/sources/${sync.sourceId}`, { name: 'renamed' });
    const other = await addSource(service, 'postgres', { host: '127.0.0.1', port: 1, database: 'd', user: 'u', password: 'p' }, 'pg');
    await ask(service, 'PUT', `/sync/${sync.id}`, { name: 'still there' });
    await service.close();
    service = await start({ SYNCLINE_SECRET_KEY: secret });
    try {
      // Behind the back of the API, which would ask the system first.
      const { runStatement } = await import('../support/commands.ts');
      await service.app.db.write(runStatement, `update syncs set source_id = '${other}' where id = '${sync.id}'`);
      const run = await runToEnd(service, sync.id);
      assert.equal(run.status, 'failed');
      assert.equal(run.error.code, 'SECRET_UNREADABLE');
      assert.match(run.error.hint, /SYNCLINE_SECRET_KEY/);
    } finally {
      await service.close();
      service = await start();
    }
  });

  test('no more runs at the same time than the node may have, nor than a source bears', async (t) => {
    await restartWith(t, { SYNCLINE_MAX_RUNS: '3', SYNCLINE_RUNS_PER_SOURCE: '2' });
    const shared = await addSync({ source: madeUp(HANGING) });
    const others = [];
    for (let i = 0; i < 2; i++) others.push(await addSync({ source: undefined, sourceId: shared.sourceId }));
    const separate = [await addSync({ source: madeUp(HANGING) }), await addSync({ source: madeUp(HANGING) })];
    const ids: string[] = [];
    for (const { id } of [shared, ...others, ...separate]) ids.push(await startRun(id));
    const statuses = async (): Promise<string[]> => Promise.all(ids.map(async (id) => (await runOf(service, id)).status));
    // Of the three that share a source two may run, then the next one that does not.
    const full = ['running', 'running', 'queued', 'running', 'queued'];
    await until('three runs to go on', async () => (await statuses()).join() === full.join());
    await cancel(ids[0] as string);
    await until('the next to begin', async () => (await statuses()).join() === 'cancelled,running,running,running,queued');
    for (const id of ids.slice(1)) await cancel(id);
    await until('all to end', async () => (await statuses()).every((status) => status === 'cancelled'));
  });

  test('a node with SYNCLINE_MAX_RUNS=0 leaves runs to others', async (t) => {
    await restartWith(t, { SYNCLINE_MAX_RUNS: '0' });
    const sync = await addSync({ source: madeUp() });
    const id = await startRun(sync.id);
    // It looks after schedules: when one of every second has a slot skipped, it has looked at what waits, twice.
    const neighbour = await addSync({ source: madeUp() });
    await ask(service, 'PUT', `/sync/${neighbour.id}`, { schedule: { type: 'interval', every: '1s' } });
    const [first] = await until('a slot to be skipped', async () => {
      const runs = (await ask(service, 'GET', `/sync/${neighbour.id}/runs`)).toReversed();
      return runs[1]?.status === 'skipped' && runs;
    });
    await ask(service, 'POST', `/sync/${neighbour.id}/pause`);
    for (const waiting of [id, first.id]) {
      assert.equal((await runOf(service, waiting)).status, 'queued');
      await cancel(waiting);
    }
  });

  test('stopping hands a run over at a checkpoint; the next start goes on with the same run', async () => {
    const sync = await addSync({ source: madeUp({ count: 20_000, endless: true, delay_ms: 5 }), stream: { mode: 'append' } });
    const id = await startRun(sync.id);
    await until('rows to arrive', () => rowsIn(sync.path, 't') > 0);
    const asked = performance.now();
    await service.close();
    assert.ok(performance.now() - asked < 5000, 'it stops quickly');
    const before = rowsIn(sync.path, 't');
    service = await start();
    // What was endless before has an end behind a position.
    const run = await reaches(service, id, 'succeeded');
    assert.equal(run.attempt, 1, 'a hand-over is no failure');
    assert.ok(before > 0 && run.totals.inserted >= before, 'the counts are of the whole run');
    assert.equal(run.totals.inserted, rowsIn(sync.path, 't'), 'and nothing came twice');
    await service.app.logs.flush();
    const story = (await service.get(`/api/v1/datasync/logs?run_id=${id}`)).body.data.map(({ message }: { message: string }) => message);
    assert.ok(
      story.some((message: string) => message.startsWith('The service stops: the run goes on')),
      story.join('\n'),
    );
  });

  test('a run that takes more memory than it may is ended; the service and other runs go on', oneIsEnough(engine), async (t) => {
    await restartWith(t, { SYNCLINE_RUN_MEMORY: '64' });
    const greedy = await addSync({ source: madeUp() });
    const config = madeUp({ count: 3_000_000, fields: 10 });
    await ask(service, 'PUT', `/sources/${greedy.sourceId}`, { config });
    const quiet = await addSync({ source: madeUp() });
    const id = await startRun(greedy.id);
    await reaches(service, id, 'running');
    assert.equal((await runToEnd(service, quiet.id)).status, 'succeeded');
    const run = await reaches(service, id, 'failed', 30_000);
    assert.equal(run.error.code, 'OUT_OF_MEMORY');
    assert.match(run.error.message, /more than 64 MB/);
    assert.equal((await runToEnd(service, quiet.id)).status, 'succeeded');
  });

  test("an order that is posted is in the target's table within a second", async () => {
    const target = await addTarget();
    const hub = await addSource(service, 'hub', {});
    const streams = [{ source: 'orders' }, { source: 'order_items' }];
    const sync = await ask(service, 'POST', '/sync', { name: 'orders', source_id: hub, target_id: target.id, streams });
    assert.deepEqual(sync.schedule, { type: 'on_change' });
    const order = { customer_id: 'c', items: [{ product_id: 'p', quantity: 2, price: 1.5 }] };
    const times: number[] = [];
    for (let n = 1; n <= 5; n++) {
      const posted = performance.now();
      assert.equal((await service.post('/api/v1/orders', order)).status, 200);
      await until('the order to arrive', () => rowsIn(target.path, 'orders') === n && rowsIn(target.path, 'order_items') === n);
      times.push(performance.now() - posted);
    }
    // Not each of them: other tests may keep the machine busy.
    assert.ok(Math.min(...times) < 1000, `it took ${times.map(Math.round).join(', ')} ms`);
    const runs = await ask(service, 'GET', `/sync/${sync.id}/runs`);
    assert.ok(runs.every(({ trigger }: { trigger: string }) => trigger === 'change'));
    const neighbour = await addTarget();
    const other = await ask(service, 'POST', '/sync', { name: 'others', source_id: hub, target_id: neighbour.id, streams });
    await until('the orders to arrive at the neighbour', () => rowsIn(neighbour.path, 'orders') === 5);
    await ask(service, 'POST', `/sync/${sync.id}/pause`);
    const before = await ask(service, 'GET', `/sync/${sync.id}/runs`);
    await service.post('/api/v1/orders', order);
    await until('the order to arrive at the neighbour', () => rowsIn(neighbour.path, 'orders') === 6);
    assert.deepEqual(await ask(service, 'GET', `/sync/${sync.id}/runs`), before, 'one that is paused does not follow');
    assert.equal(rowsIn(target.path, 'orders'), 5);
    await ask(service, 'POST', `/sync/${other.id}/pause`);
    await ask(service, 'POST', `/sync/${sync.id}/resume`);
    await until('what it missed to arrive', () => rowsIn(target.path, 'orders') === 6);
  });
});
