import type { SyncSection } from '../support/bench.ts';
import { temporaryFolder } from '../support/processes.ts';
import { MIXED_COLUMNS, MIXED_NAMES, psql } from '../support/psql.ts';
import { compare, limit } from '../support/report.ts';
import { createPostgresSource, createSync, type RunPass, runSync } from '../support/synchronizations.ts';
import { startSyncline } from '../support/syncline.ts';
import { twoDatabases } from '../support/two-databases.ts';

const TIMES = 10;

/** A first load of ten times as many rows: the same rate, and no more memory. */
export const section: SyncSection = async ({ rounds, rows }) => {
  const { source, target } = await twoDatabases(rows);
  const others = MIXED_NAMES.slice(1).join(', ');
  psql(
    source,
    `create table many_rows (${MIXED_COLUMNS})`,
    `insert into many_rows select id + n::bigint * ${rows}, ${others} from generate_series(0, ${TIMES - 1}) n, rows order by 1`,
    'vacuum analyze many_rows',
    'checkpoint',
  );
  const syncline = await startSyncline(temporaryFolder());
  const [source_id, target_id] = [await createPostgresSource(syncline, source), await createPostgresSource(syncline, target)];
  const load = async (table: string): Promise<RunPass> => {
    psql(target, 'drop table if exists ours', 'checkpoint');
    const streams = [{ source: `public.${table}`, target: 'public.ours', mode: 'mirror' }];
    return runSync(syncline, await createSync(syncline, { source_id, target_id, streams }));
  };
  await load('rows');
  const few: RunPass[] = [];
  for (let round = 0; round < rounds; round++) few.push(await load('rows'));
  const many = await load('many_rows');
  const count = (rows * TIMES).toLocaleString('en-US');
  compare(
    `PostgreSQL → PostgreSQL: first load of ${count} rows against ${rows.toLocaleString('en-US')}`,
    'rows/s',
    { ours: [(rows * TIMES) / many.seconds], reference: few.map(({ seconds }) => rows / seconds) },
    { atLeast: 0.9 },
  );
  limit(`PostgreSQL → PostgreSQL: memory of the service with ${count} rows (highest)`, 'MB', [many.memory], 250);
};
