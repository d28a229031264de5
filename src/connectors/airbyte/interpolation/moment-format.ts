import { TemplateError } from './failures.ts';
import { CalendarDay, daysOf, type Fields, isValid, Moment, offsetText, two } from './moments.ts';

// strftime and strptime, in English.

const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
const MIDNIGHT = { hour: 0, minute: 0, second: 0, micro: 0 };

/** A moment or a day in the form that a pattern of % and letters says. */
export function strftime(time: Moment | CalendarDay, pattern: string): string {
  const fields: Fields = time instanceof Moment ? time.fields : { year: time.year, month: time.month, day: time.day, ...MIDNIGHT };
  const offset = time instanceof Moment ? time.offset : undefined;
  return pattern.replace(/%([-_0^#]?)([a-zA-Z%])/g, (whole, flag: string, letter: string) => {
    const text = written(letter, fields, offset);
    if (text === undefined) return whole;
    if (flag === '-') return text.replace(/^[0 ]+(?=\d)/, '');
    if (flag === '_') return text.replace(/^0+(?=\d)/, (zeros) => ' '.repeat(zeros.length));
    return flag === '^' ? text.toUpperCase() : text;
  });
}

function written(letter: string, fields: Fields, offset: number | undefined): string | undefined {
  const { year, month, day, hour, minute, second, micro } = fields;
  const weekday = (): number => weekdayOf(fields);
  const days = (): number => daysOf(year, month, day) - daysOf(year, 1, 1);
  switch (letter) {
    case 'Y':
      return String(year);
    case 'y':
      return two(year % 100);
    case 'C':
      return two(Math.floor(year / 100));
    case 'm':
      return two(month);
    case 'd':
      return two(day);
    case 'e':
      return String(day).padStart(2);
    case 'H':
      return two(hour);
    case 'k':
      return String(hour).padStart(2);
    case 'I':
      return two(hour % 12 || 12);
    case 'l':
      return String(hour % 12 || 12).padStart(2);
    case 'M':
      return two(minute);
    case 'S':
      return two(second);
    case 'f':
      return String(micro).padStart(6, '0');
    case 'p':
      return hour < 12 ? 'AM' : 'PM';
    case 'P':
      return hour < 12 ? 'am' : 'pm';
    case 'a':
      return (DAYS[weekday()] as string).slice(0, 3);
    case 'A':
      return DAYS[weekday()];
    case 'b':
    case 'h':
      return (MONTHS[month - 1] as string).slice(0, 3);
    case 'B':
      return MONTHS[month - 1];
    case 'j':
      return String(days() + 1).padStart(3, '0');
    case 'w':
      return String((weekday() + 1) % 7);
    case 'u':
      return String(weekday() + 1);
    case 'U':
      return two(Math.floor((days() + 7 - ((weekday() + 1) % 7)) / 7));
    case 'W':
      return two(Math.floor((days() + 7 - weekday()) / 7));
    case 'G':
      return String(isoWeek(fields).year);
    case 'g':
      return two(isoWeek(fields).year % 100);
    case 'V':
      return two(isoWeek(fields).week);
    case 'z':
      return offset === undefined ? '' : offsetText(offset, '');
    case 'Z':
      return offset === undefined ? '' : offset === 0 ? 'UTC' : `UTC${offsetText(offset, ':')}`;
    case 's':
      return String(Math.floor(Moment.of(fields, offset).timestamp));
    default:
      return writtenAsWhole(letter, fields, offset);
  }
}

function writtenAsWhole(letter: string, fields: Fields, offset: number | undefined): string | undefined {
  const wholes: Readonly<Record<string, string>> = {
    F: '%Y-%m-%d',
    T: '%H:%M:%S',
    X: '%H:%M:%S',
    D: '%m/%d/%y',
    x: '%m/%d/%y',
    R: '%H:%M',
    r: '%I:%M:%S %p',
    c: '%a %b %e %H:%M:%S %Y',
  };
  if (letter === '%') return '%';
  if (letter === 'n') return '\n';
  if (letter === 't') return '\t';
  const pattern = wholes[letter];
  return pattern === undefined ? undefined : strftime(Moment.of(fields, offset), pattern);
}

/** Monday is 0. */
export function weekdayOf({ year, month, day }: { year: number; month: number; day: number }): number {
  return (((daysOf(year, month, day) + 3) % 7) + 7) % 7;
}

export function isoWeek(day: { year: number; month: number; day: number }): { year: number; week: number } {
  const days = daysOf(day.year, day.month, day.day);
  const thursday = new Date((days - weekdayOf(day) + 3) * 86_400_000);
  const year = thursday.getUTCFullYear();
  return { year, week: Math.floor((thursday.getTime() / 86_400_000 - daysOf(year, 1, 1)) / 7) + 1 };
}

interface Parsed extends Fields {
  readonly offset: number | undefined;
}

const DIGITS: Readonly<Record<string, string>> = {
  Y: '\\d{4}',
  y: '\\d{2}',
  m: '1[0-2]|0[1-9]|[1-9]',
  d: '3[01]|[12]\\d|0[1-9]|[1-9]| [1-9]',
  H: '2[0-3]|[01]\\d|\\d',
  I: '1[0-2]|0[1-9]|[1-9]',
  M: '[0-5]\\d|\\d',
  S: '6[01]|[0-5]\\d|\\d',
  f: '\\d{1,6}',
  j: '36[0-6]|3[0-5]\\d|[12]\\d\\d|0[1-9]\\d|00[1-9]|[1-9]\\d|0[1-9]|[1-9]',
  z: '[+-]\\d\\d:?[0-5]\\d(?::?[0-5]\\d(?:\\.\\d{1,6})?)?|Z',
  Z: 'UTC|GMT|utc|gmt|Z',
  p: 'AM|PM|am|pm',
  a: DAYS.map((day) => day.slice(0, 3)).join('|'),
  A: DAYS.join('|'),
  b: MONTHS.map((month) => month.slice(0, 3)).join('|'),
  B: MONTHS.join('|'),
  s: '-?\\d{1,17}(?:\\.\\d+)?',
};

/** A moment from a text of the form that a pattern says; undefined when the text has another. */
export function strptime(text: string, pattern: string): Moment | undefined {
  const letters: string[] = [];
  // Each part has a fixed number of ways to match: the time does not grow out of hand.
  const source = pattern
    .replace(/%F/g, '%Y-%m-%d')
    .replace(/%T/g, '%H:%M:%S')
    .replace(/%-?([a-zA-Z%])|\s+|[\\^$.*+?()[\]{}|/]/g, (part, letter?: string) => {
      if (letter === '%') return '%';
      if (letter === undefined) return /\s/.test(part) ? '\\s+' : `\\${part}`;
      const digits = DIGITS[letter];
      if (digits === undefined)
        throw new TemplateError(`"${part}" is not known in a form of dates.`, 'Use the letters of strptime, such as %Y-%m-%d.');
      letters.push(letter);
      return `(${digits})`;
    });
  const found = new RegExp(`^${source}$`, 'i').exec(text);
  if (!found) return undefined;
  const parts = new Map(letters.map((letter, i) => [letter, found[i + 1] as string]));
  return assembled(parts);
}

function assembled(parts: ReadonlyMap<string, string>): Moment | undefined {
  const seconds = parts.get('s');
  if (seconds !== undefined) return Moment.at(Number(seconds) * 1000);
  const number = (letter: string, missing: number): number => Number(parts.get(letter) ?? missing);
  const short = number('y', 0);
  const year = parts.has('y') ? short + (short < 69 ? 2000 : 1900) : number('Y', 1900);
  const isAfternoon = parts.get('p')?.toLowerCase() === 'pm';
  const hour = parts.has('I') ? (number('I', 0) % 12) + (isAfternoon ? 12 : 0) : number('H', 0);
  const micro = Number((parts.get('f') ?? '0').padEnd(6, '0'));
  let day: { year: number; month: number; day: number } = { year, month: monthOf(parts), day: number('d', 1) };
  if (parts.has('j') && !parts.has('m') && !parts.has('d')) day = new CalendarDay(year, 1, 1).plusDays(number('j', 1) - 1);
  const fields: Parsed = {
    year: day.year,
    month: day.month,
    day: day.day,
    hour,
    minute: number('M', 0),
    second: number('S', 0),
    micro,
    offset: offsetOf(parts),
  };
  return isValid(fields) ? Moment.of(fields, fields.offset) : undefined;
}

function monthOf(parts: ReadonlyMap<string, string>): number {
  const name = (parts.get('b') ?? parts.get('B'))?.slice(0, 3).toLowerCase();
  if (name === undefined) return Number(parts.get('m') ?? 1);
  return MONTHS.findIndex((month) => month.slice(0, 3).toLowerCase() === name) + 1;
}

function offsetOf(parts: ReadonlyMap<string, string>): number | undefined {
  const text = parts.get('z');
  if (text === undefined) return undefined;
  return offsetFrom(text);
}

/** `Z`, `+0200` or `+02:00` in seconds. */
export function offsetFrom(text: string): number {
  if (/^[zZ]$/.test(text)) return 0;
  const digits = text.slice(1).replaceAll(':', '');
  const size = Number(digits.slice(0, 2)) * 3600 + Number(digits.slice(2, 4) || 0) * 60 + Number(digits.slice(4, 6) || 0);
  return text.startsWith('-') ? -size : size;
}
