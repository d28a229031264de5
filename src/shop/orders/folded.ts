import { bulk, type ColumnType, list } from '../../db/bulk.ts';
import type { Connection } from '../../db/database.ts';
import { forUpdate, raw, sql } from '../../db/sql.ts';
import { appendEvents, type NewEvent } from '../../events/append.ts';
import type { EventType } from '../../events/event-types.ts';
import { type CountChange, countInBlocks, statusCounts } from './counts.ts';
import { fulfillmentStatus, leftToReturn, tallyOf } from './deeds/tally.ts';
import { type HistoryEntry, type RenderableOrder, renderOrder } from './render.ts';
import type { OrderStatus } from './rules.ts';
import { reserves, settleStock, type StockDeed, unitsOfPieces } from './stock.ts';

// Orders that are changed in one transaction: locked, changed in memory as often as it takes, and written once.

export interface Folded {
  order: RenderableOrder;
  history: HistoryEntry[];
  moves: (HistoryEntry & { version: number })[];
  isChanged: boolean;
  /** One for each version that an order has got here, of all orders that were loaded together: in the order in which it happened. */
  events: NewEvent[];
  counts: CountChange[];
  /** What becomes of the stock of those that have reserved some, in the same way. */
  stock: StockDeed[];
}

/** The orders with these ids, locked until the commit, in the order of their ids: two transactions never wait for each other in a circle. */
export async function loadOrders(tx: Connection, given: readonly string[]): Promise<Map<string, Folded>> {
  const ids = [...new Set(given)].sort();
  const orders = await tx.all<RenderableOrder>(sql`
    select * from orders where id in ${list(ids)} order by id ${forUpdate}`);
  const history = await historyOf(tx, ids);
  const told = { events: [], counts: [], stock: [] };
  return new Map(
    orders.map((order) => [order.id, { order: { ...order }, history: history.get(order.id) ?? [], moves: [], isChanged: false, ...told }]),
  );
}

/** The changes of status of these orders, oldest first. */
export async function historyOf(db: Connection, ids: readonly string[]): Promise<Map<string, HistoryEntry[]>> {
  const rows = await db.all<HistoryEntry & { order_id: string }>(sql`
    select order_id, status, at, reason from order_history where order_id in ${list(ids)}
    order by order_id, version`);
  const byOrder = new Map<string, HistoryEntry[]>();
  for (const { order_id, ...entry } of rows) {
    const entries = byOrder.get(order_id);
    if (entries) entries.push(entry);
    else byOrder.set(order_id, [entry]);
  }
  return byOrder;
}

/** The order gets its next version. What changes in it has to be told by `tell`. */
export function touch(folded: Folded, at: string): void {
  const { order } = folded;
  folded.isChanged = true;
  order.version++;
  // A clock that was set back must not make an order younger than it was.
  order.updated_at = at > order.updated_at ? at : order.updated_at;
}

/** Tells of the version that the order has got. Answers it as JSON. */
export function tell(folded: Folded, type: EventType): string {
  const { order } = folded;
  const json = renderOrder(order, folded.history);
  folded.events.push({ type, objectId: order.id, at: order.updated_at, data: json });
  return json;
}

/** A move from one state to another, which is a version of its own. Answers the order as JSON. */
export function move(folded: Folded, to: OrderStatus, reason: string | null, at: string, restock = false): string {
  const { order } = folded;
  if (reserves(order)) moveStock(folded, to, restock, at);
  folded.counts.push({ id: order.id, status: order.status, by: -1 }, { id: order.id, status: to, by: 1 });
  touch(folded, at);
  order.status = to;
  // An order that is moved by hand is shipped, or returned, with all that it has.
  if (order.fulfillment_status !== null) order.fulfillment_status = fulfillmentStatus(tallyOf(order), to);
  const entry = { status: to, at: order.updated_at, reason };
  folded.history.push(entry);
  folded.moves.push({ ...entry, version: order.version });
  return tell(folded, 'order.status_changed');
}

/** An order that is cancelled gives back what it has reserved, and one that is shipped takes it out. What comes back is put back if that is said. */
function moveStock({ order, stock }: Folded, to: OrderStatus, restock: boolean, at: string): void {
  const ofOrder = { order_id: order.id, at };
  if (to === 'cancelled') stock.push({ ...ofOrder, kind: 'release' });
  else if (to === 'shipped') stock.push({ ...ofOrder, kind: 'ship' });
  else if (to === 'returned' && restock) {
    const pieces = tallyOf(order).lines.map((line, index) => ({ line: index + 1, quantity: leftToReturn(line) }));
    stock.push({ ...ofOrder, kind: 'put_back', quantities: unitsOfPieces(order.items, pieces) });
  }
}

/** The columns that any change of an order writes. */
const STATE = { id: 'text', status: 'text', version: 'bigint', updated_at: 'text', fulfillment_status: 'text' } as const;

/** Writes what became of the orders, with the events last. `more` are columns beside those that every change writes. */
export async function saveOrders(
  tx: Connection,
  orders: Iterable<Folded>,
  more: Readonly<Partial<Record<keyof RenderableOrder, ColumnType>>> = {},
): Promise<void> {
  const changed = [...orders].filter(({ isChanged }) => isChanged);
  if (!changed[0]) return;
  const { events, counts, stock } = changed[0];
  const tellOfStock = await settleStock(tx, stock);
  const columns: Readonly<Record<string, ColumnType>> = { ...STATE, ...more };
  const names = Object.keys(columns) as (keyof RenderableOrder)[];
  const rows = changed.map(({ order }) => names.map((name) => order[name]));
  const set = names.slice(1).map((name) => `${name} = input.${name}`);
  await Promise.all([
    tx.all(sql`update orders set ${raw(set.join(', '))} from ${bulk(columns, rows)} as input where orders.id = input.id`),
    noteMoves(tx, changed),
    appendEvents(tx, 'orders', events, statusCounts(counts)),
    ...(counts.length > 0 ? [countInBlocks(tx, counts)] : []),
  ]);
  await tellOfStock();
}

async function noteMoves(tx: Connection, changed: readonly Folded[]): Promise<void> {
  const entries = changed.flatMap(({ order, moves }) =>
    moves.map((entry) => [order.id, entry.version, entry.status, entry.at, entry.reason]),
  );
  if (entries.length === 0) return;
  const columns = { order_id: 'text', version: 'bigint', status: 'text', at: 'text', reason: 'text' } as const;
  await tx.all(sql`
    insert into order_history (order_id, version, status, at, reason)
    select order_id, version, status, at, reason from ${bulk(columns, entries)} as input`);
}
