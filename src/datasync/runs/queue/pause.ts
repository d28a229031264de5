import { type Connection, first } from '../../../db/database.ts';
import { sql } from '../../../db/sql.ts';
import { appendEvents } from '../../../events/append.ts';
import type { RunError } from '../../../engine/run.ts';
import { isoTime } from '../../../lib/clock.ts';
import { forgetSeen, setPaused, SYNCS, UPDATED_AT } from '../rows/sync-state.ts';

interface PausedSync {
  id: string;
  name: string;
  status: string;
  pause_reason: string;
  source_id: string;
  target_id: string;
  definition: string;
  next_run_at: string | null;
  created_at: string;
  updated_at: string;
}

/**
 * Stops a synchronization that only fails: nobody is helped by the hundredth time, and the system at fault least of all. Answers the
 * reason. One that follows changes has not seen them, and looks again when it is resumed.
 */
export async function pauseAfterFailures(tx: Connection, now: number, syncId: string, failures: number): Promise<string> {
  return pauseBecause(
    tx,
    now,
    syncId,
    `Paused after ${failures} failed runs in a row. Look at the error of the last one, correct it, and resume.`,
  );
}

/** Stops a live synchronization of which changes are lost, where a person is to decide (`on_gap`). */
export async function pauseForGap(tx: Connection, now: number, syncId: string, { message }: RunError): Promise<string> {
  const advice = `To load what is concerned anew, set on_gap to load, or reset its streams (POST /api/v1/datasync/sync/${syncId}/reset), and resume.`;
  return pauseBecause(tx, now, syncId, `Paused, as changes of the source are lost: ${message} ${advice}`);
}

/** Pauses a synchronization for a reason that everybody can read, and tells of it. Answers the reason. */
export async function pauseBecause(tx: Connection, now: number, syncId: string, reason: string): Promise<string> {
  const at = isoTime(now);
  await setPaused(tx, syncId, at, reason);
  await forgetSeen(tx, syncId);
  const sync = await first<PausedSync>(
    tx,
    sql`select id, name, status, pause_reason, source_id, target_id, definition, next_run_at, created_at, ${UPDATED_AT} from ${SYNCS} where id = ${syncId}`,
  );
  if (!sync) return reason;
  const { definition, ...rest } = sync;
  const data = `${JSON.stringify(rest).slice(0, -1)},${definition.slice(1)}`;
  await appendEvents(tx, 'syncs', [{ type: 'sync.paused', objectId: syncId, at, data }], {});
  return reason;
}
