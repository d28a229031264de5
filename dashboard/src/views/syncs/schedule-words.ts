import type { Sync } from '../../api/resources.ts';
import { plural } from '../../parts/words/format.ts';
import { visible } from '../../parts/words/visible.ts';

export type Schedule = Sync['schedule'];

export const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;
const UNITS: Record<string, string> = { s: 'second', m: 'minute', h: 'hour', d: 'day' };

/** A schedule as people say it; `nameOf` knows the names of synchronizations. */
export function scheduleWords(schedule: Schedule, nameOf: (id: string) => string): string {
  if (schedule.type === 'manual') return 'Manual';
  if (schedule.type === 'after')
    return schedule.sync_id === '' ? 'After another synchronization' : `After ${visible(nameOf(schedule.sync_id))}`;
  if (schedule.type === 'on_change') return 'On every change';
  if (schedule.type === 'interval') return everyWords(schedule.every);
  const zone = schedule.timezone ?? 'UTC';
  const weekly = weeklyOf(schedule.expression);
  if (!weekly) return `Cron ${schedule.expression} (${zone})`;
  return `At ${weekly.time} ${dayWords(weekly.days)} (${zone})`;
}

/** `15m` → `Every 15 minutes` */
export function everyWords(every: string): string {
  const [, count = '', unit = ''] = /^(\d+)([smhd])$/.exec(every) ?? [];
  const word = UNITS[unit];
  if (word === undefined) return `Every ${every}`;
  return count === '1' ? `Every ${word}` : `Every ${plural(Number(count), word)}`;
}

export interface Weekly {
  /** `06:30` */
  time: string;
  /** 0 is Sunday; all seven mean every day. */
  days: readonly number[];
}

const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6];

/** The time and the days that a cron expression stands for, when it is as simple as that. */
export function weeklyOf(expression: string): Weekly | undefined {
  const [, minute = '', hour = '', days = ''] =
    /^(\d{1,2}) (\d{1,2}) \* \* (\*|[0-7](?:-[0-7])?(?:,[0-7](?:-[0-7])?)*)$/.exec(expression.trim()) ?? [];
  if (minute === '' || Number(minute) > 59 || Number(hour) > 23) return undefined;
  const on = daysOf(days);
  return on.length === 0 ? undefined : { time: `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`, days: on };
}

function daysOf(text: string): number[] {
  if (text === '*') return EVERY_DAY;
  const days = text.split(',').flatMap((part) => {
    const [first = 0, last = first] = part.split('-').map(Number);
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, place) => (first + place) % 7);
  });
  return [...new Set(days)].sort((a, b) => a - b);
}

/** The cron expression for a time on some days. */
export function cronOf({ time, days }: Weekly): string {
  const [hour = '0', minute = '0'] = time.split(':');
  const on = days.length === 7 || days.length === 0 ? '*' : days.toSorted((a, b) => a - b).join(',');
  return `${Number(minute)} ${Number(hour)} * * ${on}`;
}

function dayWords(days: readonly number[]): string {
  if (days.length === 7) return 'every day';
  if (days.join() === '1,2,3,4,5') return 'from Monday to Friday';
  // A week begins on Monday.
  const names = days.toSorted((a, b) => ((a + 6) % 7) - ((b + 6) % 7)).map((day) => DAYS[day] ?? '');
  return `on ${names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`}`;
}
