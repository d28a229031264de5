import { list } from '../../../db/bulk.ts';
import { command, type Connection } from '../../../db/database.ts';
import { thoseThatFit } from '../../../db/page-bytes.ts';
import { sql } from '../../../db/sql.ts';
import { isId } from '../../../lib/ids.ts';
import { ORDER_BYTES, type OrderPage, renderListed, type RenderedPage, renderWithItems } from '../queries.ts';
import { type RenderableOrder, renderOrder } from '../render.ts';
import { historyOf } from '../folded.ts';
import { findPage, type OrderPlace, type OrderSearch } from './order-page.ts';
import type { OrderSort } from './wish.ts';

/** A page of what is found by the index, on one snapshot. */
export const listFound = command(
  import.meta.url,
  'listFound',
  async (db, { search, expand }: { search: OrderSearch; expand: OrderPage['expand'] }): Promise<RenderedPage> => {
    const { found, total } = await findPage(db, search);
    const ids = found.slice(0, search.limit).map(({ id }) => id);
    const fit = expand === 'none' ? ids.length : await howManyFit(db, ids);
    const orders = await rendered(db, ids.slice(0, fit), expand);
    const next = found.length > fit ? found[fit - 1] : undefined;
    return { orders: orders.join(','), count: fit, total, next: next && keyOf(next) };
  },
);

/** The orders are read by their ids, and are as large as their authors like. */
async function howManyFit(db: Connection, ids: readonly string[]): Promise<number> {
  const sizes = await db.all<{ id: string; bytes: number }>(sql`select id, ${ORDER_BYTES} from orders where id in ${list(ids)}`);
  const bytes = new Map(sizes.map((row) => [row.id, row.bytes]));
  return thoseThatFit(ids.map((id) => ({ bytes: bytes.get(id) ?? 0 }))).length;
}

async function rendered(db: Connection, ids: readonly string[], expand: OrderPage['expand']): Promise<string[]> {
  if (ids.length === 0) return [];
  const columns = expand === 'none' ? sql`id, status, total, created_at` : sql`*`;
  const rows = await db.all<RenderableOrder>(sql`select ${columns} from orders where id in ${list(ids)}`);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const history = expand === 'all' ? await historyOf(db, ids) : undefined;
  const render = (order: RenderableOrder): string => {
    if (expand === 'none') return renderListed(order);
    return history ? renderOrder(order, history.get(order.id) ?? []) : renderWithItems(order);
  };
  return ids.flatMap((id) => {
    const order = byId.get(id);
    return order ? [render(order)] : [];
  });
}

/** What a cursor holds. */
function keyOf({ id, value }: OrderPlace): string {
  return value === undefined ? id : `${value} ${id}`;
}

/** Where the page behind a cursor begins; undefined when it is none of a list with this order. */
export function placeOf(key: string, sort: OrderSort): OrderPlace | undefined {
  if (sort.endsWith('created_at')) return isId('ord', key) ? { id: key } : undefined;
  const [value = '', id = ''] = key.split(' ');
  return /^-?\d{1,16}$/.test(value) && isId('ord', id) ? { id, value: Number(value) } : undefined;
}
