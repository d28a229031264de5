import { list } from '../../../db/bulk.ts';
import { command } from '../../../db/database.ts';
import { rowsThatFit } from '../../../db/page-bytes.ts';
import { type Sql, sql } from '../../../db/sql.ts';
import { findPage } from '../find/order-page.ts';
import { needsIndex } from '../find/query.ts';
import type { OrderWish } from '../find/wish.ts';
import { ORDER_BYTES, whereOf } from '../queries.ts';
import { type HistoryEntry, type RenderableOrder, renderOrder } from '../render.ts';
import { historyOf } from '../folded.ts';

/** Orders that are read together. */
const AT_ONCE = 1_000;
/** What they may hold together: a client that does not read on keeps that in memory, and one key may have hundreds of them. */
const MOST_BYTES = 512 * 1024;

export interface ExportedPage {
  orders: RenderableOrder[];
  /** As the API shows each, when that was asked for. */
  whole: string[];
  /** The id behind which the next page begins; undefined at the end. */
  next: string | undefined;
}

/** Some of the orders that are meant, oldest first, from behind an id. */
export const exportPage = command(
  import.meta.url,
  'exportPage',
  async (db, { wish, after, whole }: { wish: OrderWish; after: string | undefined; whole: boolean }): Promise<ExportedPage> => {
    let which: Sql;
    if (needsIndex(wish)) {
      const place = after === undefined ? undefined : { id: after };
      const { found } = await findPage(db, { wish, sort: 'created_at', limit: AT_ONCE, offset: 0, after: place });
      which = sql`id in ${list(found.slice(0, AT_ONCE).map(({ id }) => id))}`;
    } else {
      const { statuses, ...filter } = wish;
      which = sql`${whereOf({ ...filter, status: statuses?.[0] })} ${after === undefined ? sql`` : sql`and id > ${after}`}`;
    }
    const page = (columns: Sql, limit: number): Sql => sql`select ${columns} from orders where ${which} order by id limit ${limit}`;
    const orders = await db.all<RenderableOrder>(page(sql`*`, await rowsThatFit(db, page(ORDER_BYTES, AT_ONCE), AT_ONCE, MOST_BYTES)));
    const history = whole
      ? await historyOf(
          db,
          orders.map(({ id }) => id),
        )
      : new Map<string, HistoryEntry[]>();
    return {
      orders: whole ? [] : orders,
      whole: whole ? orders.map((order) => renderOrder(order, history.get(order.id) ?? [])) : [],
      next: orders.at(-1)?.id,
    };
  },
);
