import type { Connection } from '../../../db/database.ts';
import { integer, sql } from '../../../db/sql.ts';
import { AppError } from '../../../lib/errors.ts';
import { timeIn } from '../../../lib/ids.ts';
import { idsOf, unpackedColumn } from './rows.ts';
import { packedNumbers, type UnpackedNumbers, unpackedNumbers } from './segment.ts';

// Columns of numbers. When an order was placed was not in the index at first: until a fold has added it to the segments of an older index, or while a
// node of an older version makes some, it is read from the orders.

/** With more segments than this without the column, reading their orders would take seconds. */
const MOST_LACKING = 16;

/** A column of numbers of some segments, by their numbers. */
export async function numbersOf(
  db: Connection,
  name: 'totals' | 'updates' | 'placed',
  segments: readonly number[],
): Promise<Map<number, UnpackedNumbers>> {
  const found = await unpackedColumn(db, name, segments, unpackedNumbers);
  if (name !== 'placed' || found.size === segments.length) return found;
  const lacking = segments.filter((segment) => !found.has(segment));
  if (lacking.length > MOST_LACKING) throw stillBeingMade();
  for (const [segment, moments] of await placedColumns(db, lacking)) found.set(segment, unpackedNumbers(packedNumbers(moments)));
  return found;
}

/** Segments, up to so many, that lack when their orders were placed. */
export async function lackingPlaced(db: Connection, most: number): Promise<number[]> {
  const rows = await db.all<{ number: number }>(sql`
    select s.number as number from order_find_segments s
    where not exists (select 1 from order_find_columns c where c.segment = s.number and c.name = 'placed') order by s.number limit ${integer(most)}`);
  return rows.map(({ number }) => number);
}

/** When the orders of some segments were placed, as the orders tell it. */
export async function placedColumns(db: Connection, segments: readonly number[]): Promise<Map<number, number[]>> {
  const columns = new Map<number, number[]>();
  for (const [segment, ids] of await idsOf(db, segments)) {
    const moments = Array.from({ length: ids.length }, (_, place) => timeIn(ids.at(place)));
    const told = await db.all<{ id: string; placed_at: string | null }>(sql`
      select id, extra ->> 'placed_at' as placed_at from orders
      where id >= ${ids.at(0)} and id <= ${ids.at(ids.length - 1)} and cast(extra as text) like '%"placed_at":%'`);
    for (const { id, placed_at } of told) {
      const place = ids.placeOf(id);
      if (place !== undefined && placed_at !== null) moments[place] = Date.parse(placed_at);
    }
    columns.set(segment, moments);
  }
  return columns;
}

export function stillBeingMade(): AppError {
  return new AppError(
    'UNAVAILABLE',
    'The index that orders are found by is still being made. Lists without q, product_id, currency, channel, tag, placed_from, placed_to, sort and several statuses work meanwhile.',
    { reason: 'try again in a minute' },
    { 'retry-after': '30' },
  );
}
