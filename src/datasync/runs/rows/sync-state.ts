import { bulk, list } from '../../../db/bulk.ts';
import type { Connection } from '../../../db/database.ts';
import { type EngineSql, forUpdate, raw, type Sql, sql } from '../../../db/sql.ts';
import { notFound } from '../../../lib/errors.ts';
import type { TriggeredBy } from './run-row.ts';

// A synchronization has two rows: its definition, in `syncs`, which people change; and in `sync_state` what its runs change all the time.
// The second one is also its lock.

/** What runs need to know of their synchronization. */
export interface SyncOfRun {
  id: string;
  name: string;
  status: 'active' | 'paused';
  source_id: string;
  target_id: string;
  /** JSON: a StoredDefinition. */
  definition: string;
  version: number;
  token: number;
  failures: number;
  seen: number;
  /** How often a run was asked for by what does not wait for it, and how often when the last whole run was put in the queue. */
  wanted: number;
  wanted_seen: number;
  /** JSON: a TriggeredBy, what asked last; null when nothing that has a name did. */
  wanted_by: string | null;
  /** When a run noticed last that fields of the source had changed; null when a later one found them as they were. */
  schema_noticed_at: string | null;
  next_run_at: string | null;
  /** Whether it is live; 0 when it is not. */
  live: number;
  /** The rows of the shop that it has ever had at an end; null when nobody has looked. */
  shop: string | null;
  /** JSON: a Verified; null before anything was compared. */
  verified: string | null;
  /** When its streams are to be compared next; null when they are not. */
  verify_at: string | null;
}

/** Both rows of synchronizations. */
export const SYNCS = raw('syncs join sync_state on sync_state.sync_id = syncs.id');
/** When a synchronization was changed last: its definition, or whether it is paused. */
export const UPDATED_AT = raw('case when status_at > updated_at then status_at else updated_at end as updated_at');
const SYNC_COLUMNS = raw(
  `id, name, status, source_id, target_id, definition, version, token, failures, seen, wanted, wanted_seen, wanted_by, schema_noticed_at,
    next_run_at, sync_state.live, shop, verified, verify_at`,
);

/** Synchronizations with these ids, in their order. */
export function readSyncs(tx: Connection, ids: Sql | EngineSql): Promise<SyncOfRun[]> {
  return tx.all<SyncOfRun>(sql`select ${SYNC_COLUMNS} from ${SYNCS} where id in ${ids} order by id`);
}

/**
 * A transaction that changes a synchronization or its runs locks it first, several in the order of their ids, so that no two wait for
 * each other in a circle. What is read by a statement after this one stays true until the commit; the statement itself may have seen what was before.
 */
export async function lockStates(tx: Connection, ids: Sql | EngineSql): Promise<void> {
  if (tx.engine === 'postgres') await tx.all(sql`select 1 from sync_state where sync_id in ${ids} order by sync_id ${forUpdate}`);
}

export async function lockSyncs(tx: Connection, ids: Sql | EngineSql): Promise<SyncOfRun[]> {
  const [, syncs] = await Promise.all([lockStates(tx, ids), readSyncs(tx, ids)]);
  return syncs;
}

export async function lockSync(tx: Connection, id: string): Promise<SyncOfRun> {
  const [sync] = await lockSyncs(tx, list([id]));
  if (!sync) throw notFound('synchronization', id);
  return sync;
}

/** The state of a new synchronization. */
export async function addState(
  tx: Connection,
  { syncId, at, nextRunAt, live = false }: { syncId: string; at: string; nextRunAt: string | null; live?: boolean },
): Promise<void> {
  await tx.all(sql`
    insert into sync_state (sync_id, status, status_at, next_run_at, token, failures, seen, live)
    values (${syncId}, 'active', ${at}, ${nextRunAt}, 0, 0, 0, ${live ? 1 : 0})`);
}

/** Raises tokens to the time at least: a database that was restored from an old backup must not hand out tokens that targets have seen already. */
export async function raiseTokens(tx: Connection, syncIds: readonly string[], now: number): Promise<Map<string, SyncOfRun>> {
  const [, syncs] = await Promise.all([
    tx.all(sql`update sync_state set token = case when token < ${now} then ${now} else token + 1 end where sync_id in ${list(syncIds)}`),
    readSyncs(tx, list(syncIds)),
  ]);
  return new Map(syncs.map((sync) => [sync.id, sync]));
}

