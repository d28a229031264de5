import { list } from '../db/bulk.ts';
import { command, type Connection } from '../db/database.ts';
import { all, type Sql, sql } from '../db/sql.ts';
import type { Scope } from '../http/scopes.ts';
import { isoTime } from '../lib/clock.ts';
import { demandAll } from './access.ts';
import { locked, note, type WebhookChange } from './commands.ts';
import { BY_WAITING } from './queries.ts';

/** Which deliveries are sent now: one event and those of a range of time, whether they are over or wait, or all that were given up. */
export type ReplayWish = { readonly seq: number } | { readonly from: string; readonly to: string } | { readonly failed: true };

interface ReplayStep extends WebhookChange {
  scopes: ReadonlySet<Scope>;
  id: string;
  wish: ReplayWish;
  /** Behind which the step begins, where the whole ends, and how many it takes at most. */
  after: number;
  most: number;
  /** The first of the whole, once it is known. */
  first: number | undefined;
}

export interface Replayed {
  queued: number;
  first: number | undefined;
  last: number;
}

/** Makes some deliveries due now, oldest first; answers how many, the first of all, and the last. One step of many: other writers go in between. */
export const replayDeliveries = command(import.meta.url, 'replayDeliveries', async (tx, input: ReplayStep): Promise<Replayed> => {
  const before = await locked(tx, input.id);
  demandAll(input, JSON.parse(before.scopes) as Scope[]);
  const now = isoTime(input.now);
  const rows = await tx.all<{ seq: number; object_id: string }>(sql`
      update webhook_deliveries set status = 'waiting', attempts = 0, next_at = ${now} where webhook_id = ${input.id} and seq in (
        select seq from webhook_deliveries where ${all([sql`webhook_id = ${input.id}`, sql`seq > ${input.after}`, meant(input.wish)])}
        order by seq limit ${input.most})
      returning seq, object_id`);
  if (rows.length === 0) return { queued: 0, first: input.first, last: input.after };
  const first = input.first ?? Math.min(...rows.map(({ seq }) => seq));
  if (!('failed' in input.wish)) await hurryThoseBefore(tx, input.id, now, first, new Set(rows.map(({ object_id }) => object_id)));
  // The receiver may have asked for time, or only be probed. Many messages heed that; of one, a person wants to see how it fares now.
  if ('seq' in input.wish) await tx.all(sql`update webhook_state set try_at = null where webhook_id = ${input.id}`);
  // The event is also what tells deliveries to look at these rows again.
  const replay = 'seq' in input.wish ? 'message' : 'failed' in input.wish ? 'failed' : 'range';
  await note(tx, input, input.id, 'webhook.replayed', { name: before.name, ...input.wish, queued: rows.length }, { replay });
  return { queued: rows.length, first, last: Math.max(...rows.map(({ seq }) => seq)) };
});

/** What waits of the same objects from before goes first, so it must not wait any longer. */
async function hurryThoseBefore(tx: Connection, id: string, now: string, first: number, objects: ReadonlySet<string>): Promise<void> {
  await tx.all(sql`
    update webhook_deliveries ${BY_WAITING} set attempts = 0, next_at = ${now}
    where webhook_id = ${id} and status = 'waiting' and seq < ${first} and next_at > ${now} and object_id in ${list([...objects])}`);
}

function meant(wish: ReplayWish): Sql {
  if ('failed' in wish) return sql`status = 'failed'`;
  if ('seq' in wish) return sql`seq = ${wish.seq}`;
  return sql`created_at >= ${wish.from} and created_at < ${wish.to}`;
}
