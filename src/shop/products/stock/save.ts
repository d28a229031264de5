import { bulk, list } from '../../../db/bulk.ts';
import { type Connection, LostRace } from '../../../db/database.ts';
import { isDuplicate } from '../../../db/errors.ts';
import { holds } from '../../../db/premise.ts';
import { forUpdate, raw, sql } from '../../../db/sql.ts';
import { appendEvents } from '../../../events/append.ts';
import { StockBook, type StockHold, type StockMovement } from './book.ts';
import { renderLevels } from './render.ts';
import type { StockLevel } from './rules.ts';

/**
 * The stock of these products, locked until the commit. All who lock several do it in the order of their ids, and none locks a product's own row after
 * this: so that no two wait for each other in a circle.
 */
export async function openBook(tx: Connection, productIds: readonly string[], now: number): Promise<StockBook> {
  const levels = await tx.all<StockLevel>(sql`
    select product_id, location, on_hand, reserved, backorder, opened_at, moved_at from stock
    where product_id in ${list(productIds)} order by product_id, location ${forUpdate}`);
  return new StockBook(levels, now);
}

/** Writes down what a book holds. Call it once, when all changes are made. */
export async function saveStock(tx: Connection, book: StockBook, key?: MovementKey): Promise<void> {
  await Promise.all([
    closeLevels(tx, book),
    insertLevels(tx, book),
    updateLevels(tx, book),
    insertMovements(tx, book.movements, key),
    saveHolds(tx, book.holds),
  ]);
}

/**
 * Tells of the products whose stock has changed; the last of the transaction, with other events. What is reserved is told with its order, and here only when
 * the last unit was taken, or one is free again: else every order would make an event for each of its lines.
 */
export async function tellOfStock(tx: Connection, book: StockBook): Promise<void> {
  const events = book.notable().map((id) => ({
    type: 'stock.changed' as const,
    objectId: id,
    at: book.at,
    data: renderLevels(id, book.levelsOf(id)),
  }));
  await appendEvents(tx, 'stock', events, {});
}

async function closeLevels(tx: Connection, { closed }: StockBook): Promise<void> {
  if (closed.size > 0) await tx.all(sql`delete from stock where product_id in ${list([...closed])}`);
}

const LEVEL_COLUMNS = {
  product_id: 'text',
  location: 'text',
  on_hand: 'bigint',
  reserved: 'bigint',
  backorder: 'bigint',
  opened_at: 'text',
  moved_at: 'text',
} as const;

async function insertLevels(tx: Connection, book: StockBook): Promise<void> {
  const rows = book
    .kept()
    .flatMap(({ level: l, stored }) =>
      stored ? [] : [[l.product_id, l.location, l.on_hand, l.reserved, l.backorder, l.opened_at, l.moved_at]],
    );
  if (rows.length === 0) return;
  await tx.all(sql`
    insert into stock (product_id, location, on_hand, reserved, backorder, opened_at, moved_at)
    select product_id, location, on_hand, reserved, backorder, opened_at, moved_at from ${bulk(LEVEL_COLUMNS, rows)} as input`);
}

/** A level that is not what was decided on is left alone, and then nothing of this transaction holds. The lock keeps that from happening. */
async function updateLevels(tx: Connection, book: StockBook): Promise<void> {
  const rows = book.kept().flatMap(({ level: l, stored }) => {
    if (!stored || (stored.on_hand === l.on_hand && stored.reserved === l.reserved && stored.backorder === l.backorder)) return [];
    return [[l.product_id, l.location, l.on_hand, l.reserved, l.backorder, l.opened_at, l.moved_at, stored.on_hand, stored.reserved]];
  });
  if (rows.length === 0) return;
  if (tx.engine === 'sqlite') return overwriteLevels(tx, rows);
  const columns = { ...LEVEL_COLUMNS, was_on_hand: 'bigint', was_reserved: 'bigint' } as const;
  await tx.all(sql`
    with done as (
      update stock set on_hand = input.on_hand, reserved = input.reserved, backorder = input.backorder, moved_at = input.moved_at
      from ${bulk(columns, rows)} as input
      where stock.product_id = input.product_id and stock.location = input.location
        and stock.on_hand = input.was_on_hand and stock.reserved = input.was_reserved
      returning 1)
    select ${holds(sql`(select count(*) from done) = ${rows.length}`)}`);
}

