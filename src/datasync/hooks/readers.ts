import { findManifest, typesThat } from '../../connectors/registry.ts';
import { list } from '../../db/bulk.ts';
import type { Connection } from '../../db/database.ts';
import { byEngine, join, raw, type Sql, sql } from '../../db/sql.ts';
import { lockStates, raiseWanted } from '../runs/rows/sync-state.ts';

// A hook may be a source: its calls are the rows. What follows from a call is then a run of those that read it.

/** The types of sources that are hooks. */
const TYPES = typesThat(({ hookMember }) => hookMember !== undefined);

/** Whether sources of this type are hooks, so that their synchronizations are wanted by each call. */
export function isOfHooks(type: string): boolean {
  return TYPES.includes(type);
}

/** The hook that a source is. */
const HOOK_OF_SOURCE = join(
  [
    raw('case sources.type'),
    ...TYPES.map((type) => sql`${raw(`when '${type}' then `)}${member(findManifest(type)?.hookMember ?? '')}`),
    raw('end'),
  ],
  ' ',
);

function member(name: string): Sql {
  const text = byEngine((engine) =>
    raw(engine === 'sqlite' ? `json_extract(sources.config, '$.${name}')` : `sources.config::json ->> '${name}'`),
  );
  return sql`${text}`;
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
  const readers = await tx.all<{ id: string }>(sql`
    select syncs.id from sources join syncs on syncs.source_id = sources.id
    where sources.type in ${list(TYPES)} and ${HOOK_OF_SOURCE} in ${list(ids)} and ${FOLLOWS_CHANGES}`);
  const wanted = [...new Set([...readers.map(({ id }) => id), ...hooks.flatMap(({ sync_id }) => sync_id ?? [])])];
  if (wanted.length === 0) return 0;
  await lockStates(tx, list(wanted));
  return (await raiseWanted(tx, list(wanted))).length;
}

/** The sources that a hook is. */
export function sourcesOf(tx: Connection, hookId: string): Promise<{ id: string; name: string }[]> {
  return tx.all(sql`
    select id, name from sources where sources.type in ${list(TYPES)} and ${HOOK_OF_SOURCE} = ${hookId} order by id limit 10`);
}
