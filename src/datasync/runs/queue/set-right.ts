import { bulk, list } from '../../../db/bulk.ts';
import { command, type Connection } from '../../../db/database.ts';
import { databaseTime } from '../../../db/database-time.ts';
import { byEngine, integer, raw, sql } from '../../../db/sql.ts';
import { cancelJobs, enqueueJobs } from '../../../jobs/dispatcher.ts';
import type { Schedule } from '../../../jobs/schedule.ts';
import { isoTime } from '../../../lib/clock.ts';
import { idsFollow } from '../../../lib/ids.ts';
import { CORRECTION, latestDue, latestStart } from './due-bounds.ts';
import { verifySooner } from './fire-verify.ts';
import type { RunRow } from '../rows/run-row.ts';
import { lockRuns, updateRuns } from '../rows/store.ts';
import { SYNCS } from '../rows/sync-state.ts';

// A clock that was ahead and is set right leaves times behind that are too far off: schedules, retries and leases would wait until the
// old time comes. Each has a bound that follows from what it is, so they are found by themselves, also after a restart.

const AT_ONCE = 200;

interface Waiting {
  id: string;
  next_run_at: string | null;
  schedule: string | null;
  has_slots: number;
}

/** A schedule that waits for too long: when it was due, and when it is. */
export interface Rescheduled {
  syncId: string;
  from: string;
  to: string | null;
}

export interface FarOff {
  schedules: Rescheduled[];
  /** Synchronizations of which a slot is taken that has not come yet. */
  slots: string[];
}

const SCHEDULE = byEngine((engine) =>
  raw(engine === 'sqlite' ? `json_extract(definition, '$.schedule')` : `definition::json ->> 'schedule'`),
);

/** The synchronizations that wait for too long. A few at a time, so that nobody else has to wait. */
export async function readFarOff(db: Connection, now: string): Promise<FarOff> {
  const time = Date.parse(now);
  const later = isoTime(time + CORRECTION);
  const found: FarOff = { schedules: [], slots: [] };
  for (let after = '', rows = [] as Waiting[]; ; after = rows.at(-1)?.id ?? '') {
    rows = await db.all<Waiting>(sql`
      select id, case when status = 'active' then next_run_at end as next_run_at, case when next_run_at > ${now} then ${SCHEDULE} end as schedule,
        case when exists (select 1 from runs where sync_id = syncs.id and slot is not null and slot > ${later}) then 1 else 0 end as has_slots
      from ${SYNCS} where id > ${after} order by id limit ${integer(AT_ONCE)}`);
    for (const { id, next_run_at, schedule, has_slots } of rows) {
      if (has_slots) found.slots.push(id);
      if (next_run_at === null || schedule === null) continue;
      const latest = latestDue(JSON.parse(schedule) as Schedule, time);
      if (latest === null || next_run_at > isoTime(latest))
        found.schedules.push({ syncId: id, from: next_run_at, to: latest === null ? null : isoTime(latest) });
    }
    if (rows.length < AT_ONCE) return found;
  }
}

export interface SetRight {
  schedules: number;
  runs: number;
  leases: number;
}

/** Brings what is too far off to where it can be. Nothing is done a second time that was: only what waits is told to wait less. */
export const setRight = command(
  import.meta.url,
  'setRight',
  async (tx, input: { now: number; leaseMs: number; farOff: FarOff }): Promise<SetRight> => {
    const now = await databaseTime(tx, input.now);
    await followIds(tx);
    const { schedules, slots } = input.farOff;
    const changed = await tx.all(sql`
      update sync_state set next_run_at = input.next
      from ${bulk(
        { id: 'text', was: 'text', next: 'text' },
        schedules.map(({ syncId, from, to }) => [syncId, from, to]),
      )} as input where sync_id = input.id and next_run_at = input.was and status = 'active' returning sync_id`);
    // A slot that was taken before its time has not come yet.
    await tx.all(
      sql`update runs set slot = null where sync_id in ${list(slots)} and slot is not null and slot > ${isoTime(now + CORRECTION)}`,
    );
    await verifySooner(tx, now);
    const runs = await startSooner(tx, now);
    return { schedules: changed.length, runs, leases: await shortenLeases(tx, now, input.leaseMs) };
  },
);

/** Runs sort by their ids: the next one comes after those that were made while the clock was ahead. */
async function followIds(tx: Connection): Promise<void> {
  const [newest] = await tx.all<{ id: string | null }>(sql`select max(id) as id from runs`);
  if (newest?.id) idsFollow(newest.id);
}

async function startSooner(tx: Connection, now: number): Promise<number> {
  const waiting = await tx.all<{ id: string }>(sql`
    select id from runs where status in ('queued', 'retrying') and not_before > ${isoTime(now)} order by not_before`);
  const locked = await lockRuns(
    tx,
    waiting.map(({ id }) => id),
  );
  const sooner = [...locked.values()].flatMap(({ run }): RunRow[] => {
    const latest = isoTime(latestStart(run, now));
    const isWaiting = run.status === 'queued' || run.status === 'retrying';
    return isWaiting && run.not_before > latest ? [{ ...run, not_before: latest }] : [];
  });
  const ids = sooner.map(({ id }) => id);
  await updateRuns(tx, sooner);
  await cancelJobs(tx, 'runs', ids);
  await enqueueJobs(
    tx,
    'runs',
    sooner.flatMap(({ id, not_before, live }) => (live === 0 ? [{ key: id, notBefore: not_before }] : [])),
  );
  return sooner.length;
}

/** A node that is alive renews its lease within seconds; one that is not has lost it by then. */
async function shortenLeases(tx: Connection, now: number, leaseMs: number): Promise<number> {
  const until = isoTime(now + leaseMs);
  const runs = await tx.all(sql`update runs set lease_until = ${until} where status = 'running' and lease_until > ${until} returning id`);
  const parts = await tx.all(sql`
    update run_parts set lease_until = ${until} where status = 'running' and lease_until > ${until} returning run_id`);
  return runs.length + parts.length;
}
