import type { Connection } from '../../../db/database.ts';
import { databaseTimeText } from '../../../db/database-time.ts';
import { integer, raw, sql } from '../../../db/sql.ts';
import { nextRun, type Schedule } from '../../../jobs/schedule.ts';
import { isoTime } from '../../../lib/clock.ts';
import type { Due } from './fire.ts';
import { SYNCS } from '../rows/sync-state.ts';
import { definitionOf } from '../rows/stored-definition.ts';
import { ACTIVE_STATUSES } from '../rows/transitions.ts';

/** What a node looks at all the time: one statement that looks into some indexes. Times by the clock that all nodes share. */
export interface Agenda {
  now: string;
  /** When the first run in the queue may begin. */
  waiting: string | null;
  /** The same of live runs. */
  live: string | null;
  /** When the first schedule comes due. */
  due: string | null;
  /** When the first streams are to be compared. */
  verify: string | null;
  /** When the first lease ends. */
  lease: string | null;
  /** Whether a synchronization is wanted that could be started. */
  wanted: number;
  /** How many runs of this node are to stop. */
  stopping: number;
  /** How many changes there have been, ever, of what synchronizations may follow, and of synchronizations. Stock is that of products. */
  orders: number | null;
  products: number | null;
  syncs: number | null;
}

const IS_ACTIVE = `runs.sync_id = sync_state.sync_id and runs.status in (${ACTIVE_STATUSES.map((status) => `'${status}'`).join(', ')})`;
// The partial indexes fit: `sync_state_wanted`, `sync_state_live` and `runs_one_active`. A live synchronization without a run is always wanted.
const WANTED = raw(`select sync_id from sync_state where wanted > wanted_seen and status = 'active' and live = 0
    and not exists (select 1 from runs where ${IS_ACTIVE} and live = 0)
  union all select sync_id from sync_state where live <> 0 and status = 'active' and next_run_at is null
    and not exists (select 1 from runs where ${IS_ACTIVE} and live = 1)`);

const STOPS = raw('(cancelled <> 0 or yields <> 0)');

/** Synchronizations that are wanted and have no run under way. */
export async function readWanted(db: Connection, most: number): Promise<string[]> {
  const rows = await db.all<{ sync_id: string }>(sql`select sync_id from (${WANTED}) as found order by sync_id limit ${integer(most)}`);
  return rows.map(({ sync_id }) => sync_id);
}

export async function readAgenda(db: Connection, node: string, now: number): Promise<Agenda> {
  const [agenda] = await db.all<Agenda>(
    sql`select ${databaseTimeText(now)} as now,
      (select min(not_before) from runs where status in ('queued', 'retrying') and live = 0) as waiting,
      (select min(not_before) from runs where status in ('queued', 'retrying') and live = 1) as live,
      (select min(next_run_at) from sync_state where next_run_at is not null and status = 'active') as due,
      (select min(verify_at) from sync_state where verify_at is not null and status = 'active') as verify,
      (select min(lease_until) from runs where status = 'running') as lease,
      case when exists (${WANTED}) then 1 else 0 end as wanted,
      (select count(*) from runs where status = 'running' and node = ${node} and ${STOPS}) as stopping,
      (select n from counters where name = 'events:orders') as orders,
      coalesce((select n from counters where name = 'events:products'), 0) + coalesce((select n from counters where name = 'events:stock'), 0) as products,
      (select n from counters where name = 'events:syncs') as syncs`,
  );
  return agenda as Agenda;
}

/** The runs of a node that are to stop, and why. */
export async function stoppingRuns(db: Connection, node: string): Promise<{ id: string; reason: 'cancelled' | 'handed_over' }[]> {
  const rows = await db.all<{ id: string; cancelled: number }>(
    sql`select id, cancelled from runs where status = 'running' and node = ${node} and ${STOPS}`,
  );
  return rows.map(({ id, cancelled }) => ({ id, reason: cancelled === 0 ? 'handed_over' : 'cancelled' }));
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
