import { encodeValue } from '../../connectors/lines.ts';
import type { Value } from '../../connectors/canonical.ts';

/** Up to here a loop copies faster than a call into the runtime. */
const SHORT = 64;

/** Bytes that grow at their end: a write beyond the room there is doubles it. */
export class LineWriter {
  length = 0;
  #bytes: Buffer;

  constructor(room: Buffer) {
    this.#bytes = room;
  }

  byte(value: number): void {
    if (this.length === this.#bytes.length) this.#grow(1);
    this.#bytes[this.length++] = value;
  }

  copy(from: Buffer, start: number, end: number): void {
    const size = end - start;
    if (this.length + size > this.#bytes.length) this.#grow(size);
    if (size > SHORT) {
      from.copy(this.#bytes, this.length, start, end);
      this.length += size;
      return;
    }
    const bytes = this.#bytes;
    let at = this.length;
    for (let i = start; i < end; i++) bytes[at++] = from[i] as number;
    this.length = at;
  }

  /** A value in the spelling of lines. */
  value(value: Value): void {
    const text = encodeValue(value);
    // No UTF-16 unit becomes more than three bytes.
    const most = text.length * 3;
    if (this.length + most > this.#bytes.length) this.#grow(most);
    this.length += text.length > SHORT ? this.#bytes.write(text, this.length) : this.#writeShort(text);
  }

  #writeShort(text: string): number {
    const bytes = this.#bytes;
    let at = this.length;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (unit >= 0x80) return this.#bytes.write(text, this.length);
      bytes[at++] = unit;
    }
    return text.length;
  }

  taken(): Buffer {
    return this.#bytes.subarray(0, this.length);
  }

  #grow(by: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.length + by));
    this.#bytes.copy(larger, 0, 0, this.length);
    this.#bytes = larger;
  }
}
