/** The other side does not speak SSH as it should. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

/** What a server says, fit to be shown: it must not reach into logs and terminals. */
export function printable(words: string, most = 200): string {
  return words.replace(/[^\x20-\x7e]/g, '').slice(0, most);
}

/** Reads the values of a message, in order. `broken` makes the error for one that makes no sense. */
export class SshReader {
  readonly #bytes: Buffer;
  readonly #broken: (why: string) => Error;
  #at: number;

  constructor(bytes: Buffer, at = 0, broken = (why: string): Error => new ProtocolError(why)) {
    this.#bytes = bytes;
    this.#at = at;
    this.#broken = broken;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  take(length: number): Buffer {
    if (length > this.left) throw this.#broken('a message is cut off');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  byte(): number {
    return this.take(1)[0] as number;
  }

  boolean(): boolean {
    return this.byte() !== 0;
  }

  uint32(): number {
    return this.take(4).readUInt32BE();
  }

  uint64(): number {
    const value = Number(this.take(8).readBigUInt64BE());
    if (!Number.isSafeInteger(value)) throw this.#broken('a number is too large');
    return value;
  }

  string(): Buffer {
    return this.take(this.uint32());
  }

  text(): string {
    return this.string().toString('utf8');
  }

  names(): string[] {
    return this.text().split(',');
  }

  /** A positive whole number, without zeros before it. */
  positive(): Buffer {
    const bytes = this.string();
    if ((bytes[0] ?? 0) >= 0x80) throw this.#broken('a number is below zero');
    let at = 0;
    while (at < bytes.length - 1 && bytes[at] === 0) at++;
    return bytes.subarray(at);
  }
}

export function byte(value: number): Buffer {
  return Buffer.from([value]);
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

export function string(value: string | Buffer): Buffer {
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  return Buffer.concat([uint32(bytes.length), bytes]);
}

/** A positive whole number from its bytes. */
export function mpint(value: Buffer): Buffer {
  let at = 0;
  while (at < value.length && value[at] === 0) at++;
  const bytes = value.subarray(at);
  return string((bytes[0] ?? 0) >= 0x80 ? Buffer.concat([byte(0), bytes]) : bytes);
}
