import { command, first } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import { placeAt } from './places.ts';
import { BLOCK } from './write.ts';

/**
 * Forgets the oldest entries before a time, at most so many, and answers how many it were. The counts of a block stay until the
 * whole block is gone: what is left of the oldest block is counted anew at every request.
 */
export const forgetLogs = command(import.meta.url, 'forgetLogs', async (tx, input: { before: string; most: number }): Promise<number> => {
  const found = await first<{ oldest: number | null; high: number }>(
    tx,
    sql`select (select min(seq) from logs) as oldest, ${placeAt(input.before)} as high`,
  );
  if (!found || found.oldest === null || found.high <= found.oldest) return 0;
  const { oldest } = found;
  const high = Math.min(found.high, oldest + input.most);
  const work = [tx.all(sql`delete from logs where seq >= ${oldest} and seq < ${high}`)];
  if (tx.engine === 'sqlite') work.push(tx.all(sql`delete from log_words where rowid >= ${oldest} and rowid < ${high}`));
  if (Math.floor(high / BLOCK) > Math.floor(oldest / BLOCK)) {
    work.push(
      tx.all(sql`delete from log_counts where block < ${Math.floor(high / BLOCK)}`),
      tx.all(sql`delete from log_marks where time < ${input.before} and seq < ${high}`),
    );
  }
  await Promise.all(work);
  return high - oldest;
});
