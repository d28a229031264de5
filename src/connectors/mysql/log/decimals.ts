import type { ByteCursor } from './cursor.ts';

/** Bytes of so many left-over digits; nine digits are four bytes. */
const BYTES_OF = [0, 1, 1, 2, 2, 3, 3, 4, 4, 4];

/** How many bytes a decimal takes. */
export function decimalBytes(precision: number, scale: number): number {
  const whole = precision - scale;
  return Math.floor(whole / 9) * 4 + (BYTES_OF[whole % 9] as number) + Math.floor(scale / 9) * 4 + (BYTES_OF[scale % 9] as number);
}

/**
 * A decimal as text. It is stored in groups of nine digits, the highest first, so that bytes sort as numbers do: the first bit is turned around, and
 * of one below zero all are.
 */
export function readDecimal(cursor: ByteCursor, precision: number, scale: number): string {
  const { bytes } = cursor;
  const from = cursor.take(decimalBytes(precision, scale));
  const isNegative = ((bytes[from] as number) & 0x80) === 0;
  const mask = isNegative ? 0xff : 0;
  let at = from;
  const group = (digits: number): string => {
    const length = BYTES_OF[digits] as number;
    let number = 0;
    for (let i = 0; i < length; i++, at++) {
      const byte = (bytes[at] as number) ^ mask;
      number = number * 256 + (at === from ? byte ^ 0x80 : byte);
    }
    return digits === 0 ? '' : String(number).padStart(digits, '0');
  };
  const whole = precision - scale;
  let digits = group(whole % 9);
  for (let left = whole - (whole % 9); left > 0; left -= 9) digits += group(9);
  let start = 0;
  while (start < digits.length - 1 && digits.charCodeAt(start) === 0x30) start++;
  let text = digits.slice(start) || '0';
  if (scale > 0) {
    text += '.';
    for (let left = scale; left >= 9; left -= 9) text += group(9);
    text += group(scale % 9);
  }
  return isNegative ? `-${text}` : text;
}
