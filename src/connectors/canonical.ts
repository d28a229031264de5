import { isJson, parseExactly } from '../lib/exact-json.ts';

/**
 * The types that every connector speaks, and the one spelling of their values. A value is text or null: nothing passes
 * through a double or a Date, so nothing is rounded, and PostgreSQL's COPY text needs no translation at all.
 *
 * | type        | spelling                                                                                  |
 * | ----------- | ----------------------------------------------------------------------------------------- |
 * | text        | as it is; an empty string is not null                                                     |
 * | int64       | `-9223372036854775808` … `9223372036854775807`                                            |
 * | decimal     | `-12345.6700`, any number of digits; `NaN`, `Infinity`, `-Infinity` where the system has it |
 * | float64     | any decimal spelling that reads back as the same double; `NaN`, `Infinity`, `-Infinity`    |
 * | boolean     | `t`, `f`                                                                                  |
 * | date        | `2026-11-15`; `infinity`, `-infinity` and ` BC` where the system has them                  |
 * | time        | `04:42:11.123456`, up to `24:00:00`                                                       |
 * | timestamp   | `2026-11-15 04:42:11.123456`, of no zone                                                  |
 * | timestamptz | `2026-11-15 04:42:11.123456+00`, in UTC                                                   |
 * | uuid        | `6f1c1d4e-…`, lower case                                                                  |
 * | json        | JSON text                                                                                 |
 * | binary      | `\x` and lower-case hexadecimal digits                                                    |
 */
export const CANONICAL_TYPES = [
  'text',
  'int64',
  'decimal',
  'float64',
  'boolean',
  'date',
  'time',
  'timestamp',
  'timestamptz',
  'uuid',
  'json',
  'binary',
] as const;

export type CanonicalType = (typeof CANONICAL_TYPES)[number];

export type Value = string | null;
export type Row = readonly Value[];

const DATE = String.raw`\d{4,7}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])`;
const TIME = String.raw`(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?`;
// Every digit can be read in one way only: else a hostile text of a megabyte would keep us busy for hours.
const NUMBER = String.raw`[+-]?(?:\d+(?:\.\d*)?|\.\d+)`;

const SPELLING: Readonly<Record<CanonicalType, RegExp>> = {
  text: /^/,
  int64: /^-?\d{1,19}$/,
  decimal: new RegExp(`^(?:${NUMBER}|NaN|-?Infinity)$`),
  float64: new RegExp(`^(?:${NUMBER}(?:[eE][+-]?\\d+)?|NaN|-?Infinity)$`),
  boolean: /^[tf]$/,
  date: new RegExp(`^(?:${DATE}(?: BC)?|-?infinity)$`),
  time: new RegExp(`^(?:${TIME}|24:00:00)$`),
  timestamp: new RegExp(`^(?:${DATE} ${TIME}(?: BC)?|-?infinity)$`),
  timestamptz: new RegExp(`^(?:${DATE} ${TIME}\\+00(?: BC)?|-?infinity)$`),
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
  json: /^/,
  binary: /^\\x(?:[0-9a-f]{2})*$/,
};

const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);

/** Whether a text is a value of the type in its canonical spelling. */
export function isCanonical(type: CanonicalType, text: string): boolean {
  if (!SPELLING[type].test(text)) return false;
  if (type === 'int64' && text.length > 18) {
    const value = BigInt(text);
    return value >= INT64_MIN && value <= INT64_MAX;
  }
  // A number that is too large for a double is none of its values.
  if (type === 'float64' && /\d/.test(text)) return Number.isFinite(Number(text));
  return type === 'json' ? isJson(text) : true;
}

/**
 * The form in which equal values of a type are equal texts. Systems spell some values differently (`1.50`, `1.5`; a
 * timestamp with or without trailing zeros): compare by this.
 */
export function comparable(type: CanonicalType, value: Value): Value {
  if (value === null) return null;
  switch (type) {
    case 'int64':
      return /^-?\d+$/.test(value) ? BigInt(value).toString() : value;
    case 'decimal':
      return plainDecimal(value);
    case 'float64':
      return Object.is(Number(value), -0) ? '0' : String(Number(value));
    case 'time':
    case 'timestamp':
    case 'timestamptz':
      return value.replace(/(\.\d*?)0+(?!\d)/, '$1').replace(/\.(?!\d)/, '');
    case 'json':
      return JSON.stringify(sorted(parseExactly(value)));
    default:
      return value;
  }
}

function plainDecimal(text: string): string {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?$/.exec(text);
  if (!match || !/\d/.test(text)) return text;
  const [, sign = '', whole = '', fraction = ''] = match;
  let start = 0;
  while (whole[start] === '0') start++;
  let end = fraction.length;
  while (fraction[end - 1] === '0') end--;
  const digits = `${whole.slice(start) || '0'}${end > 0 ? `.${fraction.slice(0, end)}` : ''}`;
  return sign === '-' && digits !== '0' ? `-${digits}` : digits;
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const members = Object.entries(value).map(([name, member]): [string, unknown] => [name, sorted(member)]);
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}
