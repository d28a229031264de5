import { mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SyncSection } from '../support/bench.ts';
import { mixedCsv, writePortions } from '../support/mixed-rows.ts';
import { temporaryFolder } from '../support/processes.ts';
import { MIXED_COLUMNS, psql, psqlCommand } from '../support/psql.ts';
import { type Pass, timeTool } from '../support/rates.ts';
import { compare, limit } from '../support/report.ts';
import { inTurns, mapPair } from '../support/statistics.ts';
import { createPostgresSource, createSource, createSync, type RunPass, runSync } from '../support/synchronizations.ts';
import { startSyncline } from '../support/syncline.ts';
import { twoDatabases } from '../support/two-databases.ts';

// The columns that the connector makes for the same fields.
const SQLITE_TABLE = `create table rows (id integer not null, customer text, email text, amount decimal text, quantity integer, score real,
  active boolean, born date, updated_at timestamp, note text, primary key (id));`;

/** A CSV file to PostgreSQL against `psql \copy`, and to SQLite against the `sqlite3` shell's `.import`. */
export const section: SyncSection = async ({ rounds, rows }) => {
  const { target } = await twoDatabases(0);
  const folder = temporaryFolder();
  const files = join(folder, 'files');
  mkdirSync(files);
  const file = join(files, 'rows.csv');
  await writePortions(file, mixedCsv(rows));
  const syncline = await startSyncline(folder);
  const source_id = await createSource(syncline, 'files', { path: 'rows.csv', name: 'rows' });
  const postgres = await createPostgresSource(syncline, target);
  const memory: number[] = [];
  const ours = async (target_id: string, table: string): Promise<RunPass> => {
    const streams = [{ source: 'rows', target: table, mode: 'mirror', key: ['id'] }];
    const pass = await runSync(syncline, await createSync(syncline, { source_id, target_id, streams }));
    if (pass.run.totals.inserted !== rows) throw new Error(`Not all rows have arrived: ${JSON.stringify(pass.run.totals)}`);
    memory.push(pass.memory);
    return pass;
  };
  const count = rows.toLocaleString('en-US');
  const rate = ({ seconds }: Pass): number => rows / seconds;

  const toPostgres = await inTurns<Pass>(
    rounds,
    () => {
      psql(target, 'drop table if exists ours, theirs', 'checkpoint');
      return ours(postgres, 'public.ours');
    },
    () => {
      psql(target, 'drop table if exists ours, theirs', `create table theirs (${MIXED_COLUMNS})`, 'checkpoint');
      return timeTool(psqlCommand(target, `\\copy theirs from '${file}' with (format csv, header)`));
    },
  );
  compare(`CSV → PostgreSQL: ${count} rows, against \`psql \\copy\``, 'rows/s', mapPair(toPostgres, rate), { atLeast: 0.7 });

  const [database, theirs, script] = [join(files, 'ours.db'), join(files, 'theirs.db'), join(folder, 'import.sql')];
  writeFileSync(script, `${SQLITE_TABLE}\n.mode csv\n.import --skip 1 ${file} rows\n`);
  const sqlite = await createSource(syncline, 'sqlite', { path: database });
  const clear = (): void => {
    for (const path of [database, theirs]) for (const end of ['', '-journal', '-wal', '-shm']) rmSync(path + end, { force: true });
  };
  const toSqlite = await inTurns<Pass>(
    rounds,
    () => {
      clear();
      return ours(sqlite, 'rows');
    },
    () => {
      clear();
      return timeTool({ command: 'sqlite3', args: [theirs], input: openSync(script, 'r') });
    },
  );
  compare(`CSV → SQLite: ${count} rows, against \`.import\``, 'rows/s', mapPair(toSqlite, rate), { atLeast: 0.6 });
  limit(`CSV: memory of the service with ${count} rows (highest)`, 'MB', [Math.max(...memory)], 250);
};
