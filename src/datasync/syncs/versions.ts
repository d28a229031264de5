import { type Connection, command, first } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import type { Actor } from '../../http/caller.ts';
import { isoTime } from '../../lib/clock.ts';
import { definitionOf } from '../runs/rows/stored-definition.ts';
import { findSyncRow, type SyncRow } from './queries.ts';
import { shownDefinition } from './render.ts';
import type { ChangedSync } from './schemas.ts';

/** Of each synchronization; older ones are forgotten. */
const MOST_VERSIONS = 100;

/** A definition as it was saved once. */
export interface VersionRow {
  version: number;
  name: string;
  source_id: string;
  target_id: string;
  /** JSON: a StoredDefinition. */
  definition: string;
  saved_at: string;
  /** Null for what was saved by a version of Syncline that did not keep it. */
  actor: string | null;
  /** JSON: the names of what was sent. */
  fields: string;
  /** The version that was restored by this one, if it was made so. */
  restored: number | null;
}

interface Saved {
  actor: Actor;
  now: number;
  fields?: readonly string[];
  restored?: number | undefined;
}

/** Keeps what was saved just now, and what was there before when nobody has kept that: a node of an earlier version does not. */
export async function keepVersion(tx: Connection, before: SyncRow | undefined, row: SyncRow, saved: Saved): Promise<void> {
  if (before) await insertVersion(tx, before, { saved_at: before.updated_at, actor: null, fields: '[]', restored: null });
  const { actor, now, fields = [], restored = null } = saved;
  await insertVersion(tx, row, { saved_at: isoTime(now), actor: actor.id, fields: JSON.stringify(fields), restored });
  await tx.all(sql`delete from sync_versions where sync_id = ${row.id} and version <= ${row.version - MOST_VERSIONS}`);
}

type Told = Pick<VersionRow, 'saved_at' | 'actor' | 'fields' | 'restored'>;

async function insertVersion(tx: Connection, row: SyncRow, told: Told): Promise<void> {
  await tx.all(sql`
    insert into sync_versions (sync_id, version, name, source_id, target_id, definition, saved_at, actor, fields, restored)
    values (${row.id}, ${row.version}, ${row.name}, ${row.source_id}, ${row.target_id}, ${row.definition}, ${told.saved_at},
      ${told.actor}, ${told.fields}, ${told.restored}) on conflict (sync_id, version) do nothing`);
}

/** All that is kept of a synchronization, newest first, without the definitions; undefined when there is none of this id. */
export const listVersions = command(
  import.meta.url,
  'listVersions',
  async (db, { id }: { id: string }): Promise<{ present: number; rows: Omit<VersionRow, 'definition'>[] } | undefined> => {
    const sync = await findSyncRow(db, id);
    if (!sync) return undefined;
    const rows = await db.all<Omit<VersionRow, 'definition'>>(sql`
      select version, name, source_id, target_id, saved_at, actor, fields, restored from sync_versions
      where sync_id = ${id} order by version desc`);
    return { present: sync.version, rows: rows[0]?.version === sync.version ? rows : [presentVersion(sync), ...rows] };
  },
);

/** One version; undefined when it is not kept. */
export async function findVersion(db: Connection, id: string, version: number): Promise<VersionRow | undefined> {
  const kept = await first<VersionRow>(
    db,
    sql`select version, name, source_id, target_id, definition, saved_at, actor, fields, restored from sync_versions
      where sync_id = ${id} and version = ${version}`,
  );
  if (kept) return kept;
  const sync = await findSyncRow(db, id);
  return sync?.version === version ? presentVersion(sync) : undefined;
}

/** What there is, where nobody has kept it yet. */
function presentVersion({ version, name, source_id, target_id, definition, updated_at }: SyncRow): VersionRow {
  return { version, name, source_id, target_id, definition, saved_at: updated_at, actor: null, fields: '[]', restored: null };
}

/** The change that makes a synchronization what it was then: every member is said. */
export function changeTo({ name, source_id, target_id, definition }: Pick<VersionRow, 'name' | 'source_id' | 'target_id' | 'definition'>) {
  const { structure, expect_every, undo, verify, direction, ...rest } = shownDefinition(definitionOf({ definition }));
  return {
    name,
    source_id,
    target_id,
    direction,
    ...rest,
    structure: structure ?? 'data',
    expect_every: expect_every ?? null,
    undo: undo ?? null,
    verify: verify ?? null,
  } as ChangedSync;
}
