import type { Position } from '../../batch.ts';
import type { Change, ChangeSet } from '../../changes.ts';
import { rolledBackLate } from './gaps.ts';

/** How much there was at some moment. */
interface Mark {
  readonly count: number;
  readonly bytes: number;
}

/** Changes that were read and not yet taken, and up to where they are whole. */
export class CollectedChanges {
  #changes: Change[] = [];
  #bytes = 0;
  /** The end of the last whole transaction. */
  #whole: Mark = { count: 0, bytes: 0 };
  #hasMoved = false;
  #committedAt: number | undefined;
  /** A part of the transaction that is under way was taken already. */
  #isPartTaken = false;
  readonly #savepoints = new Map<string, Mark>();

  /** About how much is here. */
  get bytes(): number {
    return this.#bytes;
  }

  /** There are changes of whole transactions. */
  get hasWhole(): boolean {
    return this.#whole.count > 0;
  }

  /** There is a place that was not told, though there may be no changes before it. */
  get hasMoved(): boolean {
    return this.#hasMoved;
  }

  put(change: Change, bytes: number): void {
    this.#changes.push(change);
    this.#bytes += bytes;
  }

  /** Everything up to here is whole. */
  mark(committedAt: number | undefined): void {
    this.#whole = { count: this.#changes.length, bytes: this.#bytes };
    this.#committedAt = committedAt ?? this.#committedAt;
    this.#hasMoved = true;
    this.#isPartTaken = false;
    this.#savepoints.clear();
  }

  savepoint(name: string): void {
    this.#savepoints.set(name, { count: this.#changes.length, bytes: this.#bytes });
  }

  /** Takes back what came behind a savepoint, or everything of the transaction. Answers what that was. */
  rollBack(name?: string): Change[] {
    const { count, bytes } = (name === undefined ? undefined : this.#savepoints.get(name)) ?? this.#whole;
    // What was handed over cannot be taken back.
    if (count < 0 || (this.#isPartTaken && count <= this.#whole.count)) throw rolledBackLate();
    this.#bytes = bytes;
    return this.#changes.splice(count);
  }

  /** What is whole; when nothing is, the part of the transaction that is here. */
  take(position: () => Position): ChangeSet {
    const mark = this.#hasMoved ? this.#whole : { count: this.#changes.length, bytes: this.#bytes };
    const changes = mark.count === this.#changes.length ? this.#changes : this.#changes.slice(0, mark.count);
    this.#changes = mark.count === this.#changes.length ? [] : this.#changes.slice(mark.count);
    this.#bytes -= mark.bytes;
    for (const [name, { count, bytes }] of this.#savepoints)
      this.#savepoints.set(name, { count: count - mark.count, bytes: bytes - mark.bytes });
    if (!this.#hasMoved) {
      this.#isPartTaken = true;
      return { changes, bytes: mark.bytes };
    }
    this.#whole = { count: 0, bytes: 0 };
    this.#hasMoved = false;
    return { changes, bytes: mark.bytes, position: position(), ...(this.#committedAt !== undefined && { committedAt: this.#committedAt }) };
  }
}
