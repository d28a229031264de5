import { isUtf8 } from 'node:buffer';
import type { Recycle, Reject } from '../../batch.ts';
import type { CanonicalType } from '../../canonical.ts';
import { MAX_ROW_BYTES } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { fromText } from '../../json-values.ts';
import { decodeValue, encodeValue } from '../../lines.ts';
import { Recycler } from '../../recycler.ts';
import { valueInWords } from '../../value-in-words.ts';
import { BACKSLASH, CR, type CsvDialect, LF, splitRecord, TAB } from './dialect.ts';
import { VALUE_TESTS, type BytesTest } from './values.ts';
import { rejectOf } from '../text/reject.ts';

/** A column of the file and where it goes. */
export interface CsvColumn {
  readonly name: string;
  readonly type: CanonicalType;
  /** Its place in the rows that are made; -1 when nobody asked for it. */
  readonly slot: number;
  /** It was not expected: a row that has a value in it is rejected instead of losing it. */
  readonly isUnknown?: boolean;
}

export interface CsvPlan {
  readonly dialect: CsvDialect;
  readonly columns: readonly CsvColumn[];
  /** What stands in each place of a row that no column fills: text ready for the output, or `line` for the line number. */
  readonly constants: ReadonlyMap<number, string>;
  readonly width: number;
  readonly batchBytes: number;
}

// What a byte means outside quotes, and inside; 0 is a byte like any other. In the loop the numbers stand themselves: looking
// a constant up for every byte costs a sixth of the speed.
const [DELIMITER, NEWLINE, RETURN, ESCAPED, QUOTE] = [1, 2, 3, 4, 5];
const [LETTER_N, LETTER_R, LETTER_T] = [0x6e, 0x72, 0x74];
// Room behind a full batch, so that a row of usual size never meets the end of the buffer.
const SLACK = 256 * 1024;
const LARGE = 1536 * 1024;
const MAX_REJECTS = 1000;

/**
 * CSV to lines (COPY text), from bytes to bytes: rows and values are checked where they lie, without a string or an object
 * for any of them. It takes whole rows from a window of bytes; what is left of the window is given again with more behind.
 */
export class CsvLines {
  /** The rows so far, ready to be taken. */
  rows = 0;
  rejects: Reject[] = [];
  /** The line of the file in which the next row begins, from 1. */
  line: number;
  /** Whether the last row taken had no line end. */
  lastIsOpen = false;
  /** Where in the window it began. */
  lastBegin = 0;
  readonly #plan: CsvPlan;
  readonly #memory: Recycler;
  readonly #outside = new Uint8Array(256);
  readonly #inside = new Uint8Array(256);
  readonly #tests: (BytesTest | undefined)[];
  readonly #nullLengths: number;
  readonly #isDirect: boolean;
  readonly #starts: Int32Array;
  readonly #ends: Int32Array;
  #out: Buffer;
  #at = 0;
  #rejectBytes = 0;

  constructor(plan: CsvPlan, line: number) {
    this.#plan = plan;
    this.line = line;
    const { delimiter, quote, nulls } = plan.dialect;
    for (const [byte, meaning] of [
      [LF, NEWLINE],
      [CR, RETURN],
      [BACKSLASH, ESCAPED],
      [TAB, ESCAPED],
    ] as const) {
      this.#outside[byte] = meaning;
      this.#inside[byte] = meaning;
    }
    this.#outside[delimiter] = DELIMITER;
    if (quote !== -1) this.#inside[quote] = QUOTE;
    this.#tests = plan.columns.map(({ type, slot }) => (slot === -1 ? undefined : VALUE_TESTS[type]));
    this.#nullLengths = nulls.reduce((bits, text) => bits | (1 << Math.min(Buffer.byteLength(encodeValue(text)), 31)), 0);
    const slots = plan.columns.map((column) => column.slot).filter((slot) => slot !== -1);
    this.#isDirect = slots.length === plan.width && slots.every((slot, index) => slot === index);
    this.#starts = new Int32Array(plan.width);
    this.#ends = new Int32Array(plan.width);
    this.#memory = new Recycler(plan.batchBytes + SLACK);
    this.#out = this.#memory.take();
  }

