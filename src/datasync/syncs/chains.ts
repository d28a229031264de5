import { list } from '../../db/bulk.ts';
import { type Connection, first } from '../../db/database.ts';
import { integer, sql } from '../../db/sql.ts';
import type { Schedule } from '../../jobs/schedule.ts';
import { AppError, invalidParam } from '../../lib/errors.ts';
import { lockStates } from '../runs/rows/sync-state.ts';

// A synchronization may run after another one. Who follows whom is in `syncs.after_id` too, where it can be looked up.

/** Any number that only we take: of those that are saved at the same moment, each sees the others. */
const CHAIN_LOCK = 7_316_924_773;
/** So many names of followers are enough to go and look. */
const NAMED = 5;

/** The one that runs before, if there is one. */
export function afterOf(schedule: Schedule): string | null {
  return schedule.type === 'after' ? schedule.sync_id : null;
}

/** Locks a synchronization, and the one that it is to run after; nobody else changes a chain until the commit. */
export async function lockChain(tx: Connection, ids: readonly string[], after: string | null): Promise<void> {
  if (after !== null && tx.engine === 'postgres') await tx.all(sql`select pg_advisory_xact_lock(${CHAIN_LOCK})`);
  const locked = after === null ? ids : [...ids, after];
  if (locked.length > 0) await lockStates(tx, list(locked));
}

/** Throws when the one before is not there, or if the synchronization would run after itself in the end. The chain is locked. */
export async function demandChain(tx: Connection, id: string, after: string | null): Promise<void> {
  if (after === null) return;
  const chain = await tx.all<{ id: string; name: string }>(sql`
    with recursive chain (id, place) as (
      select id, 1 from syncs where id = ${after}
      union all
      select syncs.after_id, place + 1 from syncs join chain on chain.id = syncs.id
      where syncs.after_id is not null and chain.id <> ${id} and place < 100000)
    select syncs.id, syncs.name from chain join syncs on syncs.id = chain.id order by chain.place`);
  if (chain[0]?.id !== after) throw invalidParam('schedule.sync_id', 'is no synchronization that there is; GET /datasync/sync lists them');
  if (after === id) throw invalidParam('schedule.sync_id', 'must be another synchronization: none can run after itself');
  if (!chain.some((one) => one.id === id)) return;
  const names = chain.map(({ name }) => `"${name}"`).toReversed();
  throw invalidParam('schedule.sync_id', `would make a circle: ${[...names, names[0]].join(' → ')}`);
}

/** Throws when others run after this one, which is locked: they would never run again. */
export async function demandNoFollowers(tx: Connection, { id, name }: { id: string; name: string }): Promise<void> {
  const named = sql`select id, name from syncs where after_id = ${id} order by id limit ${integer(NAMED)}`;
  const followers = await tx.all<{ id: string; name: string }>(named);
  if (followers.length === 0) return;
  const { n } = (await first<{ n: number }>(tx, sql`select count(*) as n from syncs where after_id = ${id}`)) ?? { n: 0 };
  const shown = followers.map((one) => `"${one.name}" (${one.id})`).join(', ');
  const who = n > followers.length ? `${shown} and ${n - followers.length} more` : shown;
  throw new AppError(
    'IN_USE',
    `"${name}" cannot be deleted: ${who} ${n === 1 ? 'runs' : 'run'} after it. Change the schedule there first.`,
    {
      reason: `${who} ${n === 1 ? 'runs' : 'run'} after it`,
    },
  );
}
