import { family } from './datasync/metrics/text-format.ts';
import { type Database, first } from './db/database.ts';
import { sql } from './db/sql.ts';
import { countUnfolded } from './shop/orders/find/rows.ts';

/** What is to be measured of the shop. */
export async function shopFamilies(db: Database): Promise<string> {
  const open = await first<{ n: number }>(db.read, sql`select count(*) as n from erasures where finished_at is null`);
  return [
    family(
      'syncline_orders_unindexed',
      'gauge',
      'Orders and changes of orders that the index of searches does not have yet: searches look at them one by one.',
      [{ value: await countUnfolded(db.read) }],
    ),
    family('syncline_erasures_open', 'gauge', 'Erasures of persons that are not done yet.', [{ value: open?.n ?? 0 }]),
  ].join('');
}
