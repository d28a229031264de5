import type { CanonicalType } from '../../canonical.ts';

// Values are looked at as bytes, where they lie in the output, so that the common case makes no string. Each test answers the
// end of the value when its spelling is canonical (or was made so on the spot), and -1 when it needs a closer look.

export type BytesTest = (bytes: Buffer, from: number, to: number) => number;

const [ZERO, NINE, DASH, DOT, COLON, SPACE, PLUS] = [0x30, 0x39, 0x2d, 0x2e, 0x3a, 0x20, 0x2b];

function testInteger(bytes: Buffer, from: number, to: number): number {
  let at = bytes[from] === DASH ? from + 1 : from;
  const length = to - at;
  // 18 digits fit in any case; a leading zero has to go.
  if (length === 0 || length > 18 || (bytes[at] === ZERO && (length > 1 || at > from))) return -1;
  for (; at < to; at++) if ((bytes[at] as number) < ZERO || (bytes[at] as number) > NINE) return -1;
  return to;
}

function testDecimal(bytes: Buffer, from: number, to: number): number {
  let at = bytes[from] === DASH ? from + 1 : from;
  const whole = at;
  while (at < to && (bytes[at] as number) >= ZERO && (bytes[at] as number) <= NINE) at++;
  if (at === whole) return -1;
  if (at === to) return to;
  if (bytes[at] !== DOT || at + 1 === to) return -1;
  for (at++; at < to; at++) if ((bytes[at] as number) < ZERO || (bytes[at] as number) > NINE) return -1;
  return to;
}

const two = (bytes: Buffer, at: number): number => {
  const [tens, ones] = [(bytes[at] as number) - ZERO, (bytes[at + 1] as number) - ZERO];
  return tens < 0 || tens > 9 || ones < 0 || ones > 9 ? 100 : tens * 10 + ones;
};

function isDay(bytes: Buffer, at: number): boolean {
  const month = two(bytes, at + 5);
  const day = two(bytes, at + 8);
  return (
    two(bytes, at) < 100 &&
    two(bytes, at + 2) < 100 &&
    bytes[at + 4] === DASH &&
    bytes[at + 7] === DASH &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= 31
  );
}

/** The end of a time of day with seconds and up to six digits behind them, else -1. */
function clockEnd(bytes: Buffer, from: number, to: number): number {
  if (to - from < 8 || bytes[from + 2] !== COLON || bytes[from + 5] !== COLON) return -1;
  if (two(bytes, from) > 23 || two(bytes, from + 3) > 59 || two(bytes, from + 6) > 59) return -1;
  let at = from + 8;
  if (at === to || bytes[at] !== DOT) return at;
  const digits = ++at;
  while (at < to && (bytes[at] as number) >= ZERO && (bytes[at] as number) <= NINE) at++;
  return at === digits || at - digits > 6 ? -1 : at;
}

function testDate(bytes: Buffer, from: number, to: number): number {
  return to - from === 10 && isDay(bytes, from) ? to : -1;
}

function testTime(bytes: Buffer, from: number, to: number): number {
  return clockEnd(bytes, from, to) === to ? to : -1;
}

function momentEnd(bytes: Buffer, from: number, to: number): number {
  const between = bytes[from + 10];
  if (to - from < 19 || (between !== SPACE && between !== 0x54) || !isDay(bytes, from)) return -1;
  const end = clockEnd(bytes, from + 11, to);
  if (end !== -1) bytes[from + 10] = SPACE;
  return end;
}

function testTimestamp(bytes: Buffer, from: number, to: number): number {
  return momentEnd(bytes, from, to) === to ? to : -1;
}

function testZoned(bytes: Buffer, from: number, to: number): number {
  const end = momentEnd(bytes, from, to);
  if (end === -1) return -1;
  const isUtc =
    (bytes[end] === 0x5a && end + 1 === to) ||
    (bytes[end] === PLUS && two(bytes, end + 1) === 0 && (end + 3 === to || isZeroMinutes(bytes, end + 3, to)));
  if (!isUtc) return -1;
  bytes[end] = PLUS;
  bytes[end + 1] = ZERO;
  bytes[end + 2] = ZERO;
  return end + 3;
}

function isZeroMinutes(bytes: Buffer, at: number, to: number): boolean {
  const digits = bytes[at] === COLON ? at + 1 : at;
  return digits + 2 === to && two(bytes, digits) === 0;
}

function testUuid(bytes: Buffer, from: number, to: number): number {
  if (to - from !== 36) return -1;
  for (let at = 0; at < 36; at++) {
    const byte = bytes[from + at] as number;
    if (at === 8 || at === 13 || at === 18 || at === 23) {
      if (byte !== DASH) return -1;
    } else if (!((byte >= ZERO && byte <= NINE) || (byte >= 0x61 && byte <= 0x66))) return -1;
  }
  return to;
}

function testBoolean(bytes: Buffer, from: number, to: number): number {
  const length = to - from;
  const letter = (bytes[from] as number) | 0x20;
  const word = letter === 0x74 ? 'true' : letter === 0x66 ? 'false' : '';
  if (word === '' || (length !== 1 && length !== word.length)) return -1;
  for (let at = 1; at < length; at++) if (((bytes[from + at] as number) | 0x20) !== word.charCodeAt(at)) return -1;
  bytes[from] = letter;
  return from + 1;
}

/** The test of each type; undefined where every text will do, or where only the slow way tells. */
export const VALUE_TESTS: Readonly<Record<CanonicalType, BytesTest | undefined>> = {
  text: undefined,
  int64: testInteger,
  decimal: testDecimal,
  float64: testDecimal,
  boolean: testBoolean,
  date: testDate,
  time: testTime,
  timestamp: testTimestamp,
  timestamptz: testZoned,
  uuid: testUuid,
  json: () => -1,
  binary: () => -1,
};
