import { list } from '../../../db/bulk.ts';
import { command } from '../../../db/database.ts';
import { databaseTime } from '../../../db/database-time.ts';
import { byEngine, raw, sql } from '../../../db/sql.ts';
import { isoTime } from '../../../lib/clock.ts';
import { type FinishedAttempt, followUp, stateOf } from './finish.ts';
import { reportsOf, runError, type RunRow, withReports } from '../rows/run-row.ts';
import { moveRuns } from '../rows/store.ts';
import { readSyncs, type SyncOfRun } from '../rows/sync-state.ts';
import { afterCrash, closeReports } from '../rows/transitions.ts';

/** A transaction that changes the run or its synchronization at this moment goes first; the run is found the next time. */
const skipLocked = byEngine((engine) => raw(engine === 'postgres' ? 'for update of runs, sync_state skip locked' : ''));

/**
 * Finds runs whose node is gone and has them tried again at once; answers them as they are now. `node` null: nobody else can be
 * running anything (SQLite at its start), so every run that seems to be running is not. Otherwise it is those whose lease is over.
 */
export const recoverRuns = command(
  import.meta.url,
  'recoverRuns',
  async (tx, input: { now: number; node: string | null }): Promise<FinishedAttempt[]> => {
    const now = await databaseTime(tx, input.now);
    const lost = input.node === null ? sql`true` : sql`lease_until < ${isoTime(now)}`;
    const rows = await tx.all<RunRow>(sql`
      select runs.* from runs join sync_state on sync_state.sync_id = runs.sync_id where runs.status = 'running' and ${lost}
      order by lease_until limit 1000 ${skipLocked}`);
    const syncs = await readSyncs(tx, list(rows.map(({ sync_id }) => sync_id)));
    const byId = new Map(syncs.map((sync) => [sync.id, sync]));
    const changes = rows.map((before) => ({ before, after: recovered(before, byId.get(before.sync_id) as SyncOfRun, now) }));
    const ended: FinishedAttempt[] = [];
    for (const { after } of changes) {
      const sync = after.status === 'failed' ? byId.get(after.sync_id) : undefined;
      const paused = sync && (await followUp(tx, now, sync, after));
      ended.push({ ...after, ...(paused !== undefined && { paused }) });
    }
    await moveRuns(tx, now, changes);
    return ended;
  },
);

function recovered(before: RunRow, sync: SyncOfRun, now: number): RunRow {
  const reports = reportsOf(before);
  const { delay: _, ...next } = afterCrash({ ...stateOf(before, sync), crashes: before.crashes, reports });
  const at = isoTime(now);
  const row: RunRow = { ...before, ...next, not_before: at, node: null, lease_until: null, yields: 0 };
  if (next.status === 'retrying') return withReports(row, reports);
  const ended = { ...row, finished_at: at };
  if (next.status !== 'failed') return withReports(ended, closeReports(reports, next.status));
  const error = runError(
    'CRASHED',
    `The service has died ${next.crashes} times in a row while it worked on this run, each time at the same place.`,
    'The last lines of the service and of the system tell why, mostly that memory ran out. Give it more memory, or leave out the stream or the field with the very large values.',
    'bug',
  );
  const told = reports.map((report) => (report.status === 'running' ? { ...report, status: 'failed' as const, error } : report));
  return withReports({ ...ended, error: JSON.stringify(error) }, told);
}
