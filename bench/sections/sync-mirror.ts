import { setTimeout as sleep } from 'node:timers/promises';
import type { SyncSection } from '../support/bench.ts';
import { temporaryFolder } from '../support/processes.ts';
import { psql } from '../support/psql.ts';
import { compare, limit } from '../support/report.ts';
import { inTurns, mapPair } from '../support/statistics.ts';
import { createPostgresSource, createSync, runSync } from '../support/synchronizations.ts';
import { startSyncline } from '../support/syncline.ts';
import { twoDatabases } from '../support/two-databases.ts';

// PostgreSQL tells what it counted within a second of the end of a transaction.
const COUNTED = 1_500;

/** A mirror of rows that are all equal already, against its first load; and that nothing is rewritten. */
export const section: SyncSection = async ({ rounds, rows }) => {
  const { source, target } = await twoDatabases(rows);
  const syncline = await startSyncline(temporaryFolder());
  const [source_id, target_id] = [await createPostgresSource(syncline, source), await createPostgresSource(syncline, target)];
  let sync = '';
  let rewritten = 0;
  const first = async () => {
    psql(target, 'drop table if exists ours', 'checkpoint');
    sync = await createSync(syncline, {
      source_id,
      target_id,
      streams: [{ source: 'public.rows', target: 'public.ours', mode: 'mirror' }],
    });
    return runSync(syncline, sync);
  };
  const again = async () => {
    await sleep(COUNTED);
    const before = writes(target);
    psql(target, 'checkpoint');
    const pass = await runSync(syncline, sync);
    await sleep(COUNTED);
    rewritten += writes(target) - before;
    if (pass.run.totals.unchanged !== rows) throw new Error(`Not all rows were found equal: ${JSON.stringify(pass.run.totals)}`);
    return pass;
  };
  await first();
  const { ours: firsts, reference: agains } = await inTurns(rounds, first, again);
  const count = rows.toLocaleString('en-US');
  compare(
    `PostgreSQL → PostgreSQL: mirror of ${count} equal rows, against the first load`,
    's',
    mapPair({ ours: agains, reference: firsts }, ({ seconds }) => seconds),
    { atMost: 1.2 },
  );
  limit('PostgreSQL → PostgreSQL: rows that a mirror of equal rows rewrites', 'rows', [rewritten], 0);
  limit(`PostgreSQL → PostgreSQL: memory of the service, mirror of ${count} rows (highest)`, 'MB', [highest(firsts, agains)], 250);
};

/** How many rows were ever inserted, updated and deleted in our table, as the server counts. */
function writes(url: string): number {
  return Number(psql(url, `select n_tup_ins + n_tup_upd + n_tup_del from pg_stat_user_tables where relname = 'ours'`));
}

function highest(...passes: { memory: number }[][]): number {
  return Math.max(...passes.flat().map(({ memory }) => memory));
}
