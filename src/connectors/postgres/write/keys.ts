import { type CanonicalType, comparable, type Row } from '../../canonical.ts';
import type { Reject } from '../../batch.ts';
import type { Field } from '../../contract.ts';
import { decodeValue } from '../../lines.ts';

const TAB = 0x09;
const NEWLINE = 0x0a;
const BACKSLASH = 0x5c;
const ZERO = 0x30;
const MINUS = 0x2d;

/** Where the key is in a row, and of what types it is. */
export interface KeyPlaces {
  places: readonly number[];
  types: readonly CanonicalType[];
}

/** Thrown where rows without a key, or two with the same, are in the way of a quick path. */
export class UnfitKeys extends Error {}

// Of these, values are the same when their texts are.
const PLAIN = new Set<CanonicalType>(['int64', 'text', 'uuid', 'date', 'boolean', 'binary']);

// What is not the same as text is not the same in columns of these types either.
const EXACT: Partial<Record<CanonicalType, readonly string[]>> = { int64: ['int2', 'int4', 'int8', 'numeric'], uuid: ['uuid'] };

/** Something that notices when rows stop coming in the order of their keys; undefined where that would prove nothing. */
export function ascentOf({ types }: KeyPlaces, columns: readonly { base: string }[]): Ascent | undefined {
  const [type, ...more] = types;
  const [column] = columns;
  return type && column && more.length === 0 && EXACT[type]?.includes(column.base) ? new Ascent() : undefined;
}

export function keyPlaces(fields: readonly Field[], key: readonly string[]): KeyPlaces {
  const places = key.map((name) => fields.findIndex((field) => field.name === name));
  return { places, types: places.map((place) => (fields[place] as Field).type) };
}

/**
 * Throws UnfitKeys when a key is null or there twice. Rows that come in the order of their key, as most do, cost next to nothing. An
 * ascent is told whether they do.
 */
export function demandFitKeys(lines: Buffer, { places, types }: KeyPlaces, ascent?: Ascent): void {
  const [place = 0] = places;
  const [type = 'text'] = types;
  const ends = places.length === 1 && PLAIN.has(type) ? endsOfAscending(lines, place, type === 'int64') : undefined;
  if (ends) {
    ascent?.goOn(ends);
    return;
  }
  ascent?.end();
  if (places.length > 1 && types.every((one) => PLAIN.has(one)) && isAscending(lines, { places, types })) return;
  const seen = new Set<string>();
  let rows = 0;
  let start = 0;
  for (let end = lines.indexOf(NEWLINE); end !== -1; end = lines.indexOf(NEWLINE, start)) {
    const fields = lines.toString('utf8', start, end).split('\t');
    seen.add(
      keyOf(
        places.map((at) => decodeValue(fields[at] as string)),
        types,
      ) ?? unfit(),
    );
    if (seen.size !== ++rows) unfit();
    start = end + 1;
  }
}

function unfit(): never {
  throw new UnfitKeys();
}

interface Ends {
  first: Buffer;
  last: Buffer;
  rows: number;
}

/** The ends of rows of which each has a key longer than the one before or, with the same length, greater: then no two are the same. */
function endsOfAscending(lines: Buffer, place: number, isNumber: boolean): Ends | undefined {
  let [lastStart, lastLength, rows] = [0, -1, 0];
  let first: Buffer | undefined;
  for (let start = 0; start < lines.length; rows++) {
    let at = start;
    for (let tabs = 0; tabs < place; at++) if (lines[at] === TAB) tabs++;
    const from = at;
    while (lines[at] !== TAB && lines[at] !== NEWLINE) {
      if (lines[at] === BACKSLASH && at === from && lines[at + 1] === 0x4e) return undefined;
      at++;
    }
    const length = at - from;
    if (length < lastLength || (length === lastLength && differenceAt(lines, from, lastStart, length) <= 0)) return undefined;
    if (isNumber && hasZero(lines, from, length)) return undefined;
    [lastStart, lastLength] = [from, length];
    first ??= lines.subarray(from, at);
    start = lines.indexOf(NEWLINE, at) + 1;
  }
  return first && { first, last: lines.subarray(lastStart, lastStart + lastLength), rows };
}

