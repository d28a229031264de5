import { setImmediate as turn } from 'node:timers/promises';
import { bulk } from '../../../db/bulk.ts';
import { command, type Connection, first } from '../../../db/database.ts';
import { sql } from '../../../db/sql.ts';
import { newVersion } from './column-cache.ts';
import {
  allSegments,
  columnOf,
  findableById,
  findableOrders,
  findState,
  type FindState,
  idsOf,
  type SegmentRow,
  toldOrders,
} from './rows.ts';
import { lackingPlaced, placedColumns } from './numbers.ts';
import { hashOf } from './gathering.ts';
import { type ColumnName, factsOf, type FindSegment, packedNumbers, SegmentBuilder, unpackedHashes } from './segment.ts';
import { type FindableOrder, termsOf } from './terms.ts';

// To fold is to take into the index what has happened since it was made. What is to be written is computed in a reading transaction, apart from
// the writer; the write is short, and refused when another fold came first.

/** A segment takes in new orders until it has so many. */
const SEGMENT_SIZE = 4096;
/** Events that one fold takes in. */
const EVENTS_AT_ONCE = 4096;
/** Orders that are read together; between two readings others have their turn. */
const ORDERS_AT_ONCE = 256;
/** Segments of an older index that get what they lack in one fold. */
const LACKING_AT_ONCE = 8;

interface BuiltSegment extends FindSegment {
  start: string;
}

export interface Fold {
  from: FindState;
  /** How far the index is then; `last` is found when it is written. */
  to: Omit<FindState, 'last'>;
  /** Segments that are no more. */
  gone: number[];
  built: BuiltSegment[];
  /** Columns that have changed in segments that stay. */
  columns: { segment: number; name: ColumnName; data: string }[];
  /** Columns that segments of an older index did not have. */
  added: { segment: number; name: ColumnName; data: string }[];
  customers: string[];
  /** Whether there is more to do at once. */
  more: boolean;
}

export interface FoldWish {
  /** Orders whose segments are made anew, whatever has changed. */
  anew?: readonly string[];
  size?: number;
}

/** What is to be written to bring the index up to date, or a step further. */
export const prepareFold = command(
  import.meta.url,
  'prepareFold',
  async (db, { anew = [], size = SEGMENT_SIZE }: FoldWish): Promise<Fold> => {
    const [state, segments, last] = await Promise.all([findState(db), allSegments(db), lastTold(db)]);
    const fold: Fold = { from: state, to: { ...state }, gone: [], built: [], columns: [], added: [], customers: [], more: false };
    const events = state.upto === '' ? [] : await toldOrders(db, state.position, EVENTS_AT_ONCE);
    const end = events.length === EVENTS_AT_ONCE ? events.at(-1) : undefined;
    Object.assign(fold.to, end ? { position: end.seq, seen: end.topic_seq } : last);
    const changed = new Set([...events.map((event) => event.object_id), ...anew].filter((id) => id < state.upto));
    await takeInChanges(db, fold, segments, { changed, anew: new Set(anew), size });
    await takeInNew(db, fold, segments, size);
    await addPlaced(db, fold);
    fold.more ||= end !== undefined;
    return fold;
  },
);

async function lastTold(db: Connection): Promise<{ position: number; seen: number }> {
  const row = await first<{ position: number; seen: number }>(
    db,
    sql`select coalesce((select n from counters where name = 'events'), 0) as position,
      coalesce((select n from counters where name = 'events:orders'), 0) as seen`,
  );
  return row ?? { position: 0, seen: 0 };
}

/** Orders behind the index, along with those of the last segment when that has room. */
async function takeInNew(db: Connection, fold: Fold, segments: readonly SegmentRow[], size: number): Promise<void> {
  const { upto } = fold.from;
  const newest = segments.at(-1);
  const extended = newest && newest.n < size && !fold.gone.includes(newest.number) ? newest : undefined;
  const start = extended?.start ?? upto;
  const [builder] = await builtFrom(db, { from: start, size, most: size });
  const orders = builder?.orders ?? [];
  const added = orders.filter(({ id }) => id >= upto);
  fold.more ||= orders.length === size && added.length > 0;
  if (!builder || added.length === 0) return;
  if (extended) {
    fold.gone.push(extended.number);
    // What has changed of it is in what is built.
    fold.columns = fold.columns.filter(({ segment }) => segment !== extended.number);
  }
  fold.built.push({ start, ...builder.finish() });
  fold.customers = [...new Set([...fold.customers, ...added.map(({ customer_id }) => customer_id)])];
  fold.to.upto = `${added.at(-1)?.id}~`;
  fold.to.n += orders.length - (extended?.n ?? 0);
}

interface Range {
  from: string;
  before?: string;
  /** How many orders make a segment. */
  size: number;
  most?: number;
}

/** Orders in the order of their ids, in the segments that they make. Each page is worked on before the next is asked for: a server does not wait long in a transaction. */
async function builtFrom(db: Connection, { from, before, size, most = Number.MAX_SAFE_INTEGER }: Range): Promise<SegmentBuilder[]> {
  const builders: SegmentBuilder[] = [];
  const up = before === undefined ? sql`` : sql`and id < ${before}`;
  let last: string | undefined;
  for (let read = 0; read < most; ) {
    const behind = last === undefined ? sql`id >= ${from}` : sql`id > ${last}`;
    const page = await findableOrders(db, sql`${behind} ${up}`, Math.min(ORDERS_AT_ONCE, most - read));
    if (page.length === 0) break;
    for (const order of page) {
      if ((builders.at(-1)?.orders.length ?? size) >= size) builders.push(new SegmentBuilder());
      builders.at(-1)?.add(order);
    }
    read += page.length;
    last = page.at(-1)?.id;
    await turn();
  }
  return builders;
}

