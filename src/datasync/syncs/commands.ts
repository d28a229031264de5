import { recordAudit } from '../../audit/record.ts';
import { bulk, list } from '../../db/bulk.ts';
import { command, type Connection, first } from '../../db/database.ts';
import { databaseTime } from '../../db/database-time.ts';
import { demandFreeName } from '../../db/free-names.ts';
import { forUpdate, raw, type Sql, sql } from '../../db/sql.ts';
import type { Actor } from '../../http/caller.ts';
import { appendEvents } from '../../events/append.ts';
import type { EventType } from '../../events/event-types.ts';
import { intervalOf, nextRun } from '../../jobs/schedule.ts';
import { isoTime } from '../../lib/clock.ts';
import type { Scope } from '../../http/scopes.ts';
import { AppError, invalidParams, notFound } from '../../lib/errors.ts';
import { demandBesideShop, demandForSync, demandShopScopes } from '../access/demand.ts';
import { joinShopRows } from '../access/marks.ts';
import { type EndTypes, shopRowsOf } from '../access/rules.ts';
import { demandRoom, shareOf } from '../access/share.ts';
import { findSource } from '../sources/queries.ts';
import { isOfHooks } from '../hooks/readers.ts';
import { selectStreams } from '../runs/queue/enqueue.ts';
import { forgetDelivered } from '../runs/rows/delivered.ts';
import { removeRunsOf } from '../runs/rows/forget.ts';
import type { RunRow } from '../runs/rows/run-row.ts';
import { addState, forgetSeen, lockStates, raiseWanted, setActive, setLive, setNextRuns, setPaused } from '../runs/rows/sync-state.ts';
import { ACTIVE_STATUSES } from '../runs/rows/transitions.ts';
import { nextVerify, setNextVerify } from '../runs/rows/verified.ts';
import { afterOf, demandChain, demandNoFollowers, lockChain } from './chains.ts';
import { findSyncRow, type SyncRow } from './queries.ts';
import { syncJson } from './render.ts';
import { needAgain, oweRelease } from '../releases/rows.ts';
import { closeLive, closeOther, yieldLive } from '../runs/queue/live.ts';
import { definitionOf, isLive } from '../runs/rows/stored-definition.ts';
import { streamsToReadAnew } from './generations.ts';
import { keepVersion } from './versions.ts';
import { demandNoUndo } from '../runs/undo/under-way.ts';

interface Change {
  /** Who asks for it. */
  actor: Actor;
  now: number;
  id: string;
}

/** A change after which rows may move. */
interface MovingChange extends Change {
  /** What who asks for it may do. */
  scopes: ReadonlySet<Scope>;
}

/** The time in `id` is the time of creation. */
export interface SyncToCreate extends MovingChange {
  /** How many synchronizations one key may have; 0 for any number. */
  most?: number;
  /** The versions of the sources that the definition was held against; undefined is answered when they are others by now. */
  versions?: { source: number; target: number };
  name: string;
  sourceId: string;
  targetId: string;
  definition: string;
}

export const createSync = command(import.meta.url, 'createSync', async (tx, input: SyncToCreate): Promise<SyncRow | undefined> => {
  const { id, name, sourceId, targetId, definition } = input;
  const share = shareOf(input.actor.id, input);
  await demandRoom(tx, 'syncs', share, input.most ?? 0);
  const { streams, schedule } = definitionOf(input);
  const after = afterOf(schedule);
  await lockChain(tx, [], after);
  await demandChain(tx, id, after);
  const types = await lockSources(tx, input);
  if (!types) return undefined;
  demandShopScopes(input, 'move', types, streams);
  await demandBesideShop(tx, input, { source_id: input.sourceId, target_id: input.targetId }, types, streams);
  await demandFreeName(tx, 'syncs', name, id);
  const at = isoTime(input.now);
  const row: SyncRow = {
    id,
    name,
    status: 'active',
    source_id: sourceId,
    target_id: targetId,
    definition,
    version: 1,
    created_at: at,
    updated_at: at,
    pause_reason: null,
    next_run_at: await nextRunAt(tx, { definition }, input.now),
    shop: shopRowsOf(types, streams),
    verified: null,
  };
  await tx.all(sql`
    insert into syncs (id, name, source_id, target_id, definition, version, created_at, updated_at, shop, share_of, after_id,
      expect_ms)
    values (${id}, ${name}, ${sourceId}, ${targetId}, ${definition}, 1, ${at}, ${at}, ${row.shop}, ${share}, ${after},
      ${expectedOf(input)})`);
  await addState(tx, { syncId: id, at, nextRunAt: row.next_run_at, live: isLive({ streams }) });
  await followVerify(tx, undefined, row, input.now);
  await beginFollowing(tx, row, types.source);
  await keepVersion(tx, undefined, row, input);
  await note(tx, input, row, 'sync.created', { name, source_id: sourceId, target_id: targetId });
  return row;
});