/** The same of keys of several columns: the first column in which a row differs from the one before is longer or, with the same length, greater. */
function isAscending(lines: Buffer, { places, types }: KeyPlaces): boolean {
  const columns = Math.max(...places) + 1;
  // Where the columns of a row begin, and the one behind them; and the same of the row before.
  let starts: number[] = Array.from({ length: columns + 1 }, () => 0);
  let before: number[] = [];
  for (let at = 0; at < lines.length; ) {
    for (let column = 0; column < columns; column++) {
      starts[column] = at;
      while (lines[at] !== TAB && lines[at] !== NEWLINE) at++;
      at++;
    }
    starts[columns] = at;
    // The first row has none before it.
    let difference = before.length === 0 ? 1 : 0;
    for (let n = 0; n < places.length; n++) {
      const place = places[n] as number;
      const from = starts[place] as number;
      const length = (starts[place + 1] as number) - from - 1;
      if (lines[from] === BACKSLASH && lines[from + 1] === 0x4e) return false;
      if (types[n] === 'int64' && hasZero(lines, from, length)) return false;
      if (difference !== 0) continue;
      const other = before[place] as number;
      difference = length - ((before[place + 1] as number) - other - 1);
      if (difference === 0) difference = differenceAt(lines, from, other, length);
    }
    if (difference <= 0) return false;
    if (lines[at - 1] !== NEWLINE) at = lines.indexOf(NEWLINE, at) + 1;
    const free = before.length === 0 ? [...starts] : before;
    before = starts;
    starts = free;
  }
  return true;
}

/** `08` is longer than `8`, and the same. */
function hasZero(lines: Buffer, from: number, length: number): boolean {
  return length > 1 && (lines[from] === ZERO || (lines[from] === MINUS && lines[from + 1] === ZERO));
}

/** Keys are short: a loop is over before a call into the runtime has begun. */
function differenceAt(lines: Buffer, one: number, other: number, length: number): number {
  for (let i = 0; i < length; i++) {
    const difference = (lines[one + i] as number) - (lines[other + i] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Batches whose rows all come in the order of their keys, each behind the one before: as long as that goes on, no key is there twice. */
export class Ascent {
  #last: Buffer | undefined;
  #rows = 0;

  goOn({ first, last, rows }: Ends): void {
    const isHigher =
      !this.#last || first.length > this.#last.length || (first.length === this.#last.length && this.#last.compare(first) < 0);
    if (!isHigher) this.end();
    this.#rows += rows;
    // The batch itself need not be kept for it.
    this.#last = Buffer.from(last);
  }

  end(): void {
    this.#rows = Number.NEGATIVE_INFINITY;
  }

  /** Whether it has gone on for so many rows. */
  hasAll(rows: number): boolean {
    return this.#rows >= rows;
  }
}

function keyOf(values: Row, types: readonly CanonicalType[]): string | undefined {
  if (values.includes(null)) return undefined;
  return values.length === 1
    ? (comparable(types[0] as CanonicalType, values[0] as string) as string)
    : JSON.stringify(values.map((value, i) => comparable(types[i] as CanonicalType, value)));
}

/** The rows of a batch that can be written, each key once, the last one of several; and the rows that have none. */
export function sortOutKeys(
  rows: readonly Row[],
  fields: readonly Field[],
  { places, types }: KeyPlaces,
): { kept: number[]; rejects: Reject[] } {
  const last = new Map<string, number>();
  const rejects: Reject[] = [];
  for (const [index, row] of rows.entries()) {
    const key = keyOf(
      places.map((place) => row[place] ?? null),
      types,
    );
    if (key !== undefined) last.set(key, index);
    else {
      const field = fields[places.find((place) => row[place] === null) ?? 0]?.name ?? '';
      rejects.push({ index, row: toRecord(fields, row), field, reason: `"${field}" is part of the key and may not be empty.` });
    }
  }
  return { kept: [...last.values()].sort((a, b) => a - b), rejects };
}

export function toRecord(fields: readonly Field[], row: Row): Record<string, unknown> {
  return Object.fromEntries(fields.map(({ name }, i) => [name, row[i] ?? null]));
}
