import { type PgQuery, type PgWire, wireOf } from '../../../lib/pg-internals.ts';
import { MAX_ROW_BYTES } from '../../contract.ts';
import { OutsideError } from '../../../outside/errors.ts';
import type { Recycler } from '../../recycler.ts';
import { type Diversion, divert } from './incoming.ts';

// COPY over the wire. Both are queries to the driver. A row never becomes an object: what the server sends is put together
// to batches as it is, and batches go out as they are.

const COPY_DATA = 0x64;
const COPY_DONE = 0x63;
const COPY_OUT = 0x48;
const ERROR = 0x45;
const HEADER = 5;
const PIECE = 128 * 1024;
const NONE = Buffer.alloc(0);
const DONE = Buffer.from([COPY_DONE, 0, 0, 0, 4]);

export interface CopyLines {
  bytes: Buffer;
  rows: number;
}

/** How much room a batch needs: one row stands over. */
export function memoryFor(batchBytes: number): number {
  return batchBytes + PIECE;
}

/** `COPY … TO STDOUT`: whole rows, in batches, with one ahead of what was asked for. */
export class CopyOut implements PgQuery {
  readonly #text: string;
  readonly #batchBytes: number;
  readonly #batchRows: number;
  readonly #memory: Recycler;
  readonly #ready: CopyLines[] = [];
  #wire: PgWire | undefined;
  #diversion: Diversion | undefined;
  #buffer: Buffer;
  #size = 0;
  #rows = 0;
  // The message at hand: its kind and how much of it is yet to come.
  #code = 0;
  #left = 0;
  readonly #header = Buffer.alloc(HEADER);
  #headerSize = 0;
  #waiting: { resolve: (lines: CopyLines | undefined) => void; reject: (error: unknown) => void } | undefined;
  #ended = false;
  #isHandedBack = false;
  #error: unknown;
  callback: (() => void) | undefined = undefined;

  /** The memory is of the size that such batches need. */
  constructor(text: string, batchBytes: number, memory: Recycler, batchRows = Number.POSITIVE_INFINITY) {
    this.#text = text;
    this.#batchBytes = batchBytes;
    this.#batchRows = batchRows;
    this.#memory = memory;
    this.#buffer = memory.take();
  }

