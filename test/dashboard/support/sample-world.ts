import { DatabaseSync } from 'node:sqlite';
import { writeDays } from '../../../src/cli/demo/write-days.ts';
import { tellStory } from '../../../src/cli/demo/story.ts';
import { isoTime } from '../../../src/lib/clock.ts';
import { newId } from '../../../src/lib/ids.ts';
import { runStatement } from '../../support/commands.ts';
import { addSource, ask, madeUp, reaches, runToEnd, sqliteFile } from '../../support/real-syncs.ts';
import type { Service } from '../../support/service.ts';
import { makeSampleNotices, type SampleNotices } from './sample-notices.ts';
import { makeSampleShop, type SampleShop } from './sample-shop.ts';

const HOUR = 3_600_000;

/** The synchronizations of the sample, by how they are; each is made by something that really happened. */
export interface SampleWorld extends SampleShop, SampleNotices {
  synced: string;
  failing: string;
  degraded: string;
  needs_approval: string;
  paused: string;
  /** Runs until it is cancelled. */
  running: string;
  /** The run of `running`. */
  runningRun: string;
  /** The last runs of `failing`, `degraded` and `needs_approval`. */
  failedRun: string;
  partialRun: string;
  askingRun: string;
  /** The file behind the source of `degraded`, to mend its rows in. */
  peopleFile: string;
  /** The source of `synced`, which works. */
  workingSource: string;
  /** A source whose server is not there. */
  failingSource: string;
}

/** Fills a service with what a shop and its synchronizations look like after a while. */
export async function makeSampleWorld(service: Service): Promise<SampleWorld> {
  const { place } = service;
  await service.app.db.write(writeDays, [
    ...tellStory({ orders: 400, products: 40, seed: 'dashboard', now: Date.now(), currency: 'EUR', tracks: true }),
  ]);
  const warehouse = await addSource(service, 'sqlite', { path: sqliteFile(place, 'warehouse.sqlite') }, 'Warehouse');
  const sync = async (name: string, source: string, streams: unknown[], more: object = {}): Promise<string> =>
    (await ask(service, 'POST', '/sync', { name, source_id: source, target_id: warehouse, streams, ...more })).id;

  const crm = sqliteFile(place, 'crm.sqlite');
  edit(
    crm,
    'create table customers (id integer primary key, name text, city text)',
    fill('customers', 1200, (i) => `${i}, 'Customer ${i}', 'Town ${i % 30}'`),
  );
  const crmSource = await addSource(service, 'sqlite', { path: crm }, 'CRM');
  const synced = await sync('Customers to the warehouse', crmSource, [{ source: 'customers', target: 'customers' }], {
    // An interval of an hour would come due at the full hour, in the middle of a test: a run more than was counted.
    schedule: { type: 'cron', expression: `0 ${(new Date().getUTCHours() + 12) % 24} * * *`, timezone: 'UTC' },
  });
  await ask(service, 'POST', `/sources/${crmSource}/check`);
  const gone = { host: '127.0.0.1', port: 1, database: 'erp', user: 'reader', password: 'secret' };
  const failingSource = await addSource(service, 'postgres', gone, 'Old ERP');
  await ask(service, 'POST', `/sources/${failingSource}/check`);
  await addPastRuns(service, synced);
  await runToEnd(service, synced);

  const peopleFile = sqliteFile(place, 'people.sqlite');
  edit(
    peopleFile,
    'create table people (id integer primary key, age text)',
    fill('people', 500, (i) => `${i}, ${i % 125 === 0 ? `'unknown'` : `'${20 + (i % 50)}'`}`),
  );
  const degraded = await sync('People from the survey', await addSource(service, 'sqlite', { path: peopleFile }, 'Survey'), [
    { source: 'people', target: 'people', fields: [{ from: 'id' }, { from: 'age', type: 'int64' }] },
  ]);
  const { id: partialRun } = await runToEnd(service, degraded);

  const stock = sqliteFile(place, 'stock.sqlite');
  edit(
    stock,
    'create table stock (id integer primary key, amount integer)',
    fill('stock', 800, (i) => `${i}, ${i % 90}`),
  );
  const needs_approval = await sync('Stock of the suppliers', await addSource(service, 'sqlite', { path: stock }, 'Supplier'), [
    { source: 'stock', target: 'stock' },
  ]);
  await runToEnd(service, needs_approval);
  edit(stock, 'delete from stock');
  const { id: askingRun } = await ask(service, 'POST', `/sync/${needs_approval}/runs`);
  await reaches(service, askingRun, 'needs_approval');

  const broken = madeUp({
    fail: [{ at: 'read', kind: 'auth', code: 'LOGIN_REFUSED', message: 'The shop refuses the password of the user "reader".' }],
  });
  const failing = await sync('Prices from the web shop', await addSource(service, 'fake', broken, 'Web shop'), [
    { source: 't', target: 'prices' },
  ]);
  const { id: failedRun } = await runToEnd(service, failing);

  const paused = await sync('Old ledger', crmSource, [{ source: 'customers', target: 'ledger' }]);
  await ask(service, 'POST', `/sync/${paused}/pause`);

  const endless = await addSource(service, 'fake', madeUp({ count: 100, endless: true, delay_ms: 250 }), 'Click stream');
  const running = await sync('Clicks', endless, [{ source: 't', target: 'clicks', mode: 'append', cursor: 'id' }]);
  const { id: runningRun } = await ask(service, 'POST', `/sync/${running}/runs`);
  await reaches(service, runningRun, 'running');
  return {
    ...(await makeSampleShop(service)),
    ...(await makeSampleNotices(service, failing)),
    synced,
    failing,
    degraded,
    needs_approval,
    paused,
    running,
    runningRun,
    failedRun,
    partialRun,
    askingRun,
    peopleFile,
    workingSource: crmSource,
    failingSource,
  };
}

