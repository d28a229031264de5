import { parseNamed } from './json-names.ts';

declare global {
  // In the language since ES2025, not yet in TypeScript's library.
  interface JSON {
    parse(text: string, reviver: (this: unknown, name: string, value: unknown, context: { source: string }) => unknown): unknown;
    rawJSON(text: string): object;
    isRawJSON(value: unknown): boolean;
  }
}

// JSON in which no digit is lost. A number that a double cannot hold is kept as it was written (`JSON.rawJSON`), so that it is stored
// and sent on unchanged. Nearly every text has none: one look at the text tells, and only the others pay for a look at each number. It looks where
// values begin, so that a hash or an id in quotes costs nothing.
const SUSPICIOUS = /(?:^|[:[,])\s*-?(?:\d+(?:\.\d+)?[eE]|[\d.]{16})/;
/** What such a number has in it: an exponent, or so many digits and points in a row. To look for these is cheaper by far, and mostly enough. */
const EXPONENT = /\d[eE][+\-\d]/;
const LONG = 16;
/** So many digits fit into a double, wherever the point is. */
const ALWAYS_HELD = 15;
const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

export type JsonObject = Readonly<Record<string, unknown>>;

/** Parses JSON; throws a SyntaxError as `JSON.parse` does. */
export function parseExactly(text: string): unknown {
  const isSuspicious = (EXPONENT.test(text) || hasLongNumber(text)) && SUSPICIOUS.test(text);
  return parseNamed(text, isSuspicious ? numberOf : undefined);
}

/** A long row covers one of the places whose number is a multiple of its length, so only those are looked at. */
function hasLongNumber(text: string): boolean {
  for (let at = 0; at < text.length; at += LONG) {
    if (!isOfNumber(text.charCodeAt(at))) continue;
    let [from, to] = [at, at + 1];
    while (from > 0 && isOfNumber(text.charCodeAt(from - 1))) from--;
    while (to < text.length && isOfNumber(text.charCodeAt(to))) to++;
    if (to - from >= LONG) return true;
  }
  return false;
}

/** A digit or a point. */
function isOfNumber(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === 0x2e;
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A number that a double cannot hold stays as it was written. */
function numberOf(source: string): unknown {
  const number = Number(source);
  return isHeld(number, source) ? number : JSON.rawJSON(source);
}

function isHeld(value: number, source: string): boolean {
  if (source.length <= ALWAYS_HELD && !/[eE]/.test(source)) return true;
  return magnitude(source) === magnitude(String(value));
}

/** A number's significant digits and magnitude: equal for equal values, however they are written. */
function magnitude(number: string): string {
  const [mantissa = '', exponent = '0'] = number.toLowerCase().replace(/^-/, '').split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

/** A number that was kept as it was written; undefined for any other value. */
export function keptNumber(value: unknown): string | undefined {
  return JSON.isRawJSON(value) ? (value as { rawJSON: string }).rawJSON : undefined;
}

/** How a value is written that is no list, no object and not null. */
export function scalarText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : keptNumber(value);
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
}

/** Whether a text is a number as JSON writes it, but for zeros in front. */
export function isJsonNumber(text: string): boolean {
  return NUMBER.test(text);
}
