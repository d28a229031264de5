import { randomBytes } from 'node:crypto';

/** Marks and digests have three words each, of four bytes. */
export const WORDS = 3;
/** So many bytes of a key are its own mark; behind them stands how many there are. */
const SHORT = WORDS * 4 - 1;
/** Stands there for a key that is longer. */
const LONG = 0xff;

/** Of HalfSipHash: for each word, and for each word that comes out. */
const ROUNDS = 2;
const LAST_ROUNDS = 4;

/**
 * What stands for a key in memory, always of the same size: a short key itself, or the hash of a longer one. No mark is ever kept: the hash has a
 * secret of its own (HalfSipHash), so that nobody can choose keys whose marks are alike, and takes a fraction of the time of SHA-256.
 */
export class KeyMarks {
  readonly #words = new Int32Array(WORDS);
  readonly #state = new Int32Array(4);
  readonly #secret: Int32Array;

  constructor(secret: Uint8Array = randomBytes(8)) {
    this.#secret = new Int32Array(Uint8Array.from(secret).buffer);
  }

  /** Of the bytes from one place to another. The next call makes another mark of it. */
  ofBytes(bytes: Uint8Array, start: number, end: number): Int32Array {
    const length = end - start;
    if (length > SHORT) return this.#hash(bytes, start, end);
    const words = this.#words;
    words[0] = wordAt(bytes, start, end);
    words[1] = wordAt(bytes, start + 4, end);
    words[2] = wordAt(bytes, start + 8, end) | (length << 24);
    return words;
  }

  /** Of a key as a string of bytes. */
  ofKey(key: string): Int32Array {
    const bytes = Buffer.from(key, 'latin1');
    return this.ofBytes(bytes, 0, bytes.length);
  }

  #hash(bytes: Uint8Array, start: number, end: number): Int32Array {
    const words = this.#words;
    const state = this.#state;
    const low = this.#secret[0] as number;
    const high = this.#secret[1] as number;
    state[0] = low;
    state[1] = high ^ 0xee;
    state[2] = low ^ 0x6c79_6765;
    state[3] = high ^ 0x7465_6462;
    let at = start;
    for (; at + 4 <= end; at += 4) absorb(state, wordAt(bytes, at, end));
    absorb(state, wordAt(bytes, at, end) | ((end - start) << 24));
    state[2] ^= 0xee;
    for (let word = 0; word < WORDS; word++) {
      for (let round = 0; round < LAST_ROUNDS; round++) mix(state);
      words[word] = state[1] ^ state[3];
      state[1] ^= 0xdd;
    }
    words[2] = ((words[2] as number) & 0x00ff_ffff) | (LONG << 24);
    return words;
  }
}

function absorb(state: Int32Array, word: number): void {
  state[3] = (state[3] as number) ^ word;
  for (let round = 0; round < ROUNDS; round++) mix(state);
  state[0] = (state[0] as number) ^ word;
}

/** A round of HalfSipHash. */
function mix(state: Int32Array): void {
  let a = state[0] as number;
  let b = state[1] as number;
  let c = state[2] as number;
  let d = state[3] as number;
  a = (a + b) | 0;
  b = turned(b, 5) ^ a;
  a = turned(a, 16);
  c = (c + d) | 0;
  d = turned(d, 8) ^ c;
  a = (a + d) | 0;
  d = turned(d, 7) ^ a;
  c = (c + b) | 0;
  b = turned(b, 13) ^ c;
  c = turned(c, 16);
  state[0] = a;
  state[1] = b;
  state[2] = c;
  state[3] = d;
}

function turned(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

/** Four bytes as one word, or as many as there are up to the end. */
function wordAt(bytes: Uint8Array, from: number, end: number): number {
  let word = 0;
  const to = Math.min(from + 4, end);
  for (let at = from; at < to; at++) word |= (bytes[at] as number) << ((at - from) * 8);
  return word;
}
