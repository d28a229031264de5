import { OutsideError } from '../../../outside/errors.ts';

/** Some bytes, and how far they have been read. All numbers have the lowest byte first unless it is said. */
export class ByteCursor {
  bytes: Buffer;
  at: number;
  end: number;
  /** Why the value that was just read is none that a field can have; the row is then put aside. */
  fault: string | undefined;

  constructor(bytes: Buffer, at = 0, end = bytes.length) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }

  get rest(): number {
    return this.end - this.at;
  }

  /** Where the next so many bytes begin; they are read. */
  take(length: number): number {
    const { at } = this;
    // Not `at + length > end` alone: a length from the network may be no number.
    if (!(length >= 0 && at + length <= this.end)) throw misread();
    this.at = at + length;
    return at;
  }

  slice(length: number): Buffer {
    const at = this.take(length);
    return this.bytes.subarray(at, at + length);
  }

  uint8(): number {
    return this.bytes[this.take(1)] as number;
  }

  uint16(): number {
    const at = this.take(2);
    return (this.bytes[at] as number) | ((this.bytes[at + 1] as number) << 8);
  }

  uint24(): number {
    const at = this.take(3);
    return (this.bytes[at] as number) | ((this.bytes[at + 1] as number) << 8) | ((this.bytes[at + 2] as number) << 16);
  }

  uint32(): number {
    return this.uint16() + this.uint16() * 0x1_0000;
  }

  uint48(): number {
    return this.bytes.readUIntLE(this.take(6), 6);
  }

  uint64(): bigint {
    return this.bytes.readBigUInt64LE(this.take(8));
  }

  /** A number of so many bytes, at most six. */
  uint(length: number): number {
    return length === 0 ? 0 : this.bytes.readUIntLE(this.take(length), length);
  }

  /** A number of so many bytes, at most six, with the highest byte first. */
  uintBE(length: number): number {
    return length === 0 ? 0 : this.bytes.readUIntBE(this.take(length), length);
  }

  /** A number whose first byte tells how long it is. */
  packed(): number {
    const first = this.uint8();
    if (first < 251) return first;
    if (first === 252) return this.uint16();
    if (first === 253) return this.uint24();
    return Number(this.uint64());
  }

  text(length: number, encoding: BufferEncoding = 'utf8'): string {
    const at = this.take(length);
    return this.bytes.toString(encoding, at, at + length);
  }
}

export function misread(what = 'an event of its log that contradicts itself'): OutsideError {
  return new OutsideError('transient', 'PROTOCOL_ERROR', `The server sent ${what}.`);
}
