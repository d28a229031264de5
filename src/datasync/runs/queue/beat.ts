import { list } from '../../../db/bulk.ts';
import { command } from '../../../db/database.ts';
import { databaseTime } from '../../../db/database-time.ts';
import { forUpdate, sql } from '../../../db/sql.ts';
import type { StreamReport } from '../../../engine/run.ts';
import { isoTime } from '../../../lib/clock.ts';
import { reportsOf, type RunRow, withReports } from '../rows/run-row.ts';
import { updateRuns } from '../rows/store.ts';
import { mergeReports } from '../rows/transitions.ts';

export interface Beat {
  now: number;
  leaseMs: number;
  runs: { id: string; token: number; report: StreamReport[] }[];
}

/** What a node has to know of a run that it works on. */
export interface RunSignal {
  id: string;
  /** `cancelled`: a person has cancelled it. `fenced`: another worker has it now, or none. */
  stop: 'cancelled' | 'fenced' | null;
}

/** A node tells that it is alive and how far its runs are; it hears which of them are to stop. */
export const beat = command(import.meta.url, 'beat', async (tx, { now: given, leaseMs, runs }: Beat): Promise<RunSignal[]> => {
  const [rows, now] = await Promise.all([
    tx.all<RunRow>(sql`select * from runs where id in ${list(runs.map(({ id }) => id))} order by id ${forUpdate}`),
    databaseTime(tx, given),
  ]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const alive = runs.flatMap(({ id, token, report }) => {
    const row = byId.get(id);
    return row?.status === 'running' && row.token === token ? [progressed(row, report, now, leaseMs)] : [];
  });
  await updateRuns(tx, alive);
  const ours = new Map(alive.map((row) => [row.id, row]));
  return runs.map(({ id }) => {
    const row = ours.get(id);
    return { id, stop: row === undefined ? 'fenced' : row.cancelled ? 'cancelled' : null };
  });
});

function progressed(row: RunRow, report: readonly StreamReport[], now: number, leaseMs: number): RunRow {
  const lease = { lease_until: isoTime(now + leaseMs), ...workedUntil(row, now) };
  return { ...withReports(row, mergeReports(reportsOf(row), report)), ...lease };
}

/** Adds the time since the last look to the time at work. A clock that was set back takes nothing away. */
export function workedUntil(row: RunRow, now: number): Pick<RunRow, 'duration_ms' | 'not_before'> {
  const since = Math.max(0, now - Date.parse(row.not_before));
  return { duration_ms: (row.duration_ms ?? 0) + since, not_before: isoTime(now) };
}
