import { command, first } from '../../../db/database.ts';
import { sql } from '../../../db/sql.ts';
import { actorCalled } from '../../../http/caller.ts';
import { PSEUDONYM, requestErasure } from './rows.ts';

const ORDERS_AT_ONCE = 5_000;
const CUSTOMERS_AT_ONCE = 200;

/** Has the persons of some orders before an id erased from these; answers whether there were orders to look at. */
export const eraseOld = command(
  import.meta.url,
  'eraseOld',
  async (tx, { before, now }: { before: string; now: number }): Promise<boolean> => {
    const state = await first<{ upto: string }>(tx, sql`select upto from erasure_state`);
    const orders = await tx.all<{ id: string; customer_id: string }>(sql`
      select id, customer_id from orders where id > ${state?.upto ?? ''} and id < ${before} order by id limit ${ORDERS_AT_ONCE}`);
    if (orders.length === 0) return false;
    const customers = new Set<string>();
    let upto = '';
    for (const { id, customer_id } of orders) {
      if (!customer_id.startsWith(PSEUDONYM)) customers.add(customer_id);
      upto = id;
      if (customers.size === CUSTOMERS_AT_ONCE) break;
    }
    if (customers.size > 0) await requestErasure.run(tx, { now, actor: actorCalled('retention'), customers: [...customers], before });
    await tx.all(sql`update erasure_state set upto = ${upto}`);
    return true;
  },
);
