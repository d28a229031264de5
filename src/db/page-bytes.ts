import type { Connection } from './database.ts';
import { byEngine, type EngineSql, raw, type Sql } from './sql.ts';

/**
 * What the rows of one page may hold together. A page of a thousand rows is otherwise as large as their authors like: each may hold a
 * megabyte, and all of it would be in memory at once, several times.
 */
const MOST_BYTES = 8 * 1024 * 1024;

/**
 * How many rows of a page are read: as many as were asked for, or fewer where they are large; one at least. `sizes` answers the
 * `bytes` of the rows of the page, in their order; `most` is less for those who keep a page for long.
 */
export async function rowsThatFit(db: Connection, sizes: Sql, limit: number, most = MOST_BYTES): Promise<number> {
  const rows = await db.all<Sized>(sizes);
  const fit = thoseThatFit(rows, most);
  return fit.length < rows.length ? fit.length : limit;
}

interface Sized {
  bytes: number;
}

/** Those of the rows that are read together. */
export function thoseThatFit<Row extends Sized>(rows: readonly Row[], most = MOST_BYTES): readonly Row[] {
  let sum = 0;
  const first = rows.findIndex(({ bytes }) => (sum += bytes) > most);
  return first === -1 ? rows : rows.slice(0, Math.max(1, first));
}

/** The bytes of columns together. SQLite knows them without reading the values, so they are named as they are. */
export function bytesOf(...columns: string[]): EngineSql {
  return byEngine((engine) =>
    raw(columns.map((column) => `coalesce(octet_length(${engine === 'postgres' ? `${column}::text` : column}), 0)`).join(' + ')),
  );
}
