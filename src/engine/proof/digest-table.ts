import { DIGEST_BYTES, KEY_BYTES } from './proof-shape.ts';

const WORDS = DIGEST_BYTES / 4;
const KEY_WORDS = KEY_BYTES / 4;
const FIRST_SIZE = 1024;
/** Fuller than that, looking for a place takes long. */
const FULL = 0.75;
const USED = 1;

/**
 * Digests by the digest of a key, for millions of rows: no object for any of them. Each key has `width` digests beside it, and a few bits that
 * mean what the caller wants.
 */
export class DigestTable {
  readonly #width: number;
  #size = FIRST_SIZE;
  #used = 0;
  #keys: Uint32Array;
  #digests: Uint32Array;
  #flags: Uint8Array;

  constructor(width: number) {
    this.#width = width;
    this.#keys = new Uint32Array(FIRST_SIZE * KEY_WORDS);
    this.#digests = new Uint32Array(FIRST_SIZE * WORDS * width);
    this.#flags = new Uint8Array(FIRST_SIZE);
  }

  get count(): number {
    return this.#used;
  }

  /** The place of a key; -1 when it is not there. */
  find(key: string): number {
    const place = this.#placeOf(wordOf(key, 0), wordOf(key, 1), wordOf(key, 2));
    return this.#flags[place] === 0 ? -1 : place;
  }

  /** The place of a key, which is there afterwards. The bits and the numbers of a new one are 0. */
  put(key: string): number {
    if (this.#used >= this.#size * FULL) this.#resize(this.#size * 2);
    const words = [wordOf(key, 0), wordOf(key, 1), wordOf(key, 2)] as const;
    const place = this.#placeOf(...words);
    if (this.#flags[place] === 0) {
      this.#used++;
      this.#flags[place] = USED;
      this.#keys.set(words, place * KEY_WORDS);
      this.#digests.fill(0, place * this.#width * WORDS, (place + 1) * this.#width * WORDS);
    }
    return place;
  }

  bits(place: number): number {
    return (this.#flags[place] as number) >> 1;
  }

  setBits(place: number, bits: number): void {
    this.#flags[place] = USED | (bits << 1);
  }

  setDigest(place: number, which: number, digest: string): void {
    const at = (place * this.#width + which) * WORDS;
    for (let word = 0; word < WORDS; word++) this.#digests[at + word] = wordOf(digest, word);
  }

  isDigest(place: number, which: number, digest: string): boolean {
    const at = (place * this.#width + which) * WORDS;
    for (let word = 0; word < WORDS; word++) if (this.#digests[at + word] !== wordOf(digest, word)) return false;
    return true;
  }

  /** A number in the place of a digest. */
  number(place: number, which: number): number {
    return (this.#digests[(place * this.#width + which) * WORDS] as number) | 0;
  }

  setNumber(place: number, which: number, number: number): void {
    this.#digests[(place * this.#width + which) * WORDS] = number;
  }

  /** The digest at a place, as bytes. */
  digest(place: number, which: number): string {
    const at = (place * this.#width + which) * WORDS;
    return textOfWords(this.#digests, at, WORDS);
  }

  key(place: number): string {
    return textOfWords(this.#keys, place * KEY_WORDS, KEY_WORDS);
  }

  *places(): Generator<number> {
    for (let place = 0; place < this.#size; place++) if (this.#flags[place] !== 0) yield place;
  }

  /** Takes one out; those behind it that belong nearer to their beginning move up, so that they are found. */
  remove(place: number): void {
    this.#used--;
    let hole = place;
    for (let next = (hole + 1) & (this.#size - 1); this.#flags[next] !== 0; next = (next + 1) & (this.#size - 1)) {
      const home = this.#beginning(this.#wordsAt(next)[0]);
      const isBetween = hole <= next ? home > hole && home <= next : home > hole || home <= next;
      if (isBetween) continue;
      this.#copy(this, next, hole);
      hole = next;
    }
    this.#flags[hole] = 0;
  }

  #wordsAt(place: number): readonly [number, number, number] {
    const at = place * KEY_WORDS;
    return [this.#keys[at] as number, this.#keys[at + 1] as number, this.#keys[at + 2] as number];
  }

  #copy(from: DigestTable, place: number, to: number): void {
    this.#keys.set(from.#keys.subarray(place * KEY_WORDS, (place + 1) * KEY_WORDS), to * KEY_WORDS);
    const size = this.#width * WORDS;
    this.#digests.set(from.#digests.subarray(place * size, (place + 1) * size), to * size);
    this.#flags[to] = from.#flags[place] as number;
  }

  #placeOf(first: number, second: number, third: number): number {
    let place = this.#beginning(first);
    for (; this.#flags[place] !== 0; place = (place + 1) & (this.#size - 1)) {
      const at = place * KEY_WORDS;
      if (this.#keys[at] === first && this.#keys[at + 1] === second && this.#keys[at + 2] === third) return place;
    }
    return place;
  }

  /** The words are those of a digest: any of them is as good as chance. */
  #beginning(first: number): number {
    return first & (this.#size - 1);
  }

  #resize(size: number): void {
    const larger = new DigestTable(this.#width);
    larger.#size = size;
    larger.#keys = new Uint32Array(size * KEY_WORDS);
    larger.#digests = new Uint32Array(size * WORDS * this.#width);
    larger.#flags = new Uint8Array(size);
    for (const place of this.places()) larger.#copy(this, place, larger.#placeOf(...this.#wordsAt(place)));
    this.#size = size;
    this.#keys = larger.#keys;
    this.#digests = larger.#digests;
    this.#flags = larger.#flags;
  }
}

/** Four characters that are bytes, as one number. */
function wordOf(text: string, at: number): number {
  const from = at * 4;
  const low = text.charCodeAt(from) | (text.charCodeAt(from + 1) << 8) | (text.charCodeAt(from + 2) << 16);
  return (low | (text.charCodeAt(from + 3) << 24)) >>> 0;
}

function textOfWords(words: Uint32Array, at: number, count: number): string {
  let text = '';
  for (let word = at; word < at + count; word++) {
    const bytes = words[word] as number;
    text += String.fromCharCode(bytes & 0xff, (bytes >>> 8) & 0xff, (bytes >>> 16) & 0xff, bytes >>> 24);
  }
  return text;
}
