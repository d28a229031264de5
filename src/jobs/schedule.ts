import { createRequire } from 'node:module';
import type { Cron, CronOptions } from 'croner';
import { firstInstant, isTimeZone, wallTime } from './wall-clock.ts';

/** When something runs by itself. `manual`, `on_change` and `after` have no times. */
export type Schedule =
  | { readonly type: 'manual' }
  | { readonly type: 'interval'; readonly every: string }
  | { readonly type: 'cron'; readonly expression: string; readonly timezone: string }
  | { readonly type: 'on_change' }
  | { readonly type: 'after'; readonly sync_id: string };

type CronSchedule = Schedule & { readonly type: 'cron' };

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const LONGEST_INTERVAL = 366 * 86_400_000;
const MAX_EXPRESSION = 200;
const NICKNAMES: ReadonlySet<string> = new Set(['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@hourly']);

/** What is wrong with a schedule, in words; undefined when nothing is. */
export function checkSchedule(schedule: Schedule): string | undefined {
  if (schedule.type === 'interval')
    return intervalOf(schedule.every) === undefined
      ? 'every must be a number and a unit, such as 30s, 15m, 2h or 1d; at least 1s, at most 366d'
      : undefined;
  if (schedule.type !== 'cron') return undefined;
  if (!isTimeZone(schedule.timezone)) return 'timezone must be a name of the IANA database, such as Europe/Berlin or UTC';
  return checkCron(schedule);
}

/**
 * The first time behind `after` (milliseconds since the epoch); null when there is none.
 *
 * An interval runs at the multiples of itself since the epoch, so it never drifts: "1h" at every full hour, "1d" at midnight UTC.
 *
 * A cron expression for every hour goes by the time that passes. Any other goes by the clock on the wall: a time that is skipped when
 * the clocks are put forward runs at that moment, and a time that comes twice when they are put back runs the first time only.
 */
export function nextRun(schedule: Schedule, after: number): number | null {
  if (schedule.type === 'interval') {
    const every = intervalOf(schedule.every);
    return every === undefined ? null : (Math.floor(after / every) + 1) * every;
  }
  if (schedule.type === 'cron') return isHourly(schedule) ? nextInstant(schedule, after) : nextOnTheWall(schedule, after);
  return null;
}

/** Whether it comes due by the clock. */
export function hasTimes({ type }: Schedule): boolean {
  return type === 'interval' || type === 'cron';
}

/** The milliseconds of `30s`, `15m`, `2h` or `1d`; undefined for anything else. */
export function intervalOf(every: string): number | undefined {
  const [, count = '', unit = ''] = /^([1-9]\d{0,8})([smhd])$/.exec(every) ?? [];
  const length = Number(count) * (UNITS[unit] ?? 0);
  return length > 0 && length <= LONGEST_INTERVAL ? length : undefined;
}

function checkCron(schedule: CronSchedule): string | undefined {
  const fields = fieldsOf(schedule);
  // The library also takes a date, or seven fields with a year: those come to an end, which is no schedule.
  const shaped = fields.length === 1 ? NICKNAMES.has(fields[0] ?? '') : fields.length === 5 || fields.length === 6;
  if (!shaped || schedule.expression.length > MAX_EXPRESSION)
    return 'expression must have five fields (minute, hour, day of month, month, day of week), or six with seconds first, such as 0 6 * * 1-5';
  try {
    return nextRun(schedule, 0) === null ? 'expression never comes to pass: there is no such day' : undefined;
  } catch (error) {
    return `expression is not a cron expression: ${(error as Error).message.replace(/^CronPattern: /, '')}`;
  }
}

function fieldsOf({ expression }: CronSchedule): string[] {
  return expression.trim().toLowerCase().split(/\s+/);
}

function isHourly(schedule: CronSchedule): boolean {
  const fields = fieldsOf(schedule);
  return fields[0] === '@hourly' || ['*', '*/1', '0-23'].includes(fields.at(-4) ?? '');
}

function nextInstant({ expression, timezone }: CronSchedule, after: number): number | null {
  return cronOf(expression, timezone).nextRun(new Date(after))?.getTime() ?? null;
}

function nextOnTheWall({ expression, timezone }: CronSchedule, after: number): number | null {
  const walls = cronOf(expression, 'UTC');
  let wall: Date | null = new Date(wallTime(after, timezone));
  // When the clocks have just been put back, the next times that they show have been there already.
  while ((wall = walls.nextRun(wall))) {
    const instant = firstInstant(wall.getTime(), timezone);
    if (instant > after) return instant;
  }
  return null;
}

const load = createRequire(import.meta.url);

/** Loaded when the first cron expression is looked at: many services never see one, and it is a megabyte. */
function cronOf(expression: string, timezone: string): Cron {
  const croner = load('croner') as { Cron: new (pattern: string, options: CronOptions) => Cron };
  return new croner.Cron(expression.trim(), { timezone, paused: true });
}
