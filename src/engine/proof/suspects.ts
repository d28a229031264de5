import type { Row } from '../../connectors/canonical.ts';
import { DigestTable } from './digest-table.ts';
import type { ProofShape } from './proof-shape.ts';
import type { ProofEnd } from './spill.ts';
import type { Suspect } from './waiting.ts';

/** More rows that differ are not told apart: about 250 MB. */
const MOST = 3_000_000;
/** Some of those that are held turn out to be alike. */
const HELD = 100;

// Which digest is which.
const BEFORE = 0;
const NOW = 1;
const THERE = 2;

// What is known of a row.
const WAS_AT_SOURCE = 1;
const AT_SOURCE = 2;
const AT_TARGET = 4;
/** The look before could not tell which of several rows counts. */
const UNSURE = 8;
const TWICE = 16;
const CONFIRMED = 32;

/** How a row differs that was seen to differ twice, with nothing under way. */
export type Difference = 'missing' | 'extra' | 'different';

export interface DifferenceSample {
  readonly key: string;
  /** Where what one end has is not known. */
  readonly difference?: Difference;
  readonly source: Row | undefined;
  readonly target: Row | undefined;
}

/** Rows that were not alike when they were looked at, until they are, or have been seen to differ for good. */
export interface Suspects {
  readonly count: number;
  /** Rows that the definition leaves at the target. */
  readonly kept: number;
  /** There were more than are told apart. */
  readonly isOverfull: boolean;
  /** Takes in what the first look has found. */
  add(suspect: Suspect): void;
  /** Takes one out, as it is in quarantine; answers whether it was there. */
  clear(key: string): boolean;
  /** Another look begins: first the target is read, then the source. */
  begin(): void;
  /** A row as it is now at one end; others than those that are suspected are of no interest. */
  see(end: ProofEnd, row: Row): void;
  /** The look is over: lets those go that are alike by now; answers how many of the others may still be on their way. */
  settle(): number;
  /** How a row differs that was seen to differ for good. */
  differenceOf(key: string): Difference | undefined;
  /** How many there are of each kind of difference that were seen to differ for good. */
  counts(): Record<Difference, number>;
  /** Some that differ, with what both ends have. */
  samples(): Generator<DifferenceSample>;
}

/** Rows with keys. */
export class KeyedSuspects implements Suspects {
  readonly #shape: ProofShape;
  readonly #table = new DigestTable(3);
  /** Rows at the target that the source does not have are no difference. */
  readonly #keepsExtra: boolean;
  #samples = new Map<string, { source?: Row; target?: Row }>();
  kept = 0;
  isOverfull = false;

  constructor(shape: ProofShape, keepsExtra: boolean) {
    this.#shape = shape;
    this.#keepsExtra = keepsExtra;
  }

  get count(): number {
    return this.#table.count;
  }

  add({ key, source, target, isUnsure }: Suspect): void {
    if (source === undefined && target !== undefined && this.#keepsExtra) {
      this.kept++;
      return;
    }
    if (this.#table.count >= MOST) {
      this.isOverfull = true;
      return;
    }
    const place = this.#table.put(key);
    const bits = this.#table.bits(place);
    const known = bits !== 0 || isUnsure ? UNSURE : 0;
    this.#table.setBits(place, known | (source === undefined ? 0 : AT_SOURCE) | (target === undefined ? 0 : AT_TARGET));
    if (source !== undefined) this.#table.setDigest(place, NOW, source);
    if (target !== undefined) this.#table.setDigest(place, THERE, target);
  }

  clear(key: string): boolean {
    const place = this.#table.find(key);
    if (place < 0) return false;
    this.#table.remove(place);
    return true;
  }

  begin(): void {
    this.#samples = new Map();
    for (const place of this.#table.places()) {
      const bits = this.#table.bits(place);
      if (bits & AT_SOURCE) this.#table.setDigest(place, BEFORE, this.#table.digest(place, NOW));
      this.#table.setBits(place, (bits & UNSURE) | (bits & AT_SOURCE ? WAS_AT_SOURCE : 0));
    }
  }

  see(end: ProofEnd, row: Row): void {
    const { key, row: digest } = this.#shape.marksOf(row);
    const place = this.#table.find(key);
    if (place < 0) return;
    const bits = this.#table.bits(place);
    const isTwice = end === 'target' && (bits & AT_TARGET) !== 0;
    this.#table.setBits(place, bits | (end === 'source' ? AT_SOURCE : AT_TARGET) | (isTwice ? TWICE : 0));
    this.#table.setDigest(place, end === 'source' ? NOW : THERE, digest);
    if (this.#samples.size < HELD || this.#samples.has(key)) this.#samples.set(key, { ...this.#samples.get(key), [end]: row });
  }

  settle(): number {
    let open = 0;
    const alike: string[] = [];
    for (const place of this.#table.places()) {
      const bits = this.#table.bits(place);
      if (this.#isAlike(place, bits)) alike.push(this.#table.key(place));
      else if (this.#isAsBefore(place, bits)) this.#table.setBits(place, bits | CONFIRMED);
      else open++;
      this.#table.setBits(place, this.#table.bits(place) & ~UNSURE);
    }
    for (const key of alike) {
      this.clear(key);
      this.#samples.delete(key);
    }
    return open;
  }

  #isAlike(place: number, bits: number): boolean {
    const [isAtSource, isAtTarget] = [(bits & AT_SOURCE) !== 0, (bits & AT_TARGET) !== 0];
    if (!isAtSource) return !isAtTarget || this.#keepsExtra;
    return isAtTarget && (bits & TWICE) === 0 && this.#table.isDigest(place, THERE, this.#table.digest(place, NOW));
  }

  /** The source has it as it had it before, and all that was on its way then has arrived. */
  #isAsBefore(place: number, bits: number): boolean {
    if (bits & UNSURE || Boolean(bits & AT_SOURCE) !== Boolean(bits & WAS_AT_SOURCE)) return false;
    return (bits & AT_SOURCE) === 0 || this.#table.isDigest(place, BEFORE, this.#table.digest(place, NOW));
  }

  counts(): Record<Difference, number> {
    const counts = { missing: 0, extra: 0, different: 0 };
    for (const place of this.#table.places()) {
      const bits = this.#table.bits(place);
      if (bits & CONFIRMED) counts[differenceIn(bits)]++;
    }
    return counts;
  }

  differenceOf(key: string): Difference | undefined {
    const place = this.#table.find(key);
    const bits = place < 0 ? 0 : this.#table.bits(place);
    return bits & CONFIRMED ? differenceIn(bits) : undefined;
  }

  *samples(): Generator<DifferenceSample> {
    for (const [key, { source, target }] of this.#samples) if (this.differenceOf(key)) yield { key, source, target };
  }
}

function differenceIn(bits: number): Difference {
  if (!(bits & AT_SOURCE)) return 'extra';
  return bits & AT_TARGET ? 'different' : 'missing';
}
