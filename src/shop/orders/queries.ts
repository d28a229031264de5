import { command, type Connection, first } from '../../db/database.ts';
import { bytesOf, rowsThatFit } from '../../db/page-bytes.ts';
import { all as allOf, integer, type Sql, sql } from '../../db/sql.ts';
import { ANY_STATUS } from './counts.ts';
import { renderOrder, type HistoryEntry, type RenderableOrder } from './render.ts';
import { historyOf } from './folded.ts';

export interface OrderFilter {
  status?: string | undefined;
  customer_id?: string | undefined;
  external_id?: string | undefined;
  updated_since?: string | undefined;
  /** Orders with this id or a later one. */
  from_id?: string | undefined;
  /** Orders before this id. */
  before_id?: string | undefined;
}

export interface OrderPage {
  filter: OrderFilter;
  limit: number;
  offset: number;
  /** The page starts after this id (the cursor). */
  after?: string | undefined;
  expand: 'none' | 'items' | 'all';
}

export interface RenderedPage {
  /** The orders as JSON texts, newest first, with commas between. */
  orders: string;
  /** How many they are. */
  count: number;
  total: number;
  /** The last order's id when more follow. */
  next: string | undefined;
}

type ListedOrder = Pick<RenderableOrder, 'id' | 'status' | 'total' | 'created_at'>;

// Up to here the database may skip rows one by one; beyond, whole blocks are skipped.
const SHALLOW_OFFSET = 1_000;
// With more matches than this, sorting them all costs more than walking the newest orders and keeping those that match.
const MANY_MATCHES = 20_000;

/** One order in full, or undefined. One statement, so that status and history are of the same moment. */
export async function findOrder(db: Connection, id: string): Promise<string | undefined> {
  const rows = await db.all<RenderableOrder & { move_status: string | null; move_at: string; move_reason: string | null }>(sql`
    select o.*, h.status as move_status, h.at as move_at, h.reason as move_reason
    from orders o left join order_history h on h.order_id = o.id where o.id = ${id} order by h.version`);
  const order = rows[0];
  if (!order) return undefined;
  const moves: HistoryEntry[] = [];
  for (const row of rows) {
    if (row.move_status !== null) moves.push({ status: row.move_status, at: row.move_at, reason: row.move_reason });
  }
  return renderOrder(order, moves);
}

/** What was done with an order since it came, as JSON or null; undefined when there is no such order. */
export async function findSince(db: Connection, id: string): Promise<string | null | undefined> {
  return (await first<{ since: string | null }>(db, sql`select since from orders where id = ${id}`))?.since;
}

/** Whether one short statement answers this page; the others go to `listOrders`, where they hold up no other request. */
export function isQuickPage({ filter, offset, expand }: OrderPage): boolean {
  const { customer_id, external_id, updated_since, from_id, before_id } = filter;
  const other = customer_id ?? external_id ?? updated_since ?? from_id ?? before_id;
  return expand === 'none' && offset <= SHALLOW_OFFSET && other === undefined;
}

/**
 * A page of all orders or those of one status: rows and exact total, of one moment in one statement. The database also
 * writes the JSON, as handing 200 values to JavaScript takes longer than everything else here; the values need no
 * escaping, and rows that come out of a sorted subquery with a limit are joined in its order.
 */
export async function listQuickly(db: Connection, page: OrderPage): Promise<RenderedPage> {
  // One more than asked for tells whether more follow.
  const rows = pageOf({ ...page, limit: page.limit + 1 }, sql`id, status, total, created_at`, ofStatus(page.filter.status));
  const counter = `orders:${page.filter.status ?? ANY_STATUS}`;
  const [row] = await db.all<{ orders: string | null; n: number; total: number }>(sql`
    select string_agg(${LISTED_JSON}, ',') as orders, count(*) as n,
      coalesce((select n from counters where name = ${counter}), 0) as total
    from (${rows}) as page`);
  if (!row || row.orders === null) return { orders: '', count: 0, total: row?.total ?? 0, next: undefined };
  if (row.n <= page.limit) return { orders: row.orders, count: row.n, total: row.total, next: undefined };
  const orders = row.orders.slice(0, row.orders.lastIndexOf(ID_HEAD) - 1);
  const last = orders.lastIndexOf(ID_HEAD) + ID_HEAD.length;
  return { orders, count: page.limit, total: row.total, next: orders.slice(last, orders.indexOf('"', last)) };
}

const ID_HEAD = '{"id":"';
const LISTED_JSON = sql`concat('{"id":"', id, '","status":"', status, '","total":', total, ',"created_at":"', created_at, '"}')`;

/** The bytes of all that an order has. */
export const ORDER_BYTES = sql`${bytesOf('items', 'metadata', 'shipping_address', 'extra', 'past', 'since')} as bytes`;

