import { KeyMarks, WORDS } from './key-marks.ts';
import { digestText, UNDER_WAY } from './ledger-entries.ts';

/** The index begins so large. */
const FIRST_SIZE = 1024;
/** Fuller than that, looking for a place takes long. */
const FULL = 0.7;
/** So many records lie together: when there are more, nothing has to be moved. */
const BLOCK_BITS = 14;
const BLOCK = 1 << BLOCK_BITS;
/** Of each record: the words of its mark, those of its digest, and the segment. */
const DIGEST_AT = WORDS;
const SEQ_AT = 2 * WORDS;
const RECORD = SEQ_AT + 1;

const THERE = 1;
const SEEN = 2;
const MINE = 4;
const OUTDATED = 8;

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
 * What a target has, by the ledger: for each record the digest of what it accepted last. It is made for millions of records: about 37 bytes for each,
 * and no object for any of them. They lie in the order in which they came. A source mostly gives them in the same order, so each is found behind the one
 * before it; the index is for all others.
 */
export class DeliveredTable {
  /** What stands for keys here. */
  readonly marks = new KeyMarks();
  #count = 0;
  #there = 0;
  #removedByMe = 0;
  #lines = 0;
  #segments = 0;
  #lastSeq = 0;
  /** Where the record stands that is probably looked for next. */
  #next = 0;
  /** Where the index was last looked at. */
  #slot = 0;
  readonly #blocks: Int32Array[] = [];
  readonly #flags: Uint8Array[] = [];
  /** Places, plus one; 0 where there is none. */
  #index = new Int32Array(FIRST_SIZE);

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

  /** Takes in a line of the ledger, with the digest of what was accepted, or null when it was removed; lines are given in their order. */
  put(mark: Int32Array, digest: Int32Array | null, { seq, isMine, isOutdated }: LedgerPlace): void {
    const found = this.find(mark);
    const place = found < 0 ? this.#add(mark) : found;
    const before = this.#flagsOf(place);
    this.#lines++;
    if (seq !== this.#lastSeq) this.#segments++;
    this.#lastSeq = seq;
    if (before & THERE) this.#there--;
    const block = this.#blocks[place >>> BLOCK_BITS] as Int32Array;
    const at = (place & (BLOCK - 1)) * RECORD;
    if (digest !== null) {
      this.#there++;
      for (let word = 0; word < WORDS; word++) block[at + DIGEST_AT + word] = digest[word] as number;
    } else if (isMine) this.#removedByMe++;
    block[at + SEQ_AT] = seq;
    this.#setFlags(
      place,
      (before & SEEN) | (digest === null ? 0 : THERE) | (isMine ? MINE : 0) | (isOutdated && digest !== null ? OUTDATED : 0),
    );
  }

