import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { ClusterSection } from '../support/bench.ts';
import { coresUsed, type Ground, prepareGround, untilAnswer } from '../support/nodes.ts';
import { residentMegabytes } from '../support/processes.ts';
import { psql } from '../support/psql.ts';
import { measure } from '../support/report.ts';
import { createPostgresSource, createSource, createSync } from '../support/synchronizations.ts';
import type { Syncline } from '../support/syncline.ts';

const WORKERS = 3;
const ASKED_AT_ONCE = 8;
const PATIENCE = 15 * 60_000;
/** Files that are written to: a file has one writer at a time. */
const FILES = 100;
const TABLES = 20;

/** Two systems. */
interface Ends {
  /** Makes the synchronizations that the others are copied from. */
  templates(api: Syncline): Promise<string[]>;
  /** Throws unless the second has what so many runs should have left there. */
  check(runs: number): void;
}

/** Many runs wait, each of a synchronization of its own that finds one row; three workers come and do them. */
export const section: ClusterSection = async ({ runs }) => {
  await drain('SQLite to SQLite', runs, (ground) => sqliteEnds(ground.folder), 100);
  await drain('PostgreSQL to PostgreSQL', Math.ceil(runs / 5), postgresEnds);
};

async function drain(name: string, runs: number, endsOf: (ground: Ground) => Ends, atLeast?: number): Promise<void> {
  const ground = await prepareGround();
  const ends = endsOf(ground);
  // The limit of runs for each source is there to spare other people's systems; these are ours.
  const settings = { SYNCLINE_RUNS_PER_SOURCE: '1000', SYNCLINE_FILE_ROOTS: ground.folder };
  const api = await ground.start('api', settings);
  copySyncs(ground.own, await ends.templates(api), runs);
  const ids = psql(ground.own, `select string_agg(id, ' ') from syncs where name = 'copy'`).split(' ');
  await Promise.all(Array.from({ length: ASKED_AT_ONCE }, () => askForAll(api, ids)));
  const workers = await Promise.all(Array.from({ length: WORKERS }, () => ground.start('worker', settings)));
  const { cores } = await coresUsed(() =>
    untilAnswer(ground.own, 'select count(*) from runs where finished_at is not null', String(runs), PATIENCE),
  );
  const once = Number(psql(ground.own, `select count(*) from runs where status = 'succeeded' and rows_read = 1`));
  if (once !== runs) throw new Error(`Of ${runs} runs ${once} succeeded and told of one row.`);
  ends.check(runs);
  const again = psql(ground.own, 'select count(*) from runs where attempt > 1');
  if (again !== '0') console.log(`  ${again} of ${runs} runs were tried again.`);
  const seconds = psql(ground.own, 'select extract(epoch from max(finished_at)::timestamptz - min(started_at)::timestamptz) from runs');
  const what = `${runs.toLocaleString('en-US')} queued runs, ${name}, ${WORKERS} workers`;
  measure(`${what}: each exactly once`, 'runs/s', [runs / Number(seconds)], atLeast === undefined ? {} : { atLeast });
  measure(`${what}: cores of the machine at work, PostgreSQL included`, 'cores', [cores]);
  measure(
    `${what}: memory of a worker at the end`,
    'MB',
    workers.map(({ pid }) => residentMegabytes(pid) ?? Number.NaN),
  );
  for (const node of [api, ...workers]) await node.stop();
}

function sqliteEnds(folder: string): Ends {
  const file = (name: string): string => join(folder, name);
  const run = (path: string, statement: string): void => {
    const database = new DatabaseSync(path);
    database.exec(statement);
    database.close();
  };
  const targets = Array.from({ length: FILES }, (_, at) => file(`log-${at}.db`));
  return {
    templates: async (api) => {
      run(file('one.db'), 'create table one (id integer primary key); insert into one values (1)');
      for (const path of targets) run(path, 'pragma journal_mode = wal; create table log (id integer)');
      const source_id = await createSource(api, 'sqlite', { path: file('one.db') });
      const streams = [{ source: 'one', target: 'log', mode: 'append', cursor: 'id' }];
      const templates: string[] = [];
      for (const path of targets) {
        const target_id = await createSource(api, 'sqlite', { path });
        templates.push(await createSync(api, { source_id, target_id, streams }));
      }
      return templates;
    },
    check: (runs) => {
      const rows = targets.reduce((sum, path) => sum + countIn(path), 0);
      if (rows !== runs) throw new Error(`${runs} runs left ${rows} rows: not each was done exactly once.`);
    },
  };
}

function countIn(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  const { n } = database.prepare('select count(*) as n from log').get() as { n: number };
  database.close();
  return n;
}

/** Upserts by key: appending would have runs from the same database wait for each other's transactions. */
function postgresEnds({ source, target }: Ground): Ends {
  const tables = Array.from({ length: TABLES }, (_, at) => `t${at}`);
  return {
    templates: async (api) => {
      for (const table of tables) psql(source, `create table ${table} (id bigint primary key)`, `insert into ${table} values (1)`);
      const [source_id, target_id] = [await createPostgresSource(api, source), await createPostgresSource(api, target)];
      const templates: string[] = [];
      for (const table of tables) {
        const streams = [{ source: `public.${table}`, mode: 'incremental', cursor: 'id' }];
        templates.push(await createSync(api, { source_id, target_id, streams }));
      }
      return templates;
    },
    check: () => {
      for (const table of tables) if (psql(target, `select count(*) from ${table}`) !== '1') throw new Error(`${table} is not as it was.`);
    },
  };
}

async function askForAll(api: Syncline, ids: string[]): Promise<void> {
  for (let id = ids.pop(); id; id = ids.pop()) await api.post(`/api/v1/datasync/sync/${id}/runs`, '{}');
}

/** Each takes a look at both systems when it is made over the API, which is not what is measured here. */
function copySyncs(own: string, templates: readonly string[], copies: number): void {
  const columnsOf = (table: string, ...others: string[]): string =>
    psql(
      own,
      `select string_agg(quote_ident(column_name), ', ') from information_schema.columns
        where table_name = '${table}' and column_name not in (${others.map((name) => `'${name}'`).join(', ')})`,
    );
  const [columns, states] = [columnsOf('syncs', 'id', 'name'), columnsOf('sync_state', 'sync_id')];
  const list = templates.map((id) => `'${id}'`).join(', ');
  psql(
    own,
    `insert into syncs (id, name, ${columns}) select 'syn_' || lpad(n::text, 26, '0'), 'copy', ${columns} from generate_series(1, ${copies}) n
      join syncs on id = (array[${list}])[n % ${templates.length} + 1]`,
    `insert into sync_state (sync_id, ${states}) select id, ${states} from syncs join sync_state on sync_id = '${templates[0]}' where name = 'copy'`,
    'vacuum analyze syncs, sync_state',
  );
}
