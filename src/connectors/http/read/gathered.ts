import { Batch, type Reject } from '../../batch.ts';
import type { Row } from '../../canonical.ts';

/** What a row weighs in memory besides its text. */
const ROW_BYTES = 32;

/** What a record weighs in the answer, in bytes. */
export interface Sized {
  readonly size: number;
}

/** Rows, rejects and keys of what is gone, on their way into batches. */
export class Gathered {
  #rows: (Row | undefined)[] = [];
  #rejects: Reject[] = [];
  #gone: Row[] = [];
  /** Keys among the rows, where deletions are told. */
  readonly #keys = new Map<string, number>();
  #since: number | undefined;
  /** Behind the last batch. */
  #before: string;
  bytes = 0;

  constructor(before: string) {
    this.#before = before;
  }

  row(row: Row, { size }: Sized, key?: Row): void {
    if (key) this.#replace(JSON.stringify(key), this.#rows.length);
    this.#rows.push(row);
    this.#count(size);
  }

  reject(reject: Reject, { size }: Sized): void {
    this.#rejects.push(reject);
    this.#count(size);
  }

  /** A row of the same key that waits here is not written any more. */
  gone(key: Row, { size }: Sized): void {
    this.#replace(JSON.stringify(key), undefined);
    this.#gone.push(key);
    this.#count(size);
  }

  get rows(): number {
    return this.#rows.length + this.#gone.length;
  }

  /** Rows, rejects and deletions. */
  get count(): number {
    return this.rows + this.#rejects.length;
  }

  /** Milliseconds since the first of them came. */
  get age(): number {
    return this.#since === undefined ? 0 : performance.now() - this.#since;
  }

  /**
   * All of it. Deletions come first, with the position before: should it end between the two, they are told again, and what was made anew
   * under the same key is written behind them.
   */
  *batches(position: string): Generator<Batch> {
    const [rejects, gone] = [this.#rejects, this.#gone];
    const rows = this.#rows.filter((row) => row !== undefined);
    const before = this.#before;
    this.#rows = [];
    this.#rejects = [];
    this.#gone = [];
    this.#keys.clear();
    this.#since = undefined;
    this.#before = position;
    this.bytes = 0;
    const isOnlyGone = rows.length + rejects.length === 0 && gone.length > 0;
    if (gone.length > 0) yield Batch.ofRows(gone, { position: isOnlyGone ? position : before, operation: 'delete' });
    if (!isOnlyGone) yield Batch.ofRows(rows, { position, rejects });
  }

  /** Only the last that is said of a key counts: what waits is not written, whether another row or a deletion takes its place. */
  #replace(key: string, by: number | undefined): void {
    const waiting = this.#keys.get(key);
    if (waiting !== undefined) this.#rows[waiting] = undefined;
    if (by === undefined) this.#keys.delete(key);
    else this.#keys.set(key, by);
  }

  #count(size: number): void {
    this.bytes += size + ROW_BYTES;
    this.#since ??= performance.now();
  }
}
