import { bulk, type ColumnType, list } from '../../../db/bulk.ts';
import type { Connection } from '../../../db/database.ts';
import type { Job } from '../../../db/job.ts';
import { forUpdate, raw, sql } from '../../../db/sql.ts';
import { appendEvents, type NewEvent } from '../../../events/append.ts';
import { cancelJobs, enqueueJobs } from '../../../jobs/dispatcher.ts';
import { isoTime } from '../../../lib/clock.ts';
import { runCounts } from './counts.ts';
import { type RunRow, runJson } from './run-row.ts';
import { addToTotals } from './totals.ts';
import { lockSyncs, type SyncOfRun } from './sync-state.ts';
import { allowedFrom } from './transitions.ts';

export interface RunOfSync {
  run: RunRow;
  sync: SyncOfRun;
}

export async function lockRun(tx: Connection, id: string): Promise<RunOfSync | undefined> {
  return (await lockRuns(tx, [id])).get(id);
}

/** Runs with their synchronizations, by their ids; `chained`: with a lock also on those that follow these in a chain. */
export async function lockRuns(tx: Connection, ids: readonly string[], chained = false): Promise<Map<string, RunOfSync>> {
  const own = sql`select sync_id from runs where id in ${list(ids)}`;
  const [syncs, runs] = await Promise.all([
    lockSyncs(tx, chained ? sql`(${own} union select syncs.id from syncs where after_id in (${own}))` : sql`(${own})`),
    tx.all<RunRow>(sql`select * from runs where id in ${list(ids)} order by id ${forUpdate}`),
  ]);
  const byId = new Map(syncs.map((sync) => [sync.id, sync]));
  return new Map(
    runs.flatMap((run) => {
      const sync = byId.get(run.sync_id);
      return sync ? [[run.id, { run, sync }]] : [];
    }),
  );
}

// What a run is made of, by whether it can change. The first is the key.
const FIXED = {
  id: 'text',
  sync_id: 'text',
  trigger: 'text',
  triggered_by: 'json',
  mode: 'text',
  streams: 'json',
  slot: 'text',
  created_at: 'text',
  live: 'bigint',
} as const;
const CHANGING = {
  status: 'text',
  attempt: 'bigint',
  retries: 'bigint',
  crashes: 'bigint',
  headway: 'bigint',
  not_before: 'text',
  started_at: 'text',
  finished_at: 'text',
  duration_ms: 'bigint',
  node: 'text',
  lease_until: 'text',
  token: 'bigint',
  approved: 'bigint',
  cancelled: 'bigint',
  report: 'json',
  rows_read: 'bigint',
  inserted: 'bigint',
  updated: 'bigint',
  deleted: 'bigint',
  unchanged: 'bigint',
  rejected: 'bigint',
  bytes: 'bigint',
  error: 'json',
  shop: 'text',
  yields: 'bigint',
  rolled: 'bigint',
  lag: 'json',
} as const;

/** `trigger` is a keyword to both engines, so every name is quoted. */
function columnsOf(types: Readonly<Record<string, ColumnType>>): { types: Record<string, ColumnType>; names: string } {
  const quoted = Object.fromEntries(Object.entries(types).map(([name, type]) => [`"${name}"`, type]));
  return { types: quoted, names: Object.keys(quoted).join(', ') };
}

function valuesOf(row: RunRow, types: Readonly<Record<string, ColumnType>>): (string | number | null)[] {
  return Object.keys(types).map((name) => row[name as keyof RunRow]);
}

/** Stores new runs and has those begun that wait for it; answers those that were not there yet, as no slot of a schedule runs twice. */
export async function insertRuns(tx: Connection, rows: readonly RunRow[]): Promise<RunRow[]> {
  if (rows.length === 0) return [];
  const all = { ...FIXED, ...CHANGING };
  const { types, names } = columnsOf(all);
  const inserted = await tx.all<{ id: string }>(sql`
    insert into runs (${raw(names)}) select ${raw(names)} from ${bulk(
      types,
      rows.map((row) => valuesOf(row, all)),
    )} as input where true
    on conflict (sync_id, slot) where slot is not null do nothing returning id`);
  const ids = new Set(inserted.map(({ id }) => id));
  const stored = rows.filter(({ id }) => ids.has(id));
  await enqueueJobs(tx, 'runs', stored.filter(hasJob).map(jobOf));
  return stored;
}

function isWaiting({ status }: RunRow): boolean {
  return status === 'queued' || status === 'retrying';
}

/** Live runs are few, and each node looks for them itself. */
function hasJob(run: RunRow): boolean {
  return isWaiting(run) && run.live === 0;
}

function jobOf({ id, not_before }: RunRow): Job {
  return { key: id, notBefore: not_before };
}

/** Writes down how runs are now. */
export async function updateRuns(tx: Connection, rows: readonly RunRow[]): Promise<void> {
  if (rows.length === 0) return;
  const all = { id: 'text', ...CHANGING } as const;
  const assignments = Object.keys(CHANGING).map((name) => `${name} = input.${name}`);
  await tx.all(sql`
    update runs set ${raw(assignments.join(', '))}
    from ${bulk(
      all,
      rows.map((row) => valuesOf(row, all)),
    )} as input where runs.id = input.id`);
}

export interface RunChange {
  /** Undefined for one that is new. */
  readonly before: RunRow | undefined;
  readonly after: RunRow;
}

/** Stores runs that have gone from one state to another, tells of it and counts it. The last thing of a transaction. */
export async function moveRuns(tx: Connection, now: number, changes: readonly { before: RunRow; after: RunRow }[]): Promise<void> {
  for (const { before, after } of changes) {
    if (!allowedFrom(before.status).includes(after.status)) {
      throw new Error(`The run ${after.id} cannot go from ${before.status} to ${after.status}.`);
    }
  }
  const rows = changes.map(({ after }) => after);
  const over = changes.filter(({ before, after }) => isWaiting(before) && after.finished_at !== null);
  // Before the events: a transaction that holds their sequence must not wait.
  await enqueueJobs(tx, 'runs', rows.filter(hasJob).map(jobOf));
  await cancelJobs(
    tx,
    'runs',
    over.map(({ after }) => after.id),
  );
  await dropParts(tx, rows);
  await Promise.all([updateRuns(tx, rows), tellOfRuns(tx, now, changes)]);
}

/** Nobody is to go on with parts of runs that were given up. Of one that got through there are none left. */
async function dropParts(tx: Connection, rows: readonly RunRow[]): Promise<void> {
  const ids = rows.flatMap(({ id, status }) => (status === 'failed' || status === 'cancelled' ? [id] : []));
  if (ids.length > 0) await tx.all(sql`delete from run_parts where run_id in ${list(ids)}`);
}

/** Tells of runs in their new state, and counts them: by state, so that the totals of lists cost nothing, and what they did when they are over. */
export async function tellOfRuns(tx: Connection, now: number, changes: readonly RunChange[]): Promise<void> {
  const events = changes.map(
    ({ after }): NewEvent => ({ type: `run.${after.status}`, objectId: after.id, at: isoTime(now), data: runJson(after) }),
  );
  await addToTotals(tx, changes);
  const counts = runCounts(changes.map(({ before, after }) => ({ before: before?.status, after: after.status })));
  await appendEvents(tx, 'runs', events, counts);
}
