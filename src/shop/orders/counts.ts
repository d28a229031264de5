import { bulk } from '../../db/bulk.ts';
import { type Connection, first } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';

// Exact totals and deep pages at a cost that does not grow with the table: the orders, in the order of their ids, are cut
// into blocks, and for every block we keep how many orders of each status it holds, and how many in all. A total is a sum over blocks; a deep
// offset skips whole blocks and then a few thousand rows. The totals of the whole table are counters of their own.

/** The newest block is closed when it holds this many orders. */
const BLOCK_SIZE = 4096;

export interface CountChange {
  id: string;
  status: string;
  by: number;
}

/** Stands for orders of any status, among the counters and in the blocks. */
export const ANY_STATUS = '*';

/** What the counters `orders:<status>` change by. */
export function statusCounts(changes: readonly CountChange[]): Record<string, number> {
  return Object.fromEntries(sumsOf(changes).map(([status, n]) => [`orders:${status}`, n]));
}

/** The sum of the changes in all, and of each status. There are few: comparing a text with each costs less than looking it up. */
function sumsOf(changes: readonly CountChange[]): [status: string, n: number][] {
  const all: [string, number] = [ANY_STATUS, 0];
  const sums = [all];
  for (const { status, by } of changes) {
    all[1] += by;
    const sum = sums.find(([name]) => name === status);
    if (sum) sum[1] += by;
    else sums.push([status, by]);
  }
  return sums;
}

/** Brings the blocks up to date. The caller holds the event sequence, so no other transaction counts meanwhile. */
export async function countInBlocks(tx: Connection, changes: readonly CountChange[], size = BLOCK_SIZE): Promise<void> {
  const touched = (await countInOneBlock(tx, changes)) ?? (await countOneByOne(tx, changes));
  for (const { start, status, n } of touched) {
    if (status === ANY_STATUS && n >= size) await relieve(tx, start, n, size);
  }
}

/**
 * The same in one statement, so that a transaction can end with it. A block that is full then is left to the next transaction that can see to it;
 * answers whether there is one.
 */
export async function countInBlocksAtOnce(tx: Connection, changes: readonly CountChange[], size = BLOCK_SIZE): Promise<boolean> {
  const { oldest, newest } = spanOf(changes);
  const rows = changes.map(({ id, status, by }) => [id, status, by]);
  // Which of the two it is, the server finds out before it looks at any row of the other.
  const spansBlocks = sql`exists (select 1 from order_blocks where start > ${oldest} and start <= ${newest})`;
  const touched = await tx.all<Touched>(sql`
    insert into order_blocks (start, status, n)
    select (select max(start) from order_blocks where start <= ${oldest}), input.status, input.n
    from ${bulk({ status: 'text', n: 'bigint' }, sumsOf(changes))} as input where not ${spansBlocks}
    union all
    select (select max(b.start) from order_blocks b where b.start <= input.id), case when kinds.kind = 1 then input.status else ${ANY_STATUS} end, sum(input.n)
    from ${bulk({ id: 'text', status: 'text', n: 'bigint' }, rows)} as input cross join (select 0 as kind union all select 1) as kinds
    where ${spansBlocks} group by 1, 2
    on conflict (start, status) do update set n = order_blocks.n + excluded.n
    returning start, status, n`);
  return touched.some(({ status, n }) => status === ANY_STATUS && n >= size);
}

/** The first and the last of the orders. */
function spanOf(changes: readonly CountChange[]): { oldest: string; newest: string } {
  const ids = changes.map(({ id }) => id).sort();
  return { oldest: ids[0] as string, newest: ids.at(-1) as string };
}

interface Touched {
  start: string;
  status: string;
  n: number;
}

/** What happens together is nearly always in one block, and then a row a status says it all; undefined when it is not. */
async function countInOneBlock(tx: Connection, changes: readonly CountChange[]): Promise<Touched[] | undefined> {
  const { oldest, newest } = spanOf(changes);
  const touched = await tx.all<Touched>(sql`
    insert into order_blocks (start, status, n)
    select (select max(start) from order_blocks where start <= ${oldest}), input.status, input.n
    from ${bulk({ status: 'text', n: 'bigint' }, sumsOf(changes))} as input
    where not exists (select 1 from order_blocks where start > ${oldest} and start <= ${newest})
    on conflict (start, status) do update set n = order_blocks.n + excluded.n
    returning start, status, n`);
  return touched.length > 0 ? touched : undefined;
}

async function countOneByOne(tx: Connection, changes: readonly CountChange[]): Promise<Touched[]> {
  const rows = changes.flatMap(({ id, status, by }) => [
    [id, status, by],
    [id, ANY_STATUS, by],
  ]);
  return tx.all<Touched>(sql`
    insert into order_blocks (start, status, n)
    select (select max(b.start) from order_blocks b where b.start <= input.id), input.status, sum(input.n)
    from ${bulk({ id: 'text', status: 'text', n: 'bigint' }, rows)} as input where true group by 1, 2
    on conflict (start, status) do update set n = order_blocks.n + excluded.n
    returning start, status, n`);
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
  await tx.all(sql`insert into order_blocks (start, status, n) values (${`${newest?.id}~`}, ${ANY_STATUS}, 0)`);
}

async function splitBlock(tx: Connection, start: string, end: string, size: number): Promise<void> {
  const inBlock = sql`id >= ${start} and id < ${end}`;
  const half = await first<{ id: string }>(tx, sql`select id from orders where ${inBlock} order by id limit 1 offset ${2 * size}`);
  if (!half) return;
  const upper = await tx.all<{ status: string; n: number }>(sql`
    select status, count(*) as n from orders where ${inBlock} and id >= ${half.id} group by status`);
  const all = { status: ANY_STATUS, n: upper.reduce((sum, { n }) => sum + n, 0) };
  const rows = [...upper, all].flatMap(({ status, n }) => [
    [half.id, status, n],
    [start, status, -n],
  ]);
  await tx.all(sql`
    insert into order_blocks (start, status, n)
    select start, status, n from ${bulk({ start: 'text', status: 'text', n: 'bigint' }, rows)} as input where true
    on conflict (start, status) do update set n = order_blocks.n + excluded.n`);
}
