import { list } from '../../../db/bulk.ts';
import { command, type Connection } from '../../../db/database.ts';
import { databaseTime } from '../../../db/database-time.ts';
import { integer, raw, sql } from '../../../db/sql.ts';
import { isoTime } from '../../../lib/clock.ts';
import { definitionOf } from '../rows/stored-definition.ts';
import { lockSyncs, SYNCS } from '../rows/sync-state.ts';
import { CHECK_AGAIN, nextVerify, setNextVerify } from '../rows/verified.ts';
import { activeRuns, queuedRun } from './enqueue.ts';
import { addRuns } from './fire.ts';

/** While a run is under way the streams are not compared; it is looked again so soon. */
const LOOK_AGAIN = 30_000;

/** Synchronizations whose streams are to be compared. */
export async function readVerifyDue(db: Connection, now: string, most: number): Promise<string[]> {
  const rows = await db.all<{ sync_id: string }>(sql`
    select sync_id from sync_state where verify_at is not null and verify_at <= ${now} and ${raw(`status = 'active'`)}
    order by verify_at limit ${integer(most)}`);
  return rows.map(({ sync_id }) => sync_id);
}

/** Puts the runs in the queue that compare streams whose time has come: each once, however many nodes notice it. Answers how many. */
export const fireVerify = command(import.meta.url, 'fireVerify', async (tx, input: { now: number; syncIds: string[] }): Promise<number> => {
  const [syncs, now] = await Promise.all([lockSyncs(tx, list(input.syncIds)), databaseTime(tx, input.now)]);
  const dues = await tx.all<{ sync_id: string }>(
    sql`select sync_id from sync_state where sync_id in ${list(input.syncIds)} and verify_at <= ${isoTime(now)} and status = 'active'`,
  );
  const isDue = new Set(dues.map(({ sync_id }) => sync_id));
  const due = syncs.filter(({ id }) => isDue.has(id));
  if (due.length === 0) return 0;
  const active = await activeRuns(
    tx,
    due.map(({ id }) => id),
  );
  const free = due.filter(({ id }) => !active.has(id));
  await setNextVerify(
    tx,
    due.map((sync) => ({ syncId: sync.id, at: active.has(sync.id) ? isoTime(now + LOOK_AGAIN) : nextVerify(sync, now) })),
  );
  const runs = free.map((sync) =>
    queuedRun(now, sync, definitionOf(sync).streams, { trigger: 'schedule', mode: 'verify', streams: null, slot: null }),
  );
  return (await addRuns(tx, now, free, runs)).length;
});

/** Those that wait for longer than they can, as the clock was ahead when it was put down, wait for their interval. */
export async function verifySooner(tx: Connection, now: number): Promise<void> {
  const rows = await tx.all<{ id: string; verify_at: string; definition: string }>(
    sql`select id, verify_at, definition from ${SYNCS} where verify_at is not null and verify_at > ${isoTime(now)}`,
  );
  const late = rows.flatMap((row) => {
    // One that is not compared by itself is so once more after it differed.
    const at = nextVerify(row, now) ?? isoTime(now + CHECK_AGAIN);
    return row.verify_at > at ? [{ syncId: row.id, at }] : [];
  });
  if (late.length > 0) await setNextVerify(tx, late);
}
