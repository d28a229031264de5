import { createHash } from 'node:crypto';
import type { Mark } from '../cursor/cursor.ts';
import type { MutableRecord } from './transform.ts';

// More than this at one instant, and they are simply read again.
const MOST = 1000;

/**
 * The records that have the highest value of the cursor, by their digests: asked for what is new since then, most APIs give them again. Those
 * that come again and are the same are left out.
 */
export class Boundary {
  readonly #before: ReadonlySet<string>;
  readonly #highest = new Map<string, { mark: Mark; records: MutableRecord[]; digests: string[] }>();

  constructor(before: readonly string[]) {
    this.#before = new Set(before);
  }

  /** Whether a record with the value that a partition had come to has been read before. */
  knows(record: MutableRecord): boolean {
    return this.#before.size > 0 && this.#before.has(digestOf(record));
  }

  /** A record of a partition, in whichever order they come. */
  add(partition: string, mark: Mark, record: MutableRecord): void {
    const known = this.#highest.get(partition);
    if (!known || mark > known.mark) this.#highest.set(partition, { mark, records: [record], digests: [] });
    else if (mark === known.mark && known.records.length + known.digests.length < MOST) known.records.push(record);
  }

  /** What is kept in a position. */
  digests(): string[] {
    const all: string[] = [];
    for (const entry of this.#highest.values()) {
      entry.digests.push(...entry.records.map(digestOf));
      entry.records = [];
      for (const digest of entry.digests) {
        if (all.length >= MOST) return all;
        all.push(digest);
      }
    }
    return all;
  }
}

function digestOf(record: MutableRecord): string {
  return createHash('sha256').update(JSON.stringify(record)).digest('base64url').slice(0, 16);
}
