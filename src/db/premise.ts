import { type Sql, sql } from './sql.ts';

// For PostgreSQL, where every answer that is waited for is a round trip: what a transaction was decided on is looked at by a statement of its own, whose answer nobody
// waits for. If it does not hold any more, the statement fails, and the transaction with it, and is tried again from the start. A statement can fail by what
// cannot be computed; see `isLostRace`.

/** Whether it holds, as something to select. */
export function holds(premise: Sql): Sql {
  return sql`1 / case when ${premise} then 1 else 0 end as holds`;
}
