import { command } from '../db/database.ts';
import { all, type Sql, sql } from '../db/sql.ts';
import type { Scope } from '../http/scopes.ts';
import { isoTime } from '../lib/clock.ts';
import { demandAll } from './access.ts';
import { locked, note, type WebhookChange } from './commands.ts';

/** Which deliveries are sent again: one event, those of a range of time, or all that were given up. */
export type ReplayWish = { readonly seq: number } | { readonly from: string; readonly to: string } | { readonly failed: true };

interface ReplayStep extends WebhookChange {
  scopes: ReadonlySet<Scope>;
  id: string;
  wish: ReplayWish;
  /** Behind which the step begins, where the whole ends, and how many it takes at most. */
  after: number;
  most: number;
}

/** Makes some deliveries wait again, oldest first; answers how many, and the last. One step of many: other writers go in between. */
export const replayDeliveries = command(
  import.meta.url,
  'replayDeliveries',
  async (tx, input: ReplayStep): Promise<{ queued: number; last: number }> => {
    const before = await locked(tx, input.id);
    demandAll(input, JSON.parse(before.scopes) as Scope[]);
    const now = isoTime(input.now);
    const rows = await tx.all<{ seq: number }>(sql`
      update webhook_deliveries set status = 'waiting', attempts = 0, next_at = ${now} where webhook_id = ${input.id} and seq in (
        select seq from webhook_deliveries where ${all([sql`webhook_id = ${input.id}`, sql`seq > ${input.after}`, meant(input.wish)])}
        order by seq limit ${input.most})
      returning seq`);
    if (rows.length === 0) return { queued: 0, last: input.after };
    // The event is also what tells deliveries to look at these rows again.
    await note(tx, input, input.id, 'webhook.replayed', { name: before.name, ...input.wish, queued: rows.length });
    return { queued: rows.length, last: Math.max(...rows.map(({ seq }) => seq)) };
  },
);

/** What waits already is sent anyway. */
function meant(wish: ReplayWish): Sql {
  if ('failed' in wish) return sql`status = 'failed'`;
  if ('seq' in wish) return sql`status <> 'waiting' and seq = ${wish.seq}`;
  return sql`status <> 'waiting' and created_at >= ${wish.from} and created_at < ${wish.to}`;
}
