import type { SchemaElement, SchemaTree } from 'hyparquet';
import { isJsonNumber } from '../../../lib/exact-json.ts';
import type { CanonicalType, Value } from '../../canonical.ts';
import type { Field } from '../../contract.ts';

/** Makes a canonical value of what the library reads; the library's own conversions would go through doubles and dates. */
type ToValue = (raw: unknown) => Value;

export interface ParquetColumn {
  readonly field: Field;
  readonly toValue: ToValue;
}

/** The fields of a file, by its schema. */
export function columnsOf(root: SchemaTree): ParquetColumn[] {
  return root.children.map((child) => {
    const { type, native, toValue, precision, scale } = meaningOf(child);
    const field: Field = {
      name: child.element.name,
      type,
      nullable: child.element.repetition_type !== 'REQUIRED',
      native,
      ...(precision !== undefined && { precision }),
      ...(scale !== undefined && { scale }),
    };
    return { field, toValue: (raw) => (raw === null || raw === undefined ? null : toValue(raw)) };
  });
}

interface ParquetMeaning {
  type: CanonicalType;
  native: string;
  toValue: ToValue;
  precision?: number;
  scale?: number;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });
const text: ToValue = (raw) => (raw instanceof Uint8Array ? utf8.decode(raw) : String(raw));
const number: ToValue = (raw) => String(raw);

function meaningOf(node: SchemaTree): ParquetMeaning {
  const { element } = node;
  const logical = element.logical_type?.type ?? element.converted_type;
  if (node.children.length > 0 || element.repetition_type === 'REPEATED')
    return { type: 'json', native: logical?.toLowerCase() ?? 'group', toValue: (raw) => jsonOf(raw, node) };
  return (LOGICAL_TYPES.get(logical ?? '') ?? plainMeaning)(element);
}

const stringMeaning = (): ParquetMeaning => ({ type: 'text', native: 'string', toValue: text });

/** What the logical types make of a column, also by the names that older files give them. Where they say nothing, the type that is stored does. */
const LOGICAL_TYPES: ReadonlyMap<string, (element: SchemaElement) => ParquetMeaning> = new Map(
  Object.entries<(element: SchemaElement) => ParquetMeaning>({
    STRING: stringMeaning,
    UTF8: stringMeaning,
    ENUM: stringMeaning,
    JSON: () => ({ type: 'json', native: 'json', toValue: text }),
    UUID: () => ({ type: 'uuid', native: 'uuid', toValue: (raw) => uuidOf(raw as Uint8Array) }),
    DECIMAL: decimalMeaning,
    DATE: () => ({ type: 'date', native: 'date', toValue: (raw) => dateOf(BigInt(raw as number)) }),
    TIME: timeMeaning,
    TIME_MILLIS: timeMeaning,
    TIME_MICROS: timeMeaning,
    TIMESTAMP: timestampMeaning,
    TIMESTAMP_MILLIS: timestampMeaning,
    TIMESTAMP_MICROS: timestampMeaning,
    INTEGER: (element) =>
      element.logical_type?.type === 'INTEGER' && element.logical_type.isSigned ? plainMeaning(element) : unsignedMeaning(element),
    UINT_8: unsignedMeaning,
    UINT_16: unsignedMeaning,
    UINT_32: unsignedMeaning,
    UINT_64: unsignedMeaning,
    FLOAT16: () => ({ type: 'float64', native: 'float16', toValue: (raw) => String(halfOf(raw as Uint8Array)) }),
  }),
);

function decimalMeaning(element: SchemaElement): ParquetMeaning {
  const { precision = 38, scale = 0 } = element.logical_type?.type === 'DECIMAL' ? element.logical_type : element;
  const toValue: ToValue = (raw) => decimalOf(raw as number | bigint | Uint8Array, scale);
  return { type: 'decimal', native: `decimal(${precision},${scale})`, toValue, precision, scale };
}

function timeMeaning(element: SchemaElement): ParquetMeaning {
  const digits = digitsOf(element);
  return { type: 'time', native: `time(${digits})`, toValue: (raw) => clockOf(BigInt(raw as number | bigint), digits) };
}

function timestampMeaning(element: SchemaElement): ParquetMeaning {
  const isUtc = element.logical_type?.type === 'TIMESTAMP' ? element.logical_type.isAdjustedToUTC : true;
  const digits = digitsOf(element);
  const toValue: ToValue = (raw) => momentOf(BigInt(raw as number | bigint), digits, isUtc);
  return { type: isUtc ? 'timestamptz' : 'timestamp', native: `timestamp(${digits})`, toValue };
}

function plainMeaning({ type }: SchemaElement): ParquetMeaning {
  switch (type) {
    case 'BOOLEAN':
      return { type: 'boolean', native: 'boolean', toValue: (raw) => (raw ? 't' : 'f') };
    case 'INT32':
      return { type: 'int64', native: 'int32', toValue: number };
    case 'INT64':
      return { type: 'int64', native: 'int64', toValue: number };
    case 'INT96':
      return { type: 'timestamp', native: 'int96', toValue: (raw) => momentOf(raw as bigint, 9, false) };
    case 'FLOAT':
      // The shortest text that is the same single: 0.1, not 0.10000000149011612.
      return { type: 'float64', native: 'float', toValue: (raw) => shortestSingle(raw as number) };
    case 'DOUBLE':
      return { type: 'float64', native: 'double', toValue: number };
    default:
      return { type: 'binary', native: 'byte_array', toValue: (raw) => `\\x${Buffer.from(raw as Uint8Array).toString('hex')}` };
  }
}

