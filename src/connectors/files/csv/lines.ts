import { isUtf8 } from 'node:buffer';
import type { Recycle, Reject } from '../../batch.ts';
import { MAX_ROW_BYTES } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { Recycler } from '../../recycler.ts';
import { CR, type CsvDialect, LF, splitRecord, TAB } from './dialect.ts';
import { type CsvColumn, putText, type RowFault, RowScanner } from './row-scanner.ts';
import { rejectOf } from '../text/reject.ts';

export interface CsvPlan {
  readonly dialect: CsvDialect;
  readonly columns: readonly CsvColumn[];
  /** What stands in each place of a row that no column fills: text ready for the output, or `line` for the line number. */
  readonly constants: ReadonlyMap<number, string>;
  readonly width: number;
  readonly batchBytes: number;
}

/** Bytes of the file, of which rows are taken. */
interface Window {
  readonly input: Buffer;
  /** Where they end; a line feed of ours stands there. */
  readonly to: number;
  /** Nothing follows in the file. */
  readonly isEnd: boolean;
  readonly mayBeBroken: boolean;
}

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
  readonly #scanner: RowScanner;
  readonly #isDirect: boolean;
  #out: Buffer;
  #at = 0;
  #rejectBytes = 0;

  constructor(plan: CsvPlan, line: number) {
    this.#plan = plan;
    this.line = line;
    this.#scanner = new RowScanner(plan.dialect, plan.columns, plan.width);
    const slots = plan.columns.map((column) => column.slot).filter((slot) => slot !== -1);
    this.#isDirect = slots.length === plan.width && slots.every((slot, index) => slot === index);
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
    const window: Window = { input, to, isEnd, mayBeBroken };
    let at = from;
    while (at < to && !this.isFull && this.rows < most) {
      const next = this.#isBlank(window, at) ? this.#passBlank(window, at) : this.#row(window, at);
      if (next === -1) break;
      this.lastBegin = at;
      at = next;
    }
    return at;
  }

  /** Whether a line with nothing in it begins here. Where there is one column, such a line is a null. */
  #isBlank({ input, to }: Window, from: number): boolean {
    const byte = input[from];
    if ((byte !== LF && byte !== CR) || this.#plan.columns.length <= 1) return false;
    return byte === LF || this.#plan.dialect.lonelyReturns || lineEnd(input, from, to) === 2;
  }

  /** Answers where the line behind a blank one begins, or -1 when that is not known yet. */
  #passBlank({ input, to, isEnd }: Window, from: number): number {
    if (input[from] === CR && from + 1 >= to && !isEnd) return -1;
    this.line++;
    return from + lineEnd(input, from, to);
  }

  /** Takes one row; answers where the next begins, or -1 when this one is not whole yet or has no room. */
  #row(window: Window, from: number): number {
    const { input, to, isEnd } = window;
    const scanner = this.#scanner;
    const end = scanner.scan(input, from, to, isEnd, this.#out, this.#at);
    if (end === -1 && isEnd) throw neverClosed(this.line);
    if (end === -1) return -1;
    const next = end >= to ? to : end + lineEnd(input, end, to);
    if (next - from > MAX_ROW_BYTES) throw tooLarge(this.line);
    if (scanner.end > this.#out.length) return this.#grow(this.#at, scanner.end) ? this.#row(window, from) : -1;
    this.lastIsOpen = end >= to;
    const fault = scanner.fault ?? this.#faultOf(window, from, next);
    if (fault !== undefined) this.#putAside(input, from, next, fault);
    else if (!this.#add()) return -1;
    this.line += scanner.lines;
    return next;
  }

  /** Adds the row that was scanned; false when there is no room for it. */
  #add(): boolean {
    const end = this.#isDirect ? this.#scanner.end : this.#arranged(this.#at, this.#scanner.end);
    if (end === -1) return false;
    this.#at = end;
    // The tab behind the last value becomes the end of the row.
    this.#out[end - 1] = LF;
    this.rows++;
    return true;
  }

  /** What is wrong with the row as a whole. */
  #faultOf({ input, mayBeBroken }: Window, from: number, next: number): RowFault | undefined {
    const { cells } = this.#scanner;
    const width = this.#plan.columns.length;
    if (cells !== width) return { reason: `has ${cells} ${cells === 1 ? 'cell' : 'cells'} where the file has ${width} columns` };
    return mayBeBroken && !isUtf8(input.subarray(from, next)) ? { reason: 'holds bytes that are no text in this encoding' } : undefined;
  }

  /** Brings the values of a row into the order that was asked for, with the constants between; answers the end. */
  #arranged(begin: number, end: number): number {
    const values = Buffer.from(this.#out.subarray(begin, end));
    let at = begin;
    for (let slot = 0; slot < this.#plan.width; slot++) {
      const constant = this.#plan.constants.get(slot);
      if (constant !== undefined) at += putText(constant === 'line' ? String(this.line) : constant, this.#out, at);
      else {
        const [from, to] = [(this.#scanner.starts[slot] as number) - begin, (this.#scanner.ends[slot] as number) - begin];
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

  #putAside(input: Buffer, from: number, next: number, { reason, field }: RowFault): void {
    const { cells } = splitRecord(input, from, next, this.#plan.dialect);
    this.#rejectBytes += next - from;
    this.rejects.push(
      rejectOf(
        this.line,
        cells.map((cell, index): [string, string] => [this.#plan.columns[index]?.name ?? `cell ${index + 1}`, cell.text]),
        reason,
        field,
      ),
    );
  }
}

/** How many bytes the line end has that stands here. */
function lineEnd(input: Buffer, at: number, to: number): number {
  return input[at] === CR && at + 1 < to && input[at + 1] === LF ? 2 : 1;
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
