import { command, type Connection } from '../../db/database.ts';
import { join, sql } from '../../db/sql.ts';
import type { EventsTable } from '../../db/tables.ts';
import type { Row } from '../../connectors/canonical.ts';
import type { ShopChange, ShopChanges } from '../../connectors/shop-port.ts';
import { SHOP_STREAMS, type ShopStream } from '../../connectors/shop-streams.ts';
import { withOrders } from '../orders/told.ts';
import { lastEvent, ordersOf, productsOf } from './read.ts';
import { deedsOf, type DeedStream, type Entity, isAdded, isDeeds, lineKey, linesBefore, rowsOf } from './rows.ts';
import { findMovements, movementsOf } from './wholes.ts';

type ChangedRow = ShopChange['rows'][number];

/** The place of the last event, of whatever it tells. */
export const lastShopChange = command(import.meta.url, 'lastShopChange', (db): Promise<number> => lastEvent(db));

/** The feed of the shop behind a place: one event is one change. */
export const shopChanges = command(
  import.meta.url,
  'shopChanges',
  async (db, { streams, after, most }: { streams: readonly ShopStream[]; after: number; most: number }): Promise<ShopChanges> => {
    // First, so that what is committed meanwhile lies behind it.
    const last = await lastEvent(db);
    const topics = join(
      [...new Set(streams.flatMap((stream) => SHOP_STREAMS[stream].topic ?? []))].map((topic) => sql`${topic}`),
      ', ',
    );
    const events = await db.all<EventsTable>(sql`
      select * from events where topic in (${topics}) and seq > ${after} and seq <= ${last} order by seq limit ${most}`);
    const moved = await movementsBySeq(db, events, streams);
    return {
      changes: (await withOrders(db, events)).map((event) => changeOf(event, streams, moved)),
      seq: events.length < most ? last : (events.at(-1)?.seq ?? last),
    };
  },
);

async function movementsBySeq(db: Connection, events: readonly EventsTable[], streams: readonly ShopStream[]): Promise<Map<number, Row[]>> {
  const telling = streams.includes('stock_movements') ? events.filter(({ topic }) => topic === 'stock') : [];
  const rows = await movementsOf(db, telling);
  return new Map(telling.map(({ seq }, index) => [seq, rows[index] ?? []]));
}

function changeOf(event: EventsTable, streams: readonly ShopStream[], moved: ReadonlyMap<number, Row[]>): ShopChange {
  const { seq, topic, created_at } = event;
  const rows = streams
    .filter((stream) => SHOP_STREAMS[stream].topic === topic)
    .flatMap((stream): ChangedRow[] => {
      if (stream === 'stock_movements') return (moved.get(seq) ?? []).map((row) => ({ op: 'insert', stream, row }));
      return rowsIn(stream, event);
    });
  return { seq, at: Date.parse(created_at), rows };
}

function rowsIn(stream: ShopStream, { type, object_id, data }: EventsTable): ChangedRow[] {
  const op = type.endsWith('.created') || type === 'order.imported' ? 'insert' : type.endsWith('.deleted') ? 'delete' : 'update';
  const entity = { id: object_id, json: data };
  if (isDeeds(stream)) return changedDeeds(stream, entity, op === 'insert', type);
  if (type === 'order.updated' && stream === 'order_items') return changedLines(entity);
  return (op === 'delete' ? [[object_id]] : rowsOf(stream, entity)).map((row: Row) => ({ op, stream, row }));
}

/** What was done with an order stays. An event of it tells of one thing that is new, and of the others with the time of the order. */
function changedDeeds(stream: DeedStream, entity: Entity, isNew: boolean, type: string): ChangedRow[] {
  return deedsOf(stream, entity).flatMap((rows, index, all) => {
    const isLast = index === all.length - 1;
    const op = isNew || (isLast && isAdded(stream, type)) ? ('insert' as const) : ('update' as const);
    return rows.map((row) => ({ op, stream, row }));
  });
}

/** A change of an order may have added lines to it, or taken some away. */
function changedLines(entity: Entity): ChangedRow[] {
  const stream = 'order_items' as const;
  const before = linesBefore(entity);
  const rows = rowsOf(stream, entity);
  const gone = Array.from({ length: Math.max(0, before - rows.length) }, (_, index) => lineKey(entity.id, rows.length + index + 1));
  return [
    ...gone.map((row) => ({ op: 'delete' as const, stream, row })),
    ...rows.map((row, index) => ({ op: index < before ? ('update' as const) : ('insert' as const), stream, row })),
  ];
}

/** Rows as they are now, by their keys: of an order all that it is in the stream. */
export const findInShop = command(
  import.meta.url,
  'findInShop',
  async (db, { stream, keys }: { stream: ShopStream; keys: readonly Row[] }): Promise<Row[]> => {
    if (keys.length === 0) return [];
    if (stream === 'stock_movements') return findMovements(db, keys);
    const list = join(
      [...new Set(keys.map(([id]) => id ?? ''))].map((id) => sql`${id}`),
      ', ',
    );
    const entities = stream === 'products' ? await productsOf(db, sql`product_id in (${list})`) : await ordersOf(db, sql`id in (${list})`);
    return entities.flatMap((entity) => rowsOf(stream, entity));
  },
);
