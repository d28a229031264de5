import type { Connection } from './database.ts';
import { byEngine, type EngineSql, integer, sql } from './sql.ts';
import { isoTime } from '../lib/clock.ts';

/**
 * The time by which leases and due times are told. Nodes share a database but not a clock: on PostgreSQL it is the
 * database's. SQLite has one node, whose clock is `now`.
 */
export async function databaseTime(tx: Connection, now: number): Promise<number> {
  if (tx.engine === 'sqlite') return now;
  const [row] = await tx.all<{ ms: number }>(sql`select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms`);
  return row?.ms ?? now;
}

/** The same as text inside a statement, or the time so many milliseconds ago. */
export function databaseTimeText(now: number, ago = 0): EngineSql {
  return byEngine((engine) => {
    if (engine === 'sqlite') return sql`${isoTime(now - ago)}`;
    const moment = ago === 0 ? sql`clock_timestamp()` : sql`(clock_timestamp() - ${integer(ago)} * interval '1 millisecond')`;
    return sql`to_char(${moment} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  });
}
