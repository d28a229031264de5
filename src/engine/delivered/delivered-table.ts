import { DIGEST_BYTES, digestOf, type LedgerEntry } from './ledger-entries.ts';

/** Of a digest, each of four bytes. */
const WORDS = DIGEST_BYTES / 4;
const FIRST_SIZE = 1024;
/** Fuller than that, looking for a place takes long. */
const FULL = 0.7;
/** Stands behind the mark of a key that is too long to be its own. */
const LONG = 0xff;

const USED = 1;
const THERE = 2;
const SEEN = 4;
const MINE = 8;
const OUTDATED = 16;

/** Where a line of the ledger stands. */
export interface LedgerPlace {
  /** Of the segment. Later ones are higher. */
  readonly seq: number;
  /** Written by the run that looks. */
  readonly isMine: boolean;
  /** Written before everything was wanted anew: the record is there, and is to be sent whatever it was. */
  readonly isOutdated: boolean;
}

/**
 * What a target has, by the ledger: for each record the digest of what it accepted last. It is made for millions of records: 29 bytes a place,
 * and no object for any of them. Long keys are told apart by their digests, too.
 */
export class DeliveredTable {
  #size = FIRST_SIZE;
  #used = 0;
  #there = 0;
  #removedByMe = 0;
  #lines = 0;
  #segments = 0;
  #lastSeq = 0;
  #keys = new Uint32Array(FIRST_SIZE * WORDS);
  #digests = new Uint32Array(FIRST_SIZE * WORDS);
  #seqs = new Uint32Array(FIRST_SIZE);
  #flags = new Uint8Array(FIRST_SIZE);

  /** How many records the target has. */
  get there(): number {
    return this.#there;
  }

  /** How many were removed by the run that looks. */
  get removedByMe(): number {
    return this.#removedByMe;
  }

  /** How many lines of the ledger were taken in, and of how many segments. */
  get lines(): number {
    return this.#lines;
  }

  get segments(): number {
    return this.#segments;
  }

  /** Takes in a line of the ledger; lines are given in their order. */
  put({ key, digest }: LedgerEntry, { seq, isMine, isOutdated }: LedgerPlace): void {
    if (this.#used >= this.#size * FULL) this.#grow();
    const place = this.#placeOf(key);
    const before = this.#flags[place] as number;
    this.#lines++;
    if (seq !== this.#lastSeq) this.#segments++;
    this.#lastSeq = seq;
    if (!(before & USED)) this.#used++;
    if (before & THERE) this.#there--;
    if (digest !== null) {
      this.#there++;
      for (let at = 0; at < WORDS; at++) this.#digests[place * WORDS + at] = wordOf(digest, at);
    } else if (isMine) this.#removedByMe++;
    this.#seqs[place] = seq;
    this.#flags[place] =
      USED | (before & SEEN) | (digest === null ? 0 : THERE) | (isMine ? MINE : 0) | (isOutdated && digest !== null ? OUTDATED : 0);
  }

  /** The place of a record that the target has, or has had; -1 for one that it never had. */
  find(key: string): number {
    const place = this.#placeOf(key);
    return this.#flags[place] === 0 ? -1 : place;
  }

  isThere(place: number): boolean {
    return place >= 0 && ((this.#flags[place] as number) & THERE) !== 0;
  }

  /** Whether the target has just this. */
  isSame(place: number, digest: string): boolean {
    if (!this.isThere(place) || (this.#flags[place] as number) & OUTDATED) return false;
    for (let at = 0; at < WORDS; at++) if (this.#digests[place * WORDS + at] !== wordOf(digest, at)) return false;
    return true;
  }

  /** Whether the run that looks has brought it there. */
  isMine(place: number): boolean {
    return ((this.#flags[place] as number) & MINE) !== 0;
  }

  seqOf(place: number): number {
    return place < 0 ? 0 : (this.#seqs[place] as number);
  }

  /** The source has it. */
  see(place: number): void {
    if (place >= 0) this.#flags[place] = (this.#flags[place] as number) | SEEN;
  }

  isGone(place: number): boolean {
    return this.isThere(place) && !((this.#flags[place] as number) & SEEN);
  }

  /** How many records the target has that the source was not seen to have. */
  get gone(): number {
    let count = 0;
    for (const flags of this.#flags) if ((flags & (THERE | SEEN)) === THERE) count++;
    return count;
  }

  /** Where a key is, or would be. */
  #placeOf(key: string): number {
    const isShort = key.length < DIGEST_BYTES;
    const mark = isShort ? key : digestOf(Buffer.from(key, 'latin1'));
    const first = wordOf(mark, 0);
    const second = wordOf(mark, 1);
    // A short key is its own mark; behind it stands how long it is.
    const third = ((wordOf(mark, 2) & 0x00ff_ffff) | ((isShort ? key.length : LONG) << 24)) >>> 0;
    let place = this.#beginning(first, second, third);
    for (; this.#flags[place] !== 0; place = (place + 1) & (this.#size - 1)) {
      const at = place * WORDS;
      if (this.#keys[at] === first && this.#keys[at + 1] === second && this.#keys[at + 2] === third) return place;
    }
    const at = place * WORDS;
    this.#keys[at] = first;
    this.#keys[at + 1] = second;
    this.#keys[at + 2] = third;
    return place;
  }

  /** Where one begins to look: keys such as 1, 2, 3 are to lie apart. */
  #beginning(first: number, second: number, third: number): number {
    const mixed = Math.imul(first, 0x9e37_79b1) ^ Math.imul(second, 0x85eb_ca6b) ^ Math.imul(third, 0xc2b2_ae35);
    return (mixed ^ (mixed >>> 15)) & (this.#size - 1);
  }

  #grow(): void {
    const [keys, digests, seqs, flags] = [this.#keys, this.#digests, this.#seqs, this.#flags];
    this.#size *= 2;
    this.#keys = new Uint32Array(this.#size * WORDS);
    this.#digests = new Uint32Array(this.#size * WORDS);
    this.#seqs = new Uint32Array(this.#size);
    this.#flags = new Uint8Array(this.#size);
    for (const [from, flag] of flags.entries()) {
      if (flag === 0) continue;
      const at = from * WORDS;
      let place = this.#beginning(keys[at] as number, keys[at + 1] as number, keys[at + 2] as number);
      while (this.#flags[place] !== 0) place = (place + 1) & (this.#size - 1);
      this.#keys.set(keys.subarray(at, at + WORDS), place * WORDS);
      this.#digests.set(digests.subarray(at, at + WORDS), place * WORDS);
      this.#seqs[place] = seqs[from] as number;
      this.#flags[place] = flag;
    }
  }
}

/** Four characters that are bytes, as one number; there may be fewer. */
function wordOf(text: string, at: number): number {
  const from = at * 4;
  const low = text.charCodeAt(from) | (text.charCodeAt(from + 1) << 8) | (text.charCodeAt(from + 2) << 16);
  return (low | (text.charCodeAt(from + 3) << 24)) >>> 0;
}
