import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { test, type TestContext } from 'node:test';
import pg from 'pg';
import { type ChaosProxy, startChaosProxy } from '../support/chaos-proxy.ts';
import { preparedPlace, type Place } from '../support/databases.ts';
import { startProcess } from '../support/process.ts';
import { addSource, ask, type Body, type Caller, hasTable, madeUp, reaches, rowsIn, sqliteFile } from '../support/real-syncs.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const ROWS = 400_000;
/** For so long the database is away, in milliseconds: long enough that what needs it has failed, more than once. */
const ABSENCE = 1000;

async function placeFor(t: TestContext, engine: 'sqlite' | 'postgres'): Promise<Place> {
  const place = await preparedPlace(engine);
  t.after(() => place.remove());
  return place;
}

function callerOf({ url, adminKey }: { url: string; adminKey: string }): Caller {
  return {
    call: async (method, path, { body } = {}) => {
      const headers = { authorization: `Bearer ${adminKey}`, ...(body !== undefined && { 'content-type': 'application/json' }) };
      const response = await fetch(url + path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
    },
  };
}

interface Ready {
  service: Service;
  proxy: ChaosProxy;
  /** The target's file. */
  path: string;
  sync: string;
  /** The way to its PostgreSQL that is always open. */
  directUrl: string;
}

/** A service whose own PostgreSQL can be taken away, and a synchronization of ten made-up rows into a file. */
async function behindProxy(t: TestContext, options: Parameters<typeof madeUp>[0]): Promise<Ready> {
  const place = await placeFor(t, 'postgres');
  const url = new URL(place.databaseUrl ?? '');
  const proxy = await startChaosProxy({ host: url.hostname, port: Number(url.port) });
  t.after(() => proxy.close());
  const databaseUrl = Object.assign(url, { port: String(proxy.port) }).href;
  const environment = { SYNCLINE_FILE_ROOTS: join(place.dataDir, 'files') };
  const service = await startService('postgres', { place: { ...place, databaseUrl }, environment });
  t.after(() => service.close());
  const path = sqliteFile(place, 'target.db');
  const target = await addSource(service, 'sqlite', { path });
  const source = await addSource(service, 'fake', madeUp(options));
  const sync = await ask(service, 'POST', '/sync', { name: 's', source_id: source, target_id: target, streams: [{ source: 't' }] });
  return { service, proxy, path, sync: sync.id, directUrl: place.databaseUrl ?? '' };
}

/** Asks until the run has ended well: while the database is away, so is the answer. */
function endsWell(service: Service, id: string): Promise<Body> {
  return until('the run to end well', async () => {
    const seen = await service.get(`/api/v1/datasync/runs/${id}`);
    return seen.status === 200 && seen.body.data.status === 'succeeded' && seen.body.data;
  });
}

test('a database that is away for a moment fails no run, and the runner goes on afterwards', { timeout: 60_000 }, async (t) => {
  const { service, proxy, path, sync } = await behindProxy(t, { delay_ms: 700 });
  const { id } = await ask(service, 'POST', `/sync/${sync}/runs`);
  // From here on it needs nothing of our own database until its end.
  await until('the run to have begun at the target', () => hasTable(path, 't'));
  await proxy.shut();
  await until('the rows to be there all the same', () => rowsIn(path, 't') === 10);
  await sleep(ABSENCE);
  await proxy.heal();
  const run = await endsWell(service, id);
  assert.deepEqual([run.attempt, run.totals.inserted], [1, 10]);
  const again = await ask(service, 'POST', `/sync/${sync}/runs`);
  await reaches(service, again.id, 'succeeded');
});

test('nor one that was claimed in the moment before', { timeout: 60_000 }, async (t) => {
  const { service, proxy, sync, directUrl } = await behindProxy(t, {});
  const other = new pg.Client(directUrl);
  await other.connect();
  // The run is claimed, and finds out about its source only when nobody answers any more.
  await other.query('begin; lock table sources in access exclusive mode');
  const { id } = await ask(service, 'POST', `/sync/${sync}/runs`);
  await reaches(service, id, 'running');
  await proxy.shut();
  await other.end();
  await sleep(ABSENCE);
  await proxy.heal();
  const run = await endsWell(service, id);
  assert.deepEqual([run.attempt, run.totals.inserted], [1, 10]);
});

test('when a node dies, another one takes its run over and nothing comes twice', { timeout: 120_000 }, async (t) => {
  const place = await placeFor(t, 'postgres');
  const environment = { SYNCLINE_FILE_ROOTS: join(place.dataDir, 'files'), SYNCLINE_ADMIN_KEY: 'a-key-that-both-nodes-know' };
  const [from, to] = [sqliteFile(place, 'source.db'), sqliteFile(place, 'target.db')];
  const db = new DatabaseSync(from);
  db.exec(`create table t (id integer primary key, name text);
    with recursive n (id) as (select 1 union all select id + 1 from n where id < ${ROWS}) insert into t select id, 'row ' || id from n`);
  db.close();
  const doomed = await startProcess(place, { environment });
  t.after(() => doomed.kill());
  const first = callerOf({ url: doomed.url, adminKey: environment.SYNCLINE_ADMIN_KEY });
  const source = await addSource(first, 'sqlite', { path: from });
  const target = await addSource(first, 'sqlite', { path: to });
  const streams = [{ source: 't', mode: 'append' }];
  const sync = await ask(first, 'POST', '/sync', { name: 's', source_id: source, target_id: target, streams });
  const { id } = await ask(first, 'POST', `/sync/${sync.id}/runs`);
  await until('the first rows to arrive', () => rowsIn(to, 't') > 0);
  await doomed.kill();
  const left = rowsIn(to, 't');
  assert.ok(left < ROWS, 'it was killed before it was through');

  const heir = await startProcess(place, { environment });
  t.after(() => heir.kill());
  const second = callerOf({ url: heir.url, adminKey: environment.SYNCLINE_ADMIN_KEY });
  const run = await reaches(second, id, 'succeeded', 60_000);
  assert.equal(run.attempt, 2);
  assert.equal(rowsIn(to, 't'), ROWS);
  assert.equal(run.totals.inserted, ROWS, 'the counts are of both attempts together');
});
