import type { Row } from './canonical.ts';
import { countRows, decodeRows, encodeRows } from './lines.ts';

/** Where reading goes on after a batch: the connector's own words, kept with the data by the target. */
export type Position = string;

/** A row that could not be read or written, and why. It is shown to people and can be tried again. */
export interface Reject {
  /** Its place in the batch, when it had one. */
  index?: number;
  /** The row as it was found, by field; or the raw text under `raw` when it has no fields yet. */
  row: Readonly<Record<string, unknown>>;
  field?: string;
  reason: string;
}

export type Recycle = (lines: Buffer) => void;

/**
 * Of a row, by its place in the batch: what tells this version of this record from every other one of the stream. It is the same
 * whenever the same version is read again, however the batches are cut.
 */
export type Version = (index: number) => string;

interface Options {
  position: Position;
  /** Rows that were found but could not be read. */
  rejects?: readonly Reject[];
  /** `delete`: the rows hold the key alone, and are to go. */
  operation?: 'write' | 'delete';
  /** Keys, in the order of the target's, of rows that belong here but cannot be used: a mirror leaves alone what it has of them. */
  spared?: readonly Row[];
  version?: Version | undefined;
  /** Takes the memory of the lines back. */
  recycle?: Recycle | undefined;
}

/**
 * Some rows of a stream and the position behind them. The reader that makes it has either rows or lines; the writer that takes it asks
 * for what it needs, and only then is one made of the other.
 */
export class Batch {
  readonly position: Position;
  readonly rejects: readonly Reject[];
  readonly operation: 'write' | 'delete';
  readonly spared: readonly Row[];
  readonly version: Version | undefined;
  #rows: readonly Row[] | undefined;
  #lines: Buffer | undefined;
  #count: number | undefined;
  #recycle: Recycle | undefined;
  #isReleased = false;

  private constructor(rows: readonly Row[] | undefined, lines: Buffer | undefined, count: number | undefined, options: Options) {
    this.#rows = rows;
    this.#lines = lines;
    this.#count = count;
    this.position = options.position;
    this.rejects = options.rejects ?? [];
    this.operation = options.operation ?? 'write';
    this.spared = options.spared ?? [];
    this.version = options.version;
    this.#recycle = options.recycle;
  }

  static ofRows(rows: readonly Row[], options: Omit<Options, 'recycle'>): Batch {
    return new Batch(rows, undefined, rows.length, options);
  }

  /** `count` may be left out: it is counted when it is first asked for. */
  static ofLines(lines: Buffer, options: Options & { count?: number }): Batch {
    return new Batch(undefined, lines, options.count, options);
  }

  /** The same batch, with the keys of rows that are not in it because they cannot be used. */
  sparing(spared: readonly Row[]): Batch {
    return this.#with({ spared });
  }

  /** The same batch, with what tells versions of records apart. */
  telling(version: Version): Batch {
    return this.#with({ version });
  }

  #with(known: { spared?: readonly Row[]; version?: Version }): Batch {
    this.#demandKept();
    const { position, rejects, operation, spared, version } = this;
    return new Batch(this.#rows, this.#lines, this.#count, { position, rejects, operation, spared, version, ...known });
  }

  get rows(): readonly Row[] {
    this.#demandKept();
    return (this.#rows ??= decodeRows(this.#lines as Buffer));
  }

  get lines(): Buffer {
    this.#demandKept();
    return (this.#lines ??= encodeRows(this.#rows as readonly Row[]));
  }

  get count(): number {
    return (this.#count ??= countRows(this.lines));
  }

  /** Says that nobody will look at its rows any more: their memory may be used for others. */
  release(): void {
    const recycle = this.#recycle;
    this.#recycle = undefined;
    this.#isReleased = true;
    if (this.#lines) recycle?.(this.#lines);
  }

  #demandKept(): void {
    if (this.#isReleased) throw new Error('A batch was used after its release.');
  }

  /** Whether the rows are there as bytes already, so that asking for them costs nothing. */
  get hasLines(): boolean {
    return this.#lines !== undefined;
  }
}
