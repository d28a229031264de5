import { firstInstant, wallTime } from '../jobs/wall-clock.ts';
import type { QuietHours } from './alert.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** When quiet hours that go on at this instant end; undefined when it is not quiet. They go by the clock on the wall of their zone. */
export function quietUntil(quiet: QuietHours | null, now: number): number | undefined {
  if (!quiet) return undefined;
  const wall = wallTime(now, quiet.timezone);
  const midnight = Math.floor(wall / DAY) * DAY;
  const time = wall - midnight;
  const [from, to] = [timeOf(quiet.from), timeOf(quiet.to)];
  const isQuiet = from < to ? time >= from && time < to : time >= from || time < to;
  if (!isQuiet) return undefined;
  const end = midnight + to + (time >= to ? DAY : 0);
  // When clocks are put back, the end may have been there already: then it is over.
  return Math.max(now + 1, firstInstant(end, quiet.timezone));
}

function timeOf(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number);
  return (hours * 60 + minutes) * MINUTE;
}
