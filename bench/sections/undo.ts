import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startMysql } from '../../test/support/mysql-server.ts';
import type { SyncSection } from '../support/bench.ts';
import { atEnd } from '../support/cleanup.ts';
import { mariadbAt } from '../support/mariadb.ts';
import { temporaryFolder } from '../support/processes.ts';
import { psql } from '../support/psql.ts';
import { compare, limit } from '../support/report.ts';
import { inTurns, mapPair } from '../support/statistics.ts';
import { createPostgresSource, createSource, createSync, type RunPass, runSync } from '../support/synchronizations.ts';
import { startSyncline, type Syncline } from '../support/syncline.ts';
import { twoDatabases } from '../support/two-databases.ts';

/** At most as many times as long as without. */
const MOST = 1.25;

type TargetName = 'PostgreSQL' | 'SQLite' | 'MariaDB';

/** A mirror that finds a tenth of its rows changed, with undo and without; and how long it takes to undo it. */
export function undoSection(name: TargetName): SyncSection {
  return async ({ rounds, rows }) => {
    const { source, target } = await twoDatabases(rows);
    const folder = temporaryFolder();
    const syncline = await startSyncline(folder);
    const source_id = await createPostgresSource(syncline, source);
    const target_id = await targetOf(name, syncline, target, folder);
    const prefix = name === 'PostgreSQL' ? 'public.' : '';
    const mirrorInto = async (table: string, more: object): Promise<string> => {
      const streams = [{ source: 'public.rows', target: `${prefix}${table}`, mode: 'mirror' }];
      const sync = await createSync(syncline, { source_id, target_id, streams, ...more });
      await runSync(syncline, sync);
      return sync;
    };
    const kept = await mirrorInto('kept', { undo: { keep: '1d' } });
    const plain = await mirrorInto('plain', {});
    const tenth = Math.floor(rows / 10);
    let passes = 0;
    let last = '';
    const changed = async (sync: string): Promise<RunPass> => {
      // Both find the same changes: the first of a round makes them.
      if (passes % 2 === 0) changeTenth(source, rows, passes / 2);
      passes++;
      if (name === 'PostgreSQL') psql(target, 'checkpoint');
      const pass = await runSync(syncline, sync);
      const { inserted, updated, deleted } = pass.run.totals;
      if (inserted + updated + deleted !== tenth) throw new Error(`Not a tenth was changed: ${JSON.stringify(pass.run.totals)}`);
      if (sync === kept) last = pass.run.id;
      return pass;
    };
    const pair = await inTurns(
      rounds,
      () => changed(kept),
      () => changed(plain),
    );
    const count = rows.toLocaleString('en-US');
    const seconds = mapPair(pair, (pass) => pass.seconds);
    compare(`${name}: mirror of ${count} rows of which a tenth has changed, with undo, against without`, 's', seconds, { atMost: MOST });
    limit(`${name}: the same run undone, ${tenth.toLocaleString('en-US')} rows`, 's', [await undone(syncline, last, tenth)], 60);
  };
}

async function targetOf(name: TargetName, syncline: Syncline, target: string, folder: string): Promise<string> {
  if (name === 'PostgreSQL') return createPostgresSource(syncline, target);
  if (name === 'SQLite') {
    const files = join(folder, 'files');
    mkdirSync(files, { recursive: true });
    return createSource(syncline, 'sqlite', { path: join(files, 'undo.db') });
  }
  const mysql = await startMysql();
  atEnd(() => mysql.stop());
  mariadbAt(mysql.url).run('create database bench');
  const { hostname, port, username } = new URL(mysql.url);
  return createSource(syncline, 'mysql', { host: hostname, port: Number(port), user: username, database: 'bench', tls: 'disable' });
}

/** Of ten rows that change, eight are updated, one goes and one is new. */
function changeTenth(source: string, rows: number, round: number): void {
  const part = Math.floor(rows / 100);
  const lowest = round * part;
  psql(
    source,
    `delete from rows where id in (select id from rows order by id offset ${part} limit ${part})`,
    `insert into rows select ${10 * rows} + ${lowest} + n, customer, email, amount, quantity, score, active, born, updated_at, note
     from (select *, row_number() over (order by id) as n from rows order by id limit ${part}) r`,
    `update rows set quantity = quantity + 1, note = 'round ${round}' where id in (select id from rows order by id desc offset ${part} limit ${Math.floor(rows / 10) - 2 * part})`,
    'vacuum analyze rows',
    'checkpoint',
  );
}

async function undone(syncline: Syncline, run: string, tenth: number): Promise<number> {
  const began = performance.now();
  const answer = JSON.parse(await syncline.post(`/api/v1/datasync/runs/${run}/undo`, '{}')) as {
    data: { run: { undone: { restored: number; removed: number; left: number } } };
  };
  const { restored, removed, left } = answer.data.run.undone;
  if (restored + removed !== tenth || left !== 0) throw new Error(`Not all was undone: ${JSON.stringify(answer.data.run.undone)}`);
  return (performance.now() - began) / 1000;
}
