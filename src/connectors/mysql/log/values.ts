import { inflateRawSync, inflateSync } from 'node:zlib';
import type { Value } from '../../canonical.ts';
import { membersOf, type TypedColumn } from '../catalogue/columns.ts';
import { jsonText } from './binary-json.ts';
import type { TextReader } from './charsets.ts';
import { TYPE } from './codes.ts';
import { type ByteCursor, misread } from './cursor.ts';
import { decimalBytes, readDecimal } from './decimals.ts';
import { inet4Text, inet6Text, uuidText } from './fixed-binaries.ts';
import { wkbOf } from './geometry.ts';
import type { LoggedColumn } from './table-map.ts';
import { readDate, readDatetime, readOldDatetime, readOldTime, readOldTimestamp, readTime, readTimestamp } from './temporal.ts';

/** Reads a value that is not null, as a read would give it; or leaves a fault at the cursor, and the server's own text. */
export type LoggedValueReader = (cursor: ByteCursor) => Value;
type TextOf = (cursor: ByteCursor) => string;
type Skip = (cursor: ByteCursor) => void;

export interface ValueOptions {
  /** Of its character set; undefined when it holds bytes. */
  readonly text: TextReader | undefined;
  readonly zeroDates: 'null' | 'reject';
  /** Reference systems whose latitude comes first. */
  readonly turned?: ReadonlySet<number> | undefined;
}

/** How the values of a column are read. */
export function valueReader(logged: LoggedColumn, column: TypedColumn, options: ValueOptions): LoggedValueReader {
  const read = textOf(logged, column, options);
  switch (column.reading) {
    case 'boolean':
      return (cursor) => {
        const text = read(cursor);
        if (text === '0') return 'f';
        if (text === '1') return 't';
        return faulty(
          cursor,
          text,
          'a tinyint(1) holds a number other than 0 and 1; set tinyint1 to "integer" to read such columns as numbers',
        );
      };
    case 'date':
    case 'timestamp':
    case 'timestamptz': {
      const zone = column.reading === 'timestamptz' ? '+00' : '';
      return (cursor) => {
        const text = read(cursor);
        if (!hasZero(text)) return text + zone;
        if (options.zeroDates === 'null') return null;
        return faulty(cursor, text, 'a date is zero; set zero_dates to "null" to read it as null');
      };
    }
    case 'time':
      return (cursor) => {
        const text = read(cursor);
        if (text.charCodeAt(2) === COLON && text < '24') return text;
        if (/^24:00:00(\.0+)?$/.test(text)) return '24:00:00';
        return faulty(cursor, text, 'a time is below zero or not below 24 hours; set times to "text" to read such columns as texts');
      };
    case 'short-decimal':
      return (cursor) => {
        const text = read(cursor);
        return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
      };
    default:
      return read;
  }
}

const COLON = 0x3a;

function faulty(cursor: ByteCursor, text: string, fault: string): string {
  cursor.fault = fault;
  return text;
}

/** Whether year, month or day of `2026-11-15…` is zero. */
function hasZero(text: string): boolean {
  return text.startsWith('00', 5) || text.startsWith('00', 8) || text.startsWith('0000');
}

