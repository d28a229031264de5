import type { Value } from '../../canonical.ts';
import type { Change } from '../../changes.ts';
import type { Reject } from '../../batch.ts';
import type { Cascade } from './cascades.ts';
import { EVENT } from './codes.ts';
import { ByteCursor, misread } from './cursor.ts';
import { inflated, type LogEvent, type LogFormat } from './events.ts';
import type { Layout } from './layout.ts';
import { hasBit } from './table-map.ts';

// Rows of the log. What a row takes was measured: no object is made but the row itself and the change that holds it.

type Operation = 'insert' | 'update' | 'delete';

const OPERATIONS: ReadonlyMap<number, Operation> = new Map<number, Operation>([
  [EVENT.writeRowsV1, 'insert'],
  [EVENT.writeRows, 'insert'],
  [EVENT.mariadbCompressedWriteV1, 'insert'],
  [EVENT.mariadbCompressedWrite, 'insert'],
  [EVENT.updateRowsV1, 'update'],
  [EVENT.updateRows, 'update'],
  [EVENT.mariadbCompressedUpdateV1, 'update'],
  [EVENT.mariadbCompressedUpdate, 'update'],
  [EVENT.deleteRowsV1, 'delete'],
  [EVENT.deleteRows, 'delete'],
  [EVENT.mariadbCompressedDeleteV1, 'delete'],
  [EVENT.mariadbCompressedDelete, 'delete'],
]);
/** Something of no concern to us may stand in front of the rows. */
const WITH_EXTRA: ReadonlySet<number> = new Set([
  EVENT.writeRows,
  EVENT.updateRows,
  EVENT.deleteRows,
  EVENT.mariadbCompressedWrite,
  EVENT.mariadbCompressedUpdate,
  EVENT.mariadbCompressedDelete,
]);
const isCompressed = (type: number): boolean => type >= EVENT.mariadbCompressedWriteV1 && type <= EVENT.mariadbCompressedDelete;

export const isRows = (type: number): boolean => OPERATIONS.has(type);

/** Which table the rows belong to, as the description before them numbered it. */
export function tableIdOf(event: LogEvent, format: LogFormat): number {
  const body = new ByteCursor(event.bytes, event.start, event.end);
  return format.fixed(event.type) === 6 ? body.uint32() : body.uint48();
}

/** Takes what is found. */
export interface RowTaker {
  /** With about how many bytes it holds. */
  take(change: Change, bytes: number): void;
  /** A value that is wanted is not there. */
  missing(stream: number): void;
}

export function readRows(event: LogEvent, format: LogFormat, layout: Layout, taker: RowTaker): void {
  const operation = OPERATIONS.get(event.type) as Operation;
  const body = new ByteCursor(event.bytes, event.start, event.end);
  body.take((format.fixed(event.type) === 6 ? 4 : 6) + 2);
  if (WITH_EXTRA.has(event.type)) body.take(body.uint16() - 2);
  const count = body.packed();
  if (count !== layout.columns.length) throw misread();
  const bits = (count + 7) >> 3;
  const first = presence(body.slice(bits), count);
  const second = operation === 'update' ? presence(body.slice(bits), count) : first;
  const cursor = isCompressed(event.type) ? new ByteCursor(inflated(body.slice(body.rest))) : body;
  const rows = new RowReader(layout, cursor);
  if (layout.isBroken) return;
  if (operation === 'delete' ? !hasAll(first, layout.keyColumns) : !hasAll(second, layout.wantedColumns))
    if (operation !== 'update' || !hasAll(first, layout.wantedColumns))
      // What an update leaves out behind it, it may have in front.
      return taker.missing(layout.stream);
  while (cursor.rest > 0) {
    const from = cursor.at;
    const change = rows.next(operation, first, second);
    taker.take(change, (cursor.at - from) * 2 + layout.overhead);
  }
}

/** The streams that rows of a table on which others depend may have changed, where the log does not tell it. */
export function cascaded(event: LogEvent, format: LogFormat, cascade: Cascade, watched: Layout | undefined): readonly number[] {
  const operation = OPERATIONS.get(event.type);
  if (operation === 'delete') return cascade.onDelete;
  if (operation === 'insert' || cascade.onUpdate.length === 0) return [];
  if (!watched) return cascade.onUpdate;
  let isChanged = false;
  readRows(event, format, watched, {
    take: (change) => {
      if (change.op !== 'update' || change.key !== undefined) isChanged = true;
    },
    missing: () => {
      isChanged = true;
    },
  });
  return isChanged ? cascade.onUpdate : [];
}