  /** The next batch; undefined at the end. */
  next(): Promise<CopyLines | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#settle();
    });
  }

  /** Called by the driver. */
  submit(connection: PgWire): void {
    const wire = wireOf(connection);
    this.#wire = wire;
    this.#diversion = divert(wire.stream, this.#onData);
    wire.query(this.#text);
  }

  readonly #onData = (chunk: Buffer): void => {
    let at = 0;
    while (at < chunk.length) {
      if (this.#left === 0) {
        at = this.#readHeader(chunk, at);
        if (this.#headerSize < HEADER) return;
        this.#headerSize = 0;
        if (this.#code === ERROR || this.#code === COPY_DONE) return this.#handBack(chunk.subarray(at));
        if (this.#code === COPY_DATA && !this.#hasRoom(this.#left)) return;
        if (this.#code !== COPY_DATA && this.#code !== COPY_OUT) this.#diversion?.driver(this.#header);
      }
      const end = Math.min(chunk.length, at + this.#left);
      if (this.#code === COPY_DATA) this.#size += chunk.copy(this.#buffer, this.#size, at, end);
      else if (this.#code !== COPY_OUT) this.#diversion?.driver(chunk.subarray(at, end));
      this.#left -= end - at;
      at = end;
      if (this.#left === 0 && this.#code === COPY_DATA) this.#endRow();
    }
  };

  #readHeader(chunk: Buffer, from: number): number {
    let at = from;
    // Most headers are whole, and most are those of rows.
    if (this.#headerSize === 0 && chunk[at] === COPY_DATA && at + HEADER <= chunk.length) {
      this.#code = COPY_DATA;
      this.#left = chunk.readUInt32BE(at + 1) - 4;
      this.#headerSize = HEADER;
      return at + HEADER;
    }
    while (this.#headerSize < HEADER && at < chunk.length) this.#header[this.#headerSize++] = chunk[at++] as number;
    if (this.#headerSize === HEADER) {
      this.#code = this.#header[0] as number;
      this.#left = this.#header.readUInt32BE(1) - 4;
    }
    return at;
  }

  /** Everything from here on is the driver's. */
  #handBack(rest: Buffer): void {
    this.#isHandedBack = true;
    this.#wire?.stream.resume();
    this.#diversion?.end();
    this.#diversion?.driver(this.#header);
    this.#diversion?.driver(rest);
  }

  #hasRoom(bytes: number): boolean {
    if (bytes > MAX_ROW_BYTES) {
      const megabytes = Math.round(bytes / 1024 / 1024);
      this.#fail(
        new OutsideError(
          'data',
          'ROW_TOO_LARGE',
          `A row of ${megabytes} MB is larger than the ${MAX_ROW_BYTES / 1024 / 1024} MB that are allowed.`,
          {
            hint: 'Leave the large column out of the fields, or leave the row out with a filter.',
          },
        ),
      );
      return false;
    }
    const needed = this.#size + bytes;
    if (needed <= this.#buffer.length) return true;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, Math.min(this.#buffer.length * 2, needed + PIECE)));
    this.#buffer.copy(larger, 0, 0, this.#size);
    this.#memory.giveBack(this.#buffer);
    this.#buffer = larger;
    return true;
  }

  #endRow(): void {
    this.#rows++;
    if (this.#size < this.#batchBytes && this.#rows < this.#batchRows) return;
    this.#flush();
    this.#buffer = this.#memory.take();
    if (this.#ready.length > 0 && !this.#isHandedBack) this.#wire?.stream.pause();
  }

  #flush(): void {
    if (this.#rows > 0) this.#ready.push({ bytes: this.#buffer.subarray(0, this.#size), rows: this.#rows });
    else this.#memory.giveBack(this.#buffer);
    this.#size = 0;
    this.#rows = 0;
    this.#settle();
  }

  #settle(): void {
    const waiting = this.#waiting;
    if (!waiting) return;
    const lines = this.#ready.shift();
    if (lines === undefined && this.#error === undefined && !this.#ended) {
      this.#wire?.stream.resume();
      return;
    }
    this.#waiting = undefined;
    if (lines === undefined && this.#error !== undefined) waiting.reject(this.#error);
    else waiting.resolve(lines);
  }

  #fail(error: unknown): void {
    this.#error ??= error;
    // What is still on its way would fill the memory: the connection is of no more use.
    this.#wire?.stream.destroy();
    this.#settle();
  }

  handleError(error: unknown): void {
    this.#error ??= error;
    this.#settle();
  }

  handleReadyForQuery(): void {
    this.#ended = true;
    this.#flush();
    this.#buffer = NONE;
  }

  handleCommandComplete(): void {}
  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleEmptyQuery(): void {}
  handleCopyInResponse(): void {}
}

export interface CopyInResult {
  /** How many rows were copied. */
  copied: number;
  /** How many rows each of the other statements that write has concerned, in their order. */
  concerned: number[];
  /** What the statements after the COPY answered, row by row. */
  rows: (string | null)[][];
}

/** What a COPY is given: all of it, or pieces that are made as they are sent, so that the server is at work already. */
export type CopyInput = Buffer | Iterable<Buffer>;

/** It was not sent, as the one before it did not get in. */
export class NotSent extends Error {
  override readonly name = 'NotSent';
}

/**
 * `COPY … FROM STDIN; more statements`: everything goes out at once, without waiting for the server to ask for it, and is one
 * transaction unless the text says otherwise. There may be several COPY in it: what each is given stands in their order. `verify` runs while
 * the server is at work already; when it throws, nothing is kept.
 */
export class CopyIn implements PgQuery {
  readonly #text: string;
  readonly #inputs: readonly CopyInput[];
  readonly #verify: (() => void) | undefined;
  readonly #result: CopyInResult = { copied: 0, concerned: [], rows: [] };
  #state: 'under way' | 'in' | 'failed' = 'under way';
  #next: { send: () => void; give: (error: NotSent) => void } | undefined;
  readonly done: Promise<CopyInResult>;
  #resolve: (result: CopyInResult) => void = () => {};
  #reject: (error: unknown) => void = () => {};
  #refused: unknown;
  callback: (() => void) | undefined = undefined;

  constructor(text: string, lines: Buffer | readonly CopyInput[], verify?: () => void) {
    this.#text = text;
    this.#inputs = Buffer.isBuffer(lines) ? [lines] : lines;
    this.#verify = verify;
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Sends another in the moment in which this one is in, before any other code hears of it; not at all when this one fails. */
  before(next: CopyIn, send: () => void): void {
    const give = (error: NotSent): void => next.handleError(error);
    if (this.#state === 'in') send();
    else if (this.#state === 'failed') give(new NotSent());
    else this.#next = { send, give };
  }

  /** Called by the driver. */
  submit(connection: PgWire): void {
    const wire = wireOf(connection);
    const { stream } = wire;
    stream.cork();
    wire.query(this.#text);
    try {
      for (const [place, input] of this.#inputs.entries()) {
        if (place > 0) stream.write(DONE);
        if (Buffer.isBuffer(input)) this.#send(stream, input);
        else
          for (const lines of input) {
            this.#send(stream, lines);
            stream.uncork();
            stream.cork();
          }
      }
      stream.uncork();
      this.#verify?.();
    } catch (error) {
      this.#refused = error;
      stream.uncork();
      wire.sendCopyFail('refused');
      return;
    }
    if (this.#inputs.length > 0) stream.write(DONE);
  }

  #send(stream: PgWire['stream'], lines: Buffer): void {
    for (let at = 0; at < lines.length; at += PIECE) {
      const piece = lines.subarray(at, at + PIECE);
      const header = Buffer.from([COPY_DATA, 0, 0, 0, 0]);
      header.writeUInt32BE(piece.length + 4, 1);
      stream.write(header);
      stream.write(piece);
    }
  }

  handleCommandComplete({ text }: { text: string }): void {
    const [, copied] = /^COPY (\d+)/.exec(text) ?? [];
    if (copied !== undefined) this.#result.copied += Number(copied);
    const [, concerned] = /^(?:INSERT 0|UPDATE|DELETE) (\d+)$/.exec(text) ?? [];
    if (concerned !== undefined) this.#result.concerned.push(Number(concerned));
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    this.#result.rows.push(fields);
  }

  handleError(error: unknown): void {
    this.#state = 'failed';
    this.#reject(this.#refused ?? error);
    this.#next?.give(new NotSent());
    this.#next = undefined;
  }

  handleReadyForQuery(): void {
    if (this.#state === 'failed') return;
    this.#state = 'in';
    this.#resolve(this.#result);
    this.#next?.send();
    this.#next = undefined;
  }

  handleCopyInResponse(): void {}
  handleRowDescription(): void {}
  handleEmptyQuery(): void {}
}
