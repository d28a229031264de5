import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { encodeRows } from '../../src/connectors/lines.ts';
import { startMysql } from '../../test/support/mysql-server.ts';
import type { ConnectorSection } from '../support/bench.ts';
import { atEnd } from '../support/cleanup.ts';
import { MIXED_FIELDS, mixedLines, mixedRows, writePortions } from '../support/mixed-rows.ts';
import { temporaryFolder } from '../support/processes.ts';
import { type Pass, timeOurs, timeTool } from '../support/rates.ts';
import { compare, limit } from '../support/report.ts';
import { inTurns, mapPair } from '../support/statistics.ts';

const PROGRAM = new URL('../contenders/connector-mysql.ts', import.meta.url);
// As the connector makes it.
const TABLE = `(id bigint not null, customer longtext not null, email longtext null, amount decimal(12,2) not null, quantity bigint not null,
  score double null, active tinyint(1) not null, born date null, updated_at datetime(6) not null, note longtext null, primary key (id))
  engine = InnoDB row_format = dynamic default character set utf8mb4 collate utf8mb4_nopad_bin`;

/** Reading and a first load, against the `mariadb` client on the same rows. */
export const section: ConnectorSection = async ({ rounds, rows }) => {
  const server = await startMysql();
  atEnd(() => server.stop());
  const { hostname, port, username } = new URL(server.url);
  const account = [
    '--no-defaults',
    '-h',
    hostname,
    '-P',
    port,
    '-u',
    username,
    '--skip-ssl',
    '--default-character-set=utf8mb4',
    '--local-infile=1',
  ];
  const client = (...args: string[]) => ({ command: 'mariadb', args: [...account, ...args] });
  const run = (...statements: string[]): void => {
    const { status, stderr } = spawnSync('mariadb', [...account, '-e', statements.join('; ')], { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
  };
  const folder = temporaryFolder();
  const [ourFile, theirFile] = [join(folder, 'rows.copy'), join(folder, 'rows.load')];
  await writePortions(ourFile, mixedLines(rows));
  await writePortions(theirFile, loadLines(rows));
  const load = (table: string): string => `load data local infile '${theirFile}' into table bench.${table} character set utf8mb4`;
  const perSecond = ({ seconds }: Pass): number => rows / seconds;
  const memory: number[] = [];
  const ours = async (...args: string[]): Promise<Pass> => {
    const pass = await timeOurs(PROGRAM, args);
    memory.push(pass.memory);
    return pass;
  };
  const url = `${server.url}/bench`;

  run('create database bench', `create table bench.source ${TABLE}`, load('source'), 'analyze table bench.source');
  const reading = await inTurns(
    rounds,
    () => ours('read', url, 'source'),
    () => timeTool(client('--quick', '--batch', 'bench', '-e', 'select * from source')),
  );
  compare(`mysql: read ${rows.toLocaleString('en-US')} rows`, 'rows/s', mapPair(reading, perSecond), { atLeast: 0.6 });

  const fresh = 'drop table if exists bench.ours, bench.theirs, bench._syncline_checkpoints';
  const writing = await inTurns(
    rounds,
    async () => {
      run(fresh);
      return ours('write', url, 'ours', ourFile);
    },
    async () => {
      run(fresh, `create table bench.theirs ${TABLE}`);
      return timeTool(client('-e', load('theirs')));
    },
  );
  compare(`mysql: first load of ${rows.toLocaleString('en-US')} rows, with its key`, 'rows/s', mapPair(writing, perSecond), {
    atLeast: 0.6,
  });
  limit(`mysql: memory with ${rows.toLocaleString('en-US')} rows (highest)`, 'MB', [Math.max(...memory)], 200);
};

/** The rows as LOAD DATA reads them: yes and no are numbers. */
function* loadLines(count: number): Generator<Buffer> {
  const boolean = MIXED_FIELDS.findIndex((field) => field.type === 'boolean');
  for (const rows of mixedRows(count)) yield encodeRows(rows.map((row) => row.with(boolean, row[boolean] === 't' ? '1' : '0')));
}
