import { isCanonical } from '../../connectors/canonical.ts';
import { fromText } from '../../connectors/json-values.ts';

// Dates and times between their types and from text, always as text: a Date would cut the microseconds.

const MOMENT = /^(\d{4,7}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,30})?)?))? ?(Z|[+-]\d\d(?::?\d\d)?)?( BC)?$/i;
const CLOCK = /^(\d\d:\d\d)(:\d\d)?(?:\.(\d{1,30}))?$/;
const INFINITY = /^-?infinity$/;

interface Moment {
  readonly date: string;
  readonly time: string | undefined;
  readonly zone: string | undefined;
  readonly era: string;
}

export function dateFromText(text: string): string | undefined {
  const plain = text.trim();
  if (INFINITY.test(plain)) return plain;
  const moment = momentOf(plain);
  return moment && moment.time === undefined && moment.zone === undefined ? moment.date + moment.era : undefined;
}

/** `04:42`, `04:42:11` or `04:42:11.5`, as canonical text; more than six decimals only when they are zeros. */
export function timeFromText(text: string): string | undefined {
  const match = CLOCK.exec(text.trim());
  if (!match) return undefined;
  const [, minutes = '', seconds = ':00', fraction = ''] = match;
  const digits = fraction.replace(/0+$/, '');
  const time = `${minutes}${seconds}${digits === '' ? '' : `.${digits}`}`;
  return isCanonical('time', time) ? time : undefined;
}

/** A text with a zone is no timestamp: to drop the zone would change what it says. */
export function timestampFromText(text: string): string | undefined {
  const plain = text.trim();
  if (INFINITY.test(plain)) return plain;
  const moment = momentOf(plain);
  return moment && moment.zone === undefined ? join(moment, '') : undefined;
}

/** A text without a zone is taken as UTC, as a timestamp is. */
export function timestamptzFromText(text: string): string | undefined {
  const plain = text.trim();
  if (INFINITY.test(plain)) return plain;
  const moment = momentOf(plain);
  if (!moment) return undefined;
  const joined = join(moment, '');
  if (joined === undefined) return undefined;
  if (moment.zone === undefined || /^(?:Z|[+-]00:?(?:00)?)$/i.test(moment.zone)) return withUtc(joined);
  return moment.era === '' ? fromText('timestamptz', joined.replace(' ', 'T') + moment.zone) : undefined;
}

/** A date as the timestamp of its first moment. */
export function withMidnight(date: string, zone: '' | '+00'): string {
  if (INFINITY.test(date)) return date;
  const [day = '', era = ''] = date.split(' ');
  return `${day} 00:00:00${zone}${era === '' ? '' : ` ${era}`}`;
}

/** A timestamp taken as UTC. */
export function withUtc(timestamp: string): string {
  if (INFINITY.test(timestamp)) return timestamp;
  return timestamp.endsWith(' BC') ? `${timestamp.slice(0, -3)}+00 BC` : `${timestamp}+00`;
}

export function cutToDate(timestamp: string): string {
  if (INFINITY.test(timestamp)) return timestamp;
  const day = timestamp.slice(0, timestamp.indexOf(' '));
  return timestamp.endsWith(' BC') ? `${day} BC` : day;
}

export function cutToTime(timestamp: string): string | undefined {
  return /\d\d:\d\d:\d\d(?:\.\d+)?/.exec(timestamp)?.[0];
}

function momentOf(text: string): Moment | undefined {
  const match = MOMENT.exec(text);
  if (!match) return undefined;
  const [, date = '', time, zone, era = ''] = match;
  return isDay(date, era !== '') ? { date, time, zone, era: era.toUpperCase() } : undefined;
}

function join({ date, time, era }: Moment, zone: string): string | undefined {
  const clock = timeFromText(time ?? '00:00');
  return clock === undefined || clock === '24:00:00' ? undefined : `${date} ${clock}${zone}${era}`;
}

/** Whether the calendar has this day; the 31st of February is none. */
function isDay(date: string, beforeChrist: boolean): boolean {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  if (year === 0 || month < 1 || month > 12 || day < 1) return false;
  const counted = beforeChrist ? year - 1 : year;
  const leap = counted % 4 === 0 && (counted % 100 !== 0 || counted % 400 === 0);
  const days = month === 2 ? (leap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
  return day <= days;
}
