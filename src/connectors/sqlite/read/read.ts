import { isUtf8 } from 'node:buffer';
import type { DatabaseSync } from 'node:sqlite';
import { Batch, type Recycle, type Reject } from '../../batch.ts';
import type { CanonicalType } from '../../canonical.ts';
import { BATCH_BYTES, MAX_ROW_BYTES, type ReadRequest } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { valueInWords } from '../../value-in-words.ts';
import { FastPages } from './fast-pages.ts';
import { conditionOf, teachComparing } from './filters.ts';
import { type ValueReader, readerOf, type StoredValue } from '../database/from-sqlite.ts';
import { LineBuilder } from './line-builder.ts';
import { encodeValue } from '../../lines.ts';
import type { SqliteConfig } from '../manifest.ts';
import { breathe, patiently, quote } from '../database/open.ts';
import { type SqlitePosition, placeOf, positionOf } from './positions.ts';
import { type SqliteColumn, type SqliteTable, tableNamed, typesOf } from '../database/schema.ts';

// Rows that cannot be read are shown to people: a batch of nothing else ends early.
const MAX_REJECTS = 1000;

/**
 * Reads a page at a time, each with a statement of its own, so that no writer has to wait for us. A table is read in
 * the order of its rows' numbers, which are there even where keys are missing, doubled or null.
 */
export async function* read(
  database: DatabaseSync,
  request: ReadRequest,
  signal: AbortSignal,
  config: SqliteConfig,
): AsyncGenerator<Batch> {
  const table = tableNamed(database, request.stream);
  const columns = request.fields.map((name) => columnOf(table, name));
  const order = orderOf(table, request);
  teachComparing(database);
  let place: SqlitePosition =
    request.after === undefined
      ? { values: [], offset: 0, types: typesOf(database, table, columns) }
      : placeOf(request.after, order.length, columns.length);
  const page = pageOf(database, table, request, order);
  let left = request.limit ?? Number.MAX_SAFE_INTEGER;
  while (left > 0) {
    const [from, most] = [place, left];
    const { lines, rejects, last, count, isEnd, recycle } = await patiently(config, signal, () => page(from, most));
    left -= count;
    if (count > 0) {
      place = { types: place.types, values: last, offset: order.length === 0 ? place.offset + count : 0 };
      yield Batch.ofLines(lines, { position: positionOf(place), rejects, count: count - rejects.length, recycle });
    }
    if (isEnd) return;
    await breathe(signal);
  }
}

interface ReadPage {
  lines: Buffer;
  rejects: Reject[];
  /** The values of the last row that the next page begins behind. */
  last: StoredValue[];
  count: number;
  isEnd: boolean;
  recycle?: Recycle | undefined;
}

function pageOf(
  database: DatabaseSync,
  table: SqliteTable,
  request: ReadRequest,
  order: readonly string[],
): (place: SqlitePosition, limit: number) => ReadPage {
  const { fields, cursor, filters = [], batchBytes = BATCH_BYTES, batchRows = Number.MAX_SAFE_INTEGER } = request;
  const list = [...fields.map(quote), ...order].join(', ');
  const known = new Map(fields.map((name, at) => [name, at]));
  const outside = filters.filter(({ field }) => !known.has(field)).map(({ field }) => columnOf(table, field));
  const outsideTypes = new Map(
    typesOf(database, table, outside.length > 0 ? outside : table.columns.slice(0, 1)).map((type, at) => [outside[at]?.name, type]),
  );
  let fast: FastPages | undefined;
  return (place, limit) => {
    const conditions = filters.map((filter) => {
      const at = known.get(filter.field);
      return conditionOf(filter, (at === undefined ? outsideTypes.get(filter.field) : place.types[at]) ?? 'text');
    });
    if (cursor !== undefined) conditions.push({ sql: `${quote(cursor)} is not null`, values: [] });
    if (place.values.length > 0) conditions.push(behind(order, place.values));
    const where = conditions.length > 0 ? ` where ${conditions.map(({ sql }) => sql).join(' and ')}` : '';
    const by = order.length > 0 ? ` order by ${order.join(', ')}` : '';
    const source = ` from main.${quote(table.name)}${where}${by}`;
    const from = `${source} limit ${limit} offset ${place.offset}`;
    const bound = conditions.flatMap(({ values }) => [...values]);
    if (table.rowid && order.length === 1) {
      fast ??= new FastPages(database, fields, place.types, table.rowid, { batchBytes, batchRows });
      const page = fast.page({ sql: source, values: bound }, limit);
      if (page) return { ...page, rejects: [], last: [page.last] };
    }
    const statement = database.prepare(`select ${list}${from}`);
    statement.setReturnArrays(true);
    statement.setReadBigInts(true);
    const columns = place.types.map((type): ReadColumn => ({ read: readerOf(type), isPlain: PLAIN.has(type) }));
    const lines = new LineBuilder(batchBytes);
    const rejects: Reject[] = [];
    let [last, count, isEnd]: [StoredValue[], number, boolean] = [[], 0, true];
    for (const found of statement.iterate(...bound) as Iterable<StoredValue[]>) {
      const fault = append(lines, found, columns, (at) => isSound(database, table, fields[at] as string, from, bound, count));
      count++;
      if (order.length > 0) last = found.slice(fields.length);
      if (fault !== undefined) rejects.push(rejectOf(found, fields, fault, place.types));
      if (lines.bytes < batchBytes && count < batchRows && rejects.length < MAX_REJECTS) continue;
      isEnd = false;
      break;
    }
    if (count > 0) fast?.learn(lines.bytes / count);
    return { lines: lines.finish(), rejects, last, count, isEnd };
  };
}

