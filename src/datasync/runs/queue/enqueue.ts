import { recordAudit } from '../../../audit/record.ts';
import { bulk, list } from '../../../db/bulk.ts';
import { command, type Connection } from '../../../db/database.ts';
import { databaseTime } from '../../../db/database-time.ts';
import { raw, sql } from '../../../db/sql.ts';
import type { Actor } from '../../../http/caller.ts';
import type { StreamDefinition } from '../../../engine/definition.ts';
import { newReport } from '../../../engine/progress.ts';
import type { RunMode } from '../../../engine/run.ts';
import { isoTime } from '../../../lib/clock.ts';
import type { Scope } from '../../../http/scopes.ts';
import { AppError, invalidParams } from '../../../lib/errors.ts';
import { newId } from '../../../lib/ids.ts';
import { demandForSync } from '../../access/demand.ts';
import { withLags, yieldLive } from './live.ts';
import { onlyReads } from '../rows/run-modes.ts';
import { newRun, type RunRow, type Trigger } from '../rows/run-row.ts';
import { insertRuns, tellOfRuns } from '../rows/store.ts';
import { lockSync, seeWanted, setSeen, type SyncOfRun } from '../rows/sync-state.ts';
import { definitionOf } from '../rows/stored-definition.ts';
import { ACTIVE_STATUSES } from '../rows/transitions.ts';

export interface NewRun {
  now: number;
  syncId: string;
  trigger: Trigger;
  mode: RunMode;
  /** Names of streams at the source; null for all. */
  streams: string[] | null;
  /** How far a change was noticed that this run will have seen. */
  seen?: number;
  /** The caller that asks for it, if there is one: what a schedule starts was allowed to the caller that saved it. */
  actor?: Actor;
  /** What that one may do. */
  scopes?: ReadonlySet<Scope>;
}

/** Puts a run in the queue. */
export const enqueueRun = command(import.meta.url, 'enqueueRun', (tx, input: NewRun): Promise<RunRow> => enqueue(tx, input));

/** The same as the last part of another command. */
export async function enqueue(tx: Connection, input: NewRun): Promise<RunRow> {
  const [sync, now] = await Promise.all([lockSync(tx, input.syncId), databaseTime(tx, input.now)]);
  const streams = selectStreams(definitionOf(sync).streams, input.streams);
  const { actor, scopes = new Set<Scope>() } = input;
  if (actor !== undefined) await demandForSync(tx, { scopes }, onlyReads(input.mode) ? 'look' : 'move', sync, streams);
  if (sync.status === 'paused' && !onlyReads(input.mode)) throw paused(sync);
  const targets = streams.map(({ target }) => ({ syncId: sync.id, target }));
  if (sync.live !== 0) {
    // A live run does it: there is one at all times.
    if (input.mode === 'run' || input.mode === 'full') return followLive(tx, now, sync, input, targets);
    if (input.mode === 'rejects' || input.mode === 'repair') await yieldLive(tx, now, sync);
  }
  await demandNoActiveRun(tx, sync);
  const run = queuedRun(now, sync, streams, { ...input, slot: null });
  await rememberStreams(tx, targets, input.mode === 'full');
  if (input.streams === null && (input.mode === 'run' || input.mode === 'full')) await seeWanted(tx, [sync.id]);
  if (input.seen !== undefined) await setSeen(tx, [{ syncId: sync.id, seen: input.seen }]);
  await insertRuns(tx, [run]);
  await audit(tx, now, input, run);
  await tellOfRuns(tx, now, [{ before: undefined, after: run }]);
  return run;
}

async function audit(tx: Connection, now: number, { actor, mode, streams }: NewRun, run: RunRow): Promise<void> {
  if (actor === undefined) return;
  const details = { sync_id: run.sync_id, mode, ...(streams && { streams }) };
  await recordAudit(tx, now, { actor, action: 'run.started', object_id: run.id, details });
}

/** What is asked of a live synchronization: to load streams anew, which its run does, whether it is under way or begins now. */
async function followLive(
  tx: Connection,
  now: number,
  sync: SyncOfRun,
  input: NewRun,
  targets: readonly { syncId: string; target: string }[],
): Promise<RunRow> {
  const busy = (await activeRuns(tx, [sync.id], true)).get(sync.id);
  if (busy && input.mode === 'run')
    throw new AppError(
      'CONFLICT',
      `"${sync.name}" is live: its run ${busy.id} follows the source all the time. There is nothing to start.`,
      {
        reason: `the run ${busy.id} is ${busy.status}`,
        run_id: busy.id,
      },
    );
  await rememberStreams(tx, targets, input.mode === 'full');
  if (busy) {
    const [found] = await tx.all<RunRow>(sql`select * from runs where id = ${busy.id}`);
    const run = (await yieldLive(tx, now, sync)) ?? found;
    if (!run) throw new Error(`The run ${busy.id} is active, and gone.`);
    await audit(tx, now, input, run);
    return run;
  }
  const { streams } = definitionOf(sync);
  const rest = streams.map(({ target }) => ({ syncId: sync.id, target }));
  await rememberStreams(tx, rest, false);
  const [run] = await withLags(tx, [queuedRun(now, sync, streams, { ...input, mode: 'run', streams: null, slot: null })]);
  await insertRuns(tx, [run as RunRow]);
  await audit(tx, now, input, run as RunRow);
  await tellOfRuns(tx, now, [{ before: undefined, after: run as RunRow }]);
  return run as RunRow;
}

