import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { startMysql } from '../../test/support/mysql-server.ts';
import type { SyncSection } from '../support/bench.ts';
import { atEnd } from '../support/cleanup.ts';
import { mariadbAt } from '../support/mariadb.ts';
import { temporaryFolder } from '../support/processes.ts';
import { psql } from '../support/psql.ts';
import type { Pass } from '../support/rates.ts';
import { compare, limit, measure } from '../support/report.ts';
import { createPostgresSource, createSource, createSync, type RunPass, runSync } from '../support/synchronizations.ts';
import { startSyncline, type Syncline } from '../support/syncline.ts';
import { twoDatabases } from '../support/two-databases.ts';

interface ProofEnds {
  syncline: Syncline;
  /** Its data directory. */
  folder: string;
  source_id: string;
  target_id: string;
  target: string;
  /** Takes away what was loaded. */
  fresh: () => void;
  /** Does this at the target. */
  change: (sql: string) => void;
}

/** So many rows are made different, all over the table. */
const DIFFERENT = 100;

/** Loads a table, and compares it, by turns: both as whole runs over the API. */
async function section(pair: string, ends: ProofEnds, rounds: number, rows: number, atMost: number, mirrorAtMost?: number): Promise<void> {
  const { syncline, folder, source_id, target_id, target, fresh, change } = ends;
  const passes: Record<'load' | 'verify' | 'different' | 'mirror', RunPass[]> = { load: [], verify: [], different: [], mirror: [] };
  let sync = '';
  const verified = async (service: Syncline): Promise<RunPass> => {
    const pass = await runSync(service, sync, 'verify');
    const proof = pass.run.streams[0]?.proof;
    if (proof?.result !== 'equal' || proof.rows !== rows) throw new Error(`They are not equal: ${JSON.stringify(proof)}`);
    return pass;
  };
  /** The same when rows differ here and there. */
  const verifiedDifferent = async (): Promise<RunPass> => {
    const where = `where id % ${Math.floor(rows / DIFFERENT)} = 7`;
    change(`update ours set quantity = quantity + 1 ${where}`);
    const pass = await runSync(syncline, sync, 'verify');
    const proof = pass.run.streams[0]?.proof;
    if (proof?.different !== DIFFERENT || proof.missing + proof.extra > 0)
      throw new Error(`Others are different: ${JSON.stringify(proof)}`);
    change(`update ours set quantity = quantity - 1 ${where}`);
    return pass;
  };
  const mirrored = async (): Promise<RunPass> => {
    const pass = await runSync(syncline, sync);
    if (pass.run.totals.unchanged !== rows) throw new Error(`They are not equal: ${JSON.stringify(pass.run.totals)}`);
    return pass;
  };
  const round = async (): Promise<Record<keyof typeof passes, RunPass>> => {
    fresh();
    // A synchronization of its own each time: nothing is known of the target yet.
    sync = await createSync(syncline, { source_id, target_id, streams: [{ source: 'public.rows', target, mode: 'mirror' }] });
    const load = await runSync(syncline, sync);
    if (load.run.totals.inserted !== rows) throw new Error(`Not all rows have arrived: ${JSON.stringify(load.run.totals)}`);
    return { load, verify: await verified(syncline), different: await verifiedDifferent(), mirror: await mirrored() };
  };
  // The first one loads the connectors into memory.
  await round();
  for (let turn = 0; turn < rounds; turn++) {
    const { load, verify, different, mirror } = await round();
    passes.load.push(load);
    passes.verify.push(verify);
    passes.different.push(different);
    passes.mirror.push(mirror);
  }
  const count = rows.toLocaleString('en-US');
  const seconds = (some: readonly Pass[]): number[] => some.map((pass) => pass.seconds);
  const what = `${pair}: verify of ${count} equal rows, against our first load`;
  compare(what, 's', { ours: seconds(passes.verify), reference: seconds(passes.load) }, { atMost });
  const scattered = `${pair}: verify with ${DIFFERENT} rows that differ, against one without`;
  compare(scattered, 's', { ours: seconds(passes.different), reference: seconds(passes.verify) }, { atMost: 1.3 });
  const mirror = `${pair}: mirror of ${count} equal rows, against our first load`;
  compare(mirror, 's', { ours: seconds(passes.mirror), reference: seconds(passes.load) }, mirrorAtMost ? { atMost: mirrorAtMost } : {});
  measure(
    `${pair}: rows compared in a second`,
    'rows/s',
    passes.verify.map((pass) => rows / pass.seconds),
  );
  // What the first load has taken, the process may still have: so the memory is that of a service that does nothing else.
  await syncline.stop();
  const alone = await startSyncline(folder);
  const highest = Math.max((await verified(alone)).memory, (await verified(alone)).memory);
  await alone.stop();
  limit(`${pair}: memory of a service that verifies ${count} rows (highest)`, 'MB', [highest], 250);
}

export const postgres: SyncSection = async ({ rounds, rows }) => {
  const { source, target } = await twoDatabases(rows);
  const folder = temporaryFolder();
  const syncline = await startSyncline(folder);
  const [source_id, target_id] = [await createPostgresSource(syncline, source), await createPostgresSource(syncline, target)];
  const fresh = (): void => void psql(target, 'drop table if exists ours', 'checkpoint');
  await section(
    'PostgreSQL ↔ PostgreSQL',
    { syncline, folder, source_id, target_id, target: 'public.ours', fresh, change: (sql) => psql(target, sql) },
    rounds,
    rows,
    0.6,
    0.7,
  );
};

export const mariadb: SyncSection = async ({ rounds, rows }) => {
  const { source } = await twoDatabases(rows);
  const mysql = await startMysql();
  atEnd(() => mysql.stop());
  const maria = mariadbAt(mysql.url);
  maria.run('create database bench');
  const folder = temporaryFolder();
  const syncline = await startSyncline(folder);
  const { hostname, port, username } = new URL(mysql.url);
  const account = { host: hostname, port: Number(port), user: username, database: 'bench', tls: 'disable' };
  const [source_id, target_id] = [await createPostgresSource(syncline, source), await createSource(syncline, 'mysql', account)];
  const fresh = (): void => maria.run('drop table if exists bench.ours');
  const change = (sql: string): void => maria.run(`use bench; ${sql}`);
  await section('PostgreSQL ↔ MariaDB', { syncline, folder, source_id, target_id, target: 'ours', fresh, change }, rounds, rows, 1);
};

export const sqlite: SyncSection = async ({ rounds, rows }) => {
  const { source } = await twoDatabases(rows);
  const folder = temporaryFolder();
  const syncline = await startSyncline(folder);
  mkdirSync(join(folder, 'files'), { recursive: true });
  const file = join(folder, 'files', 'bench.db');
  const [source_id, target_id] = [await createPostgresSource(syncline, source), await createSource(syncline, 'sqlite', { path: file })];
  const fresh = (): void => {
    for (const end of ['', '-journal', '-wal', '-shm']) rmSync(file + end, { force: true });
  };
  const change = (sql: string): void => {
    const database = new DatabaseSync(file);
    database.exec(sql);
    database.close();
  };
  await section('PostgreSQL ↔ SQLite', { syncline, folder, source_id, target_id, target: 'ours', fresh, change }, rounds, rows, 1);
};
