// What the clocks on the walls of a time zone show. A wall time is written as the milliseconds that it would be in UTC.

const DAY = 86_400_000;
const formats = new Map<string, Intl.DateTimeFormat>();

export function isTimeZone(name: string): boolean {
  try {
    // An offset such as +01:00 would be taken too, but it knows no summer.
    return /^[A-Z]/i.test(name) && formatOf(name) !== undefined;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

export function wallTime(instant: number, timezone: string): number {
  const part: Record<string, number> = {};
  for (const { type, value } of formatOf(timezone).formatToParts(instant)) part[type] = Number(value);
  const { year = 0, month = 1, day, hour, minute, second } = part;
  // Formats have no milliseconds, and no zone is off by a part of a second.
  return Date.UTC(year, month - 1, day, hour, minute, second) + (((instant % 1000) + 1000) % 1000);
}

/** The first instant at which the clocks show this; when they are put forward past it, the instant of that. */
export function firstInstant(wall: number, timezone: string): number {
  const offsetAt = (instant: number): number => wallTime(instant, timezone) - instant;
  const before = wall - offsetAt(wall - DAY);
  const after = wall - offsetAt(wall + DAY);
  const [early, late] = before < after ? [before, after] : [after, before];
  if (wallTime(early, timezone) === wall) return early;
  if (wallTime(late, timezone) === wall) return late;
  // It is skipped: between the two the clocks are put forward, on a whole second.
  let [low, high] = [Math.floor(early / 1000), Math.ceil(late / 1000)];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (wallTime(middle * 1000, timezone) > wall) high = middle;
    else low = middle + 1;
  }
  return low * 1000;
}

function formatOf(timezone: string): Intl.DateTimeFormat {
  let format = formats.get(timezone);
  if (!format) {
    const digits = 'numeric';
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: timezone,
      calendar: 'iso8601',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: digits,
      month: digits,
      day: digits,
      hour: digits,
      minute: digits,
      second: digits,
    });
    formats.set(timezone, format);
  }
  return format;
}
