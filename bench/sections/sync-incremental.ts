import type { SyncSection } from '../support/bench.ts';
import { temporaryFolder } from '../support/processes.ts';
import { MIXED_COLUMNS, MIXED_NAMES, psql, psqlPipe } from '../support/psql.ts';
import { timeTool } from '../support/rates.ts';
import { compare, limit } from '../support/report.ts';
import { createPostgresSource, createSync, runSync } from '../support/synchronizations.ts';
import { startSyncline } from '../support/syncline.ts';
import { twoDatabases } from '../support/two-databases.ts';
import { inTurns, mapPair } from '../support/statistics.ts';

const CHANGED = 10_000;
const IDLE_RUNS = 7;

/** Incremental runs that find nothing, and that find some of many rows, against hand-written SQL. */
export const section: SyncSection = async ({ rounds, rows }) => {
  const { source, target } = await twoDatabases(rows);
  psql(source, 'create index on rows (updated_at)');
  const syncline = await startSyncline(temporaryFolder());
  const [source_id, target_id] = [await createPostgresSource(syncline, source), await createPostgresSource(syncline, target)];
  const streams = [{ source: 'public.rows', target: 'public.ours', mode: 'incremental', cursor: 'updated_at' }];
  const sync = await createSync(syncline, { source_id, target_id, streams });
  await runSync(syncline, sync);
  psql(target, `create table theirs (${MIXED_COLUMNS})`);
  await timeTool(psqlPipe(source, 'copy rows to stdout', target, 'copy theirs from stdin'));
  psql(target, 'vacuum analyze ours', 'vacuum analyze theirs', 'checkpoint');

  const idle: number[] = [];
  for (let run = 0; run < IDLE_RUNS; run++) idle.push((await runSync(syncline, sync)).seconds * 1000);
  limit('PostgreSQL → PostgreSQL: incremental run, nothing changed', 'ms', idle, 150);

  const every = Math.max(1, Math.floor(rows / CHANGED));
  let change = 0;
  let since = '';
  /** Changes some rows that are far apart, and remembers what was the latest before. */
  const changeSome = (): void => {
    since = psql(source, 'select max(updated_at) from rows');
    change++;
    psql(
      source,
      `update rows set note = 'change ${change}', updated_at = timezone('UTC', now()) + id * interval '1 microsecond'
        where id % ${every} = ${change % every}`,
      'vacuum analyze rows',
      'checkpoint',
    );
  };
  const set = MIXED_NAMES.slice(1).map((name) => `${name} = excluded.${name}`);
  const passes = await inTurns(
    rounds,
    async () => {
      changeSome();
      return runSync(syncline, sync);
    },
    // The same change, of which the other table does not know yet.
    () =>
      timeTool(
        psqlPipe(
          source,
          `copy (select * from rows where updated_at > '${since}') to stdout`,
          target,
          'begin',
          'create temporary table stage (like theirs) on commit drop',
          'copy stage from stdin',
          `insert into theirs select * from stage on conflict (id) do update set ${set.join(', ')}`,
          'commit',
        ),
      ),
  );
  if (digest(target, 'ours') !== digest(source, 'rows')) throw new Error('Ours is not what the source has.');
  if (digest(target, 'theirs') !== digest(source, 'rows')) throw new Error('The hand-written SQL missed something.');
  const what = `PostgreSQL → PostgreSQL: incremental run, ${CHANGED.toLocaleString('en-US')} of ${rows.toLocaleString('en-US')} changed`;
  compare(
    what,
    's',
    mapPair(passes, ({ seconds }) => seconds),
    { atMost: 1.3 },
  );
};

function digest(url: string, table: string): string {
  return psql(url, `select count(*) || ' ' || sum(hashtext(t::text)) from (select ${MIXED_NAMES.join(', ')} from ${table}) t`);
}
