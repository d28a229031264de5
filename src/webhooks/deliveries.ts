import { command } from '../db/database.ts';
import { sql } from '../db/sql.ts';

/** Removes deliveries of an endpoint that is to be deleted; answers how many. */
export const forgetDeliveries = command(
  import.meta.url,
  'forgetDeliveries',
  async (tx, { id, most }: { id: string; most: number }): Promise<number> => {
    const gone = await tx.all(sql`
      delete from webhook_deliveries where webhook_id = ${id} and seq in (
        select seq from webhook_deliveries where webhook_id = ${id} order by seq limit ${most}) returning seq`);
    return gone.length;
  },
);
