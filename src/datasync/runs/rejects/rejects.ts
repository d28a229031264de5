import { bulk, list } from '../../../db/bulk.ts';
import { command, type Connection, first } from '../../../db/database.ts';
import { integer, type Sql, sql } from '../../../db/sql.ts';
import type { Actor } from '../../../http/caller.ts';
import type { StoredReject } from '../../../engine/run.ts';
import type { Scope } from '../../../http/scopes.ts';
import { isoTime } from '../../../lib/clock.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import { newId } from '../../../lib/ids.ts';
import { demandForSync } from '../../access/demand.ts';
import { enqueue } from '../queue/enqueue.ts';
import type { RunRow } from '../rows/run-row.ts';
import { isOurs, type Speaker } from '../rows/stream-memory.ts';
import { lockSync, type SyncOfRun } from '../rows/sync-state.ts';
import { definitionOf } from '../rows/stored-definition.ts';

/** A reject on its way into the table. The row is JSON text: digits would not survive anything else. */
export interface NewReject {
  identity: string;
  /** JSON: the values of the key; null when it has none. */
  key: string | null;
  row: string;
  field: string | null;
  reason: string;
  unreadable: boolean;
}

interface OfStream extends Speaker {
  now: number;
  syncId: string;
  target: string;
}

const COLUMNS = {
  id: 'text',
  identity: 'text',
  '"key"': 'json',
  '"row"': 'json',
  field: 'text',
  reason: 'text',
  unreadable: 'bigint',
} as const;

/** Keeps rejected rows. One that is there already moves to this run. False: another worker has the run now. */
export const keepRejects = command(
  import.meta.url,
  'keepRejects',
  async (tx, input: OfStream & { stream: string; rejects: NewReject[] }): Promise<boolean> => {
    const { now, runId, syncId, stream, target } = input;
    if (!(await isOurs(tx, input))) return false;
    const at = isoTime(now);
    // Of a row that is refused twice, the last reason counts.
    const rejects = [...new Map(input.rejects.map((reject) => [reject.identity, reject])).values()];
    const rows = rejects.map(({ identity, key, row, field, reason, unreadable }) => [
      newId('rej', now).id,
      storable(identity),
      key,
      row,
      field === null ? null : storable(field),
      storable(reason),
      unreadable ? 1 : 0,
    ]);
    await tx.all(sql`
      insert into rejects (id, sync_id, stream, target, identity, first_run_id, last_run_id, "key", "row", field, reason, unreadable,
        created_at, updated_at)
      select id, ${syncId}, ${stream}, ${target}, identity, ${runId}, ${runId}, "key", "row", field, reason, unreadable, ${at}, ${at}
      from ${bulk(COLUMNS, rows)} as input where true
      on conflict (sync_id, target, identity) do update set last_run_id = excluded.last_run_id, "key" = excluded."key",
        "row" = excluded."row", field = excluded.field, reason = excluded.reason, unreadable = excluded.unreadable,
        updated_at = excluded.updated_at, resolved_at = null`);
    return true;
  },
);

/** Takes rows out of quarantine; with 'unseen', all of the stream that this run has not seen. False: no longer ours. */
export const resolveRejects = command(
  import.meta.url,
  'resolveRejects',
  async (tx, input: OfStream & { which: string[] | 'unseen' }): Promise<boolean> => {
    if (!(await isOurs(tx, input))) return false;
    const { now, runId, syncId, target, which } = input;
    const at = isoTime(now);
    const these = which === 'unseen' ? sql`last_run_id <> ${runId}` : sql`identity in ${list(which.map(storable))}`;
    await tx.all(sql`
      update rejects set resolved_at = ${at}, updated_at = ${at}
      where sync_id = ${syncId} and target = ${target} and resolved_at is null and ${these}`);
    return true;
  },
);

/** A page of what waits to be tried again of a stream, in the order of identities. */
export async function openRejects(
  db: Connection,
  { syncId, target, after, limit }: { syncId: string; target: string; after: string | undefined; limit: number },
): Promise<StoredReject[]> {
  const behind = after === undefined ? sql`true` : sql`identity > ${storable(after)}`;
  const rows = await db.all<Omit<NewReject, 'unreadable'> & { unreadable: number }>(sql`
    select identity, "key", "row", field, reason, unreadable from rejects
    where sync_id = ${syncId} and target = ${target} and resolved_at is null and ${behind} order by identity limit ${integer(limit)}`);
  return rows.map(({ row, field, unreadable, ...rest }) => ({
    ...rest,
    row: JSON.parse(row) as Record<string, unknown>,
    ...(field !== null && { field }),
    unreadable: unreadable !== 0,
  }));
}

interface Retry {
  now: number;
  actor: Actor;
  /** What who asks for it may do. */
  scopes: ReadonlySet<Scope>;
  id: string;
}

/** Puts a run in the queue that tries again what this run has rejected and is not resolved yet. */
export const retryRejects = command(import.meta.url, 'retryRejects', async (tx, { id, ...by }: Retry): Promise<RunRow> => {
  const run = await first<{ sync_id: string }>(tx, sql`select sync_id from runs where id = ${id}`);
  if (!run) throw notFound('run', id);
  const sync = await lockSync(tx, run.sync_id);
  await demandForSync(tx, by, 'move', sync, definitionOf(sync).streams);
  const streams = await streamsWithRejects(tx, sync, sql`first_run_id <= ${id} and last_run_id >= ${id}`);
  if (streams.length === 0) {
    const others = (await streamsWithRejects(tx, sync, sql`true`)).length > 0;
    const advice = others ? ` Other runs of "${sync.name}" have: POST /api/v1/datasync/sync/${sync.id}/rejects/retry.` : '';
    throw nothingToRetry(`The run ${id}`, advice);
  }
  return enqueue(tx, { ...by, syncId: sync.id, trigger: 'retry', mode: 'rejects', streams });
});

/** The same for whatever waits of a synchronization, whichever run has rejected it. */
export const retryRejectsOfSync = command(import.meta.url, 'retryRejectsOfSync', async (tx, { id, ...by }: Retry): Promise<RunRow> => {
  const sync = await lockSync(tx, id);
  await demandForSync(tx, by, 'move', sync, definitionOf(sync).streams);
  const streams = await streamsWithRejects(tx, sync, sql`true`);
  if (streams.length === 0) throw nothingToRetry(`"${sync.name}"`);
  return enqueue(tx, { ...by, syncId: id, trigger: 'retry', mode: 'rejects', streams });
});

/** The names at the source of the streams that have open rejects. */
async function streamsWithRejects(tx: Connection, sync: SyncOfRun, which: Sql): Promise<string[]> {
  const open = await tx.all<{ target: string }>(
    sql`select distinct target from rejects where sync_id = ${sync.id} and resolved_at is null and ${which}`,
  );
  const targets = new Set(open.map(({ target }) => target));
  const names = definitionOf(sync).streams.flatMap(({ source, target }) => (targets.has(target) ? [source] : []));
  return [...new Set(names)];
}

function nothingToRetry(who: string, advice = ''): AppError {
  return new AppError('CONFLICT', `${who} has no open rejects: there is nothing to try again.${advice}`, { reason: 'no open rejects' });
}

/** Text as every database can keep it: what cannot be written is shown by its number. */
function storable(text: string): string {
  return text.replaceAll('\0', '\\u0000').toWellFormed();
}
