import type { ByteCursor } from './cursor.ts';

// Days and times of the log, as the server would write them.

const two = (number: number): string => (number < 10 ? `0${number}` : String(number));
const four = (number: number): string => String(number).padStart(4, '0');

/** Three bytes: five bits of the day, four of the month, the year. */
export function readDate(cursor: ByteCursor): string {
  const packed = cursor.uint24();
  return `${four(packed >> 9)}-${two((packed >> 5) & 15)}-${two(packed & 31)}`;
}

/** A fraction of so many digits; two of them are a byte. */
function readFraction(cursor: ByteCursor, digits: number): string {
  if (digits === 0) return '';
  const number = cursor.uintBE((digits + 1) >> 1);
  const stored = digits + (digits & 1);
  return `.${String(number).padStart(stored, '0').slice(0, digits)}`;
}

/** Forty bits: a sign, 17 of year × 13 + month, five of the day, of the hour, six of the minute and of the second. */
export function readDatetime(cursor: ByteCursor, digits: number): string {
  const packed = cursor.uintBE(5) - 0x80_0000_0000;
  const days = Math.floor(packed / 0x2_0000);
  const time = packed % 0x2_0000;
  const months = days >> 5;
  const day = `${four(Math.floor(months / 13))}-${two(months % 13)}-${two(days & 31)}`;
  return `${day} ${two(time >> 12)}:${two((time >> 6) & 63)}:${two(time & 63)}${readFraction(cursor, digits)}`;
}

/** Seconds since 1970. Zero is the date that is none. */
export function readTimestamp(cursor: ByteCursor, digits: number): string {
  return momentOf(cursor.uintBE(4)) + readFraction(cursor, digits);
}

export function readOldTimestamp(cursor: ByteCursor): string {
  return momentOf(cursor.uint32());
}

// Most rows of a transaction are of the same day.
let lastDay = -1;
let lastDate = '';

function momentOf(seconds: number): string {
  if (seconds === 0) return '0000-00-00 00:00:00';
  const day = Math.floor(seconds / 86_400);
  if (day !== lastDay) {
    lastDay = day;
    lastDate = new Date(day * 86_400_000).toISOString().slice(0, 10);
  }
  const rest = seconds - day * 86_400;
  return `${lastDate} ${two(Math.floor(rest / 3600))}:${two(Math.floor(rest / 60) % 60)}:${two(rest % 60)}`;
}

/** Eight bytes, whose decimal digits are the date and time. */
export function readOldDatetime(cursor: ByteCursor): string {
  const digits = cursor.uint64().toString().padStart(14, '0');
  return digits.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/, '$1-$2-$3 $4:$5:$6');
}

/** Three bytes, of which the digits are the time; below zero too. */
export function readOldTime(cursor: ByteCursor): string {
  const packed = (cursor.uint24() << 8) >> 8;
  const size = Math.abs(packed);
  return `${packed < 0 ? '-' : ''}${two(Math.floor(size / 10_000))}:${two(Math.floor(size / 100) % 100)}:${two(size % 100)}`;
}

/**
 * Three bytes and those of the fraction are one number, with its middle at zero: a sign, a bit that is not used, ten bits of hours, six of minutes
 * and of seconds.
 */
export function readTime(cursor: ByteCursor, digits: number): string {
  const length = (digits + 1) >> 1;
  const unit = 2 ** (8 * length);
  const packed = cursor.uintBE(3 + length) - 0x80_0000 * unit;
  const size = Math.abs(packed);
  const time = Math.floor(size / unit);
  const fraction =
    digits === 0
      ? ''
      : `.${String(size % unit)
          .padStart(length * 2, '0')
          .slice(0, digits)}`;
  return `${packed < 0 ? '-' : ''}${two(time >> 12)}:${two((time >> 6) & 63)}:${two(time & 63)}${fraction}`;
}
