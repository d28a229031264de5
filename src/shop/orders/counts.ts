import { bulk, list } from '../../db/bulk.ts';
import { type Connection, first } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';

// Exact totals and deep pages at a cost that does not grow with the table: the orders, in the order of their ids, are cut
// into blocks, and for every block and status we keep how many orders it holds. A total is a sum over blocks; a deep
// offset skips whole blocks and then a few thousand rows. The totals of the whole table are counters of their own.

/** The newest block is closed when it holds this many orders. */
export const BLOCK_SIZE = 4096;

export interface CountChange {
  id: string;
  status: string;
  by: number;
}

/** What the counters `orders:<status>` change by. */
export function statusCounts(changes: readonly CountChange[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, by } of changes) counts[`orders:${status}`] = (counts[`orders:${status}`] ?? 0) + by;
  return counts;
}

/** Brings the blocks up to date. The caller holds the event sequence, so no other transaction counts meanwhile. */
export async function countInBlocks(tx: Connection, changes: readonly CountChange[], size = BLOCK_SIZE): Promise<void> {
  const rows = changes.map(({ id, status, by }) => [id, status, by]);
  const touched = await tx.all<{ start: string }>(sql`
    insert into order_blocks (start, status, n)
    select (select max(b.start) from order_blocks b where b.start <= input.id), input.status, sum(input.by)
    from ${bulk({ id: 'text', status: 'text', by: 'bigint' }, rows)} as input where true group by 1, 2
    on conflict (start, status) do update set n = order_blocks.n + excluded.n
    returning start`);
  const starts = [...new Set(touched.map((row) => row.start))];
  const full = await tx.all<{ start: string; n: number }>(sql`
    select start, cast(sum(n) as bigint) as n from order_blocks where start in ${list(starts)} group by start having sum(n) >= ${size}`);
  for (const { start, n } of full) await relieve(tx, start, n, size);
}

/** Orders come in the order of their ids, so a full block is nearly always the newest: another begins where it ends. */
async function relieve(tx: Connection, start: string, n: number, size: number): Promise<void> {
  const next = await first<{ start: string }>(tx, sql`select start from order_blocks where start > ${start} order by start limit 1`);
  if (next) {
    // One in the middle grows by orders that are told late (an import); cutting it means counting it, so it may wait.
    if (n >= 4 * size) await splitBlock(tx, start, next.start, size);
    return;
  }
  const newest = await first<{ id: string }>(tx, sql`select max(id) as id from orders`);
  await tx.all(sql`insert into order_blocks (start, status, n) values (${`${newest?.id}~`}, 'new', 0)`);
}

async function splitBlock(tx: Connection, start: string, end: string, size: number): Promise<void> {
  const inBlock = sql`id >= ${start} and id < ${end}`;
  const half = await first<{ id: string }>(tx, sql`select id from orders where ${inBlock} order by id limit 1 offset ${2 * size}`);
  if (!half) return;
  const upper = await tx.all<{ status: string; n: number }>(sql`
    select status, count(*) as n from orders where ${inBlock} and id >= ${half.id} group by status`);
  const rows = upper.flatMap(({ status, n }) => [
    [half.id, status, n],
    [start, status, -n],
  ]);
  await tx.all(sql`
    insert into order_blocks (start, status, n)
    select start, status, n from ${bulk({ start: 'text', status: 'text', n: 'bigint' }, rows)} as input where true
    on conflict (start, status) do update set n = order_blocks.n + excluded.n`);
}
