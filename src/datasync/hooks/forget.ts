import { command } from '../../db/database.ts';
import { integer, sql } from '../../db/sql.ts';

/** Removes calls that came before a time, a few at a time; answers how many. */
export const forgetCalls = command(
  import.meta.url,
  'forgetCalls',
  async (tx, { before, most }: { before: string; most: number }): Promise<number> => {
    const rows = await tx.all(sql`
      delete from hook_calls where (hook_id, seq) in (
        select hook_id, seq from hook_calls where received_at < ${before} order by received_at limit ${integer(most)})
      returning seq`);
    return rows.length;
  },
);

/** Removes tokens that have expired. */
export const forgetTokens = command(import.meta.url, 'forgetTokens', async (tx, { now }: { now: string }): Promise<void> => {
  await tx.all(sql`delete from hook_tokens where expires_at is not null and expires_at < ${now}`);
});