/** Runs SQL in a file of SQLite. */
export function edit(path: string, ...statements: string[]): void {
  const db = new DatabaseSync(path, { timeout: 5000 });
  for (const statement of statements) db.exec(statement);
  db.close();
}

function fill(table: string, count: number, values: (i: number) => string): string {
  return `insert into ${table} values ${Array.from({ length: count }, (_, i) => `(${values(i + 1)})`).join(', ')}`;
}

/** A day of runs, which nobody could wait for. */
export async function addPastRuns(service: Service, sync: string): Promise<void> {
  const now = Date.now();
  const rows = Array.from({ length: 23 }, (_, index) => {
    const ended = now - (23 - index) * HOUR;
    const took = 2_000 + ((index * 37) % 11) * 300;
    const status = index % 9 === 4 ? 'failed' : index % 7 === 3 ? 'partial' : 'succeeded';
    const read = status === 'failed' ? 300 : 40_000 + ((index * 7919) % 25_000);
    const [created, finished] = [isoTime(ended - took), isoTime(ended)];
    return `('${newId('run', ended - took).id}', '${sync}', '${status}', 'schedule', 'run', 1, 0, 0, 0, '${created}', '${created}', '${created}', '${finished}',
      ${took}, 0, 0, '[]', ${read}, 120, 40, 3, ${Math.max(0, read - 163)}, 0, ${read * 90})`;
  });
  await service.app.db.write(
    runStatement,
    `insert into runs (id, sync_id, status, "trigger", mode, attempt, retries, crashes, headway, created_at, not_before, started_at, finished_at,
      duration_ms, approved, cancelled, report, rows_read, inserted, updated, deleted, unchanged, rejected, bytes) values ${rows.join(', ')}`,
  );
  await service.app.db.write(
    runStatement,
    `insert into counters (name, n)
      select 'runs:' || status, count(*) from runs group by status union all select 'runs:*', count(*) from runs where true
      on conflict (name) do update set n = excluded.n`,
  );
}
