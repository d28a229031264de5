import { createHash } from 'node:crypto';

// How OpenSSH makes a key of a passphrase: bcrypt_pbkdf, as OpenBSD has it. Node knows neither it nor the Blowfish inside.

const ROUNDS = 16;
const SUBKEYS = ROUNDS + 2;
const BOX = 256;
const WORDS = SUBKEYS + 4 * BOX;
const HASHED = 32;
const MAGIC = Buffer.from('OxychromaticBlowfishSwatDynamite');

const sha512 = (bytes: Buffer): Buffer => createHash('sha512').update(bytes).digest();

/** What a Blowfish begins with: subkeys and boxes, filled with the digits of pi behind the point. */
let digits: Uint32Array | undefined;

function digitsOfPi(): Uint32Array {
  const spare = 64n;
  const bits = BigInt(WORDS * 32);
  const one = 1n << (bits + spare);
  const arctanOfInverse = (n: bigint): bigint => {
    let [sum, power] = [0n, one / n];
    for (let k = 1n; power !== 0n; k += 2n) {
      sum += k % 4n === 1n ? power / k : -(power / k);
      power /= n * n;
    }
    return sum;
  };
  // Machin's formula.
  const pi = 16n * arctanOfInverse(5n) - 4n * arctanOfInverse(239n);
  const hex = ((pi >> spare) & ((1n << bits) - 1n)).toString(16).padStart(WORDS * 8, '0');
  return Uint32Array.from({ length: WORDS }, (_, at) => Number.parseInt(hex.slice(at * 8, at * 8 + 8), 16));
}

/** Subkeys, and the four boxes behind them, in one row. */
class Blowfish {
  readonly #words: Uint32Array;
  left = 0;
  right = 0;

  constructor() {
    this.#words = Uint32Array.from((digits ??= digitsOfPi()));
  }

  /** Encrypts `left` and `right`. */
  encrypt(): void {
    const words = this.#words;
    let left = this.left ^ (words[0] as number);
    let right = this.right;
    for (let round = 1; round <= ROUNDS; round++) {
      const a = words[SUBKEYS + (left >>> 24)] as number;
      const b = words[SUBKEYS + BOX + ((left >>> 16) & 255)] as number;
      const c = words[SUBKEYS + 2 * BOX + ((left >>> 8) & 255)] as number;
      const d = words[SUBKEYS + 3 * BOX + (left & 255)] as number;
      const mixed = right ^ (((((a + b) | 0) ^ c) + d) | 0) ^ (words[round] as number);
      [right, left] = [left, mixed];
    }
    this.left = (right ^ (words[SUBKEYS - 1] as number)) >>> 0;
    this.right = left >>> 0;
  }

  /** Mixes a key in, and a salt if there is one. */
  expand(key: Buffer, salt?: Buffer): void {
    const words = this.#words;
    const wordAt = (bytes: Buffer, at: number): number => bytes.readInt32BE((at * 4) % bytes.length);
    for (let at = 0; at < SUBKEYS; at++) words[at] = (words[at] as number) ^ wordAt(key, at);
    [this.left, this.right] = [0, 0];
    for (let at = 0; at < WORDS; at += 2) {
      if (salt) {
        this.left ^= wordAt(salt, at);
        this.right ^= wordAt(salt, at + 1);
      }
      this.encrypt();
      [words[at], words[at + 1]] = [this.left, this.right];
    }
  }
}

function bcryptHash(password: Buffer, salt: Buffer): Buffer {
  const cipher = new Blowfish();
  cipher.expand(password, salt);
  for (let n = 0; n < 64; n++) {
    cipher.expand(salt);
    cipher.expand(password);
  }
  const hashed = Buffer.alloc(HASHED);
  for (let at = 0; at < HASHED; at += 8) {
    [cipher.left, cipher.right] = [MAGIC.readUInt32BE(at), MAGIC.readUInt32BE(at + 4)];
    for (let n = 0; n < 64; n++) cipher.encrypt();
    hashed.writeUInt32LE(cipher.left, at);
    hashed.writeUInt32LE(cipher.right, at + 4);
  }
  return hashed;
}

/** A key of this length from a passphrase. A round takes some milliseconds. */
export function bcryptKey(passphrase: string, salt: Buffer, rounds: number, length: number): Buffer {
  const password = sha512(Buffer.from(passphrase));
  const blocks = Math.ceil(length / HASHED);
  const key = Buffer.alloc(length);
  for (let block = 0; block < blocks; block++) {
    const number = Buffer.alloc(4);
    number.writeUInt32BE(block + 1);
    let last = bcryptHash(password, sha512(Buffer.concat([salt, number])));
    const mixed = Buffer.from(last);
    for (let round = 1; round < rounds; round++) {
      last = bcryptHash(password, sha512(last));
      for (let at = 0; at < HASHED; at++) mixed[at] = (mixed[at] as number) ^ (last[at] as number);
    }
    // The bytes of the blocks are dealt out in turn.
    for (let at = 0; at * blocks + block < length; at++) key[at * blocks + block] = mixed[at] as number;
  }
  return key;
}
