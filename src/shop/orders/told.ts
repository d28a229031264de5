import { list } from '../../db/bulk.ts';
import type { Connection } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import type { EventsTable } from '../../db/tables.ts';
import { isLeftOut } from '../../events/left-out.ts';
import { type CreatedOrder, renderAsCreated } from './render.ts';

/** Of new orders their events hold no copy: whatever becomes of an order, its row tells what it was when it was made. Puts that in. */
export async function withOrders<Row extends Pick<EventsTable, 'object_id' | 'data'>>(
  db: Connection,
  events: readonly Row[],
): Promise<Row[]> {
  const ids = new Set(events.filter(({ data }) => isLeftOut(data)).map(({ object_id }) => object_id));
  if (ids.size === 0) return [...events];
  const orders = await db.all<CreatedOrder>(sql`
    select id, total, created_at, customer_id, currency, external_id, items, shipping_address, metadata, extra, past, as_created
    from orders where id in ${list([...ids])}`);
  const told = new Map(orders.map((order) => [order.id, renderAsCreated(order)]));
  return events.map((event) => {
    if (!isLeftOut(event.data)) return event;
    // We delete no order. One that was taken out of our tables by hand must not stop the feed.
    return { ...event, data: told.get(event.object_id) ?? JSON.stringify({ id: event.object_id }) };
  });
}
