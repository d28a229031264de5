import { isUtf8 } from 'node:buffer';
import type { DatabaseSync } from 'node:sqlite';
import type { Recycle } from '../../batch.ts';
import type { CanonicalType } from '../../canonical.ts';
import type { Bound } from '../database/to-sqlite.ts';
import { rowSql } from './line-sql.ts';
import { PageLines } from './page-lines.ts';

export interface FastPage {
  lines: Buffer;
  count: number;
  /** The number of the last row. */
  last: bigint;
  isEnd: boolean;
  recycle?: Recycle;
}

/** Which rows, in which order: all of a select behind its list of columns, without a limit. */
export interface SelectedRows {
  readonly sql: string;
  readonly values: readonly Bound[];
}

// What a row is taken to be before one was seen.
const FIRST_GUESS = 200;
const SMALL_ROW = 4096;
// When so many pages had to be read twice, the table is not worth trying any more.
const PATIENCE = 3;

export interface BatchSize {
  readonly batchBytes: number;
  readonly batchRows: number;
}

/** Pages whose values SQLite puts together. They are sized by the rows before, and a row that is far larger makes a page a careful one. */
export class FastPages {
  readonly #database: DatabaseSync;
  readonly #row: string | undefined;
  readonly #lines: PageLines;
  readonly #rowid: string;
  readonly #size: BatchSize;
  #average = FIRST_GUESS;
  #failures = 0;

  constructor(database: DatabaseSync, names: readonly string[], types: readonly CanonicalType[], rowid: string, size: BatchSize) {
    this.#database = database;
    this.#row = rowSql(names, types);
    this.#lines = new PageLines(types, size.batchBytes);
    this.#rowid = rowid;
    this.#size = size;
  }

  /** The next page; undefined when it has to be read with care. */
  page({ sql, values }: SelectedRows, limit: number): FastPage | undefined {
    if (this.#row === undefined || this.#failures >= PATIENCE) return undefined;
    const { batchBytes, batchRows } = this.#size;
    const rows = Math.min(limit, batchRows, Math.max(1, Math.floor((0.75 * batchBytes) / this.#average)));
    const most = Math.max(SMALL_ROW, 8 * this.#average);
    const statement = this.#database.prepare(
      `select count(*), count(held), cast(group_concat(held, '') as blob), max(number)
       from (select iif(octet_length(held) <= ${Math.ceil(most)}, held, null) as held, number
             from (select ${this.#row} as held, ${this.#rowid} as number ${sql} limit ${rows}))`,
    );
    statement.setReturnArrays(true);
    statement.setReadBigInts(true);
    const [count, sound, bytes, last] = statement.get(...values) as unknown as [bigint, bigint, Uint8Array | null, bigint | null];
    if (count === 0n || bytes === null || last === null)
      return count === 0n ? { lines: Buffer.alloc(0), count: 0, last: 0n, isEnd: true } : this.#refuse();
    const lines =
      sound === count && isUtf8(bytes)
        ? this.#lines.make(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), Number(count))
        : undefined;
    if (!lines) return this.#refuse();
    this.learn(lines.length / Number(count));
    this.#failures = 0;
    return { lines, count: Number(count), last, isEnd: Number(count) < rows, recycle: this.#lines.recycle };
  }

  /** How large rows are at this place. */
  learn(average: number): void {
    this.#average = Math.max(1, average);
  }

  #refuse(): undefined {
    this.#failures++;
    return undefined;
  }
}