function unsignedMeaning({ type }: SchemaElement): ParquetMeaning {
  if (type === 'INT64')
    return {
      type: 'decimal',
      native: 'uint64',
      precision: 20,
      scale: 0,
      toValue: (raw) => String(BigInt.asUintN(64, raw as bigint)),
    };
  return { type: 'int64', native: 'uint32', toValue: (raw) => String((raw as number) >>> 0) };
}

function shortestSingle(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return String(short);
  }
  return String(Number(value.toPrecision(9)));
}

function halfOf(bytes: Uint8Array): number {
  const bits = ((bytes[1] ?? 0) << 8) | (bytes[0] ?? 0);
  const sign = bits >> 15 ? -1 : 1;
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return exponent === 0 ? sign * 2 ** -24 * fraction : sign * 2 ** (exponent - 25) * (1024 + fraction);
}

function uuidOf(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

function decimalOf(raw: number | bigint | Uint8Array, scale: number): string {
  const unscaled = raw instanceof Uint8Array ? signedOf(raw) : BigInt(raw);
  if (scale <= 0) return String(unscaled * 10n ** BigInt(-scale));
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
  return `${unscaled < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

function signedOf(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt.asIntN(bytes.length * 8, BigInt(`0x${Buffer.from(bytes).toString('hex')}`));
}

/** How many digits of a second a time or a timestamp has. */
function digitsOf({ logical_type: logical, converted_type: converted }: SchemaElement): 3 | 6 | 9 {
  if (logical?.type === 'TIME' || logical?.type === 'TIMESTAMP') return logical.unit === 'MILLIS' ? 3 : logical.unit === 'MICROS' ? 6 : 9;
  return converted === 'TIME_MILLIS' || converted === 'TIMESTAMP_MILLIS' ? 3 : 6;
}

const DAY = 86_400n;

function dateOf(days: bigint): string {
  // Years before 1 are counted as in ISO 8601, where the year 0 is 1 BC. Dates of the library end at the year 275760.
  const date = new Date(Number(days) * 86_400_000);
  const year = date.getUTCFullYear();
  const rest = `${String(date.getUTCMonth() + 1).padStart(2, '0')}-${String(date.getUTCDate()).padStart(2, '0')}`;
  return year > 0 ? `${String(year).padStart(4, '0')}-${rest}` : `${String(1 - year).padStart(4, '0')}-${rest} BC`;
}

/** A time of day; digits beyond microseconds are cut off, as every database does. */
function clockOf(units: bigint, digits: 3 | 6 | 9): string {
  const perSecond = 10n ** BigInt(digits);
  const seconds = units / perSecond;
  const two = (value: bigint): string => String(value).padStart(2, '0');
  const fraction = String(units % perSecond)
    .padStart(digits, '0')
    .slice(0, 6)
    .replace(/0+$/, '');
  return `${two(seconds / 3600n)}:${two((seconds / 60n) % 60n)}:${two(seconds % 60n)}${fraction && `.${fraction}`}`;
}

function momentOf(units: bigint, digits: 3 | 6 | 9, isUtc: boolean): string {
  const perDay = DAY * 10n ** BigInt(digits);
  const inDay = ((units % perDay) + perDay) % perDay;
  const [date = '', era = ''] = dateOf((units - inDay) / perDay).split(/(?= BC)/);
  return `${date} ${clockOf(inDay, digits)}${isUtc ? '+00' : ''}${era}`;
}

/** What is nested, as JSON. Numbers keep their digits. */
function jsonOf(raw: unknown, node: SchemaTree): string {
  return JSON.stringify(plain(raw, node));
}

function plain(raw: unknown, node: SchemaTree | undefined): unknown {
  if (raw === null || raw === undefined) return null;
  if (Array.isArray(raw)) return raw.map((item) => plain(item, itemOf(node)));
  if (node && node.children.length === 0) return leafJson(raw, node);
  if (raw instanceof Uint8Array) return Buffer.from(raw).toString('base64');
  if (typeof raw === 'bigint') return JSON.rawJSON(String(raw));
  if (raw instanceof Date) return raw.toISOString();
  if (typeof raw !== 'object') return raw;
  return Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, plain(value, memberOf(node, name))]));
}

/** A list's node leads to its items, over the nodes that only Parquet needs. */
function itemOf(node: SchemaTree | undefined): SchemaTree | undefined {
  if (!node || node.children.length === 0) return node && { ...node, element: { ...node.element, repetition_type: 'REQUIRED' } };
  const [only] = node.children;
  if (node.children.length === 1 && only?.element.repetition_type === 'REPEATED')
    return only.children.length === 1 ? only.children[0] : only;
  return node;
}

function memberOf(node: SchemaTree | undefined, name: string): SchemaTree | undefined {
  const own = node?.children.find((child) => child.element.name === name);
  // A map has its values one node further down, under any name.
  return own ?? node?.children[0]?.children.find((child) => child.element.name === 'value');
}

function leafJson(raw: unknown, node: SchemaTree): unknown {
  const { type, toValue } = meaningOf({ ...node, element: { ...node.element, repetition_type: 'REQUIRED' } });
  const value = toValue(raw);
  if (value === null || type === 'boolean') return value === null ? null : value === 't';
  const isNumber = type === 'int64' || type === 'decimal' || type === 'float64';
  return isNumber && isJsonNumber(value) ? JSON.rawJSON(value) : value;
}
