import type { RunError } from '../../../engine/run.ts';
import { hasTimes, nextRun, type Schedule } from '../../../jobs/schedule.ts';
import { reportsOf, type RunRow } from '../rows/run-row.ts';
import { retryDelay } from '../rows/transitions.ts';

// How far off something can be that was put down at this moment or before. What is further off was put down while the clock was ahead.

/** Nothing tells a synchronization that follows changes to try again, so after a failure the time does. */
export const TRY_AGAIN_AFTER = 5 * 60_000;

/** A clock that goes back by less is being corrected as clocks are: a slot that has fired stays fired. */
export const CORRECTION = 60_000;

/** The latest time at which a synchronization can be due next. */
export function latestDue(schedule: Schedule, now: number): number | null {
  return hasTimes(schedule) ? nextRun(schedule, now) : now + TRY_AGAIN_AFTER;
}

/** The latest time until which a run that waits can have to wait: no longer than it was told to when its last try ended. */
export function latestStart(run: RunRow, now: number): number {
  if (run.status !== 'retrying') return now;
  const ofRun = run.error === null ? null : (JSON.parse(run.error) as RunError);
  const wishes = [ofRun, ...reportsOf(run).map(({ error }) => error)].map((error) => error?.retry_after ?? 0);
  return now + retryDelay(Math.max(0, run.retries - 1), Math.max(0, ...wishes));
}
