import { recordAudit } from '../../../audit/record.ts';
import { command, type Connection } from '../../../db/database.ts';
import { databaseTime } from '../../../db/database-time.ts';
import { sql } from '../../../db/sql.ts';
import { appendEvents } from '../../../events/append.ts';
import type { Actor } from '../../../http/caller.ts';
import type { Scope } from '../../../http/scopes.ts';
import { isoTime } from '../../../lib/clock.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import { demandForSync } from '../../access/demand.ts';
import { activeRuns, rememberStreams, STILL } from '../queue/enqueue.ts';
import { pauseBecause } from '../queue/pause.ts';
import { onlyReads } from '../rows/run-modes.ts';
import { reportsOf, type RunRow, runJson, type UndoneRun } from '../rows/run-row.ts';
import { lockRun, type RunOfSync } from '../rows/store.ts';
import { definitionOf } from '../rows/stored-definition.ts';
import { forgetSeen, raiseTokens, setPaused, type SyncOfRun } from '../rows/sync-state.ts';
import { isActive } from '../rows/transitions.ts';
import { doubtAfterUndo } from '../rows/verified.ts';
import { demandNoUndo } from './under-way.ts';

/** The node that undoes a run says this often that it is still at it. */
export const RENEW_INTERVAL = 2_000;
/** After so long without a word it is taken to be dead. */
const LEASE = 10_000;

interface Asked {
  now: number;
  actor: Actor;
  scopes: ReadonlySet<Scope>;
  id: string;
}

/** What is to be undone, and where. */
export interface RunToUndo {
  run: RunRow;
  sync: Pick<SyncOfRun, 'id' | 'name' | 'target_id' | 'token'>;
  /** The streams at the target that it may have written to. */
  targets: string[];
}

/** Throws unless the run is over and the caller may do this to its synchronization. */
export async function demandUndoable(
  tx: Connection,
  asked: Pick<Asked, 'scopes'>,
  act: 'look' | 'move',
  { run, sync }: RunOfSync,
): Promise<void> {
  await demandForSync(tx, asked, act, sync, definitionOf(sync).streams);
  if (isActive(run.status))
    throw conflict(
      `The run ${run.id} ${STILL[run.status as keyof typeof STILL]}. Wait for it, or cancel it.`,
      `the run is ${run.status}`,
      run.id,
    );
  if (onlyReads(run.mode))
    throw conflict(
      `The run ${run.id} was a ${run.mode.replace('_', ' ')}: it has written nothing, so there is nothing to undo.`,
      `a ${run.mode.replace('_', ' ')} writes nothing`,
    );
}

function conflict(message: string, reason: string, run_id?: string): AppError {
  return new AppError('CONFLICT', message, { reason, ...(run_id !== undefined && { run_id }) });
}

export function toUndo({ run, sync }: RunOfSync): RunToUndo {
  const { id, name, target_id, token } = sync;
  return { run, sync: { id, name, target_id, token }, targets: reportsOf(run).map(({ target }) => target) };
}

/**
 * Makes ready that a run is undone: nothing else of its synchronization begins, before and after. It is paused, as it would do the same again, and
 * reads the streams of the run from the start when it is resumed, so that it skips nothing of what was taken back.
 */
export const beginUndo = command(import.meta.url, 'beginUndo', async (tx, input: Asked): Promise<RunToUndo> => {
  const [found, now] = await Promise.all([lockRun(tx, input.id), databaseTime(tx, input.now)]);
  if (!found) throw notFound('run', input.id);
  const { run, sync } = found;
  await demandUndoable(tx, input, 'move', found);
  // It was undone meanwhile: then that is the answer.
  if (run.undone !== null) return toUndo(found);
  await demandNoUndo(tx, sync, now);
  await demandQuiet(tx, sync);
  const reason = `Paused, as the run ${run.id} was undone: the next one would do the same again. Correct what was wrong, and resume. The streams of that run are then read from the start.`;
  if (sync.status === 'active') await pauseBecause(tx, now, sync.id, reason);
  else {
    await setPaused(tx, sync.id, isoTime(now), reason);
    await forgetSeen(tx, sync.id);
  }
  await rememberStreams(
    tx,
    reportsOf(run).map(({ target }) => ({ syncId: sync.id, target })),
    true,
  );
  const raised = (await raiseTokens(tx, [sync.id], now)).get(sync.id) ?? sync;
  await tx.all(sql`update sync_state set undo_run = ${run.id}, undo_until = ${isoTime(now + LEASE)} where sync_id = ${sync.id}`);
  const details = { sync_id: sync.id };
  await recordAudit(tx, now, { actor: input.actor, action: 'run.undo_started', object_id: run.id, details });
  return toUndo({ run, sync: raised });
});

/** Throws while the synchronization has a run that is not over. A live one ends when it is paused. */
export async function demandQuiet(tx: Connection, sync: SyncOfRun): Promise<void> {
  const live = (await activeRuns(tx, [sync.id], true)).get(sync.id);
  if (live)
    throw conflict(
      `"${sync.name}" is live, and its run ${live.id} ${STILL[live.status]}. Pause it first (POST /api/v1/datasync/sync/${sync.id}/pause), and ask again when that run is over.`,
      `the run ${live.id} is ${live.status}`,
    );
  const busy = (await activeRuns(tx, [sync.id])).get(sync.id);
  if (busy)
    throw conflict(
      `The run ${busy.id} of "${sync.name}" ${STILL[busy.status]}. Wait for it, or cancel it.`,
      `the run ${busy.id} is ${busy.status}`,
      busy.id,
    );
}

/** Says that a run is still being undone. */
export const renewUndo = command(
  import.meta.url,
  'renewUndo',
  async (tx, input: { now: number; syncId: string; id: string }): Promise<void> => {
    const now = await databaseTime(tx, input.now);
    await tx.all(
      sql`update sync_state set undo_until = ${isoTime(now + LEASE)} where sync_id = ${input.syncId} and undo_run = ${input.id}`,
    );
  },
);

/** It could not be undone: others may have the synchronization again. */
export const dropUndo = command(import.meta.url, 'dropUndo', async (tx, { syncId, id }: { syncId: string; id: string }): Promise<void> => {
  await tx.all(sql`update sync_state set undo_run = null, undo_until = null where sync_id = ${syncId} and undo_run = ${id}`);
});

type Undone = Omit<Asked, 'scopes'> & { outcome: Omit<UndoneRun, 'at' | 'by'> };

/** Writes down that a run was undone, once. Null when the run is gone. */
export const endUndo = command(
  import.meta.url,
  'endUndo',
  async (tx, { now: given, actor, id, outcome }: Undone): Promise<RunRow | null> => {
    const [found, now] = await Promise.all([lockRun(tx, id), databaseTime(tx, given)]);
    if (!found) return null;
    const { run, sync } = found;
    await tx.all(sql`update sync_state set undo_run = null, undo_until = null where sync_id = ${sync.id} and undo_run = ${id}`);
    if (run.undone !== null) return run;
    const at = isoTime(now);
    const undone: UndoneRun = { at, by: actor.id, ...outcome };
    const row: RunRow = { ...run, undone: JSON.stringify(undone) };
    await tx.all(sql`update runs set undone = ${row.undone} where id = ${id}`);
    await doubtAfterUndo(tx, now, sync, id);
    const { restored, removed, left } = outcome;
    await recordAudit(tx, now, { actor, action: 'run.undone', object_id: id, details: { sync_id: sync.id, restored, removed, left } });
    await appendEvents(tx, 'runs', [{ type: 'run.undone', objectId: id, at, data: runJson(row) }], {});
    return row;
  },
);
