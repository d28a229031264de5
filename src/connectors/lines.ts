import type { Row, Value } from './canonical.ts';
import { OutsideError } from '../outside/errors.ts';

// Rows as bytes: PostgreSQL's COPY text format. Fields are separated by tabs, a row ends with a newline, null is \N, and
// backslashes stand before what would be misread. Databases read and write this format themselves, so that a row can
// pass without ever being a JavaScript object.

const NEWLINE = 0x0a;
const NEEDS_ESCAPE = /[\\\t\n\r]/;
const ESCAPES = /[\\\t\n\r]/g;
const ESCAPED: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
// Without a group: to capture each of a million escapes takes ten times as long.
const SEQUENCES = /\\[^]/g;
const MEANING: Readonly<Record<string, string>> = { '\\t': '\t', '\\n': '\n', '\\r': '\r', '\\b': '\b', '\\f': '\f', '\\v': '\v' };

export function encodeValue(value: Value): string {
  if (value === null) return '\\N';
  return NEEDS_ESCAPE.test(value) ? value.replace(ESCAPES, (character) => ESCAPED[character] as string) : value;
}

export function decodeValue(field: string): Value {
  if (!field.includes('\\')) return field;
  if (field === '\\N') return null;
  return field.replace(SEQUENCES, (sequence) => MEANING[sequence] ?? (sequence[1] as string));
}

export function encodeRows(rows: readonly Row[]): Buffer {
  let text = '';
  for (const row of rows) {
    for (let i = 0; i < row.length; i++) {
      if (i > 0) text += '\t';
      text += encodeValue(row[i] as Value);
    }
    text += '\n';
  }
  // A lone surrogate has no UTF-8; to write U+FFFD instead would change the value in silence.
  if (!text.isWellFormed()) throw new OutsideError('data', 'BAD_TEXT', 'A text contains half of a surrogate pair.');
  return Buffer.from(text);
}

export function decodeRows(lines: Buffer): Row[] {
  if (lines.length === 0) return [];
  const texts = lines.toString('utf8').split('\n');
  texts.pop();
  return texts.map((line) => (line.includes('\\') ? line.split('\t').map(decodeValue) : line.split('\t')));
}

export function countRows(lines: Buffer): number {
  let count = 0;
  for (let at = lines.indexOf(NEWLINE); at !== -1; at = lines.indexOf(NEWLINE, at + 1)) count++;
  return count;
}

/** The last row, for positions: it alone is decoded. */
export function lastRow(lines: Buffer): Row | undefined {
  if (lines.length === 0) return undefined;
  const start = lines.length < 2 ? 0 : lines.lastIndexOf(NEWLINE, lines.length - 2) + 1;
  return decodeRows(lines.subarray(start))[0];
}
