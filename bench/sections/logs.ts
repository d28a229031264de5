import pg from 'pg';
import type { Database } from '../../src/db/database.ts';
import type { Engine } from '../../src/db/sql.ts';
import type { NewLog } from '../../src/datasync/logs/entry.ts';
import { listLogs, type LogPage } from '../../src/datasync/logs/queries.ts';
import { writeLogs } from '../../src/datasync/logs/write.ts';
import { isoTime } from '../../src/lib/clock.ts';
import { startPostgres } from '../../test/support/postgres-server.ts';
import { atEnd } from '../support/cleanup.ts';
import { MONTH, seededPostgres, seededSqlite, START, timeOf } from '../support/log-seed.ts';
import { temporaryFolder } from '../support/processes.ts';
import { compare, limit } from '../support/report.ts';
import { pseudoRandom } from '../support/statistics.ts';

const TIMES = 60;
const BATCH = 500;

/** A kind of question: how to ask it the i-th time. */
type Question = (random: () => number, entries: number) => Partial<LogPage>;

const within = (random: () => number, length: number) => {
  const from = START + Math.floor(random() * (MONTH - length));
  return { from: isoTime(from), to: isoTime(from + length) };
};
const someSync = (random: () => number): string => `syn_${Math.floor(random() * 100)}`;
const HOUR = 3_600_000;

const QUESTIONS: Record<string, Question> = {
  'the newest': () => ({}),
  'a cursor anywhere': (random, entries) => ({ after: 100 + Math.floor(random() * (entries - 100)) }),
  'an offset anywhere': (random, entries) => ({ offset: Math.floor(random() * entries) }),
  'level=warn': () => ({ filter: { level: 'warn' } }),
  'level=info at an offset anywhere': (random, entries) => ({ filter: { level: 'info' }, offset: Math.floor(random() * entries * 0.8) }),
  'one synchronization': (random) => ({ filter: { sync_id: someSync(random) } }),
  'one synchronization, level=error': (random) => ({ filter: { sync_id: someSync(random), level: 'error' } }),
  'one source': (random) => ({ filter: { source_id: `src_${Math.floor(random() * 20)}` } }),
  'one run': (random, entries) => ({ filter: { run_id: `run_${Math.floor((random() * entries) / 20)}` } }),
  'ten days': (random) => ({ filter: within(random, 240 * HOUR) }),
  'ten days, one synchronization, level=warn': (random) => ({
    filter: { ...within(random, 240 * HOUR), sync_id: someSync(random), level: 'warn' },
  }),
  'a rare word': () => ({ filter: { words: ['unic'] } }),
  'a rare word, one synchronization': (random) => ({ filter: { words: ['unic'], sync_id: someSync(random) } }),
  'a word of a run': (random, entries) => ({ filter: { words: ['fini'], run_id: `run_${Math.floor((random() * entries) / 20)}` } }),
};

/** Their total is the number of matches, which grows with the table: counted in the index, for information. */
const FREQUENT: Record<string, Question> = {
  'a word of one entry in four': () => ({ filter: { words: ['finished'] } }),
  'a word of one entry in four, one synchronization': (random) => ({ filter: { words: ['finished'], sync_id: someSync(random) } }),
};

export async function logsSection(engine: Engine, { few, many }: { few: number; many: number }): Promise<void> {
  const open = engine === 'sqlite' ? (entries: number) => seededSqlite(temporaryFolder(), entries) : await postgresOpener();
  const databases: Record<number, Database> = {};
  for (const entries of [few, many]) {
    console.log(`  Making ${entries.toLocaleString('en-US')} entries…`);
    const db = await open(entries);
    databases[entries] = db;
    atEnd(() => db.close());
  }
  const [small, large] = [databases[few] as Database, databases[many] as Database];
  await verify(large, many);
  const slowest: number[] = [];
  for (const [what, ask] of Object.entries(QUESTIONS)) {
    const pair = { ours: [await p95(large, many, ask)], reference: [await p95(small, few, ask)] };
    slowest.push(...pair.ours);
    compare(`${engine}: ${what}, p95 with ${many.toLocaleString('en-US')} entries against ${few.toLocaleString('en-US')}`, 'ms', pair);
  }
  limit(`${engine}: the slowest of these, p95`, 'ms', [Math.max(...slowest)], 20);
  for (const [what, ask] of Object.entries(FREQUENT)) {
    const pair = { ours: [await p95(large, many, ask, 5)], reference: [await p95(small, few, ask, 5)] };
    compare(`${engine}: ${what}, p95`, 'ms', pair);
  }
  const cost = { ours: [await writeCost(large)], reference: [await writeCost(small)] };
  compare(`${engine}: writing, for each entry`, 'µs', cost);
}

async function p95(db: Database, entries: number, ask: Question, times = TIMES): Promise<number> {
  const random = pseudoRandom(11);
  const took: number[] = [];
  for (let i = 0; i < times + 3; i++) {
    const page: LogPage = { filter: {}, limit: 50, offset: 0, ...ask(random, entries) };
    const start = performance.now();
    await db.query(listLogs, page);
    // The first few open pages and plans.
    if (i >= 3) took.push(performance.now() - start);
  }
  took.sort((a, b) => a - b);
  return took[Math.ceil(took.length * 0.95) - 1] as number;
}

async function writeCost(db: Database): Promise<number> {
  const batches = 40;
  const now = isoTime(START + MONTH + HOUR);
  const start = performance.now();
  for (let batch = 0; batch < batches; batch++) {
    const logs = Array.from(
      { length: BATCH },
      (_, i): NewLog => ({
        time: now,
        level: i % 50 === 0 ? 'warn' : 'info',
        sync_id: `syn_${i % 20}`,
        run_id: `run_new${batch}_${i % 20}`,
        source_id: i % 10 === 0 ? 'src_1' : null,
        stream: 'customers',
        message: `Wrote a batch of ${batch * BATCH + i} rows to customers`,
        data: `{"rows":${i}}`,
        shop: null,
      }),
    );
    await db.write(writeLogs, logs);
  }
  return ((performance.now() - start) * 1000) / (batches * BATCH);
}

/** What is measured is right: totals are those that counting gives. */
async function verify(db: Database, entries: number): Promise<void> {
  const { low, high } = { low: timeOf(Math.floor(entries / 3), entries), high: timeOf(Math.floor(entries / 2), entries) };
  const { sql } = await import('../../src/db/sql.ts');
  const counted = await db.read.all<{ n: number }>(sql`
    select count(*) as n from logs where sync_id = 'syn_7' and level in ('warn', 'error') and time >= ${low} and time < ${high}`);
  const { total } = await db.query(listLogs, { filter: { sync_id: 'syn_7', level: 'warn', from: low, to: high }, limit: 1, offset: 0 });
  if (total !== counted[0]?.n) throw new Error(`The total is ${total}, but there are ${counted[0]?.n}.`);
}

async function postgresOpener(): Promise<(entries: number) => Promise<Database>> {
  const server = await startPostgres('', '-c shared_buffers=1GB -c max_wal_size=8GB');
  atEnd(() => server.stop());
  return async (entries) => {
    const name = `logs_${entries}`;
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    await client.query(`create database ${name}`);
    await client.end();
    return seededPostgres(Object.assign(new URL(server.url), { pathname: `/${name}` }).href, temporaryFolder(), entries);
  };
}
