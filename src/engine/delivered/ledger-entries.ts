import { hash } from 'node:crypto';
import { type KeyMarks, WORDS } from './key-marks.ts';

// What a target has accepted, as it is kept: in the first line the digests of what was accepted, one after the other, and then a line with the key of
// each record, in the spelling of the lines of a batch. The digest of a record that was removed is all zeros. Of several entries of one key, the last
// one counts. What is under way to a record that the target has is written down before it is sent: should nobody learn what became of it, the record is
// sent again whatever the source has by then. A million records go through this: they are looked at one after the other, and become objects only where the caller needs them.

/** So many bytes of a digest: two of a thousand million records are alike once in many million years. */
const DIGEST_BYTES = WORDS * 4;
const REMOVED = '\0'.repeat(DIGEST_BYTES);
const LINE_END = 0x0a;

/** A record as the target last accepted it; `digest` is null when it was removed. Both are strings of bytes: a character for each. */
export interface LedgerEntry {
  readonly key: string;
  readonly digest: string | null;
}

export function writeEntries(entries: readonly LedgerEntry[]): string {
  if (entries.length === 0) return '';
  const digests = Buffer.from(entries.map(({ digest }) => digest ?? REMOVED).join(''), 'latin1');
  const keys = Buffer.from(entries.map(({ key }) => `${key}\n`).join(''), 'latin1');
  return `${digests.toString('base64')}\n${keys.toString()}`;
}

/** The first word of what is under way. No digest begins with it. */
export const UNDER_WAY = -1;

/** Stands in place of a digest while this one, or a removal, is under way; with the segment in which the target was told of the record before. */
export function underWay(digest: string | null, after: number): string {
  return digestText(Int32Array.of(UNDER_WAY, digest === null ? 0 : wordIn(digest, 0), after));
}

/** The entries of a segment, one after the other: `next` goes on to the next one, and the members tell of it. */
export class LedgerEntries {
  readonly digest = new Int32Array(WORDS);
  readonly #marks: KeyMarks;
  readonly #digests: Buffer;
  readonly #keys: Buffer;
  #place = -1;
  #start = 0;
  #end = -1;

  constructor(text: string, marks: KeyMarks) {
    const keysAt = text.indexOf('\n') + 1;
    this.#marks = marks;
    this.#digests = Buffer.from(text.slice(0, keysAt), 'base64');
    this.#keys = Buffer.from(text.slice(keysAt));
  }

  next(): boolean {
    this.#start = this.#end + 1;
    if (this.#start >= this.#keys.length) return false;
    this.#end = this.#keys.indexOf(LINE_END, this.#start);
    this.#place++;
    for (let word = 0; word < WORDS; word++) this.digest[word] = this.#digests.readInt32LE(this.#place * DIGEST_BYTES + word * 4);
    return true;
  }

  /** The mark of its key. */
  get mark(): Int32Array {
    return this.#marks.ofBytes(this.#keys, this.#start, this.#end);
  }

  get isRemoved(): boolean {
    return this.digest[0] === 0 && this.digest[1] === 0 && this.digest[2] === 0;
  }

  /** As an object that stays what it is. */
  get entry(): LedgerEntry {
    return { key: this.key, digest: this.isRemoved ? null : digestText(this.digest) };
  }

  get key(): string {
    return this.#keys.toString('latin1', this.#start, this.#end);
  }
}

/** The digest of bytes, as a string of bytes. */
export function digestOf(bytes: Buffer | string): string {
  return hash('sha256', bytes, 'latin1').slice(0, DIGEST_BYTES);
}

/** The words of a digest. */
export function wordsOf(digest: string): Int32Array {
  return Int32Array.from({ length: WORDS }, (_, word) => wordIn(digest, word));
}

/** One word of a string of bytes. */
export function wordIn(bytes: string, word: number): number {
  const at = word * 4;
  return bytes.charCodeAt(at) | (bytes.charCodeAt(at + 1) << 8) | (bytes.charCodeAt(at + 2) << 16) | (bytes.charCodeAt(at + 3) << 24);
}

export function digestText({ buffer, byteOffset, byteLength }: Int32Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}

/** A digest in letters. */
export function shownDigest(digest: string): string {
  return Buffer.from(digest, 'latin1').toString('base64url');
}
