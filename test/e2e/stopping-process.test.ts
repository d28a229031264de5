import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';
import { callerOf } from '../cluster/caller.ts';
import { preparedPlace, onEitherEngine, type Place } from '../support/databases.ts';
import { isBeingRead, withHeavyView } from '../support/heavy-view.ts';
import type { ServiceProcess } from '../../src/cli/prove/service-process.ts';
import { startProcess } from '../support/process.ts';
import { addSource, ask, type Caller, reaches, runToEnd, sqliteFile } from '../support/real-syncs.ts';
import { framesOf } from '../support/server-events.ts';
import { until } from '../support/until.ts';

/** On a machine that has nothing else to do it takes a tenth of it, in milliseconds. */
const AT_ONCE = 2_000;
/** What is under way gets a moment, and is ended then. */
const STUCK_WITHIN = 10_000;

async function start(t: TestContext, engine: 'sqlite' | 'postgres'): Promise<{ place: Place; service: ServiceProcess; caller: Caller }> {
  const place = await preparedPlace(engine);
  t.after(() => place.remove());
  const service = await startProcess(place, { environment: { SYNCLINE_FILE_ROOTS: join(place.dataDir, 'files') } });
  t.after(() => service.kill());
  return { place, service, caller: callerOf(service) };
}

/** Milliseconds from the moment when it says that all is put away to its end. */
async function stop(service: ServiceProcess): Promise<{ exit: Awaited<ServiceProcess['ended']>; took: number; linger: number }> {
  const began = performance.now();
  const ended = service.stop().then((exit) => ({ exit, at: performance.now() }));
  const said = until('it to say that it has stopped', () => service.logs().includes('"msg":"stopped"') && performance.now());
  const { exit, at } = await ended;
  return { exit, took: at - began, linger: at - (await said) };
}

onEitherEngine('a process that is told to stop', (engine) => {
  test('is gone as soon as all is put away, whatever it has done', { timeout: 120_000 }, async (t) => {
    const { place, service, caller } = await start(t, engine);
    const [from, to] = [sqliteFile(place, 'from.db'), sqliteFile(place, 'to.db')];
    const db = new DatabaseSync(from);
    db.exec(`create table t (id integer primary key, name text);
      with recursive n (id) as (select 1 union all select id + 1 from n where id < 200000) insert into t select id, 'row ' || id from n`);
    db.close();
    const get = (path: string, accept = '*/*'): Promise<Response> =>
      fetch(service.url + path, { headers: { authorization: `Bearer ${service.adminKey}`, accept } });
    for (const path of ['/', '/docs', '/openapi.json', '/readyz', '/api/v1/audit', '/api/v1/datasync/metrics', '/api/v1/datasync/logs'])
      assert.equal((await get(path)).status, 200, path);
    assert.equal((await caller.call('GET', '/api/v1/orders', { key: 'of-nobody' })).status, 401);
    const order = { customer_id: 'c', items: [{ product_id: 'p', quantity: 1, price: 1 }] };
    assert.equal((await caller.call('POST', '/api/v1/orders', { body: order, headers: { 'idempotency-key': 'k' } })).status, 200);
    const [source, target] = [
      await addSource(caller, 'sqlite', { path: from }, 'from'),
      await addSource(caller, 'sqlite', { path: to }, 'to'),
    ];
    assert.equal((await ask(caller, 'POST', `/sources/${source}/check`)).ok, true);
    assert.equal((await ask(caller, 'GET', `/sources/${source}/streams`)).length, 1);
    assert.ok((await ask(caller, 'GET', `/sources/${source}/streams/t/sample`)).rows.length > 0);
    const definition = { source_id: source, target_id: target, streams: [{ source: 't' }] };
    await ask(caller, 'POST', '/sync/check', { ...definition, sample_of: 0 });
    const { id } = await ask(caller, 'POST', '/sync', { name: 's', ...definition });
    assert.equal((await runToEnd(caller, id, { mode: 'preview' })).status, 'succeeded');
    assert.equal((await runToEnd(caller, id)).status, 'succeeded');
    const hub = await addSource(caller, 'hub', {}, 'shop');
    await ask(caller, 'POST', '/sync', { name: 'orders', source_id: hub, target_id: target, streams: [{ source: 'orders' }] });
    // Live streams that nobody closes, and a run that is under way.
    const changes = framesOf(await get('/api/v1/events', 'text/event-stream'));
    await changes.next();
    const run = await ask(caller, 'POST', `/sync/${id}/runs`, { mode: 'full' });
    await reaches(caller, run.id, ['running', 'succeeded']);
    const events = framesOf(await get(`/api/v1/datasync/runs/${run.id}/events`, 'text/event-stream'));
    await events.next();
    const { exit, linger } = await stop(service);
    assert.deepEqual(exit, { code: 0, signal: null }, service.logs());
    t.diagnostic(`gone ${Math.round(linger)} ms after it had put all away`);
    assert.ok(linger < AT_ONCE, `it was there for ${linger} ms more`);
  });

  // A statement without end is dear, and knows nothing of our own database.
  if (engine === 'postgres') return;
  test('ends though a statement of an SQLite file never does, and the process of that with it', { timeout: 120_000 }, async (t) => {
    const { place, service, caller } = await start(t, engine);
    const path = withHeavyView(sqliteFile(place, 'endless.db'));
    const source = await addSource(caller, 'sqlite', { path });
    const asked = ask(caller, 'GET', `/sources/${source}/streams/heavy/sample`).catch((error: Error) => error.message);
    await until('the view to be read', () => isBeingRead(path));
    const { exit, took } = await stop(service);
    t.diagnostic(`gone after ${Math.round(took)} ms`);
    assert.match(await asked, /503 .*The service is shutting down/);
    assert.deepEqual(exit, { code: 0, signal: null }, service.logs());
    assert.ok(took < STUCK_WITHIN, `it took ${took} ms`);
    await until('the view to be read no more', () => !isBeingRead(path));
  });
});