interface ReadColumn {
  readonly read: ValueReader;
  /** Its values have no signs that need an escape. */
  readonly isPlain: boolean;
}

const PLAIN: ReadonlySet<CanonicalType> = new Set([
  'int64',
  'decimal',
  'float64',
  'boolean',
  'date',
  'time',
  'timestamp',
  'timestamptz',
  'uuid',
]);

/** Adds a row as a line, or nothing: then it gives the index of the first value that is not of its type. */
function append(
  lines: LineBuilder,
  row: readonly StoredValue[],
  columns: readonly ReadColumn[],
  isSound: (at: number) => boolean,
): number | undefined {
  let line = '';
  for (let at = 0; at < columns.length; at++) {
    const value = row[at] as StoredValue;
    if (at > 0) line += '\t';
    if (value === null) {
      line += '\\N';
      continue;
    }
    const { read, isPlain } = columns[at] as ReadColumn;
    const text = read(value);
    if (text === undefined || (typeof value === 'string' && value.includes('\ufffd') && !isSound(at))) return at;
    line += isPlain ? text : encodeValue(text);
  }
  if (line.length > MAX_ROW_BYTES)
    throw new OutsideError('data', 'ROW_TOO_LARGE', `A row has more than ${MAX_ROW_BYTES / 1024 / 1024} MB.`);
  lines.add(`${line}\n`);
  return undefined;
}

/** Whether a text that holds the sign for bad bytes really has that sign in it, and not bytes that are no UTF-8. */
function isSound(
  database: DatabaseSync,
  table: SqliteTable,
  name: string,
  from: string,
  bound: readonly (string | bigint | number | Uint8Array)[],
  skip: number,
): boolean {
  const statement = database.prepare(
    `select cast(${quote(name)} as blob)${from.replace(/ limit \d+ offset (\d+)$/, (_, offset) => ` limit 1 offset ${Number(offset) + skip}`)}`,
  );
  statement.setReturnArrays(true);
  const [bytes] = statement.get(...bound) as unknown as [Uint8Array | null];
  if (bytes === null) throw new OutsideError('bug', 'UNEXPECTED', `A row of "${table.name}" is gone.`);
  return isUtf8(bytes);
}

function rejectOf(row: readonly StoredValue[], fields: readonly string[], fault: number, types: readonly CanonicalType[]): Reject {
  const shown = row.map((value) =>
    typeof value === 'object' && value !== null ? `\\x${Buffer.from(value).toString('hex')}` : value === null ? null : String(value),
  );
  const isText = typeof row[fault] === 'string' && types[fault] === 'text';
  const field = fields[fault] as string;
  return {
    row: Object.fromEntries(fields.map((name, at) => [name, shown[at]])),
    field,
    reason: isText
      ? `The text of "${field}" has bytes that are not UTF-8.`
      : `The value of "${field}" is not of the type ${types[fault]}, which the other values of the column have: ${valueInWords(shown[fault])}.`,
  };
}

/** What a read is ordered by: always something unique. Nothing for a view of which no key is known. */
function orderOf(table: SqliteTable, { key, cursor }: ReadRequest): string[] {
  for (const name of key) columnOf(table, name);
  const first = cursor === undefined ? [] : [quote(columnOf(table, cursor).name)];
  if (table.rowid) return [...first, table.rowid];
  const unique = table.kind === 'table' ? table.key : key;
  if (cursor !== undefined && unique.length === 0)
    throw new OutsideError('config', 'KEY_MISSING', `To read the view "${table.name}" by cursor, its key has to be named.`);
  return [...first, ...unique.filter((name) => name !== cursor).map(quote)];
}

/** Rows behind these values. Null comes before everything, so that views whose keys have nulls lose nothing. */
function behind(
  order: readonly string[],
  values: readonly StoredValue[],
): { sql: string; values: (string | bigint | number | Uint8Array)[] } {
  if (values.every((value) => value !== null)) {
    const [left, right] = [order.join(', '), values.map(() => '?').join(', ')];
    return { sql: order.length === 1 ? `${left} > ?` : `(${left}) > (${right})`, values: [...values] };
  }
  const bound: (string | bigint | number | Uint8Array)[] = [];
  const literal = (value: StoredValue): string => {
    if (value === null) return 'null';
    bound.push(value);
    return '?';
  };
  const tests = order.map((column, at) => {
    const same = order.slice(0, at).map((other, index) => `${other} is ${literal(values[index] as StoredValue)}`);
    const value = values[at] as StoredValue;
    return [...same, value === null ? `${column} is not null` : `${column} > ${literal(value)}`].join(' and ');
  });
  return { sql: `(${tests.join(' or ')})`, values: bound };
}

function columnOf(table: SqliteTable, name: string): SqliteColumn {
  const column = table.columns.find((one) => one.name === name);
  if (!column) throw new OutsideError('config', 'FIELD_MISSING', `The table "${table.name}" has no column "${name}".`);
  return column;
}
