// Arrays in PostgreSQL's binary form. It reads them several times as fast as JSON or the text of an array: each value comes
// after its length, so nothing is quoted on this side and nothing searched for on the other.

type ArrayValue = string | number | null;

const TEXT = 25;
const BIGINT = 20;
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const BIGINT_BYTES = 8;
const NULL = -1;
/** Where a length is written later. */
const ROOM_FOR_LENGTH = '\0'.repeat(LENGTH_BYTES);

/** The value of a parameter of the type `text[]`. */
export function textArray(values: readonly ArrayValue[]): Buffer {
  let text = '';
  for (const value of values) text += ROOM_FOR_LENGTH + (value ?? '');
  return Buffer.byteLength(text) === text.length ? arrayOfBytes(values, text) : arrayOfCharacters(values, text);
}

/** Where each character is a byte, all of them are written at once: to write is a call out of JavaScript. */
function arrayOfBytes(values: readonly ArrayValue[], text: string): Buffer {
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + text.length);
  let end = writeHeader(bytes, TEXT, values.length);
  bytes.write(text, end, 'latin1');
  for (const value of values) {
    const length = value === null ? NULL : String(value).length;
    end = bytes.writeInt32BE(length, end) + Math.max(0, length);
  }
  return bytes;
}

function arrayOfCharacters(values: readonly ArrayValue[], text: string): Buffer {
  // In UTF-8 a unit of a string takes three bytes at most.
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + 3 * text.length);
  let end = writeHeader(bytes, TEXT, values.length);
  for (const value of values) {
    const length = value === null ? NULL : bytes.write(String(value), end + LENGTH_BYTES);
    end = bytes.writeInt32BE(length, end) + Math.max(0, length);
  }
  return bytes.subarray(0, end);
}

/** The value of a parameter of the type `bigint[]`. */
export function bigintArray(values: readonly ArrayValue[]): Buffer {
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + values.length * (LENGTH_BYTES + BIGINT_BYTES));
  let end = writeHeader(bytes, BIGINT, values.length);
  for (const value of values) {
    end = bytes.writeInt32BE(value === null ? NULL : BIGINT_BYTES, end);
    if (value !== null) end = bytes.writeBigInt64BE(BigInt(value), end);
  }
  return bytes.subarray(0, end);
}

function writeHeader(bytes: Buffer, type: number, length: number): number {
  const dimensions = 1;
  const mayHoldNull = 1;
  const firstIndex = 1;
  let end = 0;
  for (const field of [dimensions, mayHoldNull, type, length, firstIndex]) end = bytes.writeInt32BE(field, end);
  return end;
}
