import { list } from '../../../db/bulk.ts';
import { command, type Connection } from '../../../db/database.ts';
import { databaseTime } from '../../../db/database-time.ts';
import { sql } from '../../../db/sql.ts';
import type { RunError, RunOutcome, StreamReport } from '../../../engine/run.ts';
import { writtenText } from '../../../engine/written.ts';
import { hasTimes } from '../../../jobs/schedule.ts';
import { isoTime } from '../../../lib/clock.ts';
import { workedUntil } from './beat.ts';
import { TRY_AGAIN_AFTER } from './due-bounds.ts';
import { doubtAfterRun, noteProof } from '../rows/verified.ts';
import { onlyReads } from '../rows/run-modes.ts';
import { reportsOf, type RunRow, withReports } from '../rows/run-row.ts';
import { lockRuns, moveRuns } from '../rows/store.ts';
import { raiseWanted, setFailures, setNextRuns, setSchemaNotices, type SyncOfRun } from '../rows/sync-state.ts';
import { definitionOf } from '../rows/stored-definition.ts';
import { pauseAfterFailures, pauseForGap } from './pause.ts';
import { remember, type StreamMemory } from '../rows/stream-memory.ts';
import { afterOutcome, closeReports, isActive, liveDelay, MAX_FAILURES, mergeReports, type RunState } from '../rows/transitions.ts';

export interface Finished {
  id: string;
  /** The token of the claim: nobody else may say how the run ended. */
  token: number;
  outcome: RunOutcome;
  /** What it has found out about its streams, and the next run wants to know: one for each at most. */
  memories?: readonly StreamMemory[];
}

/** A run after a try, with the reason when its synchronization was paused because of it. */
export type FinishedAttempt = RunRow & {
  readonly paused?: string;
  /** Whether another run is to be started now: of the same synchronization, or of one that follows it. */
  readonly isAwaited?: boolean;
  /** Whether it was handed over because it was asked to stand aside, and not because the service stops. */
  readonly stoodAside?: boolean;
};

/**
 * Writes down how attempts of runs ended, and what follows from it: one answer for each, in their order. Null: another worker has
 * the run now. Those that end at the same moment are written down together.
 */
export const finishRuns = command(
  import.meta.url,
  'finishRuns',
  async (tx, input: { now: number; finished: Finished[] }): Promise<(FinishedAttempt | null)[]> => {
    const ids = input.finished.map(({ id }) => id);
    const [found, now] = await Promise.all([lockRuns(tx, ids, true), databaseTime(tx, input.now)]);
    const changes: { before: RunRow; after: RunRow }[] = [];
    const ended: (FinishedAttempt | null)[] = [];
    const memories: StreamMemory[] = [];
    for (const { id, token, outcome, memories: told = [] } of input.finished) {
      const { run, sync } = found.get(id) ?? {};
      if (!run || !sync || run.status !== 'running' || run.token !== token) {
        ended.push(null);
        continue;
      }
      memories.push(...told);
      const after = endedRun(run, sync, outcome, now);
      const paused = await followUp(tx, now, sync, after);
      changes.push({ before: run, after });
      ended.push({
        ...after,
        ...(paused !== undefined && { paused }),
        ...(sync.wanted > sync.wanted_seen && { isAwaited: true }),
        ...(run.yields !== 0 && { stoodAside: true }),
      });
    }
    await remember(tx, memories);
    const followed = await wantFollowers(
      tx,
      changes.map(({ after }) => after),
    );
    await moveRuns(tx, now, changes);
    return ended.map((run) => (run && followed.has(run.sync_id) ? { ...run, isAwaited: true } : run));
  },
);

/** What follows in a chain is to run now; answers those that are followed. */
async function wantFollowers(tx: Connection, ended: readonly RunRow[]): Promise<Set<string>> {
  const done = new Map(
    ended.flatMap(({ id, sync_id, status, mode }) =>
      (status === 'succeeded' || status === 'partial') && !onlyReads(mode) ? [[sync_id, id]] : [],
    ),
  );
  if (done.size === 0) return new Set();
  const followers = await tx.all<{ id: string; after_id: string }>(
    sql`select id, after_id from syncs where after_id in ${list([...done.keys()])}`,
  );
  const wanting = followers.map(({ id, after_id }) => ({ syncId: id, by: { type: 'run' as const, id: done.get(after_id) ?? '' } }));
  if (wanting.length > 0) await raiseWanted(tx, wanting);
  return new Set(followers.map(({ after_id }) => after_id));
}

function endedRun(before: RunRow, sync: SyncOfRun, outcome: RunOutcome, now: number): RunRow {
  const told = mergeReports(
    reportsOf(before),
    outcome.streams.map(({ report }) => report),
  );
  const worked = workedUntil(before, now);
  const { delay, ...next } = afterOutcome(stateOf({ ...before, ...worked }, sync), outcome, told);
  const { status } = next;
  const error = outcome.error && status !== 'cancelled' && status !== 'queued' ? errorOf(outcome.error, status, told) : null;
  return withReports(
    {
      ...before,
      ...worked,
      ...next,
      crashes: 0,
      yields: 0,
      rolled: outcome.rolled ? 1 : 0,
      node: null,
      lease_until: null,
      // What was agreed to has been done, or has to be agreed to again.
      approved: status === 'queued' || status === 'retrying' ? before.approved : 0,
      not_before: isoTime(now + delay),
      finished_at: isActive(status) ? null : isoTime(now),
      error: error && JSON.stringify(error),
    },
    closeReports(told, status),
  );
}

