import { Batch } from '../batch.ts';
import type { Row, Value } from '../canonical.ts';
import { BATCH_BYTES, type Field, type Filter, MAX_ROW_BYTES, type ReadRequest } from '../contract.ts';
import { OutsideError } from '../../outside/errors.ts';
import { compareValues } from './compare.ts';
import type { Script } from './faults.ts';
import type { Memory, StoredRow, FakeTable } from './memory.ts';

/** The values of cursor and key, then the order of arrival: unique even where the key is not. */
type FakePosition = readonly [...Value[], string];

export async function* read(memory: Memory, script: Script, request: ReadRequest): AsyncGenerator<Batch> {
  const table = memory.table(request.stream);
  const picked = request.fields.map((name) => indexOf(table, request.stream, name));
  const order = [...(request.cursor === undefined ? [] : [request.cursor]), ...request.key].map((name) =>
    indexOf(table, request.stream, name),
  );
  let after = request.after === undefined ? undefined : placeOf(request.after, order.length);
  let left = request.limit ?? Infinity;
  let [sorted, version]: [StoredRow[], number] = [[], -1];
  memory.open++;
  try {
    for (let batches = 0; left > 0; batches++) {
      await script.at('read', { stream: request.stream, batches, signal: request.signal });
      if (table.version !== version || request.cursor !== undefined) {
        sorted = rowsInOrder(memory, table, order, request);
        version = table.version;
      }
      const start = after === undefined ? 0 : firstBehind(sorted, table, order, after);
      const rows: Row[] = [];
      let at = start;
      const { batchBytes = BATCH_BYTES, batchRows = Number.POSITIVE_INFINITY } = request;
      for (let bytes = 0; at < sorted.length && left > 0 && bytes < batchBytes && rows.length < batchRows; at++, left--) {
        const row = picked.map((index) => (sorted[at] as StoredRow).values[index] ?? null);
        bytes += sizeOf(row, request.stream);
        rows.push(row);
      }
      if (rows.length === 0) return;
      after = placeAt(sorted[at - 1] as StoredRow, order);
      yield Batch.ofRows(rows, { position: JSON.stringify({ at: after }) });
      if (at < sorted.length) continue;
      if (!table.endless) return;
      after = undefined;
    }
  } finally {
    memory.open--;
  }
}

function rowsInOrder(
  memory: Memory,
  table: FakeTable,
  order: readonly number[],
  { cursor, filters = [], stream }: ReadRequest,
): StoredRow[] {
  const tests = filters.map((filter) => testOf(filter, indexOf(table, stream, filter.field), table.fields));
  // A row without a cursor's value has no place in its order; who reads by cursor reads what has one.
  const cursorAt = order[0];
  const visible = [...table.rows.values()].filter(
    (row) =>
      (cursor === undefined || (row.transaction < memory.horizon && (row.values[cursorAt as number] ?? null) !== null)) &&
      tests.every((passes) => passes(row.values)),
  );
  return visible.sort((a, b) => comparePlaces(table, order, placeAt(a, order), placeAt(b, order)));
}

function firstBehind(sorted: readonly StoredRow[], table: FakeTable, order: readonly number[], place: FakePosition): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (comparePlaces(table, order, placeAt(sorted[middle] as StoredRow, order), place) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function placeAt(row: StoredRow, order: readonly number[]): FakePosition {
  return [...order.map((index) => row.values[index] ?? null), String(row.id)];
}

function comparePlaces(table: FakeTable, order: readonly number[], a: FakePosition, b: FakePosition): number {
  for (const [at, index] of order.entries()) {
    const result = compareValues((table.fields[index] as Field).type, a[at] ?? null, b[at] ?? null);
    if (result !== 0) return result;
  }
  return Number(a.at(-1)) - Number(b.at(-1));
}

function placeOf(position: string, length: number): FakePosition {
  try {
    const { at } = JSON.parse(position) as { at: Value[] };
    const isPlace = Array.isArray(at) && at.length === length + 1 && at.every((value) => value === null || typeof value === 'string');
    if (isPlace && /^\d+$/.test(at.at(-1) ?? '')) return at as unknown as FakePosition;
  } catch {
    // Not JSON: answered below.
  }
  throw new OutsideError('config', 'POSITION_INVALID', 'The position is not one of this stream.', { hint: 'Start the read anew.' });
}

function indexOf(table: FakeTable, stream: string, name: string): number {
  const index = table.fields.findIndex((field) => field.name === name);
  if (index === -1) throw new OutsideError('config', 'FIELD_MISSING', `The stream "${stream}" has no field "${name}".`);
  return index;
}

function sizeOf(row: Row, stream: string): number {
  let bytes = 0;
  for (const value of row) bytes += 1 + (value === null ? 2 : Buffer.byteLength(value));
  if (bytes > MAX_ROW_BYTES) throw new OutsideError('data', 'ROW_TOO_LARGE', `A row of "${stream}" is larger than ${MAX_ROW_BYTES} bytes.`);
  return bytes;
}

function testOf({ op, value }: Filter, at: number, fields: readonly Field[]): (row: Row) => boolean {
  const { type } = fields[at] as Field;
  if (op === 'is_null') return (row) => (row[at] ?? null) === null;
  if (op === 'not_null') return (row) => (row[at] ?? null) !== null;
  const wanted = typeof value === 'string' ? [value] : (value ?? []);
  const compare = (row: Row): number[] => wanted.map((one) => compareValues(type, row[at] ?? null, one));
  const holds: Readonly<Record<typeof op, (results: number[]) => boolean>> = {
    '=': ([result]) => result === 0,
    '!=': ([result]) => result !== 0,
    '<': ([result = 0]) => result < 0,
    '<=': ([result = 1]) => result <= 0,
    '>': ([result = 0]) => result > 0,
    '>=': ([result = -1]) => result >= 0,
    in: (results) => results.includes(0),
  };
  return (row) => (row[at] ?? null) !== null && holds[op](compare(row));
}
