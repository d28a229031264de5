import { bulk } from './bulk.ts';
import type { Connection } from './database.ts';
import { sql } from './sql.ts';

/**
 * Adds to several counters. Their rows stay locked until the commit, so the first transaction to count is the first to commit;
 * every writer names the same counter first, so that no two wait for each other in a circle.
 */
export async function count(tx: Connection, deltas: Readonly<Record<string, number>>): Promise<void> {
  const rows = Object.entries(deltas).filter(([, n]) => n !== 0);
  await tx.all(sql`
    insert into counters (name, n)
    select name, n from ${bulk({ name: 'text', n: 'bigint' }, rows)} as input where true
    on conflict (name) do update set n = counters.n + excluded.n`);
}
