import { isUtf8 } from 'node:buffer';
import type { DatabaseSync } from 'node:sqlite';
import type { CanonicalType } from '../../canonical.ts';
import type { Bound } from '../database/to-sqlite.ts';
import { lineSql } from './line-sql.ts';

export interface FastPage {
  lines: Buffer;
  count: number;
  /** The number of the last row. */
  last: bigint;
  isEnd: boolean;
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

/** Pages whose lines SQLite makes. They are sized by the rows before, and a row that is far larger makes a page a careful one. */
export class FastPages {
  readonly #database: DatabaseSync;
  readonly #line: string | undefined;
  readonly #rowid: string;
  readonly #size: BatchSize;
  #average = FIRST_GUESS;
  #failures = 0;

  constructor(database: DatabaseSync, names: readonly string[], types: readonly CanonicalType[], rowid: string, size: BatchSize) {
    this.#database = database;
    this.#line = lineSql(names, types);
    this.#rowid = rowid;
    this.#size = size;
  }

  /** The next page; undefined when it has to be read with care. */
  page({ sql, values }: SelectedRows, limit: number): FastPage | undefined {
    if (this.#line === undefined || this.#failures >= PATIENCE) return undefined;
    const { batchBytes, batchRows } = this.#size;
    const rows = Math.min(limit, batchRows, Math.max(1, Math.floor((0.75 * batchBytes) / this.#average)));
    const most = Math.max(SMALL_ROW, 8 * this.#average);
    const statement = this.#database.prepare(
      `select count(*), count(line), cast(group_concat(line, char(10)) || char(10) as blob), max(number)
       from (select iif(octet_length(line) <= ${Math.ceil(most)}, line, null) as line, number
             from (select ${this.#line} as line, ${this.#rowid} as number ${sql} limit ${rows}))`,
    );
    statement.setReturnArrays(true);
    statement.setReadBigInts(true);
    const [count, sound, bytes, last] = statement.get(...values) as unknown as [bigint, bigint, Uint8Array | null, bigint | null];
    if (count === 0n || bytes === null || last === null)
      return count === 0n ? { lines: Buffer.alloc(0), count: 0, last: 0n, isEnd: true } : this.#refuse();
    if (sound !== count || !isUtf8(bytes)) return this.#refuse();
    this.learn(bytes.length / Number(count));
    this.#failures = 0;
    const lines = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return { lines, count: Number(count), last, isEnd: Number(count) < rows };
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