async function takeInChanges(
  db: Connection,
  fold: Fold,
  segments: readonly SegmentRow[],
  { changed, anew, size }: { changed: ReadonlySet<string>; anew: ReadonlySet<string>; size: number },
): Promise<void> {
  const concerned = new Map<SegmentRow, string[]>();
  for (const id of [...changed].sort()) {
    const segment = segments.findLast(({ start }) => start <= id);
    if (segment) concerned.set(segment, [...(concerned.get(segment) ?? []), id]);
  }
  for (const [segment, ids] of concerned) {
    const orders = await findableById(db, ids);
    const next = segments[segments.indexOf(segment) + 1];
    if (orders.some(({ id }) => anew.has(id)) || !(await changeFacts(db, fold, segment, orders))) {
      await rebuild(db, fold, segment, next?.start ?? fold.from.upto, size);
    }
    await turn();
  }
}

/** Changes the columns of a segment, when that is all there is to it; answers false when terms have changed, or an order is not in it. */
async function changeFacts(db: Connection, fold: Fold, { number }: SegmentRow, orders: readonly FindableOrder[]): Promise<boolean> {
  const ids = (await idsOf(db, [number])).get(number);
  const hashes = unpackedHashes((await columnOf(db, 'hashes', [number])).get(number) ?? '');
  const places = new Map<number, FindableOrder>();
  for (const order of orders) {
    const place = ids?.placeOf(order.id);
    if (place === undefined || hashes[place] !== hashOf(termsOf(order))) return false;
    places.set(place, order);
  }
  // The facts of all of them, as they are now: reading a few thousand rows costs less than taking columns apart.
  const all = await db.all<FindableOrder>(sql`
    select status, total, updated_at from orders where id >= ${ids?.at(0)} and id <= ${ids?.at(ids.length - 1)} order by id`);
  if (all.length !== ids?.length) return false;
  for (const [name, data] of Object.entries(factsOf(all))) fold.columns.push({ segment: number, name: name as ColumnName, data });
  return true;
}

/** An index that was made before this column was, gets it step by step. */
async function addPlaced(db: Connection, fold: Fold): Promise<void> {
  const lacking = await lackingPlaced(db, LACKING_AT_ONCE + 1);
  const some = lacking.slice(0, LACKING_AT_ONCE).filter((number) => !fold.gone.includes(number));
  for (const [segment, numbers] of await placedColumns(db, some))
    fold.added.push({ segment, name: 'placed', data: packedNumbers(numbers) });
  fold.more ||= lacking.length > LACKING_AT_ONCE;
}

async function rebuild(db: Connection, fold: Fold, segment: SegmentRow, end: string, size: number): Promise<void> {
  // Orders that were told late may have made it large.
  const builders = await builtFrom(db, { from: segment.start, before: end, size: 2 * size });
  fold.gone.push(segment.number);
  fold.to.n -= segment.n;
  for (const [index, builder] of builders.entries()) {
    fold.to.n += builder.orders.length;
    fold.customers.push(...new Set(builder.orders.map(({ customer_id }) => customer_id)));
    fold.built.push({ start: index === 0 ? segment.start : (builder.orders[0]?.id ?? ''), ...builder.finish() });
  }
}

/** Writes what a fold has computed; answers false, and writes nothing, when the index has changed meanwhile. */
export const applyFold = command(import.meta.url, 'applyFold', async (tx, { from, to, gone, built, columns, added, customers }: Fold) => {
  const last = from.last + built.length;
  const taken = await tx.all(sql`
    update order_find_state set position = ${to.position}, seen = ${to.seen}, upto = ${to.upto}, n = ${to.n}, last = ${last}
    where position = ${from.position} and upto = ${from.upto} and last = ${from.last} returning last`);
  if (taken.length === 0) return false;
  for (const number of gone) {
    await tx.all(sql`delete from order_find_pages where segment = ${number}`);
    await tx.all(sql`delete from order_find_columns where segment = ${number}`);
    await tx.all(sql`delete from order_find_segments where number = ${number}`);
  }
  for (const { segment, name, data } of columns) {
    await tx.all(
      sql`update order_find_columns set data = ${data}, version = ${newVersion()} where segment = ${segment} and name = ${name}`,
    );
  }
  for (const { segment, name, data } of added) {
    await tx.all(
      sql`insert into order_find_columns (segment, name, version, data) values (${segment}, ${name}, ${newVersion()}, ${data}) on conflict do nothing`,
    );
  }
  for (const [index, segment] of built.entries()) await insertSegment(tx, from.last + 1 + index, segment);
  const news = await tx.all(sql`
    insert into order_customers (customer_id) select customer_id from ${bulk(
      { customer_id: 'text' },
      customers.map((id) => [id]),
    )} as input where true
    on conflict do nothing returning customer_id`);
  if (news.length > 0) await tx.all(sql`update order_find_state set customers = customers + ${news.length}`);
  return true;
});

async function insertSegment(tx: Connection, number: number, { start, n, columns, pages }: BuiltSegment): Promise<void> {
  await tx.all(sql`insert into order_find_segments (number, start, n) values (${number}, ${start}, ${n})`);
  for (const [name, data] of Object.entries(columns))
    await tx.all(sql`insert into order_find_columns (segment, name, version, data) values (${number}, ${name}, ${newVersion()}, ${data})`);
  const rows = pages.map(({ first: beginning, data }) => [beginning, data]);
  await tx.all(sql`
    insert into order_find_pages (segment, first, data)
    select cast(${number} as bigint), first, data from ${bulk({ first: 'text', data: 'text' }, rows)} as input where true`);
}
