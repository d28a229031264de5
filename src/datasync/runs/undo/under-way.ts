import { type Connection, first } from '../../../db/database.ts';
import { databaseTimeText } from '../../../db/database-time.ts';
import { sql } from '../../../db/sql.ts';
import { AppError } from '../../../lib/errors.ts';

/** Throws while a run of the synchronization, which is locked, is being undone. */
export async function demandNoUndo(
  tx: Connection,
  { id, name }: { readonly id: string; readonly name: string },
  now: number,
): Promise<void> {
  const busy = await first<{ undo_run: string }>(
    tx,
    sql`select undo_run from sync_state where sync_id = ${id} and undo_run is not null and undo_until > ${databaseTimeText(now)}`,
  );
  if (busy)
    throw new AppError('CONFLICT', `The run ${busy.undo_run} of "${name}" is being undone at this moment. Wait for it.`, {
      reason: `the run ${busy.undo_run} is being undone`,
      run_id: busy.undo_run,
    });
}
