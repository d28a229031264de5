import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { test, type TestContext } from 'node:test';
import { startChaosProxy } from '../support/chaos-proxy.ts';
import { createPlace, type Place } from '../support/databases.ts';
import { startProcess } from '../support/process.ts';
import { addSource, ask, type Caller, madeUp, reaches, rowsIn, sqliteFile } from '../support/real-syncs.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const ROWS = 400_000;

async function placeFor(t: TestContext, engine: 'sqlite' | 'postgres'): Promise<Place> {
  const place = await createPlace(engine);
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

test('a database that is away for a moment fails no run, and the runner goes on afterwards', { timeout: 60_000 }, async (t) => {
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
  const source = await addSource(service, 'fake', madeUp({ delay_ms: 700 }));
  const sync = await ask(service, 'POST', '/sync', { name: 's', source_id: source, target_id: target, streams: [{ source: 't' }] });
  const { id } = await ask(service, 'POST', `/sync/${sync.id}/runs`);
  await reaches(service, id, 'running');
  await proxy.shut();
  await until('the rows to be there all the same', () => rowsIn(path, 't') === 10);
  await sleep(1000);
  await proxy.heal();
  const run = await until('the run to end well', async () => {
    const seen = await service.get(`/api/v1/datasync/runs/${id}`);
    return seen.status === 200 && seen.body.data.status === 'succeeded' && seen.body.data;
  });
  assert.deepEqual([run.attempt, run.totals.inserted], [1, 10]);
  const again = await ask(service, 'POST', `/sync/${sync.id}/runs`);
  await reaches(service, again.id, 'succeeded');
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
