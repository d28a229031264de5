import { bulk, list } from '../../../db/bulk.ts';
import { command, type Connection } from '../../../db/database.ts';
import { databaseTime, databaseTimeText } from '../../../db/database-time.ts';
import { byEngine, integer, raw, sql } from '../../../db/sql.ts';
import type { SyncDefinition } from '../../../engine/definition.ts';
import { newReport } from '../../../engine/progress.ts';
import type { StreamState } from '../../../engine/run.ts';
import type { Field } from '../../../connectors/contract.ts';
import { cancelJobs, takeJobs } from '../../../jobs/dispatcher.ts';
import { isoTime } from '../../../lib/clock.ts';
import { joinShopRows } from '../../access/marks.ts';
import { readsOnly } from '../rows/run-modes.ts';
import { reportsOf, type RunRow, withReports } from '../rows/run-row.ts';
import { moveRuns } from '../rows/store.ts';
import { raiseTokens, type SyncOfRun } from '../rows/sync-state.ts';
import { definitionOf } from '../rows/stored-definition.ts';
import { isDone } from '../rows/transitions.ts';
import { sharesInUse } from './shares-in-use.ts';
import { allAtWork, sourcesInUse, use, usesOf, waitForOtherClaims } from './uses.ts';

/** Who claims, and for how long. */
export interface RunClaimant {
  now: number;
  node: string;
  /** How many this node can take. */
  most: number;
  leaseMs: number;
}

export interface ClaimRequest extends RunClaimant {
  /** How many runs may use the same source at a time, in the whole cluster. */
  perSource: number;
  /** How many this node does of one key at a time, and of all keys that share. */
  perKey: number;
  ofKeys: number;
  /** Whether runs had to wait for room at their source. Nobody tells of them again: all that wait are looked at, oldest first. */
  crowded: boolean;
  /** Whether there are runs that were due a while ago. When no job tells of them, it was lost, and all that wait are looked at. */
  overdue: boolean;
}

export interface Claimed {
  run: RunRow;
  sync: { id: string; name: string; definition: SyncDefinition; source_id: string; target_id: string; token: number; version: number };
  /** Whether a person has approved what this run would change. */
  approved: boolean;
  /** The streams that are still to do. */
  states: (StreamState & { target: string })[];
}

export interface Claim {
  claimed: Claimed[];
  /** Whether some may have been left out for want of room at their source. */
  hasLeftOut: boolean;
}

type Candidate = Pick<SyncOfRun, 'source_id' | 'target_id'> & { id: string; sync_id: string; share_of: string | null };

/**
 * Takes runs that are due, oldest first, leaving alone what would put more than `perSource` runs on a source. A claim raises the
 * token of the synchronization, so that the worker that had the run before can write nothing more.
 */
export const claimRuns = command(import.meta.url, 'claimRuns', async (tx, request: ClaimRequest): Promise<Claim> => {
  if (request.most <= 0 || !(await isAnythingDue(tx, request.now))) return { claimed: [], hasLeftOut: false };
  await waitForOtherClaims(tx);
  const { chosen, hasLeftOut } = await choose(tx, request);
  if (chosen.length === 0) return { claimed: [], hasLeftOut };
  const now = await databaseTime(tx, request.now);
  const [syncs, runs] = await Promise.all([
    raiseTokens(
      tx,
      chosen.map(({ sync_id }) => sync_id),
      now,
    ),
    tx.all<RunRow>(sql`select * from runs where id in ${list(chosen.map(({ id }) => id))} order by not_before, id`),
  ]);
  return { claimed: await beginAll(tx, runs, syncs, request, now), hasLeftOut };
});

/** Begins runs that are now this node's. */
export async function beginAll(
  tx: Connection,
  runs: readonly RunRow[],
  syncs: ReadonlyMap<string, SyncOfRun>,
  request: RunClaimant,
  now: number,
): Promise<Claimed[]> {
  const begun = runs.map((run) => begin(run, syncs.get(run.sync_id) as SyncOfRun, request, now));
  const states = await statesOf(
    tx,
    begun.map(({ after }) => after),
    syncs,
  );
  await moveRuns(tx, now, begun);
  return begun.map(({ after }) => claimedOf(after, syncs.get(after.sync_id) as SyncOfRun, states));
}

export function claimedOf(run: RunRow, sync: SyncOfRun, states: ReadonlyMap<string, Claimed['states']>): Claimed {
  const { id, name, source_id, target_id, version, token } = sync;
  return {
    run,
    sync: { id, name, definition: definitionOf(sync), source_id, target_id, token, version },
    approved: run.approved === version,
    states: states.get(run.id) ?? [],
  };
}

const WAITING = raw(`status in ('queued', 'retrying') and live = 0`);
// While a live run writes, nothing else of its synchronization does: it is on its way to stand aside.
const NOTHING_LIVE = sql`(${readsOnly('runs.')} or not exists (
  select 1 from runs as beside where beside.sync_id = runs.sync_id and beside.live = 1 and beside.status = 'running'))`;

const IS_WAITING = raw(`status in ('queued', 'retrying') and runs.live = 0`);

/** Many are told of one run and all but one come too late: one look into an index. */
async function isAnythingDue(tx: Connection, now: number): Promise<boolean> {
  const rows = await tx.all(sql`select 1 from runs where ${WAITING} and not_before <= ${databaseTimeText(now)} limit 1`);
  return rows.length > 0;
}

/** A transaction that is changing the run or its synchronization at this moment goes first; the run is taken the next time. */
const skipLocked = byEngine((engine) => raw(engine === 'postgres' ? 'for update of runs, sync_state skip locked' : ''));

