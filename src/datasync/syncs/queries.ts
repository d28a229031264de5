import { list } from '../../db/bulk.ts';
import { command, type Connection, first } from '../../db/database.ts';
import { bytesOf, rowsThatFit } from '../../db/page-bytes.ts';
import { integer, raw, type Sql, sql } from '../../db/sql.ts';
import type { PageRequest } from '../../http/paging.ts';
import { RUN_BYTES } from '../runs/rows/queries.ts';
import { writesSomething } from '../runs/rows/run-modes.ts';
import type { RunRow } from '../runs/rows/run-row.ts';
import { SYNCS, UPDATED_AT } from '../runs/rows/sync-state.ts';
import { ACTIVE_STATUSES } from '../runs/rows/transitions.ts';
import { MANY_REJECTS } from './health.ts';

/** A synchronization: its row of `syncs`, with what everybody may see of its state. */
export interface SyncRow {
  id: string;
  name: string;
  status: 'active' | 'paused';
  source_id: string;
  target_id: string;
  /** JSON: a StoredDefinition. */
  definition: string;
  version: number;
  created_at: string;
  updated_at: string;
  /** Why it was paused, when nobody has done it by hand. */
  pause_reason: string | null;
  next_run_at: string | null;
  /** The rows of the shop that it has ever had at an end; null when nobody has looked. */
  shop: string | null;
  /** JSON: a Verified; null before anything was compared. */
  verified: string | null;
}

/** A synchronization with the runs that are shown with it. */
export interface SyncView extends SyncRow {
  current: RunRow | undefined;
  last: RunRow | undefined;
  /** JSON: the Lag that its live runs told last; null when none has. */
  lag: string | null;
  /** How many rows are rejected and wait, counted up to `MANY_REJECTS`. */
  open_rejects: number;
}

const SYNC_COLUMNS = sql`id, name, status, source_id, target_id, definition, version, created_at, ${UPDATED_AT}, pause_reason, next_run_at, shop, verified`;
// Written out, so that both planners see that the partial indexes `runs_active` and `runs_last` fit.
const IS_ACTIVE = raw(`status in (${ACTIVE_STATUSES.map((status) => `'${status}'`).join(', ')})`);
const HAS_ENDED = sql`finished_at is not null and ${writesSomething()} and ${raw(`status <> 'skipped'`)}`;
// The two runs that a synchronization `s` is shown with.
const CURRENT_RUN = sql`runs where sync_id = s.id and ${IS_ACTIVE} order by live desc limit 1`;
const LAST_RUN = sql`runs where sync_id = s.id and ${HAS_ENDED} order by id desc limit 1`;
const LIVE_RUN = sql`runs where sync_id = s.id and ${raw('live <> 0')} order by id desc limit 1`;
const SYNC_BYTES = sql`${bytesOf('s.definition')} + coalesce((select ${RUN_BYTES} from ${CURRENT_RUN}), 0)
  + coalesce((select ${RUN_BYTES} from ${LAST_RUN}), 0)`;

export const findSync = command(import.meta.url, 'findSync', async (db, { id }: { id: string }): Promise<SyncView | undefined> => {
  const [view] = await withRuns(db, sql`select ${SYNC_COLUMNS} from ${SYNCS} where id = ${id}`);
  return view;
});

export async function findSyncRow(db: Connection, id: string): Promise<SyncRow | undefined> {
  return first<SyncRow>(db, sql`select ${SYNC_COLUMNS} from ${SYNCS} where id = ${id}`);
}

export async function allSyncRows(db: Connection): Promise<SyncRow[]> {
  return db.all<SyncRow>(sql`select ${SYNC_COLUMNS} from ${SYNCS} order by id`);
}

export interface SyncPage extends PageRequest {
  status: 'active' | 'paused' | 'all';
}

/** Synchronizations, newest first, as many as fit into a page and one more when there are more; and how many there are in all. On one snapshot. */
export const listSyncs = command(
  import.meta.url,
  'listSyncs',
  async (db, { status, limit: most, offset, after }: SyncPage): Promise<{ rows: SyncView[]; total: number; limit: number }> => {
    const matches = status === 'all' ? sql`true` : sql`status = ${status}`;
    const place = after === undefined ? matches : sql`${matches} and id < ${after}`;
    const page = (count: number) => sql`where ${place} order by id desc limit ${integer(count)} offset ${offset}`;
    const sizes = sql`select ${SYNC_BYTES} as bytes from (select id, definition from ${SYNCS} ${page(most)}) as s order by s.id desc`;
    const limit = await rowsThatFit(db, sizes, most);
    const [rows, counted] = await Promise.all([
      withRuns(db, sql`select ${SYNC_COLUMNS} from ${SYNCS} ${page(limit + 1)}`),
      first<{ n: number }>(db, sql`select count(*) as n from sync_state where ${matches}`),
    ]);
    return { rows, total: counted?.n ?? 0, limit };
  },
);

/** All synchronizations, so many at a time: the reports of their runs may be large. */
export async function* eachSync(db: Connection, atOnce: number): AsyncGenerator<SyncView> {
  for (let after = ''; ; ) {
    const views = await withRuns(db, sql`select ${SYNC_COLUMNS} from ${SYNCS} where id > ${after} order by id limit ${integer(atOnce)}`);
    yield* views;
    const last = views[0];
    if (!last || views.length < atOnce) return;
    after = last.id;
  }
}

/** Two statements, however many synchronizations there are; and a synchronization with a million rejects slows down no list. */
async function withRuns(db: Connection, syncs: Sql): Promise<SyncView[]> {
  const found = await db.all<SyncRow & { current_id: string | null; last_id: string | null; lag: string | null; open_rejects: number }>(sql`
    select s.*, (select id from ${CURRENT_RUN}) as current_id, (select id from ${LAST_RUN}) as last_id,
      (select lag from ${LIVE_RUN}) as lag,
      (select count(*) from (select 1 from rejects where sync_id = s.id and resolved_at is null limit ${integer(MANY_REJECTS)}) as waiting)
        as open_rejects
    from (${syncs}) as s order by s.id desc`);
  const ids = found.flatMap(({ current_id, last_id }) => [current_id, last_id].filter((id) => id !== null));
  const runs = ids.length === 0 ? [] : await db.all<RunRow>(sql`select * from runs where id in ${list(ids)}`);
  const byId = new Map(runs.map((run) => [run.id, run]));
  return found.map(({ current_id, last_id, ...sync }) => ({ ...sync, current: byId.get(current_id ?? ''), last: byId.get(last_id ?? '') }));
}
