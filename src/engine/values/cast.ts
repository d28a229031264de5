import { parseExactly } from '../../lib/exact-json.ts';
import { CANONICAL_TYPES, type CanonicalType, comparable, isCanonical, type Value } from '../../connectors/canonical.ts';
import { fromJson, fromText, toJsonText } from '../../connectors/json-values.ts';
import { Decimal } from './decimal.ts';
import {
  cutToDate,
  cutToTime,
  dateFromText,
  timeFromText,
  timestampFromText,
  timestamptzFromText,
  withMidnight,
  withUtc,
} from './cast-moments.ts';

/** How values of one type become values of another: without loss, or not at all. */
export interface Cast {
  /** Values of up to so many characters are spelled the same in both types: they need not be looked at. */
  readonly sameUpTo: number;
  /** The value in the other type; undefined when it has no such value. */
  convert(text: string): Value | undefined;
}

const SAME: Cast = { sameUpTo: Number.POSITIVE_INFINITY, convert: (text) => text };
/** A double holds every number of fifteen digits, so whatever is no longer than that needs no test. */
const DOUBLE_DIGITS = 15;

/** The cast from one type to the other, or undefined when there is none. */
export function castOf(from: CanonicalType, to: CanonicalType): Cast | undefined {
  if (from === to) return SAME;
  if (from === 'json' && to !== 'text') return converting((text) => fromJsonText(to, text));
  return CASTS[from]?.[to];
}

/** What a type can be cast to, for messages and documentation. */
export function castsFrom(from: CanonicalType): CanonicalType[] {
  return CANONICAL_TYPES.filter((to) => castOf(from, to) !== undefined);
}

/** Why a value could not be cast, in words that name it. */
export function castFault(value: string, from: CanonicalType, to: CanonicalType): string {
  return `${quoted(value)} (${from}) cannot become ${to} without loss: ${NEEDS[to]}`;
}

/** A value as it is shown in messages: shortened, on one line. */
export function quoted(value: string): string {
  return JSON.stringify(value.length > 100 ? `${value.slice(0, 99).toWellFormed()}…` : value);
}

const NEEDS: Readonly<Record<CanonicalType, string>> = {
  text: 'it needs a text',
  int64: 'it needs a whole number between -9223372036854775808 and 9223372036854775807',
  decimal: 'it needs a number',
  float64: 'it needs a number that a double holds',
  boolean: 'it needs true or false',
  date: 'it needs a date such as 2026-11-15',
  time: 'it needs a time of day such as 04:42:11',
  timestamp: 'it needs a date and time of no zone such as 2026-11-15 04:42:11',
  timestamptz: 'it needs a date and time such as 2026-11-15T04:42:11Z',
  uuid: 'it needs 32 hexadecimal digits',
  json: 'it needs JSON text',
  binary: 'it needs \\x and pairs of hexadecimal digits',
};

function converting(convert: Cast['convert'], sameUpTo = -1): Cast {
  return { sameUpTo, convert };
}

const toJson = (from: CanonicalType): Cast => converting((text) => toJsonText(from, text));

const CASTS: Partial<Record<CanonicalType, Partial<Record<CanonicalType, Cast>>>> = {
  text: {
    int64: converting((text) => fromText('int64', text)),
    decimal: converting((text) => fromText('decimal', text)),
    float64: converting((text) => fromText('float64', text)),
    boolean: converting((text) => TRUTH.get(text.trim().toLowerCase())),
    date: converting(dateFromText),
    time: converting(timeFromText),
    timestamp: converting(timestampFromText),
    timestamptz: converting(timestamptzFromText),
    uuid: converting(uuidFromText),
    json: converting((text) => (isCanonical('json', text) ? text : undefined)),
    binary: converting(binaryFromText),
  },
  int64: {
    text: SAME,
    decimal: SAME,
    float64: converting((text) => (Number.isSafeInteger(Number(text)) ? text : undefined), DOUBLE_DIGITS),
    boolean: converting((text) => (text === '1' ? 't' : text === '0' ? 'f' : undefined)),
    json: SAME,
  },
  decimal: {
    text: SAME,
    int64: converting(wholeOf),
    float64: converting(doubleOf, DOUBLE_DIGITS),
    json: converting((text) => toJsonText('decimal', Decimal.parse(text)?.toString() ?? text)),
  },
  float64: {
    text: SAME,
    int64: converting((text) => (Number.isSafeInteger(Number(text)) ? String(Number(text) + 0) : undefined)),
    decimal: converting((text) => fromText('decimal', text)),
    json: toJson('float64'),
  },
  boolean: {
    text: converting((text) => (text === 't' ? 'true' : 'false')),
    int64: converting((text) => (text === 't' ? '1' : '0')),
    json: toJson('boolean'),
  },
  date: {
    text: SAME,
    timestamp: converting((text) => withMidnight(text, '')),
    timestamptz: converting((text) => withMidnight(text, '+00')),
    json: toJson('date'),
  },
  time: { text: SAME, json: toJson('time') },
  timestamp: {
    text: SAME,
    date: converting(cutToDate),
    time: converting(cutToTime),
    timestamptz: converting(withUtc),
    json: toJson('timestamp'),
  },
  timestamptz: {
    text: SAME,
    date: converting(cutToDate),
    time: converting(cutToTime),
    timestamp: converting((text) => text.replace('+00', '')),
    json: toJson('timestamptz'),
  },
  uuid: { text: SAME, json: toJson('uuid') },
  json: { text: SAME },
  binary: { text: SAME, json: toJson('binary') },
};

const TRUTH: ReadonlyMap<string, string> = new Map([
  ...['true', 't', 'yes', '1'].map((word) => [word, 't'] as const),
  ...['false', 'f', 'no', '0'].map((word) => [word, 'f'] as const),
]);

function wholeOf(text: string): string | undefined {
  const whole = Decimal.parse(text)?.whole()?.toString();
  return whole !== undefined && isCanonical('int64', whole) ? whole : undefined;
}

/** A decimal that a double gives back digit for digit. */
function doubleOf(text: string): string | undefined {
  const decimal = Decimal.parse(text);
  // NaN and Infinity are spelled alike.
  if (!decimal) return /^(?:NaN|-?Infinity)$/.test(text) ? text : undefined;
  const back = Decimal.parseScientific(String(decimal.toNumber()));
  return back?.compare(decimal) === 0 ? text : undefined;
}

function uuidFromText(text: string): string | undefined {
  const plain = text.trim().toLowerCase();
  const parts = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/.exec(plain);
  return parts ? parts.slice(1).join('-') : undefined;
}

function binaryFromText(text: string): string | undefined {
  const plain = text.trim().toLowerCase();
  return isCanonical('binary', plain) ? plain : undefined;
}

/** A JSON number, string, true or false by its meaning; JSON's null is null. Lists and objects have none. */
function fromJsonText(to: CanonicalType, text: string): Value | undefined {
  const value = parseExactly(text);
  if (typeof value === 'string') return castOf('text', to)?.convert(value);
  if (to === 'boolean' && typeof value === 'number') return undefined;
  const converted = fromJson(to, value);
  return converted !== undefined && converted !== null ? comparableWhenNumber(to, converted) : converted;
}

function comparableWhenNumber(to: CanonicalType, value: string): Value {
  return to === 'int64' ? comparable(to, value) : value;
}
