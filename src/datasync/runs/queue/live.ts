import { list } from '../../../db/bulk.ts';
import { command, type Connection } from '../../../db/database.ts';
import { databaseTime } from '../../../db/database-time.ts';
import { raw, sql } from '../../../db/sql.ts';
import type { LiveFront } from '../../../engine/run.ts';
import { isoTime } from '../../../lib/clock.ts';
import { writesSomething } from '../rows/run-modes.ts';
import { reportsOf, type RunRow, withReports } from '../rows/run-row.ts';
import { moveRuns, updateRuns } from '../rows/store.ts';
import { lockSync, type SyncOfRun } from '../rows/sync-state.ts';
import { ACTIVE_STATUSES, closeReports } from '../rows/transitions.ts';

// A live synchronization has one run at all times. It stands aside when something else is to be done, and ends when it is paused.

// Written out, so that the planner sees that the partial index fits.
const ACTIVE = raw(`status in (${ACTIVE_STATUSES.map((status) => `'${status}'`).join(', ')})`);

type Locked = Pick<SyncOfRun, 'id'>;

/** The live run that is not over, of a synchronization that is locked. */
async function liveRun(tx: Connection, { id }: Locked): Promise<RunRow | undefined> {
  const [run] = await tx.all<RunRow>(sql`select * from runs where sync_id = ${id} and ${ACTIVE} and live = 1`);
  return run;
}

/**
 * Has the live run begin anew, with what its synchronization says by now: one that is under way is handed over at its next checkpoint, one that
 * waits begins at once, and one that asks for approval looks again. Answers it.
 */
export async function yieldLive(tx: Connection, now: number, sync: Locked): Promise<RunRow | undefined> {
  const run = await liveRun(tx, sync);
  if (!run) return undefined;
  const sooner: RunRow = { ...run, not_before: isoTime(now) };
  switch (run.status) {
    case 'running': {
      const after = { ...run, yields: 1 };
      await updateRuns(tx, [after]);
      return after;
    }
    case 'needs_approval': {
      const after: RunRow = { ...sooner, status: 'queued', approved: 0, error: null };
      await moveRuns(tx, now, [{ before: run, after }]);
      return after;
    }
    default:
      await updateRuns(tx, [sooner]);
      return sooner;
  }
}

/** How far the live run is with a stream, by what it told last. */
export async function liveFront(db: Connection, syncId: string, target: string): Promise<LiveFront> {
  const [run] = await db.all<Pick<RunRow, 'report'>>(
    sql`select report from runs where sync_id = ${syncId} and live = 1 and status = 'running'`,
  );
  const report = run && reportsOf(run).find((one) => one.target === target);
  return { isFollowing: report?.live === 'live', position: report?.checkpoint ?? null };
}

/** Has the live run begin anew, so that it tells how far it is; only one that is under way. */
export const nudgeLive = command(import.meta.url, 'nudgeLive', async (tx, input: { now: number; syncId: string }): Promise<null> => {
  const [sync, now] = await Promise.all([lockSync(tx, input.syncId), databaseTime(tx, input.now)]);
  const run = await liveRun(tx, sync);
  if (run?.status === 'running') await yieldLive(tx, now, sync);
  return null;
});

/** Ends the live run, as its synchronization is paused or no longer live: one that is under way at its next checkpoint. */
export async function closeLive(tx: Connection, now: number, sync: Locked): Promise<void> {
  const run = await liveRun(tx, sync);
  if (run) await close(tx, now, run);
}

/** Ends the run of another mode that a synchronization had before it became live. */
export async function closeOther(tx: Connection, now: number, { id }: Locked): Promise<void> {
  const [run] = await tx.all<RunRow>(sql`select * from runs where sync_id = ${id} and ${ACTIVE} and live = 0 and ${writesSomething()}`);
  if (run) await close(tx, now, run);
}

async function close(tx: Connection, now: number, run: RunRow): Promise<void> {
  if (run.status === 'running') return updateRuns(tx, [{ ...run, yields: 1 }]);
  const ended: RunRow = { ...run, status: 'cancelled', finished_at: isoTime(now), error: null };
  await moveRuns(tx, now, [{ before: run, after: withReports(ended, closeReports(reportsOf(run), 'cancelled')) }]);
}

/** New live runs, each as far behind as the one before it has told last. */
export async function withLags(tx: Connection, runs: readonly RunRow[]): Promise<RunRow[]> {
  const live = runs.flatMap(({ sync_id, live: isLive }) => (isLive ? [sync_id] : []));
  if (live.length === 0) return [...runs];
  const rows = await tx.all<{ sync_id: string; lag: string | null }>(sql`
    select sync_id, lag from runs
    where id in (select max(id) from runs where live <> 0 and sync_id in ${list(live)} group by sync_id)`);
  const lags = new Map(rows.map(({ sync_id, lag }) => [sync_id, lag]));
  return runs.map((run) => (run.live ? { ...run, lag: lags.get(run.sync_id) ?? null } : run));
}
