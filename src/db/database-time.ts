import type { Connection } from './database.ts';
import { byEngine, type EngineSql, sql } from './sql.ts';
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

/** The same as text inside a statement. */
export function databaseTimeText(now: number): EngineSql {
  return byEngine((engine) =>
    engine === 'sqlite' ? sql`${isoTime(now)}` : sql`to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  );
}