  /** The place of a record that the target has, or has had; -1 for one that it never had. */
  find(mark: Int32Array): number {
    const next = this.#next;
    if (next < this.#count && this.#isMarked(next, mark)) {
      this.#next = next + 1;
      return next;
    }
    this.#slot = this.#slotOf(mark);
    const place = (this.#index[this.#slot] as number) - 1;
    if (place >= 0) this.#next = place + 1;
    return place;
  }

  /** The same for a key as a string of bytes. */
  findKey(key: string): number {
    return this.find(this.marks.ofKey(key));
  }

  isThere(place: number): boolean {
    return place >= 0 && (this.#flagsOf(place) & THERE) !== 0;
  }

  /** Whether the target has just this. */
  isSame(place: number, digest: Int32Array): boolean {
    if (place < 0 || (this.#flagsOf(place) & (THERE | OUTDATED)) !== THERE) return false;
    const block = this.#blocks[place >>> BLOCK_BITS] as Int32Array;
    const at = (place & (BLOCK - 1)) * RECORD + DIGEST_AT;
    for (let word = 0; word < WORDS; word++) if (block[at + word] !== digest[word]) return false;
    return true;
  }

  /** Whether the run that looks has brought it there. */
  isMine(place: number): boolean {
    return (this.#flagsOf(place) & MINE) !== 0;
  }

  seqOf(place: number): number {
    return place < 0 ? 0 : ((this.#blocks[place >>> BLOCK_BITS] as Int32Array)[(place & (BLOCK - 1)) * RECORD + SEQ_AT] as number);
  }

  /** What was accepted last, where that would still count: to be kept again should what is sent now be refused. */
  acceptedAt(place: number): string | undefined {
    return place >= 0 && (this.#flagsOf(place) & (THERE | OUTDATED)) === THERE ? digestText(this.#digestAt(place)) : undefined;
  }

  /**
   * The segment in which the target was last told of a record, before something with this first word was sent: what is sent again as nobody knows
   * what became of it is the same, what is sent later is another.
   */
  afterOf(place: number, firstWord: number): number {
    return this.isUnderWay(place, firstWord) ? (this.#digestAt(place)[2] as number) : this.seqOf(place);
  }

  /** Whether it was written down that this is under way. */
  isUnderWay(place: number, firstWord: number): boolean {
    if (!this.isThere(place)) return false;
    const digest = this.#digestAt(place);
    return digest[0] === UNDER_WAY && digest[1] === firstWord;
  }

  #digestAt(place: number): Int32Array {
    const at = (place & (BLOCK - 1)) * RECORD + DIGEST_AT;
    return (this.#blocks[place >>> BLOCK_BITS] as Int32Array).subarray(at, at + WORDS);
  }

  /** The source has it. */
  see(place: number): void {
    if (place >= 0) this.#setFlags(place, this.#flagsOf(place) | SEEN);
  }

  isGone(place: number): boolean {
    return place >= 0 && (this.#flagsOf(place) & (THERE | SEEN)) === THERE;
  }

  /** How many records the target has that the source was not seen to have. */
  get gone(): number {
    let count = 0;
    for (const block of this.#flags) for (const flags of block) if ((flags & (THERE | SEEN)) === THERE) count++;
    return count;
  }

  #flagsOf(place: number): number {
    return (this.#flags[place >>> BLOCK_BITS] as Uint8Array)[place & (BLOCK - 1)] as number;
  }

  #setFlags(place: number, flags: number): void {
    (this.#flags[place >>> BLOCK_BITS] as Uint8Array)[place & (BLOCK - 1)] = flags;
  }

  /** A place for a record that was looked for just now, and has none yet. */
  #add(mark: Int32Array): number {
    if (this.#count >= this.#index.length * FULL) {
      this.#enlargeIndex();
      this.#slot = this.#slotOf(mark);
    }
    const place = this.#count++;
    if ((place & (BLOCK - 1)) === 0) {
      this.#blocks.push(new Int32Array(BLOCK * RECORD));
      this.#flags.push(new Uint8Array(BLOCK));
    }
    const block = this.#blocks[place >>> BLOCK_BITS] as Int32Array;
    for (let word = 0; word < WORDS; word++) block[(place & (BLOCK - 1)) * RECORD + word] = mark[word] as number;
    this.#index[this.#slot] = place + 1;
    return place;
  }

  #isMarked(place: number, mark: Int32Array): boolean {
    const block = this.#blocks[place >>> BLOCK_BITS] as Int32Array;
    const at = (place & (BLOCK - 1)) * RECORD;
    return block[at] === mark[0] && block[at + 1] === mark[1] && block[at + 2] === mark[2];
  }

  /** Where a mark is in the index, or would be. */
  #slotOf(mark: Int32Array): number {
    const last = this.#index.length - 1;
    let slot = beginning(mark[0] as number, mark[1] as number, mark[2] as number) & last;
    for (; ; slot = (slot + 1) & last) {
      const place = (this.#index[slot] as number) - 1;
      if (place < 0 || this.#isMarked(place, mark)) return slot;
    }
  }

  #enlargeIndex(): void {
    const index = new Int32Array(this.#index.length * 2);
    const last = index.length - 1;
    for (let place = 0; place < this.#count; place++) {
      const block = this.#blocks[place >>> BLOCK_BITS] as Int32Array;
      const at = (place & (BLOCK - 1)) * RECORD;
      let slot = beginning(block[at] as number, block[at + 1] as number, block[at + 2] as number) & last;
      while (index[slot] !== 0) slot = (slot + 1) & last;
      index[slot] = place + 1;
    }
    this.#index = index;
  }
}

/** Where one begins to look: keys such as 1, 2, 3 are to lie apart. */
function beginning(first: number, second: number, third: number): number {
  let mixed = Math.imul(first, 0x9e37_79b1) ^ second;
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85eb_ca6b) ^ third;
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return mixed ^ (mixed >>> 16);
}
