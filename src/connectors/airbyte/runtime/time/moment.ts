/** An instant with the distance to UTC in which it is written. Microseconds, as Python has them. */
export interface Instant {
  readonly micros: bigint;
  /** Seconds east of UTC. */
  readonly offset: number;
}

/** A calendar part, whose length depends on where it begins, and a part of fixed length. */
export interface Duration {
  readonly months: number;
  readonly micros: bigint;
}

export interface Calendar {
  year: number;
  /** From 1. */
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  micro: number;
}

export const SECOND = 1_000_000n;
export const DAY = 86_400n * SECOND;

export function momentOf(milliseconds: number): Instant {
  return { micros: BigInt(Math.round(milliseconds)) * 1000n, offset: 0 };
}

export function secondsOf({ micros }: Instant): number {
  return Number(micros) / 1e6;
}

/** What a calendar and a clock show at its distance to UTC. */
export function calendarOf({ micros, offset }: Instant): Calendar {
  const local = micros + BigInt(offset) * SECOND;
  const micro = Number(((local % SECOND) + SECOND) % SECOND);
  const date = new Date(Number((local - BigInt(micro)) / 1000n));
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    micro,
  };
}

export function fromCalendar(at: Calendar, offset = 0): Instant {
  // Date.UTC takes years below 100 for those of the last century.
  const date = new Date(0);
  date.setUTCFullYear(at.year, at.month - 1, at.day);
  date.setUTCHours(at.hour, at.minute, at.second);
  return { micros: BigInt(date.getTime()) * 1000n + BigInt(at.micro) - BigInt(offset) * SECOND, offset };
}

export function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
}

export function plus(moment: Instant, { months, micros }: Duration, times: 1 | -1 = 1): Instant {
  const moved = months === 0 ? moment : plusMonths(moment, months * times);
  return { micros: moved.micros + micros * BigInt(times), offset: moment.offset };
}

export function minus(moment: Instant, duration: Duration): Instant {
  return plus(moment, duration, -1);
}

function plusMonths(moment: Instant, months: number): Instant {
  const at = calendarOf(moment);
  const count = at.year * 12 + at.month - 1 + months;
  const [year, month] = [Math.floor(count / 12), (((count % 12) + 12) % 12) + 1];
  return fromCalendar({ ...at, year, month, day: Math.min(at.day, daysIn(year, month)) }, moment.offset);
}

export function later(a: Instant, b: Instant): Instant {
  return b.micros > a.micros ? b : a;
}

export function earlier(a: Instant, b: Instant): Instant {
  return b.micros < a.micros ? b : a;
}

const NUMBER = String.raw`(\d+(?:[.,]\d+)?)`;
const ISO_DURATION = new RegExp(
  `^([+-])?P(?=.)(?:${NUMBER}Y)?(?:${NUMBER}M)?(?:${NUMBER}W)?(?:${NUMBER}D)?(?:T(?:${NUMBER}H)?(?:${NUMBER}M)?(?:${NUMBER}S)?)?$`,
);
const [MINUTE, HOUR, WEEK] = [60, 3600, 604_800];

/** `P1M`, `PT0.000001S`; undefined when it is no duration. */
export function parseDuration(text: string): Duration | undefined {
  const match = ISO_DURATION.exec(text);
  if (!match) return undefined;
  const [, sign, years, months, weeks, days, hours, minutes, seconds] = match;
  const of = (digits: string | undefined, unit: number): bigint =>
    BigInt(Math.round(Number((digits ?? '0').replace(',', '.')) * unit * 1e6));
  const micros = of(weeks, WEEK) + of(days, 86_400) + of(hours, HOUR) + of(minutes, MINUTE) + of(seconds, 1);
  const count = Math.trunc(Number((years ?? '0').replace(',', '.')) * 12 + Number((months ?? '0').replace(',', '.')));
  return sign === '-' ? { months: count === 0 ? 0 : -count, micros: -micros } : { months: count, micros };
}
