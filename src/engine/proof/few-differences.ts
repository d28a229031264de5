import type { Row } from '../../connectors/canonical.ts';
import type { Differences } from '../../connectors/contract.ts';
import type { Unmatched } from './pair-streams.ts';
import type { ProofShape } from './proof-shape.ts';
import type { ProofEnd } from './spill.ts';

/** More rows that differ, or wait for their like, are not held. A mirror that changes more is better made by the target itself. */
const MOST_ROWS = 20_000;
const MOST_BYTES = 32 * 1024 * 1024;

/** There are too many rows that differ. */
export class TooManyDifferences extends Error {}

interface BothRows {
  source?: Row;
  target?: Row;
}

/** Holds the rows that are not the same at both ends, or have not been seen at both yet: as they were read, as long as they are few. */
export class FewDifferences implements Unmatched {
  readonly #shape: ProofShape;
  readonly #rows = new Map<string, BothRows>();
  #bytes = 0;

  constructor(shape: ProofShape) {
    this.#shape = shape;
  }

  offer(end: ProofEnd, row: Row): void {
    this.#add(end, row);
  }

  differ(source: Row, target: Row): void {
    this.#add('source', source);
    this.#add('target', target);
  }

  finish(): void {}

  /** What the target lacks to be what the source is. */
  take(): Differences {
    const put: Row[] = [];
    const gone: Row[] = [];
    for (const { source, target } of this.#rows.values())
      if (source) put.push(source);
      else if (target) gone.push(this.#shape.keyOf(target));
    return { put, gone };
  }

  /** Of several rows with one key the last one counts, as in any mirror. */
  #add(end: ProofEnd, row: Row): void {
    const { key } = this.#shape.marksOf(row);
    const both = { ...this.#rows.get(key), [end]: row };
    const { source, target } = both;
    this.#bytes += sizeOf(row);
    if (source && target && this.#shape.differences(source, target).length === 0) {
      this.#rows.delete(key);
      this.#bytes -= sizeOf(source) + sizeOf(target);
      return;
    }
    this.#rows.set(key, both);
    if (this.#rows.size > MOST_ROWS || this.#bytes > MOST_BYTES) throw new TooManyDifferences();
  }
}

function sizeOf(row: Row): number {
  let size = 64;
  for (const value of row) size += 2 * (value?.length ?? 0);
  return size;
}
