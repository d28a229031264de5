import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Row, Value } from '../../src/connectors/canonical.ts';
import type { Field } from '../../src/connectors/contract.ts';
import { encodeRows } from '../../src/connectors/lines.ts';

/** What a table of a shop or an ERP looks like: ten columns of most types, some empty, some with signs that need escapes. */
export const MIXED_FIELDS: readonly Field[] = [
  { name: 'id', type: 'int64', nullable: false },
  { name: 'customer', type: 'text', nullable: false },
  { name: 'email', type: 'text', nullable: true },
  { name: 'amount', type: 'decimal', nullable: false, precision: 12, scale: 2 },
  { name: 'quantity', type: 'int64', nullable: false },
  { name: 'score', type: 'float64', nullable: true },
  { name: 'active', type: 'boolean', nullable: false },
  { name: 'born', type: 'date', nullable: true },
  { name: 'updated_at', type: 'timestamp', nullable: false },
  { name: 'note', type: 'text', nullable: true },
];

const NAMES = ['Müller & Söhne', 'Acme, Inc.', 'O’Brien', 'Жанна', '東京商店', 'Smith', 'García', 'Café "Zur Post"'];
const NOTES = [
  '',
  'rings twice',
  'tab\there',
  'two\nlines',
  'back\\slash',
  'said "no, thanks"',
  '🙂 happy',
  'plain words of a usual length, as people write them',
];

const two = (value: number): string => String(value).padStart(2, '0');

/** Row `index` of the table, the same in every run: nothing is random. */
function mixedRow(index: number): Value[] {
  // Neighbours should not be alike, or the systems' own compression and prediction would flatter all of them.
  const mixed = Math.imul(index + 1, 0x9e3779b1) >>> 0;
  const cents = mixed % 10_000_000;
  const seconds = index % 86_400;
  return [
    String(index + 1),
    `${NAMES[mixed % 8]} ${mixed % 100_000}`,
    mixed % 10 === 0 ? null : `user${mixed % 1_000_000}@example${mixed % 97}.com`,
    `${Math.floor(cents / 100)}.${two(cents % 100)}`,
    String(mixed % 1000),
    mixed % 7 === 0 ? null : String(mixed / 1024),
    mixed % 3 === 0 ? 't' : 'f',
    mixed % 5 === 0 ? null : `${1940 + (mixed % 80)}-${two(1 + (mixed % 12))}-${two(1 + (mixed % 28))}`,
    // Of a year that is over: nobody changes rows tomorrow.
    `2025-${two(1 + (index % 12))}-${two(1 + (mixed % 28))} ${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}.${100_000 + (mixed % 899_999)}`,
    mixed % 4 === 0 ? null : (NOTES[mixed % 8] as string),
  ];
}

/** The rows in portions of about a megabyte. */
export function* mixedRows(count: number, portion = 8_192): Generator<Row[]> {
  for (let from = 0; from < count; from += portion)
    yield Array.from({ length: Math.min(portion, count - from) }, (_, offset) => mixedRow(from + offset));
}

/** The same as COPY text. */
export function* mixedLines(count: number): Generator<Buffer> {
  for (const rows of mixedRows(count)) yield encodeRows(rows);
}

/** The same as CSV with a header, as a spreadsheet writes it: quotes where needed, nothing between commas for null, `""` for empty. */
export function* mixedCsv(count: number): Generator<Buffer> {
  yield Buffer.from(`${MIXED_FIELDS.map((field) => field.name).join(',')}\n`);
  for (const rows of mixedRows(count)) yield Buffer.from(rows.map((row) => `${row.map(csvValue).join(',')}\n`).join(''));
}

function csvValue(value: Value): string {
  if (value === null) return '';
  return value === '' || /[",\n\r]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

/** Puts portions into a file. */
export async function writePortions(path: string, portions: Iterable<Buffer>): Promise<void> {
  await pipeline(Readable.from(portions), createWriteStream(path));
}
