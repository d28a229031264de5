import { command, type Connection, first } from '../../../db/database.ts';
import { integer, sql } from '../../../db/sql.ts';
import type { LedgerSegment } from '../../../engine/run.ts';
import { isOurs, remember, type Speaker } from './stream-memory.ts';

// The ledger: what targets that cannot be read back have accepted. Segments are only added, until a run that has come to its end joins some.

interface OfLedger extends Speaker {
  syncId: string;
  target: string;
  generation: number;
}

/** So many segments are read at a time: most have a few hundred records, and none many thousand. */
const SEGMENTS_A_PAGE = 50;

/** Writes down what was accepted, and the note with it. Answers the number of the segment; null when another worker has the run now. */
export const keepDelivered = command(
  import.meta.url,
  'keepDelivered',
  async (tx, input: OfLedger & { entries: string; note: string | null }): Promise<number | null> => {
    const { syncId, target, generation, runId, entries, note } = input;
    if (!(await isOurs(tx, input))) return null;
    if (note !== null) await remember(tx, [{ ...input, note }]);
    if (entries === '') return 0;
    const last = await first<{ seq: number | null }>(
      tx,
      sql`select max(seq) as seq from delivered where sync_id = ${syncId} and target = ${target}`,
    );
    const seq = (last?.seq ?? 0) + 1;
    await tx.all(sql`insert into delivered (sync_id, target, seq, generation, run_id, entries)
      values (${syncId}, ${target}, ${seq}, ${generation}, ${runId}, ${entries})`);
    return seq;
  },
);

/** Puts one segment in place of several. False: another worker has the run now. */
export const joinDelivered = command(
  import.meta.url,
  'joinDelivered',
  async (tx, input: OfLedger & { from: number; seq: number; entries: string }): Promise<boolean> => {
    const { syncId, target, generation, runId, from, seq, entries } = input;
    if (!(await isOurs(tx, input))) return false;
    await tx.all(sql`delete from delivered where sync_id = ${syncId} and target = ${target} and seq >= ${from} and seq <= ${seq}`);
    if (entries !== '')
      await tx.all(sql`insert into delivered (sync_id, target, seq, generation, run_id, entries)
        values (${syncId}, ${target}, ${seq}, ${generation}, ${runId}, ${entries})`);
    return true;
  },
);

interface Behind {
  syncId: string;
  target: string;
  runId: string;
  after: number;
}

export async function listDelivered(db: Connection, { syncId, target, runId, after }: Behind): Promise<LedgerSegment[]> {
  const rows = await db.all<{ seq: number; generation: number; run_id: string; entries: string }>(sql`
    select seq, generation, run_id, entries from delivered where sync_id = ${syncId} and target = ${target} and seq > ${after}
    order by seq limit ${integer(SEGMENTS_A_PAGE)}`);
  return rows.map(({ seq, generation, run_id, entries }) => ({ seq, generation, isMine: run_id === runId, entries }));
}

/** Another system has accepted nothing yet. */
export async function forgetDelivered(tx: Connection, syncId: string): Promise<void> {
  await tx.all(sql`delete from delivered where sync_id = ${syncId}`);
}