export interface SyncUpdate extends SyncToCreate {
  /** The version that the change was made from; undefined is answered when it is no longer that. */
  version: number;
  /** What was sent, for the audit. */
  fields: string[];
  /** The version that is restored by it, if one is. */
  restored?: number | undefined;
}

export const updateSync = command(import.meta.url, 'updateSync', async (tx, input: SyncUpdate): Promise<SyncRow | undefined> => {
  const { streams, schedule } = definitionOf(input);
  const after = afterOf(schedule);
  await lockChain(tx, [input.id], after);
  const before = await locked(tx, input.id);
  if (before.version !== input.version) return undefined;
  await demandChain(tx, input.id, after);
  const types = await lockSources(tx, input);
  if (!types) return undefined;
  await demandForSync(tx, input, 'move', before, definitionOf(before).streams);
  demandShopScopes(input, 'move', types, streams);
  await demandBesideShop(tx, input, { source_id: input.sourceId, target_id: input.targetId }, types, streams);
  if (input.name !== before.name) await demandFreeName(tx, 'syncs', input.name, input.id);
  const isRescheduled = JSON.stringify(definitionOf(before).schedule) !== JSON.stringify(schedule);
  const isMoved = isRescheduled && before.status === 'active';
  const row: SyncRow = {
    ...before,
    name: input.name,
    source_id: input.sourceId,
    target_id: input.targetId,
    definition: input.definition,
    version: before.version + 1,
    updated_at: isoTime(input.now),
    // What its runs and rejects have of the shop stays there.
    shop: joinShopRows(before.shop, shopRowsOf(types, streams)),
    ...(isMoved && { next_run_at: await nextRunAt(tx, input, input.now) }),
  };
  await tx.all(sql`
    update syncs set name = ${row.name}, source_id = ${row.source_id}, target_id = ${row.target_id}, definition = ${row.definition},
      version = ${row.version}, updated_at = ${row.updated_at}, shop = ${row.shop}, share_of = ${shareOf(input.actor.id, input)},
      after_id = ${after}, expect_ms = ${expectedOf(input)} where id = ${row.id}`);
  if (isMoved) await setNextRuns(tx, [{ syncId: row.id, at: row.next_run_at }]);
  await followStreams(tx, before, row, input.fields);
  await followUndo(tx, before, row, input.now);
  await followVerify(tx, before, row, input.now);
  await followLiveness(tx, before, row, input.now);
  await beginFollowing(tx, row, types.source);
  await keepVersion(tx, before, row, input);
  const { fields, restored } = input;
  await note(tx, input, row, 'sync.updated', { name: row.name, fields, ...(restored !== undefined && { restored }) });
  return row;
});

/** Another interval counts from now on. */
async function followVerify(tx: Connection, before: SyncRow | undefined, row: SyncRow, given: number): Promise<void> {
  const [was, is] = [before && definitionOf(before).verify?.every, definitionOf(row).verify?.every];
  if (was !== is) await setNextVerify(tx, [{ syncId: row.id, at: nextVerify(row, await databaseTime(tx, given)) }]);
}

/** A live run begins anew with what the definition says now; one that is not to be live any more ends, and the other way round. */
async function followLiveness(tx: Connection, before: SyncRow, row: SyncRow, given: number): Promise<void> {
  const [was, is] = [isLive(definitionOf(before)), isLive(definitionOf(row))];
  if (!was && !is) return;
  const now = await databaseTime(tx, given);
  const isOther = before.source_id !== row.source_id;
  if (was && (!is || isOther)) await owe(tx, { ...row, source_id: before.source_id }, given);
  if (is && (!was || isOther)) await needAgain(tx, row.id, row.source_id);
  if (was !== is) await setLive(tx, row.id, is);
  if (!is) return closeLive(tx, now, row);
  if (was) await yieldLive(tx, now, row);
  else await closeOther(tx, now, row);
}