  get isFull(): boolean {
    return this.#at >= this.#plan.batchBytes || this.#rejectBytes >= this.#plan.batchBytes || this.rejects.length >= MAX_REJECTS;
  }

  /** The rows made so far, which are the caller's now. */
  take(): { lines: Buffer; count: number; rejects: Reject[]; recycle: Recycle } {
    const lines = this.#out.subarray(0, this.#at);
    const taken = { lines, count: this.rows, rejects: this.rejects, recycle: this.#memory.giveBack };
    if (this.#at > 0) this.#out = this.#memory.take();
    this.#at = 0;
    this.rows = 0;
    this.rejects = [];
    this.#rejectBytes = 0;
    return taken;
  }

  /**
   * Takes the rows in `[from, to)` until the batch is full or `most` rows are there; answers where the first row begins that
   * was not taken. The byte at `to` is overwritten. `isEnd`: nothing follows, so that the last row may lack its line end.
   */
  parse(input: Buffer, from: number, to: number, isEnd: boolean, mayBeBroken: boolean, most = Number.POSITIVE_INFINITY): number {
    // A line end behind the last byte stops every loop without a second comparison.
    input[to] = LF;
    // A window that had to grow holds a large row: writing beyond the end of the output would be noticed, but is slow.
    const room = Math.min(to - from, MAX_ROW_BYTES) + SLACK;
    if (to - from > LARGE && this.#out.length < room && !this.#grow(0, room)) return from;
    let at = from;
    while (at < to && !this.isFull && this.rows < most) {
      const next = this.#row(input, at, to, isEnd, mayBeBroken);
      if (next === -1) break;
      this.lastBegin = at;
      at = next;
    }
    return at;
  }

  /** Takes one row; answers where the next begins, or -1 when this one is not whole yet or has no room. */
  #row(input: Buffer, from: number, to: number, isEnd: boolean, mayBeBroken: boolean): number {
    const { dialect, columns } = this.#plan;
    const { delimiter, quote } = dialect;
    const isBackslashed = dialect.escape === 'backslash';
    const { lonelyReturns } = dialect;
    const outside = this.#outside;
    const inside = this.#inside;
    const tests = this.#tests;
    const starts = this.#starts;
    const ends = this.#ends;
    const width = columns.length;
    const begin = this.#at;
    const out = this.#out;
    let o = begin;
    let i = from;
    let lines = 1;
    let column = 0;
    let fault: string | undefined;
    let faultyField: string | undefined;
    let isOpen = false;

    // A line with nothing in it: a null where there is one column, otherwise nothing.
    if (width > 1) {
      const byte = input[i];
      const blank = byte === LF ? 1 : byte === CR ? (i + 1 < to && input[i + 1] === LF ? 2 : dialect.lonelyReturns ? 1 : 0) : 0;
      if (blank > 0) {
        if (byte === CR && i + 1 >= to && !isEnd) return -1;
        this.line++;
        return i + blank;
      }
    }

    for (;;) {
      const start = o;
      let isQuoted = false;
      let byte = input[i] as number;
      if (byte === quote && i < to) {
        isQuoted = true;
        byte = input[++i] as number;
        for (;;) {
          let meaning: number | undefined;
          while ((meaning = inside[byte]) === 0) {
            out[o++] = byte;
            byte = input[++i] as number;
          }
          if (meaning === 5 /* the quote */) {
            if (i + 1 >= to && !isEnd) return -1;
            if (isBackslashed || i + 1 >= to || input[i + 1] !== quote) break;
            out[o++] = byte;
            i++;
          } else if (meaning === 2 /* a line feed */) {
            if (i >= to) {
              if (isEnd) throw neverClosed(this.line);
              return -1;
            }
            lines++;
            out[o++] = BACKSLASH;
            out[o++] = LETTER_N;
          } else if (meaning === 3 /* a carriage return */) {
            if (lonelyReturns) lines++;
            out[o++] = BACKSLASH;
            out[o++] = LETTER_R;
          } else if (byte === BACKSLASH) {
            if (isBackslashed) {
              if (i + 1 >= to && !isEnd) return -1;
              const following = input[i + 1];
              if (i + 1 < to && following === quote) {
                out[o++] = quote;
                byte = input[(i += 2)] as number;
                continue;
              }
              if (i + 1 < to && following === BACKSLASH) i++;
            }
            out[o++] = BACKSLASH;
            out[o++] = BACKSLASH;
          } else {
            out[o++] = BACKSLASH;
            out[o++] = LETTER_T;
          }
          byte = input[++i] as number;
        }
        byte = input[++i] as number;
      }

      // Outside quotes, or what follows the closing one: mostly the delimiter at once.
      const afterQuote = i;
      for (;;) {
        let meaning: number | undefined;
        while ((meaning = outside[byte]) === 0) {
          out[o++] = byte;
          byte = input[++i] as number;
        }
        if (meaning === 1 /* the delimiter */ || meaning === 2 /* a line feed */) break;
        if (meaning === 3 /* a carriage return */) {
          if (i + 1 >= to && !isEnd) return -1;
          if (lonelyReturns || (i + 1 < to && input[i + 1] === LF)) break;
          out[o++] = BACKSLASH;
          out[o++] = LETTER_R;
        } else {
          out[o++] = BACKSLASH;
          out[o++] = byte === TAB ? LETTER_T : BACKSLASH;
        }
        byte = input[++i] as number;
      }
      if (i >= to) {
        // The line end of ours: the row goes on where the window ends, unless the file does too.
        if (!isEnd) return -1;
        isOpen = true;
      }
      if (isQuoted && i !== afterQuote) fault ??= 'text stands behind a closing quote';

      // The value is in [start, o).
      if (column < width) {
        const { slot, type, isUnknown } = columns[column] as CsvColumn;
        const valueEnd = o;
        if (o === start ? !isQuoted || type !== 'text' : !isQuoted && this.#maySpellNull(o - start)) {
          if (this.#isNull(start, o, type)) {
            out[start] = BACKSLASH;
            out[start + 1] = 0x4e;
            o = start + 2;
          } else if (o !== start) o = this.#checked(tests[column], type, start, o);
        } else {
          const test = tests[column];
          if (test !== undefined) o = this.#checked(test, type, start, o);
        }
        if (o < 0) {
          fault ??= `is not of the type ${type}: ${valueInWords(decodeValue(out.toString('utf8', start, valueEnd)))}`;
          faultyField ??= (columns[column] as CsvColumn).name;
          o = start;
        }
        if (slot === -1) {
          if (isUnknown && !(o === start + 2 && out[start] === BACKSLASH && out[start + 1] === 0x4e)) {
            fault ??= 'is a column that was not there when the stream was discovered';
            faultyField ??= (columns[column] as CsvColumn).name;
          }
          o = start;
        } else {
          starts[slot] = start;
          ends[slot] = o;
          out[o++] = TAB;
        }
      } else o = start;
      column++;
      if (byte !== delimiter || i >= to) break;
      i++;
    }

    let next = i >= to ? to : input[i] === CR && i + 1 < to && input[i + 1] === LF ? i + 2 : i + 1;
    if (next > to) next = to;
    if (next - from > MAX_ROW_BYTES) throw tooLarge(this.line);
    if (o > out.length) return this.#grow(begin, o) ? this.#row(input, from, to, isEnd, mayBeBroken) : -1;
    if (column !== width) fault ??= `has ${column} ${column === 1 ? 'cell' : 'cells'} where the file has ${width} columns`;
    if (mayBeBroken && fault === undefined && !isUtf8(input.subarray(from, next))) fault = 'holds bytes that are no text in this encoding';
    this.lastIsOpen = isOpen;
    if (fault === undefined) {
      this.#at = this.#isDirect ? o : this.#arranged(begin, o);
      if (this.#at === -1) {
        this.#at = begin;
        return -1;
      }
      // The tab behind the last value becomes the end of the row.
      this.#out[this.#at - 1] = LF;
      this.rows++;
    } else {
      this.#at = begin;
      this.#putAside(input, from, next, fault, faultyField);
    }
    this.line += lines;
    return next;
  }

  #maySpellNull(length: number): boolean {
    return (this.#nullLengths & (1 << Math.min(length, 31))) !== 0;
  }

  #isNull(start: number, end: number, type: CanonicalType): boolean {
    if (start === end && type !== 'text') return true;
    const text = this.#out.toString('utf8', start, end);
    return this.#plan.dialect.nulls.some((spelling) => encodeValue(spelling) === text);
  }

  /** The end of the value when it is one of the type, in its canonical spelling; else -1. */
  #checked(test: BytesTest | undefined, type: CanonicalType, start: number, end: number): number {
    if (test === undefined) return end;
    const quick = test(this.#out, start, end);
    if (quick !== -1 || end > this.#out.length) return quick === -1 ? end : quick;
    const value = fromText(type, decodeValue(this.#out.toString('utf8', start, end)) ?? '');
    return value === undefined ? -1 : start + this.#put(encodeValue(value), start);
  }

  /** Writes a text; its length may be more than fits, which is noticed at the end of the row. */
  #put(text: string, at: number): number {
    const length = Buffer.byteLength(text);
    if (at + length <= this.#out.length) this.#out.write(text, at);
    return length;
  }

  /** Brings the values of a row into the order that was asked for, with the constants between; answers the end. */
  #arranged(begin: number, end: number): number {
    const values = Buffer.from(this.#out.subarray(begin, end));
    let at = begin;
    for (let slot = 0; slot < this.#plan.width; slot++) {
      const constant = this.#plan.constants.get(slot);
      if (constant !== undefined) at += this.#put(constant === 'line' ? String(this.line) : constant, at);
      else {
        const [from, to] = [(this.#starts[slot] as number) - begin, (this.#ends[slot] as number) - begin];
        if (at + to - from <= this.#out.length) values.copy(this.#out, at, from, to);
        at += to - from;
      }
      if (at < this.#out.length) this.#out[at] = TAB;
      at++;
    }
    if (this.#plan.width === 0) at++;
    if (at <= this.#out.length) return at;
    return this.#grow(begin, at) ? this.#restored(values, begin, end) : -1;
  }

  #restored(values: Buffer, begin: number, end: number): number {
    values.copy(this.#out, begin);
    return this.#arranged(begin, end);
  }

  /** Makes room for a row that is larger than a batch; false when there are rows before it, which go first. */
  #grow(begin: number, end: number): boolean {
    if (end - begin > MAX_ROW_BYTES + SLACK) throw tooLarge(this.line);
    if (this.#at > 0) {
      this.#rejectBytes = this.#plan.batchBytes;
      return false;
    }
    this.#out = Buffer.allocUnsafeSlow(end + SLACK);
    return true;
  }

  #putAside(input: Buffer, from: number, next: number, fault: string, field: string | undefined): void {
    const { cells } = splitRecord(input, from, next, this.#plan.dialect);
    this.#rejectBytes += next - from;
    this.rejects.push(
      rejectOf(
        this.line,
        cells.map((cell, index): [string, string] => [this.#plan.columns[index]?.name ?? `cell ${index + 1}`, cell.text]),
        fault,
        field,
      ),
    );
  }
}

function neverClosed(line: number): OutsideError {
  return new OutsideError('data', 'QUOTE_OPEN', `The row in line ${line} opens a quote that is never closed.`, {
    hint: 'Close the quote in the file, or set the quote character of this source (none, when the file does not quote).',
  });
}

export function tooLarge(line: number): OutsideError {
  return new OutsideError('data', 'ROW_TOO_LARGE', `The row that begins in line ${line} is larger than ${MAX_ROW_BYTES >> 20} MiB.`, {
    hint: 'Is the delimiter, quote character or format of this source right? A quote that is never closed makes one row of all that follows.',
  });
}
