import { isUtf8 } from 'node:buffer';
import { MAX_ROW_BYTES } from '../../contract.ts';
import { withoutCutCharacter } from './encoding.ts';

const STEP = 512 * 1024;

/** The part of a text that is being looked at: bytes that were read and not yet taken. */
export class TextWindow {
  bytes = Buffer.allocUnsafeSlow(2 * STEP);
  from = 0;
  to = 0;
  /** Whether nothing follows. */
  isEnd = false;
  /** Whether the bytes are not all UTF-8, so that each row has to be looked at. */
  mayBeBroken = false;
  readonly #source: AsyncIterator<Buffer>;

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Whether one row alone is larger than any row may be. */
  get isTooLarge(): boolean {
    return this.to - this.from > MAX_ROW_BYTES;
  }

  /** Reads on: about as much again as is there, so that even a huge row is looked at only a few times. */
  async fill(): Promise<void> {
    const there = this.to - this.from;
    // Not far beyond what a row may be: then it is known to be too large.
    const wanted = Math.max(STEP, Math.min(there, MAX_ROW_BYTES - there));
    this.#makeRoom(wanted);
    for (let read = 0; read < wanted && !this.isEnd; ) {
      const { value, done } = await this.#source.next();
      if (done) this.isEnd = true;
      else {
        this.#makeRoom(value.length);
        value.copy(this.bytes, this.to);
        this.to += value.length;
        read += value.length;
      }
    }
    const bytes = this.bytes.subarray(this.from, this.to);
    this.mayBeBroken = !isUtf8(this.isEnd ? bytes : withoutCutCharacter(bytes));
  }

  async close(): Promise<void> {
    await this.#source.return?.();
  }

  #makeRoom(more: number): void {
    const length = this.to - this.from;
    // One byte is left for the line end that stops the search.
    if (this.to + more < this.bytes.length) return;
    const bytes = length + more < this.bytes.length ? this.bytes : Buffer.allocUnsafeSlow(length + more + STEP);
    this.bytes.copy(bytes, 0, this.from, this.to);
    this.bytes = bytes;
    this.from = 0;
    this.to = length;
  }
}
