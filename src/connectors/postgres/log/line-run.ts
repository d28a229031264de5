import type { Change, ChangeLines } from '../../changes.ts';
import { BATCH_BYTES, type Field } from '../../contract.ts';
import { decodeRows } from '../../lines.ts';
import { Recycler } from '../../recycler.ts';
import { type ColumnPlaces, WalUnreadable } from './messages.ts';

// Most of a large transaction are changes of one kind, and so are many small ones that follow each other. What the log has of them is put into lines as it
// comes, and nobody makes objects of it.

/** How rows of a table become lines, by their places in the log. */
export interface LineShape {
  readonly stream: number;
  /** 1: it goes into the line; 2: it is a part of the key as well. */
  readonly columns: Uint8Array;
  /** The key is one number. */
  readonly hasNumber: boolean;
}

/** Undefined where a row is not told as the log has it. */
export function lineShapeOf(stream: number, { row, width, key }: ColumnPlaces, keyFields: readonly Field[]): LineShape | undefined {
  const wanted = [...row].filter((place) => place !== -1);
  const isInOrder = wanted.length === width && wanted.every((place, at) => place === at);
  // Of others a target may take two for the same one.
  if (!isInOrder || !keyFields.every(({ type }) => type === 'int64' || type === 'uuid')) return undefined;
  const columns = Uint8Array.from(row, (place, at) => (place === -1 ? 0 : key[at] === -1 ? 1 : 2));
  return { stream, columns, hasNumber: keyFields.length === 1 && keyFields[0]?.type === 'int64' };
}

/** Fewer are not worth while. */
const FEWEST = 64;
/** Where keys come again sooner, changes are made quicker in rounds. */
const FEWEST_UNTIL_AGAIN = 500;
/** A longer row comes by itself. */
const LONGEST = 64 * 1024;
/** A null, which is one byte in the log, takes three. */
const SLACK = 4 * LONGEST;

const [NULL, TEXT, TAB, NEWLINE, RETURN, BACKSLASH] = Buffer.from('nt\t\n\r\\') as unknown as number[];
const [UPPER_N, LOWER_N, LOWER_R, LOWER_T, ZERO, NINE] = Buffer.from('Nnrt09') as unknown as [
  number,
  number,
  number,
  number,
  number,
  number,
];
/** A number of so many digits is never rounded. */
const EXACT_DIGITS = 15;

export function linesMemory(): Recycler {
  return new Recycler(BATCH_BYTES + SLACK);
}

/** Changes that follow each other, of one stream and one kind, each key once. */
export class LineRun {
  readonly shape: LineShape;
  readonly kind: ChangeLines['kind'];
  readonly #memory: Recycler;
  readonly #out: Buffer;
  readonly #keys = new Set<number | string>();
  #fill = 0;
  #count = 0;
  /** How much of it is of transactions that are whole. */
  #whole = { fill: 0, count: 0 };

  constructor(shape: LineShape, kind: ChangeLines['kind'], memory: Recycler) {
    this.shape = shape;
    this.kind = kind;
    this.#memory = memory;
    this.#out = memory.take();
  }

  get isFull(): boolean {
    return this.#fill >= BATCH_BYTES;
  }

  get isShort(): boolean {
    return this.#count < FEWEST;
  }

  get isShortUntilAgain(): boolean {
    return this.#count < FEWEST_UNTIL_AGAIN;
  }

  get size(): number {
    return this.#fill;
  }

  /** All that is in it belongs to transactions that end here. */
  commit(): void {
    this.#whole = { fill: this.#fill, count: this.#count };
  }

  get hasWhole(): boolean {
    return this.#whole.count > 0;
  }

  /** Leaves what is of transactions that are whole, and answers the rest as a run of its own; undefined when there is none. */
  split(): LineRun | undefined {
    const { fill, count } = this.#whole;
    if (count === this.#count) return undefined;
    const rest = new LineRun(this.shape, this.kind, this.#memory);
    this.#out.copy(rest.#out, 0, fill, this.#fill);
    rest.#fill = this.#fill - fill;
    rest.#count = this.#count - count;
    // Keys stand in the order in which they came.
    for (const key of this.#keys.values().drop(count)) rest.#keys.add(key);
    this.#fill = fill;
    this.#count = count;
    return rest;
  }

  /** Adds a row that lies there. `unfit`: it is none for a line; `again`: its key is in here already. Then nothing was added. */
  add(bytes: Buffer, start: number, end: number): 'added' | 'unfit' | 'again' {
    if (end - start > LONGEST) return 'unfit';
    const { columns, hasNumber } = this.shape;
    const out = this.#out;
    const count = ((bytes[start] as number) << 8) | (bytes[start + 1] as number);
    if (count !== columns.length) return 'unfit';
    let at = start + 2;
    let to = this.#fill;
    let key: number | string = '';
    for (let column = 0; column < count; column++) {
      const kind = bytes[at++];
      const use = columns[column];
      if (kind === NULL) {
        if (use === 2) return 'unfit';
        if (use === 0) continue;
        out[to++] = BACKSLASH as number;
        out[to++] = UPPER_N;
        out[to++] = TAB as number;
        continue;
      }
      if (kind !== TEXT) return 'unfit';
      const size = bytes.readUInt32BE(at);
      const next = at + 4 + size;
      if (use === 2) key = hasNumber ? numberAt(bytes, at + 4, next) : `${key} ${bytes.toString('latin1', at + 4, next)}`;
      if (use !== 0) {
        to = escaped(bytes, at + 4, next, out, to);
        out[to++] = TAB as number;
      }
      at = next;
    }
    if (at !== end) throw new WalUnreadable(`A row of the log ends at ${at - start} of ${end - start} bytes.`);
    if (this.#keys.has(key)) return 'again';
    this.#keys.add(key);
    // In place of the last tab.
    out[to - 1] = NEWLINE as number;
    this.#fill = to;
    this.#count++;
    return 'added';
  }

  /** What it has become: lines, or the few changes that they stand for. */
  end(): Change[] {
    const { kind, shape } = this;
    const { stream } = shape;
    const lines = this.#out.subarray(0, this.#fill);
    const giveBack = (): void => this.#memory.giveBack(this.#out);
    if (!this.isShort) return [{ op: 'lines', stream, kind, lines, count: this.#count, giveBack }];
    const changes = decodeRows(lines).map((row): Change => ({ op: kind, stream, row }));
    giveBack();
    return changes;
  }
}

/** A number of the log; as text where it might be rounded. */
function numberAt(bytes: Buffer, start: number, end: number): number | string {
  let value = 0;
  for (let at = start; at < end; at++) {
    const digit = bytes[at] as number;
    if (digit < ZERO || digit > NINE || end - start > EXACT_DIGITS) return bytes.toString('latin1', start, end);
    value = value * 10 + digit - ZERO;
  }
  return value;
}

/** Copies a value as a line has it, and answers where it ends. */
function escaped(bytes: Buffer, start: number, end: number, out: Buffer, from: number): number {
  let to = from;
  for (let at = start; at < end; at++) {
    let byte = bytes[at] as number;
    if (byte === BACKSLASH || byte === TAB || byte === NEWLINE || byte === RETURN) {
      out[to++] = BACKSLASH as number;
      if (byte !== BACKSLASH) byte = byte === TAB ? LOWER_T : byte === NEWLINE ? LOWER_N : LOWER_R;
    }
    out[to++] = byte;
  }
  return to;
}
