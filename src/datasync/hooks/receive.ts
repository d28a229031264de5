import { bulk, list } from '../../db/bulk.ts';
import { command } from '../../db/database.ts';
import { forUpdate, sql } from '../../db/sql.ts';
import { wantReaders } from './readers.ts';

/** A call that was found to be from its sender. */
export interface TakenCall {
  hookId: string;
  senderId: string | null;
  /** JSON. */
  headers: string;
  body: string;
  encoding: 'utf8' | 'base64';
}

/** Its sequence, and whether it was there already. */
export interface Received {
  seq: number;
  duplicate: boolean;
}

export interface Reception {
  /** One for each call, in their order; null when the hook is gone. */
  received: (Received | null)[];
  /** How many synchronizations are to run because of them. */
  wanted: number;
}

/**
 * Keeps calls, in one transaction with the wish for the runs that they ask for. The row of the hook is its lock: whatever node a message
 * comes to, and however often at the same moment, it is kept once, and the sequence has no gaps.
 */
export const receiveCalls = command(
  import.meta.url,
  'receiveCalls',
  async (tx, { at, calls }: { at: string; calls: TakenCall[] }): Promise<Reception> => {
    const ids = [...new Set(calls.map(({ hookId }) => hookId))];
    const hooks = await tx.all<{ id: string; calls: number; sync_id: string | null }>(
      sql`select id, calls, sync_id from hooks where id in ${list(ids)} order by id ${forUpdate}`,
    );
    const last = new Map(hooks.map((hook) => [hook.id, hook.calls]));
    const named = calls.flatMap(({ hookId, senderId }) => (senderId === null ? [] : [[hookId, senderId]]));
    const known = new Map<string, number>();
    if (named.length > 0) {
      const rows = await tx.all<{ hook_id: string; sender_id: string; seq: number }>(sql`
        select hook_calls.hook_id, hook_calls.sender_id, seq from ${bulk({ hook_id: 'text', sender_id: 'text' }, named)} as input
        join hook_calls on hook_calls.hook_id = input.hook_id and hook_calls.sender_id = input.sender_id`);
      for (const { hook_id, sender_id, seq } of rows) known.set(nameOf(hook_id, sender_id), seq);
    }
    const kept: (string | number | null)[][] = [];
    const received = calls.map(({ hookId, senderId, headers, body, encoding }): Received | null => {
      const before = last.get(hookId);
      if (before === undefined) return null;
      const there = senderId === null ? undefined : known.get(nameOf(hookId, senderId));
      if (there !== undefined) return { seq: there, duplicate: true };
      const seq = before + 1;
      last.set(hookId, seq);
      if (senderId !== null) known.set(nameOf(hookId, senderId), seq);
      kept.push([hookId, seq, senderId, headers, body, encoding]);
      return { seq, duplicate: false };
    });
    const called = hooks.filter((hook) => last.get(hook.id) !== hook.calls);
    if (called.length === 0) return { received, wanted: 0 };
    const columns = { hook_id: 'text', seq: 'bigint', sender_id: 'text', headers: 'json', body: 'text', encoding: 'text' } as const;
    await tx.all(sql`
      insert into hook_calls (hook_id, seq, sender_id, received_at, headers, body, encoding)
      select hook_id, seq, sender_id, ${at}, headers, body, encoding from ${bulk(columns, kept)} as input`);
    const counts = called.map(({ id }) => [id, last.get(id) ?? 0]);
    await tx.all(sql`
      update hooks set calls = input.calls, last_call_at = ${at} from ${bulk({ id: 'text', calls: 'bigint' }, counts)} as input
      where hooks.id = input.id`);
    return { received, wanted: await wantReaders(tx, called) };
  },
);

function nameOf(hookId: string, senderId: string): string {
  return `${hookId} ${senderId}`;
}
