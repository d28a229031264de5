import { list } from '../../../db/bulk.ts';
import { command, type Connection } from '../../../db/database.ts';
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
  /** Missing when nothing is new since it was last told: then it is only said that the run is still at work. */
  report?: StreamReport[];
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
    tx.all<Heard>(
      sql`select id, token, cancelled, yields from runs where id in ${list(runs.map(({ id }) => id))} and status = 'running' order by id ${forUpdate}`,
    ),
    databaseTime(tx, given),
  ]);
  const tokens = new Map(runs.map(({ id, token }) => [id, token]));
  const ours = new Map(rows.filter(({ id, token }) => tokens.get(id) === token).map((row) => [row.id, row]));
  const alive = runs.filter(({ id }) => ours.has(id));
  await renew(
    tx,
    now,
    alive.filter(({ report }) => report === undefined),
  );
  await progress(
    tx,
    now,
    alive.filter(({ report }) => report !== undefined),
  );
  return runs.map(({ id }) => {
    const row = ours.get(id);
    return { id, stop: row === undefined ? 'fenced' : row.cancelled ? 'cancelled' : row.yields ? 'handed_over' : null };
  });
});

type Heard = Pick<RunRow, 'id' | 'token' | 'cancelled' | 'yields'>;

/** Renews the leases of runs that have nothing to tell. Their time at work is added up when they have. */
async function renew(tx: Connection, now: number, runs: readonly RunNews[]): Promise<void> {
  for (const [leaseMs, alike] of Map.groupBy(runs, (news) => news.leaseMs))
    await tx.all(sql`update runs set lease_until = ${isoTime(now + leaseMs)} where id in ${list(alike.map(({ id }) => id))}`);
}

async function progress(tx: Connection, now: number, runs: readonly RunNews[]): Promise<void> {
  if (runs.length === 0) return;
  const rows = await tx.all<RunRow>(sql`select * from runs where id in ${list(runs.map(({ id }) => id))}`);
  const byId = new Map(rows.map((row) => [row.id, row]));
  await updateRuns(
    tx,
    runs.flatMap((news) => {
      const row = byId.get(news.id);
      return row ? [progressed(row, news, now)] : [];
    }),
  );
  await noteLags(
    tx,
    runs.flatMap(({ id, lag }) => {
      const row = byId.get(id);
      return lag && row ? [{ syncId: row.sync_id, lag, before: readLag(row.lag) }] : [];
    }),
  );
}

function progressed(row: RunRow, { report = [], leaseMs, lag }: RunNews, now: number): RunRow {
  const lease = { lease_until: isoTime(now + leaseMs), ...workedUntil(row, now) };
  return { ...withReports(row, mergeReports(reportsOf(row), report)), ...lease, ...(lag && { lag: JSON.stringify(lag) }) };
}

/** Adds the time since the last look to the time at work. A clock that was set back takes nothing away. */
export function workedUntil(row: RunRow, now: number): Pick<RunRow, 'duration_ms' | 'not_before'> {
  const since = Math.max(0, now - Date.parse(row.not_before));
  return { duration_ms: (row.duration_ms ?? 0) + since, not_before: isoTime(now) };
}
