import { list } from '../../../db/bulk.ts';
import { command, type Connection, first } from '../../../db/database.ts';
import { databaseTime, databaseTimeText } from '../../../db/database-time.ts';
import { isHeard } from '../../../db/migrate.ts';
import { byEngine, integer, raw, sql } from '../../../db/sql.ts';
import { isoTime } from '../../../lib/clock.ts';
import { writesSomething } from '../rows/run-modes.ts';
import type { RunRow } from '../rows/run-row.ts';
import { raiseTokens } from '../rows/sync-state.ts';
import { beginAll, type RunClaimant, type Claimed } from './claim.ts';

/** A transaction that is changing the run or its synchronization at this moment goes first; the run is taken the next time. */
const skipLocked = byEngine((engine) => raw(engine === 'postgres' ? 'for update of runs, sync_state skip locked' : ''));

// What the live run stands aside for goes first.
const NOTHING_ELSE = sql`not exists (select 1 from runs as beside where beside.sync_id = runs.sync_id and beside.live = 0
  and beside.status in ('queued', 'running', 'retrying') and ${writesSomething('beside.')})`;

/** What is more than a node's share is left to the others for as long. */
const LEFT_FOR = 500;

/** Takes live runs that are due, oldest first. They have places of their own: neither sources nor keys have a share of them. */
export const claimLiveRuns = command(import.meta.url, 'claimLiveRuns', async (tx, request: RunClaimant): Promise<Claimed[]> => {
  if (request.most <= 0) return [];
  const due = await tx.all<{ id: string; sync_id: string; not_before: string }>(sql`
    select runs.id, runs.sync_id, runs.not_before from runs join sync_state on sync_state.sync_id = runs.sync_id
    where runs.status in ('queued', 'retrying') and runs.live = 1 and runs.not_before <= ${databaseTimeText(request.now)}
      and sync_state.status = 'active' and ${NOTHING_ELSE}
    order by runs.not_before, runs.id limit ${integer(request.most)} ${skipLocked}`);
  if (due.length === 0) return [];
  const now = await databaseTime(tx, request.now);
  const share = tx.engine === 'sqlite' ? due.length : await shareLeft(tx, request);
  const chosen = due.filter(({ not_before }, place) => place < share || not_before < isoTime(now - LEFT_FOR));
  if (chosen.length === 0) return [];
  const [syncs, runs] = await Promise.all([
    raiseTokens(
      tx,
      chosen.map(({ sync_id }) => sync_id),
      now,
    ),
    tx.all<RunRow>(sql`select * from runs where id in ${list(chosen.map(({ id }) => id))} order by not_before, id`),
  ]);
  return beginAll(tx, runs, syncs, request, now);
});

/** The types of the ends of live runs whose lease is over within so many milliseconds, unless it is renewed. */
export async function endsOfLate(db: Connection, now: number, within: number): Promise<string[]> {
  const rows = await db.all<{ type: string }>(sql`
    select distinct sources.type from runs join syncs on syncs.id = runs.sync_id join sources on sources.id in (syncs.source_id, syncs.target_id)
    where runs.status = 'running' and runs.live = 1 and runs.lease_until <= ${databaseTimeText(now, -within)} order by sources.type`);
  return rows.map(({ type }) => type);
}

/** How many more a node is to have of all live runs, when each that works has as many. */
async function shareLeft(tx: Connection, { node, now }: RunClaimant): Promise<number> {
  const counts = await first<{ live: number; own: number; workers: number }>(
    tx,
    sql`select count(*) as live, sum(case when status = 'running' and node = ${node} then 1 else 0 end) as own,
      (select count(*) from nodes where role <> 'api' and max_runs > 0 and ${isHeard(now)}) as workers
    from runs where live = 1 and status in ('queued', 'running', 'retrying')`,
  );
  const { live = 0, own = 0, workers = 1 } = counts ?? {};
  return Math.ceil(live / Math.max(1, workers)) - own;
}
