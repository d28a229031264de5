import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startMysql } from '../../test/support/mysql-server.ts';
import type { SyncSection } from '../support/bench.ts';
import { atEnd } from '../support/cleanup.ts';
import { mariadbAt } from '../support/mariadb.ts';
import { MIXED_NAMES, psql, psqlCommand } from '../support/psql.ts';
import { temporaryFolder } from '../support/processes.ts';
import { type Pass, timeTool } from '../support/rates.ts';
import { compare, limit } from '../support/report.ts';
import { inTurns, mapPair } from '../support/statistics.ts';
import { createPostgresSource, createSource, createSync, type RunPass, runSync } from '../support/synchronizations.ts';
import { startSyncline } from '../support/syncline.ts';
import { databaseOn, twoDatabases } from '../support/two-databases.ts';

// As a person would have made it.
const SOURCE_TABLE = `(id bigint not null, customer varchar(200) not null, email varchar(200), amount decimal(12,2) not null, quantity bigint not null,
  score double, active tinyint(1) not null, born date, updated_at datetime(6) not null, note text, primary key (id))
  engine = InnoDB default character set utf8mb4`;
// As the connector makes it.
const TARGET_TABLE = `(id bigint not null, customer longtext not null, email longtext null, amount decimal(12,2) not null, quantity bigint not null,
  score double null, active tinyint(1) not null, born date null, updated_at datetime(6) not null, note longtext null, primary key (id))
  engine = InnoDB row_format = dynamic default character set utf8mb4 collate utf8mb4_nopad_bin`;
/** The rows as LOAD DATA reads them: yes and no are numbers. */
const AS_LOADED = `select ${MIXED_NAMES.map((name) => (name === 'active' ? 'active::int' : name)).join(', ')} from rows`;

/** MariaDB to PostgreSQL against pgloader, and back against a dump by `psql` and `LOAD DATA`. */
export const section: SyncSection = async ({ rounds, rows }) => {
  const { server, source, target } = await twoDatabases(rows);
  const mysql = await startMysql();
  atEnd(() => mysql.stop());
  const mariadb = mariadbAt(mysql.url);
  psql(server, 'create database loaded');
  const folder = temporaryFolder();
  const dump = join(folder, 'rows.load');
  const takeDump = psqlCommand(source, `\\copy (${AS_LOADED}) to '${dump}'`);
  const load = (table: string): string => `load data local infile '${dump}' into table bench.${table} character set utf8mb4`;
  await timeTool(takeDump);
  mariadb.run('create database bench', `create table bench.source_rows ${SOURCE_TABLE}`, load('source_rows'));
  mariadb.run('analyze table bench.source_rows');

  const syncline = await startSyncline(folder);
  const { hostname, port, username } = new URL(mysql.url);
  const account = { host: hostname, port: Number(port), user: username, database: 'bench', tls: 'disable' };
  const maria = await createSource(syncline, 'mysql', account);
  const [from, to] = [await createPostgresSource(syncline, source), await createPostgresSource(syncline, target)];
  const memory: number[] = [];
  const ours = async (source_id: string, target_id: string, stream: { source: string; target: string }): Promise<RunPass> => {
    const streams = [{ ...stream, mode: 'mirror' }];
    const pass = await runSync(syncline, await createSync(syncline, { source_id, target_id, streams }));
    if (pass.run.totals.inserted !== rows) throw new Error(`Not all rows have arrived: ${JSON.stringify(pass.run.totals)}`);
    memory.push(pass.memory);
    return pass;
  };
  const count = rows.toLocaleString('en-US');
  const rate = ({ seconds }: Pass): number => rows / seconds;

  const script = join(folder, 'pgloader.load');
  writeFileSync(script, pgloaderScript(`${mysql.url}/bench`, databaseOn(server, 'loaded')));
  const toPostgres = await inTurns<Pass>(
    rounds,
    () => {
      psql(target, 'drop table if exists ours', 'checkpoint');
      return ours(maria, to, { source: 'source_rows', target: 'public.ours' });
    },
    () => {
      psql(server, 'checkpoint');
      return timeTool({ command: 'pgloader', args: ['--quiet', '--root-dir', join(folder, 'pgloader'), script] });
    },
  );
  const loaded = psql(databaseOn(server, 'loaded'), 'select count(*) from bench.source_rows');
  if (loaded !== String(rows)) throw new Error(`pgloader has left ${loaded} rows.`);
  compare(`MariaDB → PostgreSQL: ${count} rows, against pgloader`, 'rows/s', mapPair(toPostgres, rate), { atLeast: 2 });

  const toMariadb = await inTurns<Pass>(
    rounds,
    () => {
      mariadb.run('drop table if exists bench.ours, bench.theirs');
      return ours(from, maria, { source: 'public.rows', target: 'ours' });
    },
    async () => {
      rmSync(dump);
      mariadb.run('drop table if exists bench.ours, bench.theirs', `create table bench.theirs ${TARGET_TABLE}`);
      const dumped = await timeTool(takeDump);
      const filled = await timeTool(mariadb.command('-e', load('theirs')));
      return { seconds: dumped.seconds + filled.seconds, memory: 0 };
    },
  );
  compare(`PostgreSQL → MariaDB: ${count} rows, against a dump and LOAD DATA`, 'rows/s', mapPair(toMariadb, rate), { atLeast: 0.6 });
  limit(`MariaDB: memory of the service with ${count} rows (highest)`, 'MB', [Math.max(...memory)], 250);
};

function pgloaderScript(from: string, into: string): string {
  return `LOAD DATABASE FROM ${from} INTO ${into.replace('postgres:', 'postgresql:')}
    WITH include drop, create tables, create indexes, reset no sequences
    INCLUDING ONLY TABLE NAMES MATCHING 'source_rows';\n`;
}
