import { TYPE } from './codes.ts';
import { ByteCursor, misread } from './cursor.ts';
import { readDecimal } from './decimals.ts';

// MySQL's own form of a JSON document, written as the server writes it: `{"a": [1, null]}`.

const [SMALL_OBJECT, LARGE_OBJECT, SMALL_ARRAY, LARGE_ARRAY, LITERAL] = [0, 1, 2, 3, 4];
const [INT16, UINT16, INT32, UINT32, INT64, UINT64, DOUBLE, STRING, OPAQUE] = [5, 6, 7, 8, 9, 10, 11, 12, 15];
const LITERALS = ['null', 'true', 'false'];
/** The server takes no deeper ones. */
const DEEPEST = 100;

export function jsonText(bytes: Buffer): string {
  // An update that was not logged as a whole leaves nothing: the server reads it as null.
  if (bytes.length === 0) return 'null';
  return valueOf(bytes[0] as number, bytes.subarray(1), 0, { left: bytes.length });
}

/** How many values may still come: each takes some bytes of its own, unless places point at each other. */
interface Budget {
  left: number;
}

function valueOf(type: number, bytes: Buffer, depth: number, budget: Budget): string {
  if (budget.left-- <= 0) throw misread();
  const cursor = new ByteCursor(bytes);
  switch (type) {
    case SMALL_OBJECT:
    case LARGE_OBJECT:
    case SMALL_ARRAY:
    case LARGE_ARRAY:
      return container(bytes, type === SMALL_OBJECT || type === LARGE_OBJECT, type === LARGE_OBJECT || type === LARGE_ARRAY, depth, budget);
    case LITERAL:
      return LITERALS[cursor.uint8()] ?? 'null';
    case INT16:
      return String((cursor.uint16() << 16) >> 16);
    case UINT16:
      return String(cursor.uint16());
    case INT32:
      return String(cursor.uint32() | 0);
    case UINT32:
      return String(cursor.uint32());
    case INT64:
      return String(BigInt.asIntN(64, cursor.uint64()));
    case UINT64:
      return String(cursor.uint64());
    case DOUBLE:
      return doubleText(bytes.readDoubleLE(cursor.take(8)));
    case STRING:
      return quoted(cursor.text(longLength(cursor)));
    case OPAQUE:
      return opaque(cursor);
    default:
      throw misread('a JSON document with a value that is not known');
  }
}

/** Seven bits in each byte, the lowest first; the highest bit says that another follows. */
function longLength(cursor: ByteCursor): number {
  let length = 0;
  for (let factor = 1; ; factor *= 128) {
    const byte = cursor.uint8();
    length += (byte & 0x7f) * factor;
    if ((byte & 0x80) === 0) return length;
    if (factor > 0x1000_0000) throw misread();
  }
}

function container(bytes: Buffer, isObject: boolean, isLarge: boolean, depth: number, budget: Budget): string {
  if (depth > DEEPEST) throw misread('a JSON document that is too deep');
  const width = isLarge ? 4 : 2;
  const cursor = new ByteCursor(bytes);
  const count = cursor.uint(width);
  const size = cursor.uint(width);
  if (size > bytes.length) throw misread();
  const names: string[] = [];
  if (isObject)
    for (let i = 0; i < count; i++) {
      const at = cursor.uint(width);
      const length = cursor.uint16();
      if (at + length > size) throw misread();
      names.push(quoted(bytes.toString('utf8', at, at + length)));
    }
  const parts: string[] = [];
  for (let i = 0; i < count; i++) {
    const type = cursor.uint8();
    const isInline = type === LITERAL || type === INT16 || type === UINT16 || (isLarge && (type === INT32 || type === UINT32));
    const from = cursor.take(width);
    const at = isInline ? from : bytes.readUIntLE(from, width);
    if (at > size) throw misread();
    const value = valueOf(type, bytes.subarray(at, isInline ? from + width : size), depth + 1, budget);
    parts.push(isObject ? `${names[i] as string}: ${value}` : value);
  }
  return isObject ? `{${parts.join(', ')}}` : `[${parts.join(', ')}]`;
}

const quoted = (text: string): string => JSON.stringify(text);

/** A double always looks like one: `1.0`. */
function doubleText(number: number): string {
  const text = Object.is(number, -0) ? '-0' : String(number).replace('e+', 'e');
  return /[.e]/.test(text) ? text : `${text}.0`;
}

/** A value of a type that JSON does not have: numbers and times as the server shows them, others in base64. */
function opaque(cursor: ByteCursor): string {
  const type = cursor.uint8();
  const bytes = cursor.slice(longLength(cursor));
  const body = new ByteCursor(bytes);
  switch (type) {
    case TYPE.decimal: {
      const precision = body.uint8();
      return readDecimal(body, precision, body.uint8());
    }
    case TYPE.date:
    case TYPE.datetime:
    case TYPE.timestamp:
      return quoted(packedMoment(body.uint64(), type === TYPE.date));
    case TYPE.time:
      return quoted(packedTime(BigInt.asIntN(64, body.uint64())));
    default:
      return quoted(`base64:type${type}:${bytes.toString('base64')}`);
  }
}

const two = (number: number): string => String(number).padStart(2, '0');

/** 24 bits of microseconds, below those of the seconds. */
function clock(time: number, micros: bigint): string {
  const fraction = String(micros).padStart(6, '0');
  return `${two((time >> 12) & 0x3ff)}:${two((time >> 6) & 63)}:${two(time & 63)}.${fraction}`;
}

function packedMoment(packed: bigint, isDate: boolean): string {
  const whole = packed >> 24n;
  const days = Number(whole >> 17n);
  const months = days >> 5;
  const date = `${String(Math.floor(months / 13)).padStart(4, '0')}-${two(months % 13)}-${two(days & 31)}`;
  return isDate ? date : `${date} ${clock(Number(whole & 0x1_ffffn), packed & 0xff_ffffn)}`;
}

function packedTime(packed: bigint): string {
  const size = packed < 0n ? -packed : packed;
  return `${packed < 0n ? '-' : ''}${clock(Number(size >> 24n), size & 0xff_ffffn)}`;
}
