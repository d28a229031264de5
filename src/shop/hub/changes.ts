import { command } from '../../db/database.ts';
import { join, sql } from '../../db/sql.ts';
import type { EventsTable } from '../../db/tables.ts';
import type { Row } from '../../connectors/canonical.ts';
import type { ShopChange, ShopChanges, ShopStream } from '../../connectors/shop-port.ts';
import { lastEvent, ordersOf, productsOf, TOPIC } from './read.ts';
import { rowsOf } from './rows.ts';

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
  const rows = streams
    .filter((stream) => TOPIC[stream] === topic)
    .flatMap((stream) =>
      (op === 'delete' ? [[object_id]] : rowsOf(stream, { id: object_id, json: data })).map((row: Row) => ({ stream, row })),
    );
  return { op, seq, at: Date.parse(created_at), rows };
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
