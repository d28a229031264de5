import { isAscii } from 'node:buffer';
import type { Value } from '../../connectors/canonical.ts';
import type { Recycle, Reject } from '../../connectors/batch.ts';
import { BATCH_BYTES } from '../../connectors/contract.ts';
import { decodeRows, decodeValue } from '../../connectors/lines.ts';
import { Recycler } from '../../connectors/recycler.ts';
import { LineWriter } from './line-writer.ts';
import { type MappedColumn, FieldFault, rowByField, type RowTest, valueOf } from './columns.ts';

// Rows that are bytes stay bytes. A tab or newline is never a part of a value (it is written as an escape), so the fields of
// a line are found without understanding them, and only those that have to be looked at become strings.

const TAB = 0x09;
const NEWLINE = 0x0a;
const BEYOND_ASCII = /[\x80-\xff]/;
const BACKSLASH = 0x5c;
const LETTER_N = 0x4e;
const EMPTY = Buffer.alloc(0);
/** Strings up to here are cheap to make and to forget. */
const PIECE = 64 * 1024;
/** What a usual batch needs, with what its values grow by. */
const USUAL = BATCH_BYTES + (BATCH_BYTES >> 2);

export interface MappedLines {
  readonly lines: Buffer;
  readonly count: number;
  readonly rejects: readonly Reject[];
  readonly origin: readonly number[] | undefined;
  /** Takes the memory of the lines back. */
  readonly recycle: Recycle;
}

/** What becomes of a line: stretches of it as they are, and between them values that are made. */
type Piece = { readonly first: number; readonly last: number } | { readonly column: MappedColumn };

export class LineMapping {
  readonly #names: readonly string[];
  readonly #pieces: readonly Piece[];
  readonly #tests: readonly RowTest[];
  /** The fields that are always decoded. */
  readonly #needed: readonly number[];
  /** How many tabs have to be found; behind these only the end of the line matters. */
  readonly #depth: number;
  /** Where each field of the line at hand begins, and where the line after it begins. */
  readonly #starts: Int32Array;
  readonly #row: Value[];
  readonly #memory = new Recycler(USUAL);
  #lines: Buffer = EMPTY;
  #latin1 = '';
  #isAscii = true;

  constructor(names: readonly string[], columns: readonly MappedColumn[], tests: readonly RowTest[]) {
    this.#names = names;
    this.#tests = tests;
    this.#pieces = piecesOf(columns);
    const always = columns.filter((column) => column.sameUpTo < 0).flatMap((column) => column.uses);
    this.#needed = [...new Set([...tests.map(({ index }) => index), ...always])];
    this.#depth = depthOf(this.#pieces, this.#needed, names.length);
    this.#starts = new Int32Array(names.length + 1);
    this.#row = names.map(() => null);
  }

