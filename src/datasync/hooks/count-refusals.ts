import { bulk } from '../../db/bulk.ts';
import { command } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';

interface CountedRefusals {
  id: string;
  count: number;
  at: string;
  reason: string;
}

/** Adds to what is known of refused calls. */
export const countRefusals = command(import.meta.url, 'countRefusals', async (tx, refused: CountedRefusals[]): Promise<void> => {
  const rows = refused.map(({ id, count, at, reason }) => [id, count, at, reason]).toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  await tx.all(sql`
    update hooks set refused = refused + input.count, refused_at = input.at, refused_reason = input.reason
    from ${bulk({ id: 'text', count: 'bigint', at: 'text', reason: 'text' }, rows)} as input where hooks.id = input.id`);
});
