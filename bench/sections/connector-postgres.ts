import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { startPostgres } from '../../test/support/postgres-server.ts';
import type { ConnectorSection } from '../support/bench.ts';
import { atEnd } from '../support/cleanup.ts';
import { mixedLines, writePortions } from '../support/mixed-rows.ts';
import { temporaryFolder } from '../support/processes.ts';
import { type Pass, timeOurs, timeTool } from '../support/rates.ts';
import { compare, limit } from '../support/report.ts';
import { inTurns, mapPair } from '../support/statistics.ts';

const PROGRAM = new URL('../contenders/connector-postgres.ts', import.meta.url);
const COLUMNS = `id bigint primary key, customer text, email text, amount numeric(12,2), quantity bigint, score double precision,
  active boolean, born date, updated_at timestamp, note text`;

const TABLES = 5_000;
const tables = (from: number, to: number): string =>
  `do $$ begin for i in ${from}..${to} loop execute format('create table t%s (${COLUMNS})', i); end loop; end $$`;

/** Reading and a first load, against `psql \copy` of the same rows. */
export const section: ConnectorSection = async ({ rounds, rows }) => {
  const server = await startPostgres();
  atEnd(() => server.stop());
  const file = join(temporaryFolder(), 'rows.copy');
  await writePortions(file, mixedLines(rows));
  const psqlOn = (url: string, ...statements: string[]): void => {
    const { status, stderr } = spawnSync('psql', [url, '-v', 'ON_ERROR_STOP=1', '-qX', ...statements.flatMap((one) => ['-c', one])], {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(stderr);
  };
  const psql = (...statements: string[]): void => psqlOn(server.url, ...statements);
  const copy = (direction: string) => ({ command: 'psql', args: [server.url, '-v', 'ON_ERROR_STOP=1', '-qX', '-c', direction] });
  const perSecond = ({ seconds }: Pass): number => rows / seconds;
  const memory: number[] = [];
  const ours = async (...args: string[]): Promise<Pass> => {
    const pass = await timeOurs(PROGRAM, args);
    memory.push(pass.memory);
    return pass;
  };

  psql(`create table source (${COLUMNS})`, `\\copy source from '${file}'`, 'vacuum analyze source', 'checkpoint');
  const reading = await inTurns(
    rounds,
    () => ours('read', server.url, 'public.source'),
    () => timeTool(copy(`\\copy source to '/dev/null'`)),
  );
  compare(`postgres: read ${rows.toLocaleString('en-US')} rows`, 'rows/s', mapPair(reading, perSecond), { atLeast: 0.85 });

  const writing = await inTurns(
    rounds,
    async () => {
      psql('drop table if exists ours, theirs', 'checkpoint');
      return ours('write', server.url, 'public.ours', file);
    },
    async () => {
      psql('drop table if exists ours, theirs', `create table theirs (${COLUMNS})`, 'checkpoint');
      return timeTool(copy(`\\copy theirs from '${file}'`));
    },
  );
  compare(`postgres: first load of ${rows.toLocaleString('en-US')} rows, with its key`, 'rows/s', mapPair(writing, perSecond), {
    atLeast: 0.85,
  });
  psql('drop table if exists ours, theirs', 'create database many');
  const many = server.url.replace(/[^/]*$/, 'many');
  for (let made = 0; made < TABLES; made += 1000) psqlOn(many, tables(made + 1, made + 1000));
  const { seconds } = await ours('discover', many);
  limit(`postgres: discovery of ${TABLES.toLocaleString('en-US')} tables`, 's', [seconds], 5);
  limit(`postgres: memory with ${rows.toLocaleString('en-US')} rows (highest)`, 'MB', [Math.max(...memory)], 200);
};