async function choose(tx: Connection, request: ClaimRequest) {
  const { now, most, perSource, crowded, overdue } = request;
  const jobs = crowded ? null : await takeJobs(tx, 'runs', most);
  const told = jobs?.length === 0 && overdue ? null : jobs;
  const atWork = await allAtWork(tx);
  const [uses, shares] = [sourcesInUse(atWork), sharesInUse(atWork, request)];
  const chosen: Candidate[] = [];
  let full: string[] = [];
  for (;;) {
    full = [...uses].flatMap(([source, n]) => (n >= perSource ? [source] : []));
    const candidates = await tx.all<Candidate>(sql`
      select runs.id, runs.sync_id, source_id, target_id, share_of from runs
      join syncs on syncs.id = runs.sync_id join sync_state on sync_state.sync_id = runs.sync_id
      where runs.${IS_WAITING} and ${NOTHING_LIVE} and runs.not_before <= ${databaseTimeText(now)} and runs.id not in ${list(chosen.map(({ id }) => id))}
        and source_id not in ${list(full)} and target_id not in ${list(full)} and ${shares.hasRoom()} ${told ? sql`and runs.id in ${list(told)}` : raw('')}
      order by runs.not_before, runs.id limit ${integer(most - chosen.length)} ${skipLocked}`);
    const before = chosen.length;
    for (const candidate of candidates) {
      if (usesOf(uses, candidate) >= perSource || !shares.take(candidate.share_of)) continue;
      use(uses, candidate);
      chosen.push(candidate);
    }
    // When nothing had to be left out, there is nothing behind it to look for either.
    if (chosen.length === most || chosen.length - before === candidates.length) break;
  }
  // What was found without being told of need not be told of any more.
  if (!told)
    await cancelJobs(
      tx,
      'runs',
      chosen.map(({ id }) => id),
    );
  const hasLeftOut = told ? chosen.length < told.length : chosen.length < most && (full.length > 0 || shares.areFull());
  return { chosen, hasLeftOut };
}

function begin(before: RunRow, sync: SyncOfRun, { node, leaseMs }: RunClaimant, now: number): { before: RunRow; after: RunRow } {
  const at = isoTime(now);
  const after = withReports(
    {
      ...before,
      status: 'running',
      node,
      token: sync.token,
      lease_until: isoTime(now + leaseMs),
      started_at: before.started_at ?? at,
      not_before: at,
      duration_ms: before.duration_ms ?? 0,
      error: null,
      yields: 0,
      // The definition may be another than when it was put in the queue.
      shop: joinShopRows(before.shop ?? sync.shop, sync.shop),
    },
    reportsNow(before, definitionOf(sync)),
  );
  return { before, after };
}

/** The streams of the definition as it is now, which may not be what it was; what is done stays done. */
function reportsNow(run: RunRow, definition: SyncDefinition) {
  const known = new Map(reportsOf(run).map((report) => [report.target, report]));
  const names = run.streams === null ? null : new Set(JSON.parse(run.streams) as string[]);
  return definition.streams
    .filter(({ source }) => names === null || names.has(source))
    .map((stream) => {
      const report = known.get(stream.target) ?? newReport(stream);
      return isDone(report.status) && !run.live ? report : { ...report, status: 'pending' as const, error: null };
    });
}

interface StreamRow {
  sync_id: string;
  target: string;
  generation: number;
  fields: string | null;
  position: string | null;
  note: string | null;
  rows: number | null;
}

/** What is remembered of the streams that these runs have still to do. */
export async function statesOf(
  tx: Connection,
  runs: readonly RunRow[],
  syncs: ReadonlyMap<string, SyncOfRun>,
): Promise<Map<string, Claimed['states']>> {
  const ids = runs.map(({ sync_id }) => sync_id);
  const streams = runs.flatMap((run) => reportsOf(run).map(({ target }) => [target, run.sync_id]));
  const input = bulk({ target: 'text', sync_id: 'text' }, streams);
  // A stream that came into the definition after the run was put in the queue is not known yet.
  await tx.all(sql`
    insert into sync_streams (sync_id, target, generation) select sync_id, target, 1 from ${input} as input where true
    on conflict (sync_id, target) do nothing`);
  const [rows, rejects] = await Promise.all([
    tx.all<StreamRow>(
      sql`select sync_id, target, generation, fields, position, note, rows from sync_streams where sync_id in ${list(ids)}`,
    ),
    tx.all<{ sync_id: string; target: string; n: number }>(sql`
      select sync_id, target, count(*) as n from rejects where sync_id in ${list(ids)} and resolved_at is null group by sync_id, target`),
  ]);
  const key = (sync: string, target: string): string => `${sync} ${target}`;
  const known = new Map(rows.map((row) => [key(row.sync_id, row.target), row]));
  const open = new Map(rejects.map(({ sync_id, target, n }) => [key(sync_id, target), n]));
  return new Map(
    runs.map((run) => {
      // A live run has all streams at all times.
      const done = new Set(reportsOf(run).flatMap(({ target, status }) => (isDone(status) && !run.live ? [target] : [])));
      const wanted = new Set(reportsOf(run).map(({ target }) => target));
      const states = definitionOf(syncs.get(run.sync_id) as SyncOfRun).streams.flatMap(({ target }, index) => {
        if (done.has(target) || !wanted.has(target)) return [];
        const row = known.get(key(run.sync_id, target)) as StreamRow;
        return [
          {
            index,
            target,
            generation: row.generation,
            fields: row.fields === null ? null : (JSON.parse(row.fields) as Field[]),
            position: row.position,
            note: row.note,
            rows: row.rows,
            openRejects: open.get(key(run.sync_id, target)) ?? 0,
          },
        ];
      });
      return [run.id, states];
    }),
  );
}