/** Nobody else writes while a transaction of SQLite does, and writing over rows takes it two thirds of the time of an update by a list. */
async function overwriteLevels(tx: Connection, rows: readonly (string | number)[][]): Promise<void> {
  const levels = rows.map((row) => row.slice(0, Object.keys(LEVEL_COLUMNS).length));
  await tx.all(sql`
    insert into stock (product_id, location, on_hand, reserved, backorder, opened_at, moved_at)
    select product_id, location, on_hand, reserved, backorder, opened_at, moved_at from ${bulk(LEVEL_COLUMNS, levels)} as input where true
    on conflict (product_id, location) do update set on_hand = excluded.on_hand, reserved = excluded.reserved,
      backorder = excluded.backorder, moved_at = excluded.moved_at`);
}

/** Who asked for movements by hand, so that the same request makes them once. */
export interface MovementKey {
  owner: string;
  key: string;
  bodyHash: string;
}

const MOVEMENT_COLUMNS = {
  product_id: 'text',
  id: 'text',
  location: 'text',
  kind: 'text',
  delta: 'bigint',
  on_hand: 'bigint',
  order_id: 'text',
  at: 'text',
} as const;
const NOTE_COLUMNS = { reason: 'text', as_of: 'text' } as const;
const KEY_COLUMNS = { owner: 'text', key: 'text', place: 'bigint', body_hash: 'text' } as const;

/** Columns that no movement has a value for are left out. */
async function insertMovements(tx: Connection, movements: readonly StockMovement[], key?: MovementKey): Promise<void> {
  if (movements.length === 0) return;
  const noted = key !== undefined || movements.some(({ reason, as_of }) => reason !== null || as_of !== null);
  const columns = { ...MOVEMENT_COLUMNS, ...(noted && NOTE_COLUMNS), ...(key && KEY_COLUMNS) };
  const rows = movements.map((m, place) => {
    const row = [m.product_id, m.id, m.location, m.kind, m.delta, m.on_hand, m.order_id, m.at];
    if (noted) row.push(m.reason, m.as_of);
    if (key) row.push(key.owner, key.key, place, key.bodyHash);
    return row;
  });
  const names = raw(Object.keys(columns).join(', '));
  try {
    await tx.all(sql`insert into stock_movements (${names}) select ${names} from ${bulk(columns, rows)} as input`);
  } catch (error) {
    // Another node was quicker with the same Idempotency-Key.
    if (key && isDuplicate(error)) throw new LostRace('these movements were made at the same time');
    throw error;
  }
}

const HOLD_COLUMNS = {
  order_id: 'text',
  product_id: 'text',
  location: 'text',
  held: 'bigint',
  shipped: 'bigint',
  opened_at: 'text',
} as const;

/** Adds to what orders have. What an order had of an earlier time of being tracked is nothing any more. */
async function saveHolds(tx: Connection, holds: readonly StockHold[]): Promise<void> {
  if (holds.length === 0) return;
  const rows = summed(holds).map((h) => [h.order_id, h.product_id, h.location, h.held, h.shipped, h.opened_at]);
  await tx.all(sql`
    insert into stock_holds (order_id, product_id, location, held, shipped, opened_at)
    select order_id, product_id, location, held, shipped, opened_at from ${bulk(HOLD_COLUMNS, rows)} as input where true
    on conflict (order_id, product_id, location) do update set opened_at = excluded.opened_at,
      held = excluded.held + case when stock_holds.opened_at = excluded.opened_at then stock_holds.held else 0 end,
      shipped = excluded.shipped + case when stock_holds.opened_at = excluded.opened_at then stock_holds.shipped else 0 end`);
}

/** One for each order, product and location. */
function summed(holds: readonly StockHold[]): StockHold[] {
  const sums: StockHold[] = [];
  // Of the sums of an order, where those of a product are: looked up in two steps, as to join the names for each takes longer than all the rest.
  const places = new Map<string, Map<string, number[]>>();
  for (const hold of holds) {
    let ofOrder = places.get(hold.order_id);
    if (!ofOrder) places.set(hold.order_id, (ofOrder = new Map()));
    const ofProduct = ofOrder.get(hold.product_id);
    const place = ofProduct?.find((one) => sums[one]?.location === hold.location);
    if (place !== undefined) {
      const sum = sums[place] as StockHold;
      sums[place] = { ...sum, held: sum.held + hold.held, shipped: sum.shipped + hold.shipped };
    } else {
      const added = sums.push(hold) - 1;
      if (ofProduct) ofProduct.push(added);
      else ofOrder.set(hold.product_id, [added]);
    }
  }
  return sums;
}
