import { count } from '../../../db/counters.ts';
import { command, type Connection } from '../../../db/database.ts';
import { integer, raw, type Sql, sql } from '../../../db/sql.ts';
import { isoTime } from '../../../lib/clock.ts';
import { removeLagsOf } from './lag-points.ts';
import { runCounts } from './counts.ts';
import { readsOnly } from './run-modes.ts';
import type { RunStatus } from './transitions.ts';

/**
 * Removes runs that ended before a moment and rejects that were resolved before it, at most so many of each; answers how many, of
 * whichever were more. The last run of each synchronization that says how it is doing stays, and those that its last proof names.
 */
export const forgetRuns = command(
  import.meta.url,
  'forgetRuns',
  async (tx, { before, most }: { before: number; most: number }): Promise<number> => {
    const time = isoTime(before);
    const rejects = await tx.all(sql`
      delete from rejects where id in (select id from rejects where resolved_at < ${time} limit ${integer(most)}) returning 1`);
    const runs = await tx.all<{ status: RunStatus }>(sql`
      delete from runs where id in (
        select id from runs as old where finished_at < ${time} and exists (
          select 1 from runs as newer where newer.sync_id = old.sync_id and newer.id > old.id
            and (${saysNothing('old')} or newer.finished_at is not null and not ${saysNothing('newer')}))
          and not exists (select 1 from sync_state where sync_state.sync_id = old.sync_id and cast(verified as text) like '%"run_id":"' || old.id || '"%')
        order by finished_at limit ${integer(most)}) returning status`);
    if (runs.length > 0) await count(tx, withoutRuns(runs));
    return Math.max(rejects.length, runs.length);
  },
);

/** Skipped runs, and those that only read, do not tell how a synchronization is doing. */
function saysNothing(run: 'old' | 'newer'): Sql {
  return sql`(${raw(run)}.status = 'skipped' or ${readsOnly(`${run}.`)})`;
}

/**
 * Removes all runs of a synchronization that is about to go; answers what the counters change by. They belong to the event that
 * tells of it: `appendEvents(tx, 'syncs', events, await removeRunsOf(tx, id))`.
 */
export async function removeRunsOf(tx: Connection, syncId: string): Promise<Record<string, number>> {
  await removeLagsOf(tx, syncId);
  return withoutRuns(await tx.all<{ status: RunStatus }>(sql`delete from runs where sync_id = ${syncId} returning status`));
}

function withoutRuns(runs: readonly { status: RunStatus }[]): Record<string, number> {
  return runCounts(runs.map(({ status }) => ({ before: status, after: undefined })));
}
