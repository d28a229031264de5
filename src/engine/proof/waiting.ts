import type { Row } from '../../connectors/canonical.ts';
import { DigestTable } from './digest-table.ts';
import type { RowMarks, ProofShape } from './proof-shape.ts';
import { type ProofEnd, Spill } from './spill.ts';

/** So many rows wait in memory for their like; with more, all go to a file. About 90 MB. */
const MOST_IN_MEMORY = 1_500_000;
/** Of so many rows that wait, the keys are known, so that they can be asked for again. */
const MOST_KNOWN = 5_000;

const OF_SOURCE = 1;
const OF_TARGET = 2;

/** A row that one end has and the other has not, or has otherwise: as far as one look can tell. */
export interface Suspect {
  readonly key: string;
  /** The digest of the row at each end; undefined where it is not there. */
  readonly source: string | undefined;
  readonly target: string | undefined;
  /** An end has the key more than once: which of its rows counts is not known from this look. */
  readonly isUnsure: boolean;
}

/** Rows that have been read at one end, and wait for the other to have them. The order in which they come does not matter. */
export interface Waiting {
  /** The keys of rows that were different, or never met: as values. Undefined when there were too many to keep. */
  readonly known: ReadonlyMap<string, Row> | undefined;
  offer(end: ProofEnd, row: Row): void;
  /** Both ends are known to have this key, and not the same row. */
  differ(source: Row, target: Row): void;
  /** Both ends were read: tells of what is left. */
  finish(): void;
  close(): void;
}

/** `suspect` hears of rows that are not alike; `most`: so many rows wait in memory. */
export function waitingFor(shape: ProofShape, suspect: (suspect: Suspect) => void, most = MOST_IN_MEMORY): Waiting {
  return new WaitingRows(shape, suspect, most);
}

class WaitingRows implements Waiting {
  readonly #shape: ProofShape;
  readonly #most: number;
  #pairs: Pairs;
  #spill: Spill | undefined;
  #known: Map<string, Row> | undefined = new Map();
  readonly #suspect: (suspect: Suspect) => void;

  constructor(shape: ProofShape, suspect: (suspect: Suspect) => void, most: number) {
    this.#shape = shape;
    this.#suspect = suspect;
    this.#most = most;
    this.#pairs = this.#newPairs();
  }

  get known(): ReadonlyMap<string, Row> | undefined {
    return this.#known;
  }

  offer(end: ProofEnd, row: Row): void {
    const marks = this.#shape.marksOf(row);
    if (this.#spill) return this.#spill.add(end, marks);
    // One that has met another than its like is asked for again.
    if (this.#pairs.take(end, marks)) this.#known?.delete(marks.key);
    else this.#know(marks.key, row);
    if (this.#pairs.table.count >= this.#most) this.#beginSpill();
  }

  differ(source: Row, target: Row): void {
    const { key, row } = this.#shape.marksOf(source);
    this.#suspect({ key, source: row, target: this.#shape.marksOf(target).row, isUnsure: false });
    this.#know(key, source);
  }

  finish(): void {
    if (!this.#spill) return this.#tellLeft();
    for (const part of this.#spill.parts()) {
      this.#pairs = this.#newPairs();
      for (const { end, marks } of part) this.#pairs.take(end, marks);
      this.#tellLeft();
    }
  }

  #tellLeft(): void {
    for (const { end, marks } of this.#pairs.waiting())
      this.#suspect(end === 'source' ? suspectOf(marks.key, marks.row, undefined) : suspectOf(marks.key, undefined, marks.row));
  }

  close(): void {
    this.#spill?.close();
  }

  #newPairs(): Pairs {
    return this.#shape.hasKey ? new KeyedPairs(this.#suspect) : new CountedPairs();
  }

  #know(key: string, row: Row): void {
    if (!this.#known || !this.#shape.hasKey) return;
    this.#known.set(key, this.#shape.keyOf(row));
    if (this.#known.size > MOST_KNOWN) this.#known = undefined;
  }

  #beginSpill(): void {
    this.#spill = new Spill();
    this.#known = undefined;
    for (const { end, marks } of this.#pairs.waiting()) this.#spill.add(end, marks);
    this.#pairs = this.#newPairs();
  }
}

interface Pairs {
  readonly table: DigestTable;
  /** Takes in a row; answers whether it has met its like. */
  take(end: ProofEnd, marks: RowMarks): boolean;
  /** Those that wait, as they came. */
  waiting(): Generator<{ end: ProofEnd; marks: RowMarks }>;
}

/** Rows with keys: each waits for the one with its key. */
class KeyedPairs implements Pairs {
  readonly table = new DigestTable(1);
  readonly #suspect: (suspect: Suspect) => void;

  constructor(suspect: (suspect: Suspect) => void) {
    this.#suspect = suspect;
  }

  take(end: ProofEnd, { key, row }: RowMarks): boolean {
    const mine = end === 'source' ? OF_SOURCE : OF_TARGET;
    const place = this.table.find(key);
    if (place >= 0 && this.table.bits(place) !== mine) {
      const isSame = this.table.isDigest(place, 0, row);
      const other = isSame ? row : this.table.digest(place, 0);
      if (!isSame) this.#suspect(end === 'source' ? suspectOf(key, row, other) : suspectOf(key, other, row));
      this.table.remove(place);
      return isSame;
    }
    if (place >= 0) this.#suspect({ key, source: undefined, target: undefined, isUnsure: true });
    const at = place >= 0 ? place : this.table.put(key);
    this.table.setBits(at, mine);
    // Of rows with one key the last one is written.
    this.table.setDigest(at, 0, row);
    return false;
  }

  *waiting(): Generator<{ end: ProofEnd; marks: RowMarks }> {
    for (const place of this.table.places())
      yield {
        end: this.table.bits(place) === OF_SOURCE ? 'source' : 'target',
        marks: { key: this.table.key(place), row: this.table.digest(place, 0) },
      };
  }
}

/** Rows without a key: what counts is how many of each there are. */
class CountedPairs implements Pairs {
  readonly table = new DigestTable(1);

  take(end: ProofEnd, { key }: RowMarks): boolean {
    const step = end === 'source' ? 1 : -1;
    const place = this.table.put(key);
    const before = this.table.number(place, 0);
    if (before + step === 0) this.table.remove(place);
    else this.table.setNumber(place, 0, before + step);
    return before * step < 0;
  }

  *waiting(): Generator<{ end: ProofEnd; marks: RowMarks }> {
    for (const place of this.table.places()) {
      const count = this.table.number(place, 0);
      const key = this.table.key(place);
      const one = { end: count > 0 ? ('source' as const) : ('target' as const), marks: { key, row: key.padEnd(16, '\0') } };
      for (let copy = 0; copy < Math.abs(count); copy++) yield one;
    }
  }
}

function suspectOf(key: string, source: string | undefined, target: string | undefined): Suspect {
  return { key, source, target, isUnsure: false };
}