/** How a value is written by the server itself. */
function textOf(logged: LoggedColumn, column: TypedColumn, { text, turned }: ValueOptions): TextOf {
  const { type, size } = logged;
  switch (type) {
    case TYPE.tiny:
    case TYPE.short:
    case TYPE.int24:
    case TYPE.long:
    case TYPE.longlong:
    case TYPE.decimal:
      return padded(numberText(logged, column), column);
    case TYPE.float:
      return (cursor) => doubleText(cursor.bytes.readFloatLE(cursor.take(4)));
    case TYPE.double:
      return (cursor) => doubleText(cursor.bytes.readDoubleLE(cursor.take(8)));
    case TYPE.year:
      return (cursor) => {
        const year = cursor.uint8();
        return year === 0 ? '0000' : String(year + 1900);
      };
    case TYPE.bit: {
      const bytes = (size + 7) >> 3;
      if (bytes <= 6) return (cursor) => String(cursor.uintBE(bytes));
      return (cursor) => BigInt(`0x${cursor.text(bytes, 'hex')}`).toString();
    }
    case TYPE.date:
    case TYPE.newdate:
      return readDate;
    case TYPE.datetime2:
      return (cursor) => readDatetime(cursor, size);
    case TYPE.timestamp2:
      return (cursor) => readTimestamp(cursor, size);
    case TYPE.time2:
      return (cursor) => readTime(cursor, size);
    case TYPE.datetime:
      return readOldDatetime;
    case TYPE.timestamp:
      return readOldTimestamp;
    case TYPE.time:
      return readOldTime;
    case TYPE.enum:
    case TYPE.set:
      return choiceText(logged, column, text);
    case TYPE.json:
      return (cursor) => jsonText(cursor.slice(cursor.uint(size)));
    case TYPE.geometry:
      return (cursor) => hex(wkbOf(cursor.slice(cursor.uint(size)), turned));
    default:
      return stringText(logged, column, text);
  }
}

function numberText({ type, size, scale, isUnsigned }: LoggedColumn, { columnType }: TypedColumn): TextOf {
  const isSigned = !(isUnsigned ?? /unsigned|zerofill/.test(columnType));
  switch (type) {
    case TYPE.tiny:
      return isSigned ? (cursor) => String((cursor.uint8() << 24) >> 24) : (cursor) => String(cursor.uint8());
    case TYPE.short:
      return isSigned ? (cursor) => String((cursor.uint16() << 16) >> 16) : (cursor) => String(cursor.uint16());
    case TYPE.int24:
      return isSigned ? (cursor) => String((cursor.uint24() << 8) >> 8) : (cursor) => String(cursor.uint24());
    case TYPE.long:
      return isSigned ? (cursor) => String(cursor.uint32() | 0) : (cursor) => String(cursor.uint32());
    case TYPE.longlong:
      return isSigned ? signed64 : unsigned64;
    default:
      return (cursor) => readDecimal(cursor, size, scale);
  }
}

/** Most are small: those need no big integer. */
function signed64(cursor: ByteCursor): string {
  const low = cursor.uint32();
  const high = cursor.uint32() | 0;
  if (high >= -0x20_0000 && high < 0x20_0000) return String(high * 0x1_0000_0000 + low);
  return ((BigInt(high) << 32n) + BigInt(low)).toString();
}

function unsigned64(cursor: ByteCursor): string {
  const low = cursor.uint32();
  const high = cursor.uint32();
  return high < 0x20_0000 ? String(high * 0x1_0000_0000 + low) : ((BigInt(high) << 32n) + BigInt(low)).toString();
}

/** A column that is filled with zeros is read with them. */
function padded(read: TextOf, { columnType, dataType }: TypedColumn): TextOf {
  if (!columnType.includes('zerofill')) return read;
  const [, digits = '0', decimals = '0'] = /\((\d+)(?:,(\d+))?\)/.exec(columnType) ?? [];
  const length = dataType === 'decimal' && decimals !== '0' ? Number(digits) + 1 : Number(digits);
  return (cursor) => read(cursor).padStart(length, '0');
}

function doubleText(number: number): string {
  return Object.is(number, -0) ? '-0' : String(number);
}

function hex(bytes: Buffer): string {
  return `\\x${bytes.toString('hex')}`;
}

function choiceText({ type, size, members }: LoggedColumn, column: TypedColumn, text: TextReader | undefined): TextOf {
  const names = members ? members.map((name) => (text ? text(name, 0, name.length) : name.toString('latin1'))) : [...membersOf(column)];
  if (type === TYPE.enum) return (cursor) => names[cursor.uint(size) - 1] ?? '';
  return (cursor) => {
    let bits = size <= 6 ? BigInt(cursor.uint(size)) : cursor.bytes.readBigUInt64LE(cursor.take(8));
    const chosen: string[] = [];
    for (let i = 0; bits !== 0n; i++, bits >>= 1n) if ((bits & 1n) === 1n) chosen.push(names[i] ?? '');
    return chosen.join(',');
  };
}

