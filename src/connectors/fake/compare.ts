import type { CanonicalType, Value } from '../canonical.ts';

/** The order of canonical values; null comes first. */
export function compareValues(type: CanonicalType, a: Value, b: Value): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? -1 : 1;
  switch (type) {
    case 'int64':
      return sign(BigInt(a) < BigInt(b), BigInt(a) > BigInt(b));
    case 'float64':
      return sign(Number(a) < Number(b), Number(a) > Number(b));
    case 'decimal':
      return compareDecimals(a, b);
    default:
      return Buffer.compare(Buffer.from(a), Buffer.from(b));
  }
}

function sign(less: boolean, more: boolean): number {
  return less ? -1 : more ? 1 : 0;
}

function compareDecimals(a: string, b: string): number {
  if (!/\d/.test(a) || !/\d/.test(b)) return sign(Number(a) < Number(b), Number(a) > Number(b) || Number.isNaN(Number(a)));
  const places = Math.max(placesOf(a), placesOf(b));
  const [x, y] = [scaled(a, places), scaled(b, places)];
  return sign(x < y, x > y);
}

function placesOf(text: string): number {
  const point = text.indexOf('.');
  return point === -1 ? 0 : text.length - point - 1;
}

function scaled(text: string, places: number): bigint {
  const [whole = '', fraction = ''] = text.replace(/^[+-]/, '').split('.');
  const digits = BigInt(whole + fraction.padEnd(places, '0'));
  return text.startsWith('-') ? -digits : digits;
}