/** Which columns are there; undefined when all are. */
function presence(bits: Buffer, count: number): Presence | undefined {
  let present = 0;
  for (let i = 0; i < count; i++) if (hasBit(bits, i)) present++;
  return present === count ? undefined : { bits, present };
}

interface Presence {
  readonly bits: Buffer;
  readonly present: number;
}

function hasAll(presence: Presence | undefined, columns: readonly number[]): boolean {
  return presence === undefined || columns.every((column) => hasBit(presence.bits, column));
}

class RowReader {
  readonly #layout: Layout;
  readonly #cursor: ByteCursor;
  #faultAt = -1;

  constructor(layout: Layout, cursor: ByteCursor) {
    this.#layout = layout;
    this.#cursor = cursor;
  }

  next(operation: Operation, first: Presence | undefined, second: Presence | undefined): Change {
    const { stream, fields, keyFields, keyNames } = this.#layout;
    if (operation === 'delete') {
      const key = this.#image(first, this.#layout.keyPlaces, keyNames.length);
      return this.#faultAt === -1 ? { op: 'delete', stream, key } : this.#rejected(key, key, keyNames);
    }
    if (operation === 'insert') {
      const row = this.#image(first, this.#layout.places, fields.length);
      return this.#faultAt === -1 ? { op: 'insert', stream, row } : this.#rejected(row, keyOf(row, keyFields));
    }
    // All of the old row is needed only when the new one is told in part.
    let key: Value[];
    let row: Value[];
    if (second === undefined) {
      key = this.#image(first, this.#layout.keyPlaces, keyNames.length);
      if (this.#faultAt !== -1) this.#cursor.fault = undefined;
      row = this.#image(second, this.#layout.places, fields.length);
    } else {
      const before = this.#image(first, this.#layout.places, fields.length);
      key = keyOf(before, keyFields);
      row = this.#image(second, this.#layout.places, fields.length, before);
    }
    if (this.#faultAt !== -1) return this.#rejected(row, key);
    for (let i = 0; i < key.length; i++) if (key[i] !== row[keyFields[i] as number]) return { op: 'update', stream, row, key };
    return { op: 'update', stream, row };
  }

  /** One image of a row: the values that have a place, at their places. */
  #image(presence: Presence | undefined, places: Int32Array, length: number, base?: readonly Value[]): Value[] {
    const cursor = this.#cursor;
    const { readers, skippers } = this.#layout;
    const count = places.length;
    const nulls = cursor.take(((presence?.present ?? count) + 7) >> 3);
    const { bytes } = cursor;
    const values: Value[] = base ? [...base] : Array.from<Value>({ length }).fill(null);
    this.#faultAt = -1;
    let at = 0;
    for (let i = 0; i < count; i++) {
      if (presence !== undefined && !hasBit(presence.bits, i)) continue;
      const isNull = ((bytes[nulls + (at >> 3)] as number) & (1 << (at & 7))) !== 0;
      at++;
      const place = places[i] as number;
      if (isNull) {
        if (place >= 0) values[place] = null;
      } else if (place < 0) (skippers[i] as (cursor: ByteCursor) => void)(cursor);
      else {
        values[place] = (readers[i] as (cursor: ByteCursor) => Value)(cursor);
        if (cursor.fault !== undefined && this.#faultAt === -1) this.#faultAt = place;
      }
    }
    return values;
  }

  #rejected(
    row: readonly Value[],
    key: readonly Value[],
    names: readonly string[] = this.#layout.fields.map((field) => field.name),
  ): Change {
    const reason = this.#cursor.fault ?? 'the value cannot be read';
    this.#cursor.fault = undefined;
    const field = names[this.#faultAt];
    const reject: Reject = {
      row: Object.fromEntries(names.map((name, i) => [name, row[i] ?? null])),
      ...(field !== undefined && { field }),
      reason,
    };
    return { op: 'reject', stream: this.#layout.stream, key, reject };
  }
}

function keyOf(row: readonly Value[], keyFields: readonly number[]): Value[] {
  return keyFields.map((field) => row[field] ?? null);
}
