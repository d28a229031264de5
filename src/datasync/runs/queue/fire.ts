import { list } from '../../../db/bulk.ts';
import { command, type Connection } from '../../../db/database.ts';
import { databaseTime } from '../../../db/database-time.ts';
import { hasTimes } from '../../../jobs/schedule.ts';
import { isoTime } from '../../../lib/clock.ts';
import { newId } from '../../../lib/ids.ts';
import { type ActiveRun, activeRuns, queuedRun, rememberStreams, STILL } from './enqueue.ts';
import { withLags } from './live.ts';
import { newRun, type RunRow, runError } from '../rows/run-row.ts';
import { insertRuns, tellOfRuns } from '../rows/store.ts';
import { lockSyncs, seeWanted, setNextRuns, setSeen, type SyncOfRun } from '../rows/sync-state.ts';
import { definitionOf } from '../rows/stored-definition.ts';

export interface Due {
  syncId: string;
  /** The slot that has come: what `next_run_at` was. */
  due: string;
  /** The slot that follows. */
  next: string | null;
}

/**
 * Puts the runs in the queue whose time has come: each slot once, however many nodes notice it. A synchronization that still has a run
 * going gets one that is skipped, so that it can be seen; only one that follows changes was to be tried again, and is.
 */
export const fireDue = command(
  import.meta.url,
  'fireDue',
  async (tx, input: { now: number; due: Due[] }): Promise<{ queued: number; skipped: number }> => {
    const byId = new Map(input.due.map((due) => [due.syncId, due]));
    const [syncs, now] = await Promise.all([lockActiveSyncs(tx, [...byId.keys()]), databaseTime(tx, input.now)]);
    const due = syncs.filter(({ id, next_run_at }) => next_run_at !== null && next_run_at === byId.get(id)?.due);
    if (due.length === 0) return { queued: 0, skipped: 0 };
    const active = await activeRunsOf(tx, due);
    await setNextRuns(
      tx,
      due.map(({ id }) => ({ syncId: id, at: byId.get(id)?.next ?? null })),
    );
    const runs = due.flatMap((sync) => {
      const busy = active.get(sync.id);
      const isRetry = !hasTimes(definitionOf(sync).schedule);
      if (busy) return isRetry ? [] : [skippedRun(now, sync, busy)];
      return [runOf(now, sync, isRetry ? 'retry' : 'schedule')];
    });
    const inserted = await addRuns(tx, now, due, runs);
    const queued = inserted.filter(({ status }) => status === 'queued').length;
    return { queued, skipped: inserted.length - queued };
  },
);

/**
 * Puts runs in the queue for synchronizations whose source has changed; answers how many. Those that have one going are left as they
 * are and have to be asked about again: that run may have read what it reads before the change.
 */
export const fireChanged = command(
  import.meta.url,
  'fireChanged',
  async (tx, input: { now: number; changed: { syncId: string; seen: number }[] }): Promise<number> => {
    const seenOf = new Map(input.changed.map(({ syncId, seen }) => [syncId, seen]));
    const [syncs, now] = await Promise.all([lockActiveSyncs(tx, [...seenOf.keys()]), databaseTime(tx, input.now)]);
    const active = await activeRuns(tx, idsOf(syncs));
    const changed = syncs.filter(({ id, seen }) => !active.has(id) && seen < (seenOf.get(id) ?? 0));
    if (changed.length === 0) return 0;
    await setSeen(
      tx,
      changed.map(({ id }) => ({ syncId: id, seen: seenOf.get(id) ?? 0 })),
    );
    const runs = changed.map((sync) => runOf(now, sync, 'change'));
    return (await addRuns(tx, now, changed, runs)).length;
  },
);

/** Puts runs in the queue for synchronizations that are wanted, where none is active; answers those. The others stay wanted. */
export const fireWanted = command(
  import.meta.url,
  'fireWanted',
  async (tx, input: { now: number; syncIds: string[] }): Promise<string[]> => {
    const [syncs, now] = await Promise.all([lockActiveSyncs(tx, input.syncIds), databaseTime(tx, input.now)]);
    const active = await activeRunsOf(tx, syncs);
    const free = syncs.filter((sync) => !active.has(sync.id) && isWanted(sync));
    const runs = free.map((sync) => runOf(now, sync, 'change', sync.wanted > sync.wanted_seen ? sync.wanted_by : null));
    return (await addRuns(tx, now, free, runs)).map(({ sync_id }) => sync_id);
  },
);

/** A live synchronization is wanted whenever it has no run; after a failure it has a time, and is due then. */
function isWanted({ wanted, wanted_seen, live, next_run_at }: SyncOfRun): boolean {
  return live !== 0 ? next_run_at === null : wanted > wanted_seen;
}

/** The run of each that the next one would be beside. */
async function activeRunsOf(tx: Connection, syncs: readonly SyncOfRun[]): Promise<Map<string, ActiveRun>> {
  const live = syncs.filter((sync) => sync.live !== 0);
  const others = syncs.filter((sync) => sync.live === 0);
  const [ofLive, ofOthers] = await Promise.all([activeRuns(tx, idsOf(live), true), activeRuns(tx, idsOf(others))]);
  return new Map([...ofLive, ...ofOthers]);
}

function idsOf(syncs: readonly SyncOfRun[]): string[] {
  return syncs.map(({ id }) => id);
}

async function lockActiveSyncs(tx: Connection, ids: readonly string[]): Promise<SyncOfRun[]> {
  return (await lockSyncs(tx, list(ids))).filter(({ status }) => status === 'active');
}

function runOf(now: number, sync: SyncOfRun, trigger: 'schedule' | 'retry' | 'change', triggeredBy: string | null = null): RunRow {
  const slot = trigger === 'change' ? null : sync.next_run_at;
  const run = queuedRun(now, sync, definitionOf(sync).streams, { trigger, mode: 'run', streams: null, slot });
  return { ...run, triggered_by: triggeredBy };
}

function skippedRun(now: number, sync: SyncOfRun, busy: ActiveRun): RunRow {
  const { id, time } = newId('run', now);
  const at = isoTime(time);
  const error = runError(
    'SKIPPED',
    `The run was due, but the run ${busy.id} ${STILL[busy.status]}.`,
    busy.status === 'needs_approval' ? 'Approve that run or cancel it.' : 'If this happens often, choose a longer interval.',
  );
  const slot = sync.next_run_at;
  const fields = { id, sync_id: sync.id, created_at: at, not_before: at, finished_at: at, slot, error: JSON.stringify(error) };
  return newRun({ ...fields, status: 'skipped', trigger: 'schedule', mode: 'run', shop: '' }, []);
}

/** Puts runs in the queue; those of slots that were taken already are left out. */
export async function addRuns(tx: Connection, now: number, syncs: readonly SyncOfRun[], runs: readonly RunRow[]): Promise<RunRow[]> {
  const streams = syncs.flatMap((sync) => definitionOf(sync).streams.map(({ target }) => ({ syncId: sync.id, target })));
  if (runs.length === 0) return [];
  await rememberStreams(tx, streams, false);
  // What begins after this moment has seen all that it was wanted for before.
  await seeWanted(
    tx,
    runs.flatMap(({ status, sync_id, mode }) => (status === 'queued' && mode === 'run' ? [sync_id] : [])),
  );
  const inserted = await insertRuns(tx, await withLags(tx, runs));
  await tellOfRuns(
    tx,
    now,
    inserted.map((after) => ({ before: undefined, after })),
  );
  return inserted;
}
