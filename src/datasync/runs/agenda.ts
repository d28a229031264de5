import { type Connection, first } from '../../db/database.ts';
import { databaseTimeText } from '../../db/database-time.ts';
import { integer, raw, sql } from '../../db/sql.ts';
import type { Schedule } from '../../engine/definition.ts';
import { nextRun } from '../../jobs/schedule.ts';
import { isoTime } from '../../lib/clock.ts';
import type { Due } from './fire.ts';
import { definitionOf } from './store.ts';

/** What a node looks at twice a second: one look into three indexes. Times by the clock that all nodes share. */
export interface Agenda {
  now: string;
  /** When the first run in the queue may begin. */
  waiting: string | null;
  /** When the first schedule comes due. */
  due: string | null;
  /** When the first lease ends. */
  lease: string | null;
}

export async function readAgenda(db: Connection, now: number): Promise<Agenda> {
  const agenda = await first<Agenda>(
    db,
    sql`select ${databaseTimeText(now)} as now,
      (select min(not_before) from runs where status in ('queued', 'retrying')) as waiting,
      (select min(next_run_at) from syncs where next_run_at is not null and status = 'active') as due,
      (select min(lease_until) from runs where status = 'running') as lease`,
  );
  return agenda ?? { now: isoTime(now), waiting: null, due: null, lease: null };
}

/** The runs of a node that somebody wants to end. */
export async function cancelledRuns(db: Connection, node: string): Promise<string[]> {
  const rows = await db.all<{ id: string }>(sql`select id from runs where status = 'running' and node = ${node} and cancelled <> 0`);
  return rows.map(({ id }) => id);
}

/** Synchronizations whose time has come, each with the slot that follows. Of slots that were missed, one is left. */
export async function readDue(db: Connection, now: string, most: number): Promise<Due[]> {
  const rows = await db.all<{ id: string; next_run_at: string; definition: string }>(sql`
    select id, next_run_at, definition from syncs
    where next_run_at is not null and next_run_at <= ${now} and ${raw(`status = 'active'`)}
    order by next_run_at limit ${integer(most)}`);
  return rows.map((row) => ({ syncId: row.id, due: row.next_run_at, next: nextSlot(definitionOf(row).schedule, now) }));
}

function nextSlot(schedule: Schedule, now: string): string | null {
  const next = nextRun(schedule, Date.parse(now));
  return next === null ? null : isoTime(next);
}
