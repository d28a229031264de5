import { command, type Connection, first } from '../../db/database.ts';
import { type Sql, sql } from '../../db/sql.ts';
import type { EventsTable } from '../../db/tables.ts';
import { renderOrder, type RenderableOrder } from '../orders/render.ts';
import { withOrders } from '../orders/told.ts';
import { renderProduct, SHOWN } from '../products/rows.ts';
import type { Product } from '../products/rules.ts';
import type { ShopPage } from '../../connectors/shop-port.ts';
import { SHOP_STREAMS, type ShopStream } from '../../connectors/shop-streams.ts';
import { type Entity, goneLines, rowsOf } from './rows.ts';
import { movementsOf, readCustomers, readLevels, readMovements, type Stretch } from './wholes.ts';

/**
 * Where reading stands. First the table is read by its key, then the events tell in the order of their commits what has changed since.
 * A read that follows changes also gets, with each page of the table, the changes in the part that was read before. Page and events are of one
 * moment, so every change comes with one of them, nothing is missed or comes twice, and no transaction stays open.
 */
interface ShopPosition {
  /** The last event that is accounted for, of everything up to `table`. */
  seq: number;
  /** The last key of the table that was read, as a list in JSON where it has several parts; null when the table is done. */
  table: string | null;
}

export const readShop = command(
  import.meta.url,
  'readShop',
  async (db, { stream, after, most, follows }: ShopQuestion): Promise<ShopPage> => {
    const { seq, table } = after === undefined ? { seq: 0, table: '' } : (JSON.parse(after) as ShopPosition);
    if (table === null) return readEvents(db, stream, { seq }, most);
    if (!follows || table === '') return readTable(db, stream, { seq: await lastEvent(db), table }, most);
    const behind = await readEvents(db, stream, { seq, table }, most);
    if (!behind.complete) return behind;
    // With less than a page of them there is room for some of the table.
    const page = await readTable(db, stream, { seq: await lastEvent(db), table }, Math.max(1, most - behind.rows.length));
    return { ...page, rows: [...behind.rows, ...page.rows], deleted: behind.deleted };
  },
);

interface ShopQuestion {
  stream: ShopStream;
  after: string | undefined;
  most: number;
  /** Whether changes are followed, or the table is read once as it is. */
  follows: boolean;
}

/** Whether a text is a position of ours. */
export function isPosition(stream: ShopStream, text: string): boolean {
  try {
    const { seq, table } = JSON.parse(text) as Partial<ShopPosition>;
    if (!Number.isSafeInteger(seq)) return false;
    if (table === null || table === '') return true;
    return typeof table === 'string' && (!hasParts(stream) || Array.isArray(JSON.parse(table)));
  } catch {
    return false;
  }
}

/** Streams that are read by a key of several parts. */
function hasParts(stream: ShopStream): boolean {
  return stream === 'stock' || stream === 'stock_movements';
}

function partsOf(stream: ShopStream, table: string): string[] {
  return hasParts(stream) && table !== '' ? (JSON.parse(table) as string[]) : [table];
}

export async function lastEvent(db: Connection): Promise<number> {
  return (await first<{ n: number }>(db, sql`select n from counters where name = 'events'`))?.n ?? 0;
}

async function readTable(
  db: Connection,
  stream: ShopStream,
  { seq, table }: { seq: number; table: string },
  most: number,
): Promise<ShopPage> {
  const { rows, last } = await readStretch(db, stream, partsOf(stream, table), most);
  const upTo = last === undefined ? null : hasParts(stream) ? JSON.stringify(last) : (last[0] ?? null);
  return {
    rows,
    deleted: [],
    position: JSON.stringify({ seq, table: upTo } satisfies ShopPosition),
    complete: upTo === null,
  };
}

async function readStretch(db: Connection, stream: ShopStream, after: readonly string[], most: number): Promise<Stretch> {
  if (stream === 'customers') return readCustomers(db, after, most);
  if (stream === 'stock') return readLevels(db, after, most);
  if (stream === 'stock_movements') return readMovements(db, after, most);
  const [id = ''] = after;
  const entities =
    stream === 'products'
      ? await productsOf(db, sql`product_id > ${id} order by product_id limit ${most}`)
      : await ordersOf(db, sql`id > ${id} order by id limit ${most}`);
  const last = entities.at(-1)?.id;
  return {
    rows: entities.flatMap((entity) => rowsOf(stream, entity)),
    last: entities.length < most || last === undefined ? undefined : [last],
  };
}

export async function ordersOf(db: Connection, which: Sql): Promise<Entity[]> {
  const orders = await db.all<RenderableOrder>(sql`select * from orders where ${which}`);
  return orders.map((order) => ({ id: order.id, json: renderOrder(order, []) }));
}

export async function productsOf(db: Connection, which: Sql): Promise<Entity[]> {
  const rows = await db.all<Omit<Product, 'stock_as_of'>>(sql`select ${SHOWN} from products where ${which}`);
  return rows.map((row) => ({ id: row.product_id, json: renderProduct(row) }));
}

/** What the events after a place tell, of what is up to a key if there is one. */
async function readEvents(
  db: Connection,
  stream: ShopStream,
  { seq, table }: { seq: number; table?: string },
  most: number,
): Promise<ShopPage> {
  const parts = table === undefined ? undefined : partsOf(stream, table);
  const upTo = parts === undefined ? sql`` : sql`and object_id <= ${parts[0] ?? ''}`;
  const events = await db.all<EventsTable>(sql`
    select * from events where topic = ${SHOP_STREAMS[stream].topic} and seq > ${seq} ${upTo} order by seq limit ${most}`);
  const told =
    stream === 'stock_movements'
      ? { rows: (await movementsOf(db, events, parts)).flat(), deleted: [] }
      : toldBy(stream, await withOrders(db, latestOf(events)));
  return {
    ...told,
    position: JSON.stringify({ seq: events.at(-1)?.seq ?? seq, table: table ?? null } satisfies ShopPosition),
    complete: events.length < most,
  };
}

/** Of several events about one thing only the last counts. */
function latestOf(events: readonly EventsTable[]): EventsTable[] {
  const latest = new Map<string, EventsTable>();
  for (const event of events) {
    // A thing moves to the place of its last event, so that the rows stay in the order of commits.
    latest.delete(event.object_id);
    latest.set(event.object_id, event);
  }
  return [...latest.values()];
}

function toldBy(stream: ShopStream, events: readonly EventsTable[]): Pick<ShopPage, 'rows' | 'deleted'> {
  const present = events.filter(({ type }) => !type.endsWith('.deleted'));
  const gone = events.filter(({ type }) => type.endsWith('.deleted'));
  const entities = present.map(({ object_id, data }) => ({ id: object_id, json: data }));
  return {
    rows: entities.flatMap((entity) => rowsOf(stream, entity)),
    // Of several changes only the last is looked at, so it tells of all lines that are gone.
    deleted: [...gone.map(({ object_id }) => [object_id]), ...(stream === 'order_items' ? entities.flatMap(goneLines) : [])],
  };
}

export const countShop = command(import.meta.url, 'countShop', async (db, stream: 'orders' | 'products'): Promise<number> => {
  const counter = stream === 'products' ? 'products' : 'orders:*';
  const counted = await first<{ n: number }>(db, sql`select n from counters where name = ${counter}`);
  return counted?.n ?? 0;
});
