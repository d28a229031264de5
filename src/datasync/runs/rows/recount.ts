import { command, first } from '../../../db/database.ts';
import { databaseTime } from '../../../db/database-time.ts';
import { forUpdate, sql } from '../../../db/sql.ts';
import type { Counts } from '../../../engine/run.ts';
import { reportsOf, type RunRow, withReports } from './run-row.ts';
import { tellOfRuns, updateRuns } from './store.ts';
import { isOurs, type Speaker } from './stream-memory.ts';

interface Recount extends Speaker {
  now: number;
  syncId: string;
  target: string;
  /** The run that wrote last, and what it has done by the target's own account. */
  earlier: string;
  counts: Counts;
}

/**
 * Corrects what an earlier run tells of a stream. One that was cancelled or lost its connection may not have heard that its last
 * batch was committed; the target knows.
 */
export const recountRun = command(import.meta.url, 'recountRun', async (tx, input: Recount): Promise<boolean> => {
  if (!(await isOurs(tx, input))) return false;
  const { earlier, syncId, target, counts } = input;
  const row = await first<RunRow>(tx, sql`select * from runs where id = ${earlier} and sync_id = ${syncId} ${forUpdate}`);
  const isTrue = (report: Counts): boolean => Object.entries(counts).every(([name, count]) => report[name as keyof Counts] === count);
  const reports = row ? reportsOf(row) : [];
  if (!row || reports.every((report) => report.target !== target || isTrue(report))) return true;
  const after = withReports(
    row,
    reports.map((report) => (report.target === target ? { ...report, ...counts } : report)),
  );
  await updateRuns(tx, [after]);
  await tellOfRuns(tx, await databaseTime(tx, input.now), [{ before: row, after }]);
  return true;
});