/** What a target keeps of runs is to be forgotten when nothing is to be kept any more, or elsewhere. */
async function followUndo(tx: Connection, before: SyncRow, row: SyncRow | undefined, now: number): Promise<void> {
  const [was, is] = [definitionOf(before).undo ?? null, (row && definitionOf(row).undo) ?? null];
  if (was && (!is || before.target_id !== row?.target_id)) {
    const source = await findSource(tx, before.target_id);
    if (source) await oweRelease(tx, { sync: before, source, now, what: 'undo' });
  }
  if (is && row) await needAgain(tx, row.id, row.target_id, 'undo');
}

/** What the source keeps of its log for a synchronization is not needed any more. */
async function owe(tx: Connection, sync: SyncRow, now: number): Promise<void> {
  const source = await findSource(tx, sync.source_id);
  if (source) await oweRelease(tx, { sync, source, now });
}

/** What is there already of a source whose synchronizations are wanted by each change is looked at now. */
async function beginFollowing(tx: Connection, row: SyncRow, sourceType: string): Promise<void> {
  if (definitionOf(row).schedule.type === 'on_change' && isOfHooks(sourceType)) await raiseWanted(tx, [{ syncId: row.id, by: null }]);
}

/** What is remembered of streams follows their definition. */
async function followStreams(tx: Connection, before: SyncRow, row: SyncRow, changed: readonly string[]): Promise<void> {
  const isOtherSystem = before.source_id !== row.source_id || before.target_id !== row.target_id;
  if (before.target_id !== row.target_id) await forgetDelivered(tx, row.id);
  const { streams } = definitionOf(row);
  const anew = streamsToReadAnew(definitionOf(before).streams, streams, isOtherSystem);
  if (anew.length > 0) {
    await readAnew(tx, row.id, anew);
    // How many rows there were of something else is no measure.
    await tx.all(sql`update sync_streams set ${raw('rows')} = null where sync_id = ${row.id} and target in ${list(anew)}`);
  }
  // The caller that saves them has seen them: what the source looks like now is what it is held against from now on.
  if (isOtherSystem || changed.includes('streams') || changed.includes('schema_changes'))
    await tx.all(sql`update sync_streams set fields = null where sync_id = ${row.id}`);
  const targets = streams.map(({ target }) => target);
  await tx.all(sql`delete from rejects where sync_id = ${row.id} and target not in ${list(targets)}`);
}

/** Another generation: no position counts any more. A synchronization that follows changes looks again. */
async function readAnew(tx: Connection, syncId: string, targets: readonly string[]): Promise<void> {
  const rows = targets.map((target) => [target, syncId]);
  await tx.all(sql`
    insert into sync_streams (sync_id, target, generation)
    select sync_id, target, 1 from ${bulk({ target: 'text', sync_id: 'text' }, rows)} as input where true
    on conflict (sync_id, target) do update set generation = sync_streams.generation + 1, position = null, note = null`);
  await forgetSeen(tx, syncId);
}

export const pauseSync = command(import.meta.url, 'pauseSync', async (tx, input: Change): Promise<SyncRow> => {
  const before = await locked(tx, input.id);
  if (before.status === 'paused') return before;
  const row: SyncRow = { ...before, status: 'paused', next_run_at: null, updated_at: isoTime(input.now) };
  await setPaused(tx, row.id, row.updated_at, row.pause_reason);
  await closeLive(tx, await databaseTime(tx, input.now), row);
  await note(tx, input, row, 'sync.paused', { name: row.name });
  return row;
});

export const resumeSync = command(import.meta.url, 'resumeSync', async (tx, input: MovingChange): Promise<SyncRow> => {
  const before = await locked(tx, input.id);
  await demandForSync(tx, input, 'move', before, definitionOf(before).streams);
  if (before.status === 'active') return before;
  await demandNoUndo(tx, before, input.now);
  const next_run_at = await nextRunAt(tx, before, input.now);
  const row: SyncRow = { ...before, status: 'active', pause_reason: null, next_run_at, updated_at: isoTime(input.now) };
  await setActive(tx, row.id, row.updated_at, next_run_at);
  await note(tx, input, row, 'sync.resumed', { name: row.name });
  return row;
});

