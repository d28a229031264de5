import { findManifest, typesThat } from '../../connectors/registry.ts';
import { list } from '../../db/bulk.ts';
import type { Connection } from '../../db/database.ts';
import { byEngine, join, raw, type Sql, sql } from '../../db/sql.ts';

// A hook may be a source: its calls are the rows.

/** The types of sources that are hooks. */
export const HOOK_TYPES = typesThat(({ hookMember }) => hookMember !== undefined);

/** The hook that a source is. */
export const HOOK_OF_SOURCE = join(
  [
    raw('case sources.type'),
    ...HOOK_TYPES.map((type) => sql`${raw(`when '${type}' then `)}${member(findManifest(type)?.hookMember ?? '')}`),
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

/** All the sources that a hook is. */
export function sourcesOfHook(db: Connection, hookId: string): Promise<{ id: string; name: string }[]> {
  return db.all(sql`
    select id, name from sources where sources.type in ${list(HOOK_TYPES)} and ${HOOK_OF_SOURCE} = ${hookId} order by id`);
}

/** All the sources that have the rows of this one: those that are the same hook, or it alone when it is none. */
export async function sameRowsAs(db: Connection, source: { id: string; type: string }): Promise<string[]> {
  if (!HOOK_TYPES.includes(source.type)) return [source.id];
  const rows = await db.all<{ id: string }>(sql`
    select id from sources where sources.type in ${list(HOOK_TYPES)}
      and ${HOOK_OF_SOURCE} = (select ${HOOK_OF_SOURCE} from sources where id = ${source.id}) order by id`);
  return rows.map(({ id }) => id);
}
