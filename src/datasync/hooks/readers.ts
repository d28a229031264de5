import { list } from '../../db/bulk.ts';
import type { Connection } from '../../db/database.ts';
import { byEngine, raw, sql } from '../../db/sql.ts';
import { HOOK_OF_SOURCE, HOOK_TYPES } from '../access/hook-sources.ts';
import { lockStates, raiseWanted } from '../runs/rows/sync-state.ts';

// A hook may be a source: its calls are the rows. What follows from a call is then a run of those that read it.

/** Whether sources of this type are hooks, so that their synchronizations are wanted by each call. */
export function isOfHooks(type: string): boolean {
  return HOOK_TYPES.includes(type);
}

const FOLLOWS_CHANGES = byEngine((engine) =>
  raw(
    engine === 'sqlite'
      ? `json_extract(syncs.definition, '$.schedule.type') = 'on_change'`
      : `syncs.definition::json #>> '{schedule,type}' = 'on_change'`,
  ),
);

/** Asks for runs because of calls to these hooks: of the synchronization that each belongs to, and of those that follow its calls as their source. */
export async function wantReaders(tx: Connection, hooks: readonly { id: string; sync_id: string | null }[]): Promise<number> {
  const ids = hooks.map(({ id }) => id);
  const readers = await tx.all<{ id: string; hook_id: string }>(sql`
    select syncs.id, ${HOOK_OF_SOURCE} as hook_id from sources join syncs on syncs.source_id = sources.id
    where sources.type in ${list(HOOK_TYPES)} and ${HOOK_OF_SOURCE} in ${list(ids)} and ${FOLLOWS_CHANGES}`);
  const wanted = new Map([
    ...readers.map(({ id, hook_id }) => [id, hook_id] as const),
    ...hooks.flatMap(({ id, sync_id }) => (sync_id === null ? [] : [[sync_id, id] as const])),
  ]);
  if (wanted.size === 0) return 0;
  await lockStates(tx, list([...wanted.keys()]));
  return raiseWanted(
    tx,
    [...wanted].map(([syncId, id]) => ({ syncId, by: { type: 'hook', id } })),
  );
}
