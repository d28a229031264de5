import { isJsonNumber, scalarText } from '../lib/exact-json.ts';
import { type CanonicalType, isCanonical, type Value } from './canonical.ts';

/** A canonical value as JSON text. Numbers keep all their digits; what JSON has no word for becomes a string. */
export function toJsonText(type: CanonicalType, value: Value): string {
  if (value === null) return 'null';
  switch (type) {
    case 'int64':
    case 'decimal':
    case 'float64':
      return jsonNumber(value) ?? JSON.stringify(value);
    case 'boolean':
      return value === 't' ? 'true' : 'false';
    case 'json':
      return value;
    case 'timestamp':
      return JSON.stringify(value.replace(' ', 'T'));
    case 'timestamptz':
      return JSON.stringify(value.replace(' ', 'T').replace('+00', 'Z'));
    default:
      return JSON.stringify(value);
  }
}

function jsonNumber(text: string): string | undefined {
  const plain = text.replace(/^\+/, '').replace(/^(-?)0+(?=\d)/, '$1');
  return isJsonNumber(plain) ? plain : undefined;
}

/** A parsed JSON value as a canonical one; undefined when it is not of this type. */
export function fromJson(type: CanonicalType, value: unknown): Value | undefined {
  if (value === null || value === undefined) return null;
  // What nearly every value is: it need not be looked at twice.
  if (typeof value === 'string') return type === 'text' ? value : type === 'json' ? JSON.stringify(value) : fromText(type, value);
  if (typeof value === 'number' && type === 'int64' && Number.isSafeInteger(value)) return String(value);
  if (typeof value === 'number' && type === 'decimal') {
    const text = String(value);
    // Very large and very small ones are written with an exponent.
    if (!text.includes('e')) return text;
  }
  if (typeof value === 'boolean' && type === 'boolean') return value ? 't' : 'f';
  if (type === 'json') return JSON.stringify(value);
  const text = scalarText(value);
  if (text === undefined) return type === 'text' ? JSON.stringify(value) : undefined;
  return fromText(type, text, typeof value);
}

/** Text as people and programs write it, as a canonical value; undefined when it is not of this type. */
export function fromText(type: CanonicalType, text: string, given = 'string'): string | undefined {
  switch (type) {
    case 'text':
      return text;
    case 'boolean':
      return given === 'number' ? undefined : BOOLEANS.get(text.toLowerCase());
    case 'int64': {
      const [, sign = '', digits = ''] = /^([+-]?)(\d+)(?:\.0+)?$/.exec(text.trim()) ?? [];
      const plain = digits.replace(/^0+(?=\d)/, '');
      return canonicalOr(type, sign === '-' && plain !== '0' ? `-${plain}` : plain);
    }
    case 'decimal':
      return canonicalOr(type, withoutExponent(text.trim()));
    case 'date':
      return canonicalOr(type, text.trim());
    case 'timestamp':
      return canonicalOr(type, withSeconds(text.trim().replace('T', ' ')));
    case 'timestamptz':
      return toUtc(text.trim());
    case 'uuid':
      return canonicalOr(type, text.trim().toLowerCase());
    default:
      return canonicalOr(type, text.trim());
  }
}

const BOOLEANS: ReadonlyMap<string, string> = new Map([
  ['true', 't'],
  ['false', 'f'],
  ['t', 't'],
  ['f', 'f'],
]);
const ZONED = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2})?(\.\d{1,6})?0*(Z|z|[+-]\d{2}(?::?\d{2})?)$/;

function canonicalOr(type: CanonicalType, text: string | undefined): string | undefined {
  return text !== undefined && isCanonical(type, text) ? text : undefined;
}

function withSeconds(text: string): string {
  return /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}$/.test(text) ? `${text}:00` : text;
}

/** How nearly all programs write a time: in UTC already, on a day that every month has. */
const IN_UTC = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])[T ](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?Z$/;

/** A time with its zone, moved to UTC; the microseconds stay as they are. */
function toUtc(text: string): string | undefined {
  if (IN_UTC.test(text)) {
    let end = text.length - 1;
    // Behind the point, zeros at the end say nothing; without any other digit, nor does the point.
    if (end > 19) {
      while (text[end - 1] === '0') end--;
      if (end === 20) end--;
    }
    return `${text.slice(0, 10)} ${text.slice(11, end)}+00`;
  }
  const match = ZONED.exec(text);
  // Years that no Date knows, as toJsonText writes them.
  if (!match) return canonicalOr('timestamptz', text.replace('T', ' ').replace(/Z(?=$| BC$)/, '+00'));
  const [, date = '', minutes = '', seconds = ':00', fraction = '', zone = ''] = match;
  const offset = /^z$/i.test(zone) ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '') || '00'}`;
  const moment = new Date(`${date}T${minutes}${seconds}${offset}`);
  if (Number.isNaN(moment.getTime())) return undefined;
  const digits = fraction.replace(/0+$/, '');
  return canonicalOr('timestamptz', `${moment.toISOString().slice(0, 19).replace('T', ' ')}${digits === '.' ? '' : digits}+00`);
}

/** `1.5e3` as `1500`: a decimal has no exponent. */
function withoutExponent(text: string): string | undefined {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?[eE]([+-]?\d{1,4})$/.exec(text);
  if (!match) return text;
  const [, sign = '', whole = '', fraction = '', power = '0'] = match;
  const digits = whole + fraction;
  const point = whole.length + Number(power);
  if (digits === '') return undefined;
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return point >= digits.length
    ? `${sign}${digits}${'0'.repeat(point - digits.length)}`
    : `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** The narrowest type of a parsed JSON value; undefined for null, which fits every type. */
export function typeOfJson(value: unknown): CanonicalType | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'boolean') return 'boolean';
  const text = scalarText(value);
  if (text === undefined) return 'json';
  if (typeof value !== 'string') return typeOfNumber(text);
  return typeOfText(text, ['uuid', 'timestamptz', 'timestamp', 'date']);
}

function typeOfNumber(text: string): CanonicalType {
  if (isCanonical('int64', text)) return 'int64';
  return /[eE]/.test(text) ? 'float64' : 'decimal';
}

/** The first of these types that a text is a value of, else `text`. */
function typeOfText(text: string, types: readonly CanonicalType[]): CanonicalType {
  return types.find((type) => fromText(type, text) !== undefined) ?? 'text';
}

const NUMERIC: readonly CanonicalType[] = ['int64', 'decimal', 'float64'];
const TEMPORAL: readonly CanonicalType[] = ['date', 'timestamp'];

/** The narrowest type that holds the values of both. */
export function widen(a: CanonicalType | undefined, b: CanonicalType | undefined): CanonicalType | undefined {
  if (a === undefined || a === b) return b;
  if (b === undefined) return a;
  for (const ladder of [NUMERIC, TEMPORAL]) {
    if (ladder.includes(a) && ladder.includes(b)) return ladder[Math.max(ladder.indexOf(a), ladder.indexOf(b))];
  }
  return a === 'json' || b === 'json' ? 'json' : 'text';
}