  map(lines: Buffer): MappedLines {
    const out = new LineWriter(this.#roomFor(lines.length));
    const rejects: Reject[] = [];
    const origin: number[] = [];
    let count = 0;
    for (let from = 0; from < lines.length; ) {
      const cut = lines.indexOf(NEWLINE, from + PIECE) + 1;
      const to = cut === 0 ? lines.length : cut;
      count = this.#mapPiece(lines.subarray(from, to), count, out, rejects, origin);
      from = to;
    }
    this.#lines = EMPTY;
    this.#latin1 = '';
    const all = origin.length === count ? undefined : origin;
    return { lines: out.taken(), count: origin.length, rejects, origin: all, recycle: this.#memory.giveBack };
  }

  #roomFor(bytes: number): Buffer {
    const wanted = bytes + (bytes >> 3);
    return wanted > USUAL || wanted < USUAL / 4 ? Buffer.allocUnsafeSlow(Math.max(wanted, 64)) : this.#memory.take();
  }

  /** Maps some lines, the first of which has this place in the batch; answers the place behind the last. */
  #mapPiece(lines: Buffer, first: number, out: LineWriter, rejects: Reject[], origin: number[]): number {
    this.#lines = lines;
    // One string with a character for each byte: to search it, and to cut values out of it, is cheaper than with the bytes.
    this.#latin1 = lines.toString('latin1');
    this.#isAscii = isAscii(lines);
    let index = first;
    for (let start = 0; start < lines.length; index++) {
      const end = this.#findFields(start);
      const before = out.length;
      try {
        if (this.#passes()) {
          this.#write(out);
          origin.push(index);
        }
      } catch (error) {
        if (!(error instanceof FieldFault)) throw error;
        out.length = before;
        rejects.push({ index, row: this.#rowAt(start, end), field: error.field, reason: error.message });
      }
      start = end + 1;
    }
    return index;
  }

  /** Notes where the fields of the line begin; the answer is where its newline is. */
  #findFields(start: number): number {
    const text = this.#latin1;
    const starts = this.#starts;
    const end = text.indexOf('\n', start);
    if (end < 0) throw new Error('the last line has no end');
    let at = start;
    starts[0] = start;
    for (let field = 1; field <= this.#depth; field++) {
      at = text.indexOf('\t', at) + 1;
      if (at === 0 || at > end) throw new Error(`a line has ${field} fields instead of ${this.#names.length}`);
      starts[field] = at;
    }
    starts[this.#names.length] = end + 1;
    return end;
  }

  #passes(): boolean {
    for (const index of this.#needed) this.#row[index] = this.#decode(index);
    for (const { index, test } of this.#tests) if (!test(this.#row[index] as Value)) return false;
    return true;
  }

  #decode(index: number): Value {
    const start = this.#starts[index] as number;
    const end = (this.#starts[index + 1] as number) - 1;
    if (end - start === 2 && this.#lines[start] === BACKSLASH && this.#lines[start + 1] === LETTER_N) return null;
    const cut = this.#latin1.slice(start, end);
    return decodeValue(this.#isAscii || !BEYOND_ASCII.test(cut) ? cut : this.#lines.toString('utf8', start, end));
  }

  #write(out: LineWriter): void {
    const lines = this.#lines;
    const starts = this.#starts;
    for (let i = 0; i < this.#pieces.length; i++) {
      const piece = this.#pieces[i] as Piece;
      if (i > 0) out.byte(TAB);
      if ('column' in piece) this.#writeColumn(out, piece.column);
      else out.copy(lines, starts[piece.first] as number, (starts[piece.last + 1] as number) - 1);
    }
    out.byte(NEWLINE);
  }

  #writeColumn(out: LineWriter, column: MappedColumn): void {
    if (column.from !== undefined && column.sameUpTo >= 0) {
      const start = this.#starts[column.from] as number;
      const end = (this.#starts[column.from + 1] as number) - 1;
      if (end - start <= column.sameUpTo) return out.copy(this.#lines, start, end);
      this.#row[column.from] = this.#decode(column.from);
    }
    return out.value(valueOf(column, this.#row));
  }

  #rowAt(start: number, end: number): Record<string, Value> {
    return rowByField(this.#names, decodeRows(this.#lines.subarray(start, end + 1))[0] ?? []);
  }
}

function depthOf(pieces: readonly Piece[], needed: readonly number[], width: number): number {
  const edges = pieces.flatMap((piece): number[] => {
    if ('column' in piece) return piece.column.from === undefined ? [] : [piece.column.from + 1];
    // The last field of all ends with the line.
    return [piece.first, piece.last === width - 1 ? piece.first : piece.last + 1];
  });
  return Math.min(width - 1, Math.max(0, ...edges, ...needed.map((index) => index + 1)));
}

/** Neighbours that are taken as they are become one stretch. */
function piecesOf(columns: readonly MappedColumn[]): Piece[] {
  const pieces: Piece[] = [];
  for (const column of columns) {
    const { from } = column;
    if (from === undefined || column.sameUpTo !== Number.POSITIVE_INFINITY) {
      pieces.push({ column });
      continue;
    }
    const previous = pieces.at(-1);
    if (previous && 'last' in previous && previous.last === from - 1) pieces[pieces.length - 1] = { first: previous.first, last: from };
    else pieces.push({ first: from, last: from });
  }
  return pieces;
}