/** Any page, on one snapshot. */
export const listOrders = command(import.meta.url, 'listOrders', async (db, page: OrderPage): Promise<RenderedPage> => {
  const { filter } = page;
  const counted = filter.customer_id === undefined && filter.external_id === undefined && filter.updated_since === undefined;
  const total = counted ? await countByBlocks(db, filter) : await countMatches(db, filter);
  let { offset, after } = page;
  if (offset >= total) return { orders: '', count: 0, total, next: undefined };
  let matches: Sql | undefined;
  if (counted && offset > SHALLOW_OFFSET) {
    after = await idBefore(db, filter, offset);
    offset = 0;
  } else if (!counted && total <= MANY_MATCHES) {
    matches = sql`id in (select id from orders where ${whereOf(filter)})`;
  }
  const place = { ...page, offset, after };
  const limit = page.expand === 'none' ? page.limit : await rowsThatFit(db, pageOf(place, ORDER_BYTES, matches), page.limit);
  const columns = page.expand === 'none' ? sql`id, status, total, created_at` : sql`*`;
  const rows = await db.all<RenderableOrder>(pageOf({ ...place, limit: limit + 1 }, columns, matches));
  if (page.expand !== 'all') return { ...cut(rows, limit, page.expand === 'items' ? renderWithItems : renderListed), total };
  const history = await historyOf(
    db,
    rows.map((row) => row.id),
  );
  return { ...cut(rows, limit, (order) => renderOrder(order, history.get(order.id) ?? [])), total };
});

function pageOf({ filter, limit, offset, after }: OrderPage, columns: Sql, matches = whereOf(filter)): Sql {
  const position = after === undefined ? sql`` : sql`and id < ${after}`;
  // Written out, as SQLite plans a limit that it knows better: 40 µs instead of 65 for a page.
  const size = integer(limit);
  const skip = offset === 0 ? sql`` : sql`offset ${offset}`;
  return sql`select ${columns} from orders where ${matches} ${position} order by id desc limit ${size} ${skip}`;
}

/** What a filter asks of the rows of `orders`. */
export function whereOf(filter: OrderFilter): Sql {
  return allOf([
    ofStatus(filter.status),
    filter.customer_id === undefined ? undefined : sql`customer_id = ${filter.customer_id}`,
    filter.external_id === undefined ? undefined : sql`external_id = ${filter.external_id}`,
    filter.updated_since === undefined ? undefined : sql`updated_at >= ${filter.updated_since}`,
    filter.from_id === undefined ? undefined : sql`id >= ${filter.from_id}`,
    filter.before_id === undefined ? undefined : sql`id < ${filter.before_id}`,
  ]);
}

async function countMatches(db: Connection, filter: OrderFilter): Promise<number> {
  const counted = await first<{ n: number }>(db, sql`select count(*) as n from orders where ${whereOf(filter)}`);
  return counted?.n ?? 0;
}

async function countByBlocks(db: Connection, filter: OrderFilter): Promise<number> {
  const upper = await rank(db, filter.status, filter.before_id);
  return filter.from_id === undefined ? upper : Math.max(0, upper - (await rank(db, filter.status, filter.from_id)));
}

/** How many orders (of a status) come before this id, or how many there are. */
async function rank(db: Connection, status: string | undefined, id: string | undefined): Promise<number> {
  const counted = sql`status = ${status ?? ANY_STATUS}`;
  const all = sql`select cast(coalesce(sum(n), 0) as bigint) as n from order_blocks where ${counted}`;
  const before = sql`
    select cast(coalesce((select sum(n) from order_blocks where start < block.start and ${counted}), 0) as bigint)
      + (select count(*) from orders where id >= block.start and id < ${id} and ${ofStatus(status)}) as n
    from (select max(start) as start from order_blocks where start <= ${id}) as block`;
  return (await first<{ n: number }>(db, id === undefined ? all : before))?.n ?? 0;
}

/** The id after which, newest first, the page at this offset starts: whole blocks are skipped by their counts. */
async function idBefore(db: Connection, { status, before_id }: OrderFilter, offset: number): Promise<string | undefined> {
  // Seen from the oldest order, the row that precedes the page.
  const place = (await rank(db, status, before_id)) - offset;
  const ladder = sql`
    select start, n, cast(sum(n) over (order by start) as bigint) - n as before from order_blocks where status = ${status ?? ANY_STATUS}`;
  const block = await first<{ start: string; before: number }>(
    db,
    sql`select start, before from (${ladder}) as ladder where before <= ${place} and before + n > ${place}`,
  );
  if (!block) return undefined;
  const within = sql`select id from orders where id >= ${block.start} and ${ofStatus(status)} order by id limit 1 offset ${place - block.before}`;
  return (await first<{ id: string }>(db, within))?.id;
}

function ofStatus(status: string | undefined): Sql {
  return status === undefined ? sql`true` : sql`status = ${status}`;
}

function cut<Row extends { id: string }>(rows: readonly Row[], limit: number, render: (row: Row) => string): Omit<RenderedPage, 'total'> {
  const page = rows.length > limit ? rows.slice(0, limit) : rows;
  return { orders: page.map(render).join(','), count: page.length, next: rows.length > limit ? page.at(-1)?.id : undefined };
}

/** An order as a list shows it. */
export function renderListed(order: ListedOrder): string {
  return `{"id":"${order.id}","status":"${order.status}","total":${order.total},"created_at":"${order.created_at}"}`;
}

export function renderWithItems(order: RenderableOrder): string {
  return `${renderListed(order).slice(0, -1)},"items":${order.items}}`;
}
