import type { Connection } from '../../../db/database.ts';
import { databaseTimeText } from '../../../db/database-time.ts';
import { integer, raw, sql } from '../../../db/sql.ts';
import { nextRun, type Schedule } from '../../../jobs/schedule.ts';
import { isoTime } from '../../../lib/clock.ts';
import type { Due } from './fire.ts';
import { definitionOf, SYNCS } from '../rows/sync-state.ts';
import { ACTIVE_STATUSES } from '../rows/transitions.ts';

/** What a node looks at all the time: one statement that looks into some indexes. Times by the clock that all nodes share. */
export interface Agenda {
  now: string;
  /** When the first run in the queue may begin. */
  waiting: string | null;
  /** When the first schedule comes due. */
  due: string | null;
  /** When the first lease ends. */
  lease: string | null;
  /** Whether a synchronization is wanted that could be started. */
  wanted: number;
  /** How many runs of this node are to be cancelled. */
  cancelled: number;
  /** How many changes there have been, ever, of what synchronizations may follow, and of synchronizations. */
  orders: number | null;
  products: number | null;
  syncs: number | null;
}

// Both partial indexes fit: `sync_state_wanted` and `runs_active`.
const WANTED = raw(`select sync_id from sync_state where wanted > wanted_seen and status = 'active' and not exists (
  select 1 from runs where runs.sync_id = sync_state.sync_id and runs.status in (${ACTIVE_STATUSES.map((status) => `'${status}'`).join(', ')}))`);

/** Synchronizations that are wanted and have no run under way. */
export async function readWanted(db: Connection, most: number): Promise<string[]> {
  const rows = await db.all<{ sync_id: string }>(sql`${WANTED} order by sync_id limit ${integer(most)}`);
  return rows.map(({ sync_id }) => sync_id);
}

export async function readAgenda(db: Connection, node: string, now: number): Promise<Agenda> {
  const [agenda] = await db.all<Agenda>(
    sql`select ${databaseTimeText(now)} as now,
      (select min(not_before) from runs where status in ('queued', 'retrying')) as waiting,
      (select min(next_run_at) from sync_state where next_run_at is not null and status = 'active') as due,
      (select min(lease_until) from runs where status = 'running') as lease,
      case when exists (${WANTED}) then 1 else 0 end as wanted,
      (select count(*) from runs where status = 'running' and node = ${node} and cancelled <> 0) as cancelled,
      (select n from counters where name = 'events:orders') as orders,
      (select n from counters where name = 'events:products') as products,
      (select n from counters where name = 'events:syncs') as syncs`,
  );
  return agenda as Agenda;
}

/** The runs of a node that are to be cancelled. */
export async function cancelledRuns(db: Connection, node: string): Promise<string[]> {
  const rows = await db.all<{ id: string }>(sql`select id from runs where status = 'running' and node = ${node} and cancelled <> 0`);
  return rows.map(({ id }) => id);
}

/** Synchronizations whose time has come, each with the slot that follows. Of slots that were missed, one is left. */
export async function readDue(db: Connection, now: string, most: number): Promise<Due[]> {
  const rows = await db.all<{ id: string; next_run_at: string; definition: string }>(sql`
    select id, next_run_at, definition from ${SYNCS}
    where next_run_at is not null and next_run_at <= ${now} and ${raw(`status = 'active'`)}
    order by next_run_at limit ${integer(most)}`);
  return rows.map((row) => ({ syncId: row.id, due: row.next_run_at, next: nextSlot(definitionOf(row).schedule, now) }));
}

function nextSlot(schedule: Schedule, now: string): string | null {
  const next = nextRun(schedule, Date.parse(now));
  return next === null ? null : isoTime(next);
}
