import { bulk, list } from '../../../db/bulk.ts';
import { type Connection, first } from '../../../db/database.ts';
import { bytesOf, rowsThatFit } from '../../../db/page-bytes.ts';
import { byEngine, type EngineSql, integer, raw, type Sql, sql } from '../../../db/sql.ts';
import { ColumnCache } from './column-cache.ts';
import { type ColumnName, IDS_PIECE, pieceName, SegmentIds } from './segment.ts';
import { FINDABLE, type FindableOrder } from './terms.ts';

/** How far the index is. */
export interface FindState {
  /** The orders in the index are in it as they were at this event … */
  position: number;
  /** … which is so many of those that tell of orders. */
  seen: number;
  /** Orders from this id on are not in the index. */
  upto: string;
  /** How many orders are. */
  n: number;
  /** The highest number that a segment has had. */
  last: number;
}

export interface SegmentRow {
  number: number;
  start: string;
  n: number;
}

export async function findState(db: Connection): Promise<FindState> {
  return (await first<FindState>(db, sql`select position, seen, upto, n, last from order_find_state`)) as FindState;
}

/** How many events that tell of orders, or how many orders, are not in the index. */
export async function countUnfolded(db: Connection): Promise<number> {
  const row = await first<{ events: number; orders: number }>(
    db,
    sql`select coalesce((select n from counters where name = 'events:orders'), 0) - seen as events,
      coalesce((select n from counters where name = 'orders:*'), 0) - n as orders from order_find_state`,
  );
  return Math.max(row?.events ?? 0, row?.orders ?? 0);
}

/** In the order of their ids. */
export function allSegments(db: Connection): Promise<SegmentRow[]> {
  return db.all<SegmentRow>(sql`select number, start, n from order_find_segments order by start`);
}

/** Numbers as a relation: for `in ${numbers(…)}`. */
function numbers(values: readonly number[]): EngineSql {
  return byEngine((engine) =>
    engine === 'sqlite'
      ? sql`(select value from json_each(${JSON.stringify(values)}))`
      : sql`(select unnest(${`{${values.join(',')}}`}::bigint[]))`,
  );
}

/** A column of some segments, by their numbers. */
export async function columnOf(db: Connection, name: ColumnName, segments: readonly number[]): Promise<Map<number, string>> {
  const rows = await columnRows(db, name, segments);
  return new Map(rows.map(({ segment, data }) => [segment, data]));
}

const cache = new ColumnCache();

/** The same, unpacked. It is read again only where it has changed. */
export async function unpackedColumn<Column>(
  db: Connection,
  name: ColumnName,
  segments: readonly number[],
  unpack: (data: string) => Column,
): Promise<Map<number, Column>> {
  if (segments.length === 0) return new Map();
  const found = new Map<number, Column>();
  const missing: number[] = [];
  const versions = await db.all<{ segment: number; version: number }>(sql`
    select segment, version from order_find_columns where name = ${name} and segment in ${numbers(segments)}`);
  for (const { segment, version } of versions) {
    const column = cache.get<Column>(version);
    if (column === undefined) missing.push(segment);
    else found.set(segment, column);
  }
  for (const { segment, version, data } of await columnRows(db, name, missing)) {
    const column = unpack(data);
    cache.put(version, column, data.length);
    found.set(segment, column);
  }
  return found;
}

interface ColumnRow {
  segment: number;
  version: number;
  data: string;
}

async function columnRows(db: Connection, name: ColumnName, segments: readonly number[]): Promise<ColumnRow[]> {
  if (segments.length === 0) return [];
  return db.all<ColumnRow>(sql`
    select segment, version, data from order_find_columns where name = ${name} and segment in ${numbers(segments)}`);
}

/** All ids of some segments. */
export async function idsOf(db: Connection, segments: readonly number[]): Promise<Map<number, SegmentIds>> {
  if (segments.length === 0) return new Map();
  const rows = await db.all<{ segment: number; data: string }>(sql`
    select segment, data from order_find_columns where segment in ${numbers(segments)} and name >= 'ids' and name < 'idt' order by segment, name`);
  const pieces = Map.groupBy(rows, ({ segment }) => segment);
  return new Map([...pieces].map(([segment, own]) => [segment, new SegmentIds(own.map(({ data }) => data).join(''))]));
}

/** The ids at some places of some segments, in the order of the places. */
export async function idsAt(db: Connection, wanted: ReadonlyMap<number, readonly number[]>): Promise<Map<number, string[]>> {
  const names = new Set<string>();
  for (const [segment, places] of wanted) for (const place of places) names.add(`${segment} ${pieceName(Math.floor(place / IDS_PIECE))}`);
  const rows = Array.from(names, (name) => [Number(name.split(' ')[0]), name.split(' ')[1] ?? '']);
  if (rows.length === 0) return new Map();
  const pieces = await db.all<{ segment: number; name: string; data: string }>(sql`
    select c.segment as segment, c.name as name, c.data as data from ${bulk({ segment: 'bigint', name: 'text' }, rows)} as i
    join order_find_columns c on c.segment = i.segment and c.name = i.name`);
  const ids = new Map(pieces.map(({ segment, name, data }) => [`${segment} ${name}`, new SegmentIds(data)]));
  const idAt = (segment: number, place: number): string =>
    (ids.get(`${segment} ${pieceName(Math.floor(place / IDS_PIECE))}`) as SegmentIds).at(place % IDS_PIECE);
  return new Map([...wanted].map(([segment, places]) => [segment, places.map((place) => idAt(segment, place))]));
}

export interface PageRow {
  segment: number;
  data: string;
}

/** Of each segment the page on which a term stands, if any does. */
export function pagesWith(db: Connection, term: string, segments: readonly number[] | undefined): Promise<PageRow[]> {
  const some = segments === undefined ? sql`` : sql`where s.number in ${numbers(segments)}`;
  return db.all<PageRow>(sql`
    select p.segment as segment, p.data as data from order_find_segments s join order_find_pages p on p.segment = s.number
      and p.first = (select max(q.first) from order_find_pages q where q.segment = s.number and q.first <= ${term}) ${some}`);
}

/** The pages that begin behind a term and before another. */
export function pagesBetween(db: Connection, after: string, before: string, segments: readonly number[]): Promise<PageRow[]> {
  return db.all<PageRow>(sql`
    select segment, data from order_find_pages where segment in ${numbers(segments)} and first > ${after} and first < ${before}`);
}

/** The orders that events behind a place tell of, in the order of the events. */
export function toldOrders(db: Connection, after: number, most: number): Promise<{ seq: number; topic_seq: number; object_id: string }[]> {
  return db.all(sql`
    select seq, topic_seq, object_id from events where topic = 'orders' and seq > ${after} order by seq limit ${integer(most)}`);
}

const COLUMNS = raw(FINDABLE);

const BYTES = sql`${bytesOf('items', 'extra')} as bytes`;

/** Orders that can be found, up to so many in the order of their ids, and fewer where they are large; none when there are no more. */
export async function findableOrders(db: Connection, which: Sql, most: number): Promise<FindableOrder[]> {
  const page = (columns: Sql, limit: number): Sql => sql`select ${columns} from orders where ${which} order by id limit ${limit}`;
  return db.all<FindableOrder>(page(COLUMNS, await rowsThatFit(db, page(BYTES, most), most)));
}

export function findableById(db: Connection, ids: readonly string[]): Promise<FindableOrder[]> {
  return db.all<FindableOrder>(sql`select ${COLUMNS} from orders where id in ${list(ids)}`);
}
