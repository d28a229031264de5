import { list } from '../../db/bulk.ts';
import { command, type Connection, first } from '../../db/database.ts';
import { byEngine, raw, sql } from '../../db/sql.ts';
import { decimalText, unitsOfText } from '../../lib/money.ts';

/** What the orders of a customer say about them. */
export interface ShownCustomer {
  id: string;
  orders: number;
  first_order: { id: string; created_at: string };
  last_order: { id: string; created_at: string };
  totals: { currency: string; orders: number; total: string }[];
  /** JSON text: the latest `customer` of an order; null when none had one. */
  customer: string | null;
}

/** So many of their last orders are looked at for one that tells of the customer. */
const LOOK_BACK = 20;

// SQLite keeps amounts as text, and its whole numbers end at 2^63, which a few large orders come to in ten-thousandths. So the billions, what is below them, and
// the decimals are added up apart.
const WHOLE = `cast(case when instr(total, '.') = 0 then total else substr(total, 1, instr(total, '.') - 1) end as integer)`;
const DECIMALS = `cast(case when instr(total, '.') = 0 then '0' else substr(substr(total, instr(total, '.') + 1) || '0000', 1, 4) end as integer)`;
const SUM = byEngine((engine) =>
  raw(
    engine === 'postgres'
      ? 'sum(total)::text'
      : `sum(${WHOLE} / 1000000000) || ' ' || sum(${WHOLE} % 1000000000) || ' ' || sum(${DECIMALS})`,
  ),
);

/** More than there are, and what counts here can count. */
const MOST = 2 ** 31 - 1;

/** A page of customers in the order of their ids, with one more to know whether others follow. */
export const listCustomers = command(
  import.meta.url,
  'listCustomers',
  async (db, { after, limit, offset }: { after: string | undefined; limit: number; offset: number }) => {
    const ids = await idsFrom(db, after ?? '', Math.min(offset + limit + 1, MOST));
    return { rows: await customersOf(db, ids.slice(offset)), total: await countCustomers(db) };
  },
);

/** From one id to the next along the index: however many orders each has, they are not looked at. */
async function idsFrom(db: Connection, after: string, most: number): Promise<string[]> {
  const rows = await db.all<{ id: string }>(sql`
    with recursive found(id, n) as (
      select (select min(customer_id) from orders where customer_id > ${after}), 1
      union all
      select (select min(customer_id) from orders where customer_id > found.id), n + 1 from found where id is not null and n < ${most})
    select id from found where id is not null order by id`);
  return rows.map(({ id }) => id);
}

/** The customers behind an id, in the order of their ids. */
export async function customersFrom(db: Connection, after: string, most: number): Promise<ShownCustomer[]> {
  return customersOf(db, await idsFrom(db, after, most));
}

export const findCustomer = command(import.meta.url, 'findCustomer', async (db, id: string): Promise<ShownCustomer | undefined> => {
  return (await customersOf(db, [id]))[0];
});

/** Those of the orders in the index are counted along with it; of the few others there are, those are added that it does not know. */
async function countCustomers(db: Connection): Promise<number> {
  const row = await first<{ n: number }>(
    db,
    sql`select (select customers from order_find_state) + (
      select count(distinct o.customer_id) from orders o where o.id >= (select upto from order_find_state)
        and not exists (select 1 from order_customers c where c.customer_id = o.customer_id)) as n`,
  );
  return row?.n ?? 0;
}

async function customersOf(db: Connection, ids: readonly string[]): Promise<ShownCustomer[]> {
  if (ids.length === 0) return [];
  const sums = await db.all<{ customer_id: string; currency: string; n: number; total: string; first: string; last: string }>(sql`
    select customer_id, currency, count(*) as n, ${SUM} as total, min(id) as first, max(id) as last from orders
    where customer_id in ${list(ids)} group by customer_id, currency order by currency`);
  const ends = sums.flatMap(({ first: from, last }) => [from, last]);
  const times = await db.all<{ id: string; created_at: string }>(sql`select id, created_at from orders where id in ${list(ends)}`);
  const timeOf = new Map(times.map(({ id, created_at }) => [id, created_at]));
  const byCustomer = Map.groupBy(sums, ({ customer_id }) => customer_id);
  const shown: ShownCustomer[] = [];
  for (const id of ids) {
    const own = byCustomer.get(id);
    if (!own) continue;
    const [oldest, newest] = [
      own.map((row) => row.first).sort()[0] ?? '',
      own
        .map((row) => row.last)
        .sort()
        .at(-1) ?? '',
    ];
    shown.push({
      id,
      orders: own.reduce((sum, { n }) => sum + n, 0),
      first_order: { id: oldest, created_at: timeOf.get(oldest) ?? '' },
      last_order: { id: newest, created_at: timeOf.get(newest) ?? '' },
      totals: own.map(({ currency, n, total }) => ({ currency, orders: n, total: exact(total, db.engine === 'sqlite') })),
      customer: await latestOf(db, id),
    });
  }
  return shown;
}

function exact(sum: string, isInParts: boolean): string {
  if (isInParts) {
    const [billions = 0n, rest = 0n, decimals = 0n] = sum.split(' ').map(BigInt);
    return decimalText((billions * 1_000_000_000n + rest) * 10_000n + decimals);
  }
  return sum.startsWith('-') ? decimalText(-unitsOfText(sum.slice(1))) : decimalText(unitsOfText(sum));
}

async function latestOf(db: Connection, id: string): Promise<string | null> {
  const rows = await db.all<{ extra: string }>(sql`
    select extra from orders where customer_id = ${id} and extra is not null order by id desc limit ${LOOK_BACK}`);
  for (const { extra } of rows) {
    const { customer } = JSON.parse(extra) as { customer?: object };
    if (customer) return JSON.stringify(customer);
  }
  return null;
}
