import { type Calendar, calendarOf, daysIn, fromCalendar, type Instant, SECOND, secondsOf } from './moment.ts';

// Times as Python's strptime and strftime read and write them, with the additions of Airbyte's manifests for numbers since 1970.

const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const short = (names: readonly string[]): string[] => names.map((name) => name.slice(0, 3));

type Found = Partial<Record<'Y' | 'y' | 'm' | 'd' | 'H' | 'I' | 'M' | 'S' | 'f' | 'z' | 'Z' | 'j' | 'p' | 'b' | 'B' | 'a' | 'A', string>>;
type Directive = keyof Found;

const PATTERNS: Readonly<Record<Directive, string>> = {
  Y: String.raw`\d{4}`,
  y: String.raw`\d{2}`,
  m: '1[0-2]|0[1-9]|[1-9]',
  d: String.raw`3[01]|[12]\d|0[1-9]|[1-9]| [1-9]`,
  H: String.raw`2[0-3]|[01]\d|\d`,
  I: String.raw`1[0-2]|0[1-9]|[1-9]`,
  M: String.raw`[0-5]\d|\d`,
  S: String.raw`6[01]|[0-5]\d|\d`,
  f: String.raw`\d{1,6}`,
  z: String.raw`[+-]\d{2}:?[0-5]\d(?::?[0-5]\d(?:\.\d{1,6})?)?|Z`,
  Z: 'UTC|GMT|utc|gmt',
  j: String.raw`36[0-6]|3[0-5]\d|[12]\d\d|0[1-9]\d|00[1-9]|[1-9]\d|0[1-9]|[1-9]`,
  p: '[aApP][mM]',
  b: short(MONTHS).join('|'),
  B: MONTHS.join('|'),
  a: short(DAYS).join('|'),
  A: DAYS.join('|'),
};

interface Reader {
  readonly expression: RegExp;
  readonly directives: readonly Directive[];
}

const readers = new Map<string, Reader | undefined>();
const MAX_READERS = 1000;

function readerOf(format: string): Reader | undefined {
  const known = readers.get(format);
  if (known || readers.has(format)) return known;
  const directives: Directive[] = [];
  let isKnown = true;
  const pattern = format.replaceAll(/%(.)|\s+|[^\s%]+|%$/gs, (written, letter: string | undefined) => {
    if (letter === '%') return '%';
    if (letter === 'T') return long('%H:%M:%S', directives);
    if (letter === 'F') return long('%Y-%m-%d', directives);
    if (letter !== undefined && Object.hasOwn(PATTERNS, letter)) {
      directives.push(letter as Directive);
      return `(${PATTERNS[letter as Directive]})`;
    }
    if (letter !== undefined || written === '%') isKnown = false;
    return /^\s/.test(written) ? String.raw`\s+` : written.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
  });
  const reader = isKnown ? { expression: new RegExp(`^${pattern}$`, 'i'), directives } : undefined;
  if (readers.size < MAX_READERS) readers.set(format, reader);
  return reader;
}

function long(format: string, directives: Directive[]): string {
  const inner = readerOf(format);
  directives.push(...(inner?.directives ?? []));
  return inner?.expression.source.slice(1, -1) ?? '';
}

const EPOCH = /^\s*[+-]?\d+\s*$/;

/** The moment that a text or a number stands for; undefined when it is not written in this format. Without a zone it is UTC. */
export function parseMoment(text: string, format: string): Instant | undefined {
  switch (format) {
    case '%s':
      return EPOCH.test(text) ? { micros: BigInt(text.trim()) * SECOND, offset: 0 } : undefined;
    case '%ms':
      return EPOCH.test(text) ? { micros: BigInt(text.trim()) * 1000n, offset: 0 } : undefined;
    case '%epoch_microseconds':
      return EPOCH.test(text) ? { micros: BigInt(text.trim()), offset: 0 } : undefined;
    case '%s_as_float': {
      const seconds = text.trim() === '' ? Number.NaN : Number(text);
      return Number.isFinite(seconds) ? { micros: BigInt(Math.round(seconds * 1e6)), offset: 0 } : undefined;
    }
    default:
      return read(text, format.replaceAll('%_ms', '%f'));
  }
}

function read(text: string, format: string): Instant | undefined {
  const reader = readerOf(format);
  const match = reader?.expression.exec(text);
  if (!reader || !match) return undefined;
  const found: Found = {};
  reader.directives.forEach((directive, index) => {
    found[directive] = match[index + 1] ?? '';
  });
  const at = calendarIn(found);
  return at && fromCalendar(at, offsetIn(found));
}

