import { list } from '../../../db/bulk.ts';
import { command } from '../../../db/database.ts';
import { databaseTime } from '../../../db/database-time.ts';
import { forUpdate, sql } from '../../../db/sql.ts';
import type { Lag, StopReason, StreamReport } from '../../../engine/run.ts';
import { isoTime } from '../../../lib/clock.ts';
import { readLag } from '../rows/lag.ts';
import { noteLags } from '../rows/lag-points.ts';
import { reportsOf, type RunRow, withReports } from '../rows/run-row.ts';
import { updateRuns } from '../rows/store.ts';
import { mergeReports } from '../rows/transitions.ts';

export interface Beat {
  now: number;
  runs: RunNews[];
}

/** How far a run is, by the node that works on it. */
export interface RunNews {
  id: string;
  token: number;
  /** For how long it is that node's from now on. */
  leaseMs: number;
  report: StreamReport[];
  /** Of a live run, once it has told. */
  lag?: Lag;
}

/** What a node has to know of a run that it works on. */
export interface RunSignal {
  id: string;
  /** `cancelled`: a person has cancelled it. `handed_over`: it stands aside. `fenced`: another worker has it now, or none. */
  stop: StopReason | null;
}

/** A node tells that it is alive and how far its runs are; it hears which of them are to stop. */
export const beat = command(import.meta.url, 'beat', async (tx, { now: given, runs }: Beat): Promise<RunSignal[]> => {
  const [rows, now] = await Promise.all([
    tx.all<RunRow>(sql`select * from runs where id in ${list(runs.map(({ id }) => id))} order by id ${forUpdate}`),
    databaseTime(tx, given),
  ]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const alive = runs.flatMap((news) => {
    const row = byId.get(news.id);
    return row?.status === 'running' && row.token === news.token ? [progressed(row, news, now)] : [];
  });
  await updateRuns(tx, alive);
  const ours = new Map(alive.map((row) => [row.id, row]));
  await noteLags(
    tx,
    runs.flatMap(({ id, lag }) => {
      const row = byId.get(id);
      return lag && row && ours.has(id) ? [{ syncId: row.sync_id, lag, before: readLag(row.lag) }] : [];
    }),
  );
  return runs.map(({ id }) => {
    const row = ours.get(id);
    return { id, stop: row === undefined ? 'fenced' : row.cancelled ? 'cancelled' : row.yields ? 'handed_over' : null };
  });
});

function progressed(row: RunRow, { report, leaseMs, lag }: RunNews, now: number): RunRow {
  const lease = { lease_until: isoTime(now + leaseMs), ...workedUntil(row, now) };
  return { ...withReports(row, mergeReports(reportsOf(row), report)), ...lease, ...(lag && { lag: JSON.stringify(lag) }) };
}

/** Adds the time since the last look to the time at work. A clock that was set back takes nothing away. */
export function workedUntil(row: RunRow, now: number): Pick<RunRow, 'duration_ms' | 'not_before'> {
  const since = Math.max(0, now - Date.parse(row.not_before));
  return { duration_ms: (row.duration_ms ?? 0) + since, not_before: isoTime(now) };
}
