import { command } from '../../db/database.ts';
import { join, sql } from '../../db/sql.ts';
import type { EventsTable } from '../../db/tables.ts';
import type { Row } from '../../connectors/canonical.ts';
import type { ShopChange, ShopChanges, ShopStream } from '../../connectors/shop-port.ts';
import { lastEvent, ordersOf, productsOf, TOPIC } from './read.ts';
import { type Entity, lineKey, linesBefore, rowsOf } from './rows.ts';

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
      [...new Set(streams.map((stream) => TOPIC[stream]))].map((topic) => sql`${topic}`),
      ', ',
    );
    const events = await db.all<EventsTable>(sql`
      select * from events where topic in (${topics}) and seq > ${after} and seq <= ${last} order by seq limit ${most}`);
    return { changes: events.map((event) => changeOf(event, streams)), seq: events.length < most ? last : (events.at(-1)?.seq ?? last) };
  },
);

function changeOf({ seq, topic, type, object_id, created_at, data }: EventsTable, streams: readonly ShopStream[]): ShopChange {
  const op = type.endsWith('.created') || type === 'order.imported' ? 'insert' : type.endsWith('.deleted') ? 'delete' : 'update';
  const entity = { id: object_id, json: data };
  const rows = streams
    .filter((stream) => TOPIC[stream] === topic)
    .flatMap((stream): ShopChange['rows'] => {
      if (type === 'order.updated' && stream === 'order_items') return changedLines(entity);
      return (op === 'delete' ? [[object_id]] : rowsOf(stream, entity)).map((row: Row) => ({ op, stream, row }));
    });
  return { seq, at: Date.parse(created_at), rows };
}

/** A change of an order may have added lines to it, or taken some away. */
function changedLines(entity: Entity): ShopChange['rows'] {
  const stream = 'order_items' as const;
  const before = linesBefore(entity);
  const rows = rowsOf(stream, entity);
  const gone = Array.from({ length: Math.max(0, before - rows.length) }, (_, index) => lineKey(entity.id, rows.length + index + 1));
  return [
    ...gone.map((row) => ({ op: 'delete' as const, stream, row })),
    ...rows.map((row, index) => ({ op: index < before ? ('update' as const) : ('insert' as const), stream, row })),
  ];
}

/** Rows as they are now, by the ids of their orders or products. */
export const findInShop = command(
  import.meta.url,
  'findInShop',
  async (db, { stream, ids }: { stream: ShopStream; ids: readonly string[] }): Promise<Row[]> => {
    if (ids.length === 0) return [];
    const list = join(
      ids.map((id) => sql`${id}`),
      ', ',
    );
    const entities = stream === 'products' ? await productsOf(db, sql`product_id in (${list})`) : await ordersOf(db, sql`id in (${list})`);
    return entities.flatMap((entity) => rowsOf(stream, entity));
  },
);