/** When synchronizations come due next. */
export async function setNextRuns(tx: Connection, next: readonly { syncId: string; at: string | null }[]): Promise<void> {
  const rows = next.map(({ syncId, at }) => [syncId, at]);
  await tx.all(sql`
    update sync_state set next_run_at = input.next from ${bulk({ id: 'text', next: 'text' }, rows)} as input where sync_state.sync_id = input.id`);
}

/** Whether it is live, as its definition says. */
export async function setLive(tx: Connection, syncId: string, live: boolean): Promise<void> {
  await tx.all(sql`update sync_state set live = ${live ? 1 : 0} where sync_id = ${syncId}`);
}

export async function setFailures(tx: Connection, syncId: string, failures: number): Promise<void> {
  await tx.all(sql`update sync_state set failures = ${failures} where sync_id = ${syncId}`);
}

/** What a run has noticed of fields that have changed; null when it found them as they were. */
export async function setSchemaNotices(
  tx: Connection,
  syncId: string,
  noticed: { notices: readonly string[]; at: string } | null,
): Promise<void> {
  await tx.all(sql`
    update sync_state set schema_notices = ${noticed && JSON.stringify(noticed.notices)}, schema_noticed_at = ${noticed && noticed.at}
    where sync_id = ${syncId}`);
}

/** How far changes were noticed that runs will have seen. It never goes back by this. */
export async function setSeen(tx: Connection, seen: readonly { syncId: string; seen: number }[]): Promise<void> {
  const rows = seen.map((one) => [one.syncId, one.seen]);
  await tx.all(sql`
    update sync_state set seen = input.seen from ${bulk({ id: 'text', seen: 'bigint' }, rows)} as input
    where sync_state.sync_id = input.id and sync_state.seen < input.seen`);
}

/** A synchronization that follows changes looks at all of them again. */
export async function forgetSeen(tx: Connection, syncId: string): Promise<void> {
  await tx.all(sql`update sync_state set seen = 0 where sync_id = ${syncId}`);
}

/** A synchronization that is to run, and what asks for it. */
export interface Wanting {
  syncId: string;
  by: TriggeredBy | null;
}

/** Asks for a run of each of these, which will begin later than this moment; answers how many of them there are. */
export async function raiseWanted(tx: Connection, wanting: readonly Wanting[]): Promise<number> {
  const rows = wanting.map(({ syncId, by }) => [syncId, by && JSON.stringify(by)]);
  const raised = await tx.all(sql`
    update sync_state set wanted = wanted + 1, wanted_by = input.wanted_by from ${bulk({ id: 'text', wanted_by: 'json' }, rows)} as input
    where sync_state.sync_id = input.id returning sync_id`);
  return raised.length;
}

/** Whole runs of these are put in the queue, and will see all that they were wanted for; answers those that were wanted at all. */
export async function seeWanted(tx: Connection, syncIds: readonly string[]): Promise<Set<string>> {
  const rows = await tx.all<{ sync_id: string }>(sql`
    update sync_state set wanted_seen = wanted where sync_id in ${list(syncIds)} and wanted > wanted_seen returning sync_id`);
  return new Set(rows.map(({ sync_id }) => sync_id));
}

/** Nothing runs by itself any more; `reason` when nobody has done it by hand. */
export async function setPaused(tx: Connection, syncId: string, at: string, reason: string | null): Promise<void> {
  await tx.all(sql`
    update sync_state set status = 'paused', status_at = ${at}, pause_reason = ${reason}, next_run_at = null where sync_id = ${syncId}`);
}

export async function setActive(tx: Connection, syncId: string, at: string, nextRunAt: string | null): Promise<void> {
  await tx.all(sql`
    update sync_state set status = 'active', status_at = ${at}, pause_reason = null, next_run_at = ${nextRunAt}, failures = 0,
      -- A change that could not be followed is followed now.
      seen = case when failures > 0 then 0 else seen end,
      wanted = case when failures > 0 and wanted > 0 then wanted + 1 else wanted end
    where sync_id = ${syncId}`);
}
