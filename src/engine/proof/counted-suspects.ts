import type { Row } from '../../connectors/canonical.ts';
import { DigestTable } from './digest-table.ts';
import type { ProofShape } from './proof-shape.ts';
import type { ProofEnd } from './spill.ts';
import type { Difference, DifferenceSample, Suspects } from './suspects.ts';
import type { Suspect } from './waiting.ts';

const MOST = 3_000_000;
const HELD = 100;
const BEFORE = 0;
const NOW = 1;
const CONFIRMED = 1;

/** Rows without a key. Of each there are so many more at the source than at the target, or fewer. */
export class CountedSuspects implements Suspects {
  readonly #shape: ProofShape;
  readonly #table = new DigestTable(2);
  readonly #keepsExtra: boolean;
  #samples = new Map<string, Row>();
  kept = 0;
  isOverfull = false;

  constructor(shape: ProofShape, keepsExtra: boolean) {
    this.#shape = shape;
    this.#keepsExtra = keepsExtra;
  }

  get count(): number {
    return this.#table.count;
  }

  add({ key, source }: Suspect): void {
    const step = source === undefined ? -1 : 1;
    if (step < 0 && this.#keepsExtra) {
      this.kept++;
      return;
    }
    if (this.#table.count >= MOST) this.isOverfull = true;
    else this.#count(this.#table.put(key), step);
  }

  #count(place: number, step: number): void {
    this.#table.setNumber(place, NOW, this.#table.number(place, NOW) + step);
  }

  /** One of them is in quarantine, and so not missing. */
  clear(key: string): boolean {
    const place = this.#table.find(key);
    if (place < 0 || this.#table.number(place, NOW) <= 0) return false;
    this.#count(place, -1);
    if (this.#table.number(place, NOW) === 0) this.#table.remove(place);
    return true;
  }

  begin(): void {
    this.#samples = new Map();
    for (const place of this.#table.places()) {
      this.#table.setNumber(place, BEFORE, this.#table.number(place, NOW));
      this.#table.setNumber(place, NOW, 0);
      this.#table.setBits(place, 0);
    }
  }

  see(end: ProofEnd, row: Row): void {
    const { key } = this.#shape.marksOf(row);
    const place = this.#table.find(key);
    if (place < 0) return;
    this.#count(place, end === 'source' ? 1 : -1);
    if (this.#samples.size < HELD) this.#samples.set(key, row);
  }

  settle(): number {
    let open = 0;
    const alike: string[] = [];
    for (const place of this.#table.places()) {
      const [before, now] = [this.#table.number(place, BEFORE), this.#table.number(place, NOW)];
      if (now === 0 || (now < 0 && this.#keepsExtra)) alike.push(this.#table.key(place));
      else if (now === before) this.#table.setBits(place, CONFIRMED);
      else open++;
    }
    for (const key of alike) this.#table.remove(this.#table.find(key));
    return open;
  }

  differenceOf(key: string): Difference | undefined {
    const place = this.#table.find(key);
    if (place < 0 || this.#table.bits(place) !== CONFIRMED) return undefined;
    return this.#table.number(place, NOW) > 0 ? 'missing' : 'extra';
  }

  counts(): Record<Difference, number> {
    const counts = { missing: 0, extra: 0, different: 0 };
    for (const place of this.#table.places()) {
      const more = this.#table.number(place, NOW);
      if (this.#table.bits(place) === CONFIRMED) counts[more > 0 ? 'missing' : 'extra'] += Math.abs(more);
    }
    return counts;
  }

  *samples(): Generator<DifferenceSample> {
    for (const [key, row] of this.#samples) {
      const difference = this.differenceOf(key);
      if (difference) yield { key, source: difference === 'missing' ? row : undefined, target: difference === 'extra' ? row : undefined };
    }
  }
}
