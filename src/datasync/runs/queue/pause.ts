import { type Connection, first } from '../../../db/database.ts';
import { sql } from '../../../db/sql.ts';
import { appendEvents } from '../../../events/append.ts';
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
  const at = isoTime(now);
  const reason = `Paused after ${failures} failed runs in a row. Look at the error of the last one, correct it, and resume.`;
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
