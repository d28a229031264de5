import { bulk, list } from '../../../db/bulk.ts';
import type { Connection } from '../../../db/database.ts';
import { integer, sql } from '../../../db/sql.ts';
import type { Lag } from '../../../engine/run.ts';
import { isoTime } from '../../../lib/clock.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** How long the stretches are of which the largest lag is kept, and for how long: fine ones for the last hour, coarse ones for a month. */
const GRAINS = [
  { step: MINUTE, keptFor: 120 * MINUTE },
  { step: 30 * MINUTE, keptFor: 31 * DAY },
] as const;

/** What a live run has told now, and what was told before it. */
export interface ToldLag {
  syncId: string;
  lag: Lag;
  before: Lag | null;
}

/** Keeps the largest lag of each stretch of time. What is no larger than what was told before, within the same stretch, is not written. */
export async function noteLags(tx: Connection, told: readonly ToldLag[]): Promise<void> {
  const begun = GRAINS.map((grain) => ({ grain, ...newsOf(told, grain.step) }));
  const points = begun.flatMap(({ points }) => points);
  if (points.length === 0) return;
  const columns = { sync_id: 'text', step: 'bigint', at: 'text', lag_ms: 'bigint', bytes: 'bigint' } as const;
  await tx.all(sql`
    insert into lag_points (sync_id, step, at, lag_ms, bytes)
    select sync_id, step, at, lag_ms, bytes from ${bulk(columns, points)} as input where true
    on conflict (sync_id, step, at) do update set
      lag_ms = case when excluded.lag_ms > lag_points.lag_ms then excluded.lag_ms else lag_points.lag_ms end,
      bytes = case when lag_points.bytes is null or excluded.bytes > lag_points.bytes then excluded.bytes else lag_points.bytes end`);
  // One after the other: in a transaction of PostgreSQL they wait for each other anyway.
  for (const { grain, opened, latest } of begun) {
    if (opened.length === 0) continue;
    await tx.all(sql`
      delete from lag_points where sync_id in ${list(opened)} and step = ${integer(grain.step)} and at < ${isoTime(latest - grain.keptFor)}`);
  }
}

interface News {
  points: (string | number | null)[][];
  /** Synchronizations for which a stretch has begun. */
  opened: string[];
  latest: number;
}

function newsOf(told: readonly ToldLag[], step: number): News {
  const news: News = { points: [], opened: [], latest: 0 };
  for (const { syncId, lag, before } of told) {
    const at = startOf(lag, step);
    const isFirst = before === null || startOf(before, step) !== at;
    const isLarger = before !== null && (lag.seconds > before.seconds || (lag.bytes ?? 0) > (before.bytes ?? 0));
    if (isFirst) news.opened.push(syncId);
    if (isFirst || isLarger) news.points.push([syncId, step, isoTime(at), Math.round(lag.seconds * 1000), lag.bytes]);
    news.latest = Math.max(news.latest, at);
  }
  return news;
}

function startOf({ at }: Lag, step: number): number {
  return Math.floor(Date.parse(at) / step) * step;
}

/** The largest lag of one stretch of time. */
export interface LagPoint {
  at: string;
  lag_ms: number;
  bytes: number | null;
}

/** What is kept of a synchronization since a moment, in stretches that are no longer than asked for. */
export function readLagPoints(db: Connection, syncId: string, from: number, longest: number): Promise<LagPoint[]> {
  const { step } = GRAINS.findLast((grain) => grain.step <= longest) ?? GRAINS[0];
  return db.all<LagPoint>(sql`
    select at, lag_ms, bytes from lag_points where sync_id = ${syncId} and step = ${integer(step)} and at >= ${isoTime(from)} order by at`);
}

/** Forgets the lags of a synchronization that is about to go. */
export async function removeLagsOf(tx: Connection, syncId: string): Promise<void> {
  await tx.all(sql`delete from lag_points where sync_id = ${syncId}`);
}
