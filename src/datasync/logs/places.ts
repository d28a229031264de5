import { type Connection, first } from '../../db/database.ts';
import { type Sql, sql } from '../../db/sql.ts';

/** Entries with these numbers: from `low`, before `high`. */
export interface Places {
  low: number;
  high: number;
}

/** The numbers of the entries of a range of times: those at `from` or later, before `to`. */
export async function placesOf(db: Connection, from: string | undefined, to: string | undefined): Promise<Places & { newest: number }> {
  const row = await first<{ oldest: number | null; newest: number; low: number; high: number }>(
    db,
    sql`select (select min(seq) from logs) as oldest, (select seq from log_head) as newest,
      ${from === undefined ? sql`0` : placeAt(from)} as low, ${to === undefined ? AFTER_ALL : placeAt(to)} as high`,
  );
  if (!row || row.oldest === null) return { low: 0, high: 0, newest: row?.newest ?? 0 };
  const low = Math.max(row.low, row.oldest);
  return { low, high: Math.max(row.high, low), newest: row.newest };
}

const AFTER_ALL = sql`(select seq + 1 from log_head)`;

/** The first number that has this time or a later one: a step from mark to mark, and then a short walk. */
export function placeAt(time: string): Sql {
  return sql`coalesce((
    select seq from logs
    where seq >= coalesce((select seq from log_marks where time < ${time} order by time desc, seq desc limit 1), 0) and time >= ${time}
    order by seq limit 1), ${AFTER_ALL})`;
}
