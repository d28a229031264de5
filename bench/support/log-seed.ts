import { openDatabase, sqliteFile } from '../../src/db/open.ts';
import type { Database } from '../../src/db/database.ts';
import { isoTime } from '../../src/lib/clock.ts';
import { createLog } from '../../src/lib/log.ts';
import { BLOCK, MARK_EVERY } from '../../src/datasync/logs/write.ts';

// Log entries in bulk, straight into the tables, as the store would have left them: a month of 200 synchronizations of uneven
// size, a run for every 20 entries, one in two hundred an error, one in fifty thousand with a rare word.

export const MONTH = 30 * 24 * 3_600_000;
export const START = Date.parse('2026-10-01T00:00:00.000Z');

const SYNCS = 200;
const seconds = (entries: number): string => `(n * ${MONTH / 1000}.0 / ${entries})`;

/** The columns of entry number n, in the words that both engines understand. */
function columns(time: string): string {
  const sync = `(n / 20 * n / 7 % ${SYNCS}) * ((n / 20) % 3) / 2`;
  const text = `case n % 4 when 0 then 'Run finished after ' || (n % 9973) || ' rows' when 1 then 'Wrote a batch of ' || (n % 499) || ' rows to customers'
    when 2 then 'Read page ' || (n % 7919) || ' of orders' else 'Checkpoint kept at ' || n end || case when n % 50000 = 77 then ' unicorn' else '' end`;
  const level = `case when n % 200 = 3 then 'error' when n % 50 = 7 then 'warn' when n % 5 = 2 then 'debug' else 'info' end`;
  return `n as seq, ${time} as time, ${level} as level, 'syn_' || (${sync}) as sync_id, 'run_' || (n / 20) as run_id,
    case when n % 10 = 4 then 'src_' || (${sync} % 20) end as source_id, 'customers' as stream, ${text} as message,
    case when n % 4 = 1 then '{"rows":' || (n % 499) || '}' end as data`;
}

const WORDS = `lower(message) || case when level = 'debug' then '' else ' #' || level end || ' #' || sync_id || ' #' || run_id || coalesce(' #' || source_id, '')`;
const STORED = 'seq, time, level, sync_id, run_id, source_id, stream, message, data';

function derived(entries: number): string[] {
  const counted = (subject: string, condition: string): string =>
    `insert into log_counts (subject, level, block, n) select ${subject}, level, seq / ${BLOCK}, count(*) from logs where ${condition} group by 1, 2, 3`;
  return [
    counted(`''`, 'true'),
    counted('sync_id', 'sync_id is not null'),
    counted('source_id', 'source_id is not null'),
    counted(`sync_id || ' ' || source_id`, 'source_id is not null'),
    `insert into log_marks (time, seq) select time, seq from logs where seq % ${MARK_EVERY} = 0`,
    `update log_head set seq = ${entries}, time = (select time from logs where seq = ${entries})`,
  ];
}

const INDEXES = {
  logs_level: '(level, seq)',
  logs_sync: '(sync_id, level, seq) where sync_id is not null',
  logs_run: '(run_id, seq) where run_id is not null',
  logs_source: '(source_id, level, seq) where source_id is not null',
};
const dropIndexes = Object.keys(INDEXES).map((name) => `drop index ${name}`);
const makeIndexes = Object.entries(INDEXES).map(([name, on]) => `create index ${name} on logs ${on}`);

/** Our database in this folder, with so many entries. */
export async function seededSqlite(dataDir: string, entries: number): Promise<Database> {
  const settings = { databaseUrl: undefined, dataDir, poolSize: 2 };
  await (await openDatabase(settings, createLog('silent'))).close();
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(sqliteFile(dataDir));
  database.exec('pragma synchronous = off; pragma cache_size = -1000000; pragma temp_store = memory');
  const time = `strftime('%Y-%m-%dT%H:%M:%fZ', ${START / 1000} + ${seconds(entries)}, 'unixepoch')`;
  const numbers = (from: number, to: number): string =>
    `with recursive numbers (n) as (values (${from}) union all select n + 1 from numbers where n < ${to})`;
  for (const statement of dropIndexes) database.exec(statement);
  for (let from = 1; from <= entries; from += 500_000) {
    const to = Math.min(entries, from + 499_999);
    database.exec(`begin;
      insert into logs (${STORED}) ${numbers(from, to)} select ${columns(time)} from numbers;
      insert into log_words (rowid, words) select seq, ${WORDS} from logs where seq between ${from} and ${to};
      commit`);
  }
  for (const statement of [...makeIndexes, ...derived(entries)]) database.exec(statement);
  database.exec('analyze; pragma wal_checkpoint(truncate)');
  database.close();
  return openDatabase(settings, createLog('silent'));
}

export async function seededPostgres(databaseUrl: string, dataDir: string, entries: number): Promise<Database> {
  const db = await openDatabase({ databaseUrl, dataDir, poolSize: 4 }, createLog('silent'));
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`set maintenance_work_mem = '1GB'; set work_mem = '256MB'; set synchronous_commit = off`);
  const time = `to_char(to_timestamp(${START / 1000} + ${seconds(entries)}) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  for (const statement of [...dropIndexes, 'drop index logs_words']) await client.query(statement);
  for (let from = 1; from <= entries; from += 1_000_000) {
    const to = Math.min(entries, from + 999_999);
    const rows = `select ${columns(time)} from generate_series(${from}::bigint, ${to}::bigint) as numbers (n)`;
    await client.query(`insert into logs (${STORED}, words)
      select ${STORED.replace('data', 'data::json')}, array_to_tsvector(string_to_array(${WORDS}, ' ')) from (${rows}) as made`);
  }
  const gin = 'create index logs_words on logs using gin (words) with (gin_pending_list_limit = 1024)';
  for (const statement of [...makeIndexes, gin, ...derived(entries), 'vacuum analyze']) await client.query(statement);
  await client.end();
  return db;
}

/** The time of entry number n. */
export function timeOf(n: number, entries: number): string {
  return isoTime(START + Math.floor((n * MONTH) / entries));
}
