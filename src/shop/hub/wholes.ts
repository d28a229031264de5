import { bulk } from '../../db/bulk.ts';
import type { Connection } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import type { EventsTable } from '../../db/tables.ts';
import { firstIdAt } from '../../lib/ids.ts';
import type { Row } from '../../connectors/canonical.ts';
import { customersFrom } from '../customers/queries.ts';
import type { StockMovement } from '../products/stock/book.ts';
import type { StockLevel } from '../products/stock/rules.ts';
import { rowOf } from './rows.ts';

// What is no part of an order or of a product as the API shows it: customers, who are in no table, and stock, which has its own.

/** A stretch of a table, and the key of its last row. */
export interface Stretch {
  rows: Row[];
  /** Undefined when there is no more. */
  last: readonly string[] | undefined;
}

/** Customers behind an id, as their orders are now. */
export async function readCustomers(db: Connection, [after = '']: readonly string[], most: number): Promise<Stretch> {
  const customers = await customersFrom(db, after, most);
  const rows = customers.map(({ id, orders, totals, first_order, last_order, customer }) =>
    rowOf('customers', {
      ...(customer === null ? {} : (JSON.parse(customer) as object)),
      id,
      orders,
      totals: totals.map((one) => ({ ...one, total: JSON.rawJSON(one.total) })),
      first_order_id: first_order.id,
      first_order_at: first_order.created_at,
      last_order_id: last_order.id,
      last_order_at: last_order.created_at,
    }),
  );
  const last = customers.at(-1)?.id;
  return { rows, last: customers.length < most || last === undefined ? undefined : [last] };
}

/** What products have at their locations, behind a product and a location. */
export async function readLevels(db: Connection, [product = '', location = '']: readonly string[], most: number): Promise<Stretch> {
  const levels = await db.all<StockLevel>(sql`
    select * from stock where (product_id, location) > (${product}, ${location}) order by product_id, location limit ${most}`);
  const last = levels.at(-1);
  return {
    rows: levels.map((level) => rowOf('stock', { ...level, available: level.on_hand - level.reserved })),
    last: levels.length < most || !last ? undefined : [last.product_id, last.location],
  };
}

/** The ledgers of all products, behind a product and an entry. */
export async function readMovements(db: Connection, [product = '', id = '']: readonly string[], most: number): Promise<Stretch> {
  const movements = await db.all<StockMovement>(sql`
    select * from stock_movements where (product_id, id) > (${product}, ${id}) order by product_id, id limit ${most}`);
  const last = movements.at(-1);
  return {
    rows: movements.map(movementRow),
    last: movements.length < most || !last ? undefined : [last.product_id, last.id],
  };
}

/**
 * The entries that events of the stock tell of, in the order of the events; of each event those of its product and its moment, by which their ids begin.
 * With `upTo`, only those up to that entry. Those of a product that was deleted meanwhile are gone.
 */
export async function movementsOf(db: Connection, events: readonly EventsTable[], upTo?: readonly string[]): Promise<Row[][]> {
  if (events.length === 0) return [];
  const columns = { seq: 'bigint', product_id: 'text', from_id: 'text', to_id: 'text' } as const;
  const input = events.map(({ seq, object_id, created_at }) => {
    const at = Date.parse(created_at);
    return [seq, object_id, firstIdAt('mov', at), firstIdAt('mov', at + 1)];
  });
  const [product = '', id = ''] = upTo ?? [];
  const bound = upTo ? sql`where (m.product_id, m.id) <= (${product}, ${id})` : sql``;
  const movements = await db.all<StockMovement & { seq: number }>(sql`
    select input.seq, m.* from ${bulk(columns, input)} as input
    join stock_movements m on m.product_id = input.product_id and m.id >= input.from_id and m.id < input.to_id ${bound} order by input.seq, m.id`);
  const bySeq = Map.groupBy(movements, ({ seq }) => seq);
  return events.map(({ seq }) => (bySeq.get(seq) ?? []).map(movementRow));
}

/** Entries by their keys. */
export async function findMovements(db: Connection, keys: readonly Row[]): Promise<Row[]> {
  const columns = { product_id: 'text', id: 'text' } as const;
  const movements = await db.all<StockMovement>(sql`
    select m.* from ${bulk(
      columns,
      keys.map(([product, id]) => [product ?? '', id ?? '']),
    )} as input
    join stock_movements m on m.product_id = input.product_id and m.id = input.id`);
  return movements.map(movementRow);
}

/** Without the order that it was for: who may read products may not read orders. */
function movementRow(movement: StockMovement): Row {
  return rowOf('stock_movements', { ...movement });
}
