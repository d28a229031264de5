import { command, type Connection } from '../../db/database.ts';
import { all, type Sql, sql } from '../../db/sql.ts';
import { renderOrder, type HistoryEntry, type RenderableOrder } from './render.ts';
import { historyOf } from './transition.ts';

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
  /** The orders as JSON texts, newest first. */
  orders: string[];
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

/** Whether one short statement answers this page; the others go to `listOrders`, where they hold up nobody. */
export function isQuickPage({ filter, offset, expand }: OrderPage): boolean {
  const { status: _, ...others } = filter;
  return expand === 'none' && offset <= SHALLOW_OFFSET && Object.values(others).every((value) => value === undefined);
}

/** A page of all orders or those of one status: rows and exact total of one moment in one statement. */
export async function listQuickly(db: Connection, page: OrderPage): Promise<RenderedPage> {
  const { status } = page.filter;
  const counters = status === undefined ? sql`name >= 'orders:' and name < 'orders:~'` : sql`name = ${`orders:${status}`}`;
  const rows = await db.all<ListedOrder & { all: number }>(sql`
    select counted."all", page.* from (select coalesce(sum(n), 0) as "all" from counters where ${counters}) as counted
    left join (${pageOf(page, sql`id, status, total, created_at`)}) as page on true order by page.id desc`);
  const listed = rows.filter((row) => row.id !== null);
  return { ...cut(listed, page.limit, renderListed), total: Number(rows[0]?.all ?? 0) };
}

/** Any page, on one snapshot. */
export const listOrders = command(import.meta.url, 'listOrders', async (db, page: OrderPage): Promise<RenderedPage> => {
  const { filter } = page;
  const counted = filter.customer_id === undefined && filter.external_id === undefined && filter.updated_since === undefined;
  const total = counted ? await countByBlocks(db, filter) : await countMatches(db, filter);
  let { offset, after } = page;
  if (offset >= total) return { orders: [], total, next: undefined };
  let matches: Sql | undefined;
  if (counted && offset > SHALLOW_OFFSET) {
    after = await idBefore(db, filter, offset);
    offset = 0;
  } else if (!counted && total <= MANY_MATCHES) {
    matches = sql`id in (select id from orders where ${where(filter)})`;
  }
  const query = pageOf({ ...page, offset, after }, page.expand === 'none' ? sql`id, status, total, created_at` : sql`*`, matches);
  const rows = await db.all<RenderableOrder>(query);
  if (page.expand !== 'all') return { ...cut(rows, page.limit, page.expand === 'items' ? renderWithItems : renderListed), total };
  const history = await historyOf(
    db,
    rows.map((row) => row.id),
  );
  return { ...cut(rows, page.limit, (order) => renderOrder(order, history.get(order.id) ?? [])), total };
});

function pageOf({ filter, limit, offset, after }: OrderPage, columns: Sql, matches = where(filter)): Sql {
  const position = after === undefined ? sql`` : sql`and id < ${after}`;
  const skip = offset === 0 ? sql`` : sql`offset ${offset}`;
  return sql`select ${columns} from orders where ${matches} ${position} order by id desc limit ${limit + 1} ${skip}`;
}

function where(filter: OrderFilter): Sql {
  return all([
    filter.status === undefined ? undefined : sql`status = ${filter.status}`,
    filter.customer_id === undefined ? undefined : sql`customer_id = ${filter.customer_id}`,
    filter.external_id === undefined ? undefined : sql`external_id = ${filter.external_id}`,
    filter.updated_since === undefined ? undefined : sql`updated_at >= ${filter.updated_since}`,
    filter.from_id === undefined ? undefined : sql`id >= ${filter.from_id}`,
    filter.before_id === undefined ? undefined : sql`id < ${filter.before_id}`,
  ]);
}

async function countMatches(db: Connection, filter: OrderFilter): Promise<number> {
  const rows = await db.all<{ n: number }>(sql`select count(*) as n from orders where ${where(filter)}`);
  return rows[0]?.n ?? 0;
}

async function countByBlocks(db: Connection, filter: OrderFilter): Promise<number> {
  const upper = await rank(db, filter.status, filter.before_id);
  return filter.from_id === undefined ? upper : Math.max(0, upper - (await rank(db, filter.status, filter.from_id)));
}

/** How many orders (of a status) come before this id, or how many there are. */
async function rank(db: Connection, status: string | undefined, id: string | undefined): Promise<number> {
  const ofStatus = status === undefined ? sql`true` : sql`status = ${status}`;
  if (id === undefined) {
    const rows = await db.all<{ n: string }>(sql`select coalesce(sum(n), 0) as n from order_blocks where ${ofStatus}`);
    return Number(rows[0]?.n ?? 0);
  }
  const rows = await db.all<{ n: string }>(sql`
    select coalesce((select sum(n) from order_blocks where start < block.start and ${ofStatus}), 0)
      + (select count(*) from orders where id >= block.start and id < ${id} and ${ofStatus}) as n
    from (select max(start) as start from order_blocks where start <= ${id}) as block`);
  return Number(rows[0]?.n ?? 0);
}

/** The id after which, newest first, the page at this offset starts: whole blocks are skipped by their counts. */
async function idBefore(db: Connection, filter: OrderFilter, offset: number): Promise<string | undefined> {
  const ofStatus = filter.status === undefined ? sql`true` : sql`status = ${filter.status}`;
  // Seen from the oldest order, the row that precedes the page.
  const place = (await rank(db, filter.status, filter.before_id)) - offset;
  const blocks = await db.all<{ start: string; before: string }>(sql`
    select start, before from (
      select start, n, sum(n) over (order by start) - n as before
      from (select start, sum(n) as n from order_blocks where ${ofStatus} group by start) as block
    ) as ladder where before <= ${place} and before + n > ${place}`);
  const block = blocks[0];
  if (!block) return undefined;
  const rows = await db.all<{ id: string }>(sql`
    select id from orders where id >= ${block.start} and ${ofStatus} order by id limit 1 offset ${place - Number(block.before)}`);
  return rows[0]?.id;
}

function cut<Row extends { id: string }>(rows: readonly Row[], limit: number, render: (row: Row) => string): Omit<RenderedPage, 'total'> {
  const page = rows.length > limit ? rows.slice(0, limit) : rows;
  return { orders: page.map(render), next: rows.length > limit ? page.at(-1)?.id : undefined };
}

function renderListed(order: ListedOrder): string {
  return `{"id":"${order.id}","status":"${order.status}","total":${order.total},"created_at":"${order.created_at}"}`;
}

function renderWithItems(order: RenderableOrder): string {
  return `${renderListed(order).slice(0, -1)},"items":${order.items}}`;
}