/** Forgets how far streams were read; `streams` by their names at the source, null for all. */
export const resetSync = command(
  import.meta.url,
  'resetSync',
  async (tx, input: MovingChange & { streams: string[] | null }): Promise<SyncRow> => {
    const row = await locked(tx, input.id);
    const streams = selectStreams(definitionOf(row).streams, input.streams);
    await demandForSync(tx, input, 'move', row, streams);
    const live = isLive(definitionOf(row));
    const active = live ? undefined : await activeRun(tx, row.id);
    if (active)
      throw new AppError(
        'CONFLICT',
        `"${row.name}" cannot be reset while the run ${active.id} is ${active.status}. Wait for it, or cancel it.`,
        {
          reason: `the run ${active.id} is ${active.status}`,
          run_id: active.id,
        },
      );
    await readAnew(
      tx,
      row.id,
      streams.map(({ target }) => target),
    );
    if (live) await yieldLive(tx, await databaseTime(tx, input.now), row);
    const source = await first<{ type: string }>(tx, sql`select type from sources where id = ${row.source_id}`);
    await beginFollowing(tx, row, source?.type ?? '');
    await note(tx, input, row, 'sync.reset', { name: row.name, ...(input.streams && { streams: input.streams }) });
    return row;
  },
);

/** Its runs, its rejects and what is remembered of its streams go with it. */
export const deleteSync = command(import.meta.url, 'deleteSync', async (tx, input: Change): Promise<SyncRow> => {
  const row = await locked(tx, input.id);
  // A live one is always running. Its worker hears within seconds that its run is gone.
  const active = await activeRun(tx, row.id, sql`live = 0`);
  if (active?.status === 'running')
    throw new AppError('CONFLICT', `"${row.name}" cannot be deleted while its run ${active.id} is running. Cancel the run first.`, {
      reason: `the run ${active.id} is running`,
      run_id: active.id,
    });
  await demandNoFollowers(tx, row);
  await demandNoUndo(tx, row, input.now);
  if (isLive(definitionOf(row))) await owe(tx, row, input.now);
  await followUndo(tx, row, undefined, input.now);
  const counts = await removeRunsOf(tx, row.id);
  await tx.all(sql`delete from syncs where id = ${row.id}`);
  await note(tx, input, row, 'sync.deleted', { name: row.name }, counts);
  return row;
});

async function locked(tx: Connection, id: string): Promise<SyncRow> {
  const [, row] = await Promise.all([lockStates(tx, list([id])), findSyncRow(tx, id)]);
  if (!row) throw notFound('synchronization', id);
  return row;
}

async function activeRun(tx: Connection, syncId: string, which: Sql = sql`true`): Promise<Pick<RunRow, 'id' | 'status'> | undefined> {
  const statuses = raw(ACTIVE_STATUSES.map((status) => `'${status}'`).join(', '));
  return first(tx, sql`select id, status from runs where sync_id = ${syncId} and status in (${statuses}) and ${which}`);
}

/** Between the check of a definition and its storing, a source may have gone, or have been pointed elsewhere: then undefined is answered. */
async function lockSources(tx: Connection, { sourceId, targetId, versions }: SyncToCreate): Promise<EndTypes | undefined> {
  const rows = await tx.all<{ id: string; type: string; version: number }>(
    sql`select id, type, version from sources where id in ${list([sourceId, targetId])} order by id ${forUpdate}`,
  );
  const known = new Map(rows.map((row) => [row.id, row]));
  const faults = Object.entries({ source_id: sourceId, target_id: targetId })
    .filter(([, id]) => !known.has(id))
    .map(([field]) => ({ field, reason: 'is no source that there is' }));
  const [source, target] = [known.get(sourceId), known.get(targetId)];
  if (!source || !target) throw invalidParams(faults);
  if (versions && (source.version !== versions.source || target.version !== versions.target)) return undefined;
  return { source: source.type, target: target.type };
}

/** How often a run is expected to succeed, in milliseconds. */
function expectedOf(sync: Pick<SyncRow, 'definition'>): number | null {
  return intervalOf(definitionOf(sync).expect_every ?? '') ?? null;
}

/** Schedules go by the clock that all nodes share. */
async function nextRunAt(tx: Connection, sync: Pick<SyncRow, 'definition'>, now: number): Promise<string | null> {
  const next = nextRun(definitionOf(sync).schedule, await databaseTime(tx, now));
  return next === null ? null : isoTime(next);
}

async function note(
  tx: Connection,
  { actor, now }: Change,
  row: SyncRow,
  action: EventType,
  details: Record<string, unknown>,
  counts: Readonly<Record<string, number>> = {},
): Promise<void> {
  await recordAudit(tx, now, { actor, action, object_id: row.id, details });
  await appendEvents(tx, 'syncs', [{ type: action, objectId: row.id, at: isoTime(now), data: syncJson(row) }], counts);
}