/** What decides about the next state of a run. */
export function stateOf(run: RunRow, sync: Pick<SyncOfRun, 'status' | 'live'>): RunState {
  const isLive = run.live !== 0;
  const beside = !isLive && sync.live !== 0;
  const goesOn = isLive
    ? sync.status === 'active' && sync.live !== 0
    : !beside || onlyReads(run.mode) || run.mode === 'rejects' || run.mode === 'repair';
  return { ...run, cancelled: run.cancelled !== 0, live: isLive, goesOn, beside, worked: run.duration_ms ?? 0 };
}

/** Who has to decide about one stream is told what the run has done to the others, in this attempt and in those before. */
function errorOf(error: RunError, status: RunRow['status'], streams: readonly StreamReport[]): RunError {
  if (status !== 'needs_approval' || streams.length < 2) return error;
  return { ...error, message: `${error.message} ${writtenText(streams)}` };
}

/**
 * What the end of a run means for its synchronization, which is locked; answers why it was paused, when it was. What only reads
 * says nothing about how well it goes.
 */
export async function followUp(tx: Connection, now: number, sync: SyncOfRun, run: RunRow): Promise<string | undefined> {
  await noteProof(tx, now, sync, run);
  await doubtAfterRun(tx, now, sync, run);
  if (onlyReads(run.mode)) return undefined;
  await noteSchema(tx, now, sync, run);
  if (run.live !== 0) return followUpLive(tx, now, sync, run);
  // How well a live synchronization goes, its live runs say.
  if (sync.live !== 0) return undefined;
  const wasFollowing = run.trigger === 'change' || run.trigger === 'retry';
  /** Whether nothing but a change at another place starts it. */
  const followsChanges = (): boolean => {
    const { schedule } = definitionOf(sync);
    return !hasTimes(schedule) && (schedule.type !== 'manual' || wasFollowing);
  };
  if ((run.status === 'succeeded' || run.status === 'partial') && sync.failures > 0) {
    await setFailures(tx, sync.id, 0);
    const hasDoneAll = run.streams === null && run.mode !== 'rejects' && run.mode !== 'repair';
    if (hasDoneAll && !hasTimes(definitionOf(sync).schedule)) await setNextRuns(tx, [{ syncId: sync.id, at: null }]);
  }
  if (run.status !== 'failed') return undefined;
  const failures = sync.failures + 1;
  await setFailures(tx, sync.id, failures);
  if (sync.status !== 'active') return undefined;
  if (failures >= MAX_FAILURES) return pauseAfterFailures(tx, now, sync.id, failures);
  if (followsChanges()) await setNextRuns(tx, [{ syncId: sync.id, at: isoTime(now + TRY_AGAIN_AFTER) }]);
  return undefined;
}

/** The same for a run that is live. Where changes are lost and nothing is to be loaded anew by itself, a person has to say what to do. */
async function followUpLive(tx: Connection, now: number, sync: SyncOfRun, run: RunRow): Promise<string | undefined> {
  if ((run.status === 'succeeded' || run.status === 'partial') && (sync.failures > 0 || sync.next_run_at !== null)) {
    await setFailures(tx, sync.id, 0);
    await setNextRuns(tx, [{ syncId: sync.id, at: null }]);
  }
  if (run.status !== 'failed') return undefined;
  const failures = sync.failures + 1;
  await setFailures(tx, sync.id, failures);
  if (sync.status !== 'active' || sync.live === 0) return undefined;
  const error = run.error === null ? null : (JSON.parse(run.error) as RunError);
  if (error?.kind === 'gap') return pauseForGap(tx, now, sync.id, error);
  if (failures >= MAX_FAILURES) return pauseAfterFailures(tx, now, sync.id, failures);
  await setNextRuns(tx, [{ syncId: sync.id, at: isoTime(now + liveDelay(failures - 1)) }]);
  return undefined;
}

/** Too many fields to name them all are too many to read. */
const MOST_NOTICES = 20;

/** Keeps what a run has noticed of changed fields, until one that did all streams finds them as they were. */
async function noteSchema(tx: Connection, now: number, sync: SyncOfRun, run: RunRow): Promise<void> {
  const notices = reportsOf(run).flatMap(({ name, schema_changes = [] }) => schema_changes.map((words) => `${name}: ${words}`));
  if (notices.length > 0) return setSchemaNotices(tx, sync.id, { notices: notices.slice(0, MOST_NOTICES), at: isoTime(now) });
  const isWhole =
    run.streams === null && run.mode !== 'rejects' && run.mode !== 'repair' && (run.status === 'succeeded' || run.status === 'partial');
  if (isWhole && sync.schema_noticed_at !== null) await setSchemaNotices(tx, sync.id, null);
}