/** A run that can begin at once. */
export function queuedRun(
  now: number,
  sync: SyncOfRun,
  streams: readonly StreamDefinition[],
  { trigger, mode, streams: names, slot }: Pick<NewRun, 'trigger' | 'mode' | 'streams'> & { slot: string | null },
): RunRow {
  const { id, time } = newId('run', now);
  return newRun(
    {
      id,
      sync_id: sync.id,
      status: 'queued',
      trigger,
      mode,
      created_at: isoTime(time),
      not_before: isoTime(now),
      streams: names && JSON.stringify(names),
      slot,
      shop: sync.shop,
      live: sync.live !== 0 && mode === 'run' ? 1 : 0,
    },
    streams.map(newReport),
  );
}

/** The streams that were asked for by their names at the source. */
export function selectStreams(streams: readonly StreamDefinition[], names: readonly string[] | null): readonly StreamDefinition[] {
  if (names === null) return streams;
  const known = new Set(streams.map(({ source }) => source));
  const faults = names.flatMap((name, at) =>
    known.has(name) ? [] : [{ field: `streams[${at}]`, reason: `is no stream of this synchronization: it has ${shortList([...known])}` }],
  );
  if (faults.length > 0) throw invalidParams(faults);
  return streams.filter(({ source }) => names.includes(source));
}

function shortList(names: readonly string[]): string {
  const shown = names.slice(0, 10).join(', ');
  return names.length > 10 ? `${shown} and ${names.length - 10} more` : shown;
}

export interface ActiveRun {
  id: string;
  sync_id: string;
  status: (typeof ACTIVE_STATUSES)[number];
}

// Written out, so that the planner sees that the partial index fits.
const ACTIVE = raw(`status in (${ACTIVE_STATUSES.map((status) => `'${status}'`).join(', ')})`);

/** The runs of these synchronizations that are not over: one each at most, and one that is live. */
export async function activeRuns(tx: Connection, syncIds: readonly string[], live = false): Promise<Map<string, ActiveRun>> {
  const rows = await tx.all<ActiveRun>(sql`
    select id, sync_id, status from runs where sync_id in ${list(syncIds)} and ${ACTIVE} and live = ${live ? 1 : 0}`);
  return new Map(rows.map((row) => [row.sync_id, row]));
}

export const STILL: Record<ActiveRun['status'], string> = {
  queued: 'is still waiting to begin',
  running: 'is still going on',
  retrying: 'is still waiting to be tried again',
  needs_approval: 'is still waiting for approval',
};

async function demandNoActiveRun(tx: Connection, sync: SyncOfRun): Promise<void> {
  const busy = (await activeRuns(tx, [sync.id])).get(sync.id);
  if (!busy) return;
  const advice = busy.status === 'needs_approval' ? 'Approve or cancel it first.' : 'Wait for it, or cancel it.';
  throw new AppError('CONFLICT', `The run ${busy.id} of "${sync.name}" ${STILL[busy.status]}. ${advice}`, {
    reason: `the run ${busy.id} is ${busy.status}`,
    run_id: busy.id,
  });
}

function paused(sync: SyncOfRun): AppError {
  return new AppError('CONFLICT', `"${sync.name}" is paused. Resume it first: POST /api/v1/datasync/sync/${sync.id}/resume.`, {
    reason: 'the synchronization is paused',
  });
}

/** Makes a place for what is remembered of streams. `anew`: another generation, without a position, so that all is read again. */
export async function rememberStreams(
  tx: Connection,
  streams: readonly { syncId: string; target: string }[],
  anew: boolean,
): Promise<void> {
  const rows = streams.map(({ syncId, target }) => [syncId, target]);
  const then = anew ? sql`do update set generation = sync_streams.generation + 1, position = null, note = null` : sql`do nothing`;
  await tx.all(sql`
    insert into sync_streams (sync_id, target, generation)
    select sync_id, target, 1 from ${bulk({ sync_id: 'text', target: 'text' }, rows)} as input where true
    on conflict (sync_id, target) ${then}`);
}
