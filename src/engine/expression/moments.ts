import { castOf } from '../values/cast.ts';
import { Decimal } from '../values/decimal.ts';
import { ExpressionError } from './values.ts';

type MomentPart = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second' | 'weekday';

const DATE = /^(\d{4,7})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d))?)?/;
const TIME = /^(\d\d):(\d\d)(?::(\d\d))?/;
const PLACE = { year: 1, month: 2, day: 3, hour: 4, minute: 5, second: 6 } as const;
const DAY = 86_400_000;

/** A part of a date, a time or a timestamp; of a timestamptz in UTC. The week begins with Monday, which is 1. */
export function datePart(part: MomentPart, text: string): bigint {
  const date = DATE.exec(text);
  if (date && !text.endsWith(' BC')) {
    if (part === 'weekday') return BigInt(weekdayOf(text.slice(0, 10)));
    return BigInt(date[PLACE[part]] ?? 0);
  }
  const time = TIME.exec(text);
  if (time && (part === 'hour' || part === 'minute' || part === 'second')) return BigInt(time[PLACE[part] - 3] ?? 0);
  throw new ExpressionError(`${JSON.stringify(text.slice(0, 100))} has no ${part}`);
}

function weekdayOf(date: string): number {
  const day = new Date(`${date}T00:00:00Z`).getUTCDay();
  if (Number.isNaN(day)) throw new ExpressionError(`${JSON.stringify(date)} is no date`);
  return day === 0 ? 7 : day;
}

/** Seconds since 1970-01-01 00:00:00 UTC with all decimals that the text has. */
export function epochOf(text: string): Decimal {
  const utc = castOf('text', 'timestamptz')?.convert(text) ?? '';
  const match = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d+))?\+00$/.exec(utc);
  if (!match) throw new ExpressionError(`${JSON.stringify(text.slice(0, 100))} is no date and time`);
  const [, date = '', time = '', fraction = ''] = match;
  const seconds = BigInt(Date.parse(`${date}T${time}Z`) / 1000);
  return new Decimal(seconds * 10n ** BigInt(fraction.length) + BigInt(fraction || '0'), fraction.length);
}

/** The other way round, as a timestamptz is spelled; to the microsecond. */
export function timestampOf(seconds: Decimal): string {
  const { units } = seconds.rounded(6);
  const micros = ((units % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const millis = Number((units - micros) / 1000n);
  if (Math.abs(millis) > 100_000 * 365 * DAY) throw new ExpressionError(`${seconds.toString()} seconds are beyond the calendar`);
  const moment = new Date(millis).toISOString();
  if (!/^\d{4}-/.test(moment)) throw new ExpressionError(`${seconds.toString()} seconds are beyond the calendar`);
  const fraction = micros === 0n ? '' : `.${micros.toString().padStart(6, '0').replace(/0+$/, '')}`;
  return `${moment.slice(0, 19).replace('T', ' ')}${fraction}+00`;
}