function calendarIn({ Y, y, m, d, H, I, M, S, f, j, p, b, B }: Found): Calendar | undefined {
  const year = Y === undefined ? (y === undefined ? 1900 : Number(y) + (Number(y) <= 68 ? 2000 : 1900)) : Number(Y);
  const named = (name: string): number =>
    MONTHS.findIndex((month) => month.slice(0, 3).toLowerCase() === name.slice(0, 3).toLowerCase()) + 1;
  const hour = I === undefined ? Number(H ?? 0) : (Number(I) % 12) + (p?.toLowerCase() === 'pm' ? 12 : 0);
  const date = { month: m === undefined ? ((b ?? B) === undefined ? 1 : named((b ?? B) as string)) : Number(m), day: Number(d ?? 1) };
  if (j !== undefined && m === undefined && d === undefined) {
    const dated = new Date(Date.UTC(2000 + (year % 400), 0, Number(j)));
    Object.assign(date, { month: dated.getUTCMonth() + 1, day: dated.getUTCDate() });
  }
  const second = Number(S ?? 0);
  if (date.day > daysIn(year, date.month) || second > 59) return undefined;
  return { year, ...date, hour, minute: Number(M ?? 0), second, micro: Number((f ?? '').padEnd(6, '0')) };
}

function offsetIn({ z }: Found): number {
  if (z === undefined || z.toUpperCase() === 'Z') return 0;
  const digits = z.slice(1).replaceAll(':', '');
  const seconds = Number(digits.slice(0, 2)) * 3600 + Number(digits.slice(2, 4)) * 60 + Math.trunc(Number(digits.slice(4) || 0));
  return z.startsWith('-') ? -seconds : seconds;
}

/** The moment written in a format. */
export function formatMoment(moment: Instant, format: string): string {
  switch (format) {
    case '%s':
      return String(moment.micros / SECOND);
    case '%ms':
      return String(moment.micros / 1000n);
    case '%epoch_microseconds':
      return String(moment.micros);
    case '%s_as_float': {
      const seconds = secondsOf(moment);
      return Number.isInteger(seconds) ? `${seconds}.0` : String(seconds);
    }
    default:
      return write(moment, format);
  }
}

function write(moment: Instant, format: string): string {
  const at = calendarOf(moment);
  const two = (count: number): string => String(count).padStart(2, '0');
  const weekday = new Date(Date.UTC(2000 + (at.year % 400), at.month - 1, at.day)).getUTCDay();
  const twelve = at.hour % 12 === 0 ? 12 : at.hour % 12;
  const yearDay = (): number => Math.round((Date.UTC(at.year, at.month - 1, at.day) - Date.UTC(at.year, 0, 1)) / 86_400_000) + 1;
  return format.replaceAll(/%(_ms|.)/gs, (written, letter: string) => {
    switch (letter) {
      case '_ms':
        return String(Math.trunc(at.micro / 1000)).padStart(3, '0');
      case 'Y':
        return String(at.year);
      case 'y':
        return two(at.year % 100);
      case 'm':
        return two(at.month);
      case 'd':
        return two(at.day);
      case 'e':
        return String(at.day).padStart(2, ' ');
      case 'H':
        return two(at.hour);
      case 'I':
        return two(twelve);
      case 'M':
        return two(at.minute);
      case 'S':
        return two(at.second);
      case 'f':
        return String(at.micro).padStart(6, '0');
      case 'z':
        return zoneText(moment.offset);
      case 'Z':
        return moment.offset === 0 ? 'UTC' : `UTC${zoneText(moment.offset).replace(/(\d\d)$/, ':$1')}`;
      case 'j':
        return String(yearDay()).padStart(3, '0');
      case 'p':
        return at.hour < 12 ? 'AM' : 'PM';
      case 'b':
        return (MONTHS[at.month - 1] ?? '').slice(0, 3);
      case 'B':
        return MONTHS[at.month - 1] ?? '';
      case 'a':
        return (DAYS[weekday] ?? '').slice(0, 3);
      case 'A':
        return DAYS[weekday] ?? '';
      case 'T':
        return `${two(at.hour)}:${two(at.minute)}:${two(at.second)}`;
      case 'F':
        return `${at.year}-${two(at.month)}-${two(at.day)}`;
      case 's':
        return String(moment.micros / SECOND);
      case '%':
        return '%';
      default:
        return written;
    }
  });
}

function zoneText(offset: number): string {
  const seconds = Math.abs(offset);
  const two = (count: number): string => String(Math.trunc(count)).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${two(seconds / 3600)}${two((seconds % 3600) / 60)}`;
}