/** How many bytes tell how long a value is. */
function lengthBytes({ type, size }: LoggedColumn): number {
  switch (type) {
    case TYPE.string:
    case TYPE.varchar:
    case TYPE.varString:
    case TYPE.compressedVarchar:
      return size > 255 ? 2 : 1;
    default:
      return size;
  }
}

function stringText(logged: LoggedColumn, { dataType }: TypedColumn, text: TextReader | undefined): TextOf {
  const { type, size } = logged;
  const prefix = lengthBytes(logged);
  const fixed = FIXED.get(dataType);
  if (type === TYPE.string && fixed) return (cursor) => fixed(filled(cursor.slice(cursor.uint(prefix)), size));
  if (type === TYPE.compressedBlob || type === TYPE.compressedVarchar)
    return (cursor) => {
      const bytes = uncompressed(cursor.slice(cursor.uint(prefix)));
      return text ? text(bytes, 0, bytes.length) : hex(bytes);
    };
  if (text)
    return (cursor) => {
      const length = cursor.uint(prefix);
      const at = cursor.take(length);
      return text(cursor.bytes, at, at + length);
    };
  // The log leaves out zeros at the end of a binary of a fixed length.
  if (type === TYPE.string) return (cursor) => hex(filled(cursor.slice(cursor.uint(prefix)), size));
  return (cursor) => hex(cursor.slice(cursor.uint(prefix)));
}

/** Types of MariaDB that are so many bytes. */
const FIXED: ReadonlyMap<string, (bytes: Buffer) => string> = new Map([
  ['uuid', uuidText],
  ['inet6', inet6Text],
  ['inet4', inet4Text],
]);

function filled(bytes: Buffer, length: number): Buffer {
  return bytes.length >= length ? bytes : Buffer.concat([bytes, Buffer.alloc(length - bytes.length)]);
}

/** A compressed column of MariaDB: a byte with method, wrapping and how long the length is; the length; zlib's bytes. Or a zero and the value. */
function uncompressed(bytes: Buffer): Buffer {
  if (bytes.length === 0) return bytes;
  const first = bytes[0] as number;
  if (first === 0) return bytes.subarray(1);
  if (first >> 4 !== 8) throw misread('a column that is compressed in a way that is not known');
  const isWrapped = (first & 0x08) === 0;
  const body = bytes.subarray(1 + (first & 0x07));
  return isWrapped ? inflateSync(body) : inflateRawSync(body);
}

const WIDTHS: ReadonlyMap<number, number> = new Map<number, number>([
  [TYPE.tiny, 1],
  [TYPE.short, 2],
  [TYPE.int24, 3],
  [TYPE.long, 4],
  [TYPE.longlong, 8],
  [TYPE.float, 4],
  [TYPE.double, 8],
  [TYPE.year, 1],
  [TYPE.date, 3],
  [TYPE.newdate, 3],
  [TYPE.time, 3],
  [TYPE.datetime, 8],
  [TYPE.timestamp, 4],
]);

/** How a value that nobody wants is passed over. */
export function valueSkipper(logged: LoggedColumn): Skip {
  const { type, size, scale } = logged;
  const fraction = (size + 1) >> 1;
  const width =
    WIDTHS.get(type) ??
    (type === TYPE.decimal
      ? decimalBytes(size, scale)
      : type === TYPE.bit
        ? (size + 7) >> 3
        : type === TYPE.enum || type === TYPE.set
          ? size
          : type === TYPE.datetime2
            ? 5 + fraction
            : type === TYPE.timestamp2
              ? 4 + fraction
              : type === TYPE.time2
                ? 3 + fraction
                : undefined);
  if (width !== undefined) return (cursor) => void cursor.take(width);
  const prefix = lengthBytes(logged);
  return (cursor) => void cursor.take(cursor.uint(prefix));
}
