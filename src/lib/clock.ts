/** Milliseconds since the epoch. Whatever depends on time takes one, so that a test can turn it. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

let lastSecond = Number.NaN;
let lastPrefix = '';

/** ISO 8601 in UTC with milliseconds, which as text sorts like the time it tells. */
export function isoTime(milliseconds: number): string {
  // Nearly every call is about the second of the one before.
  const second = Math.floor(milliseconds / 1000);
  if (second !== lastSecond) {
    lastPrefix = new Date(second * 1000).toISOString().slice(0, -4);
    lastSecond = second;
  }
  const rest = milliseconds - second * 1000;
  return `${lastPrefix}${rest < 10 ? '00' : rest < 100 ? '0' : ''}${rest}Z`;
}

const ISO_TIME =
  /^(\d{4}-\d{2}-\d{2})(?:T((?:[01]\d|2[0-3]):\d{2}(?::\d{2})?)(?:(?<=T\d{2}:\d{2}:\d{2})\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2}))?$/;
// A zone can move a time out of the years with four digits, and then its text no longer sorts like the time.
const FIRST_SECOND = Date.parse('0000-01-01T00:00:00Z');
const LAST_SECOND = Date.parse('9999-12-31T23:59:59Z');

export interface ParsedTime {
  milliseconds: number;
  /** In UTC with nine decimals, which keeps what was given and compares as text. */
  exact: string;
}

/** Reads ISO 8601 with its zone (a bare date is midnight UTC); undefined when it is not a moment of the calendar. */
export function parseTime(text: string): ParsedTime | undefined {
  const match = ISO_TIME.exec(text);
  if (!match) return undefined;
  const [, date = '', time = '00:00', fraction = '', zone = 'Z'] = match;
  const milliseconds = Date.parse(`${date}T${time}${zone}`);
  if (!(milliseconds >= FIRST_SECOND && milliseconds <= LAST_SECOND)) return undefined;
  // Date.parse moves the 31st of June to the 1st of July; we do not guess.
  const thatDay = zone === 'Z' ? milliseconds : Date.parse(`${date}T00:00Z`);
  if (new Date(thatDay).getUTCDate() !== Number(date.slice(8))) return undefined;
  const second = zone === 'Z' ? `${date}T${time.padEnd(8, ':00')}` : isoTime(milliseconds).slice(0, 19);
  const digits = fraction.padEnd(9, '0');
  return { milliseconds: milliseconds + Number(digits.slice(0, 3)), exact: `${second}.${digits}Z` };
}

/** The first whole millisecond that is not before this time: what has milliseconds is compared with this. */
export function firstMillisecond({ milliseconds, exact }: ParsedTime): number {
  return exact.endsWith('000000Z') ? milliseconds : milliseconds + 1;
}
