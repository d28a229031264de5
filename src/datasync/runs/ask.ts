import { recordAudit } from '../../audit/record.ts';
import { command } from '../../db/database.ts';
import { databaseTime } from '../../db/database-time.ts';
import type { Actor } from '../../http/caller.ts';
import { isoTime } from '../../lib/clock.ts';
import type { Scope } from '../../http/scopes.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { demandForSync } from '../access/demand.ts';
import { pauseBecause } from './queue/pause.ts';
import { reportsOf, type RunRow, withReports } from './rows/run-row.ts';
import { lockRun, moveRuns, updateRuns } from './rows/store.ts';
import { definitionOf } from './rows/stored-definition.ts';
import { actionsFrom, closeReports, type RunStatus } from './rows/transitions.ts';

/** What a person asks of a run. */
interface Request {
  now: number;
  actor: Actor;
  id: string;
}

interface Approval extends Request {
  /** What who agrees may do. */
  scopes: ReadonlySet<Scope>;
}

/** Why a synchronization is paused whose live run was cancelled. */
export const LIVE_CANCELLED =
  'The synchronization is paused, as its live run was cancelled: it would have begun anew at once. What is at the target stays; resume it, and it goes on where it was.';

/** Ends a run: at once when no worker has it; otherwise its worker is told and stops within seconds. A live synchronization is paused with its run. */
export const cancelRun = command(import.meta.url, 'cancelRun', async (tx, { now: given, actor, id }: Request): Promise<RunRow> => {
  const [found, now] = await Promise.all([lockRun(tx, id), databaseTime(tx, given)]);
  if (!found) throw notFound('run', id);
  const { run } = found;
  demandAction(run, 'cancel');
  // Asking twice is no mistake.
  if (run.cancelled) return run;
  await recordAudit(tx, now, { actor, action: 'run.cancelled', object_id: id, details: { sync_id: run.sync_id, status: run.status } });
  // Another one would begin at once, and that is not what who cancels it wants.
  if (run.live !== 0 && found.sync.status === 'active') await pauseBecause(tx, now, run.sync_id, LIVE_CANCELLED);
  if (run.status === 'running') {
    const after = { ...run, cancelled: 1 };
    await updateRuns(tx, [after]);
    return after;
  }
  const row: RunRow = { ...run, status: 'cancelled', cancelled: 1, finished_at: isoTime(now), error: null };
  const after = withReports(row, closeReports(reportsOf(run), 'cancelled'));
  await moveRuns(tx, now, [{ before: run, after }]);
  return after;
});

/** Agrees to what a run would change; it goes back into the queue, and the streams that are done stay done. */
export const approveRun = command(import.meta.url, 'approveRun', async (tx, input: Approval): Promise<RunRow> => {
  const { actor, id } = input;
  const [found, now] = await Promise.all([lockRun(tx, id), databaseTime(tx, input.now)]);
  if (!found) throw notFound('run', id);
  const { run, sync } = found;
  await demandForSync(tx, input, 'move', sync, definitionOf(sync).streams);
  demandAction(run, 'approve');
  await recordAudit(tx, now, { actor, action: 'run.approved', object_id: id, details: { sync_id: run.sync_id } });
  // Agreed is to this definition: when it is changed before the run begins, the guard looks again.
  const after: RunRow = { ...run, status: 'queued', approved: sync.version, not_before: isoTime(now), error: null };
  await moveRuns(tx, now, [{ before: run, after }]);
  return after;
});

const DONE: Record<'cancel' | 'approve', string> = { cancel: 'cancelled', approve: 'approved' };

function demandAction({ id, status }: RunRow, action: 'cancel' | 'approve'): void {
  const possible = actionsFrom(status);
  if (possible.includes(action)) return;
  const advice = possible.length === 0 ? 'It is over; nothing can be asked of it any more.' : `Possible is: ${possible.join(', ')}.`;
  throw new AppError('INVALID_TRANSITION', `The run ${id} is ${named(status)} and cannot be ${DONE[action]}. ${advice}`, {
    reason: possible.length === 0 ? `a run that is ${status} is over` : `a run that is ${status} takes only ${possible.join(', ')}`,
  });
}

function named(status: RunStatus): string {
  return status === 'needs_approval' ? 'waiting for approval' : status;
}
