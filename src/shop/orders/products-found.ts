import { bulk } from '../../db/bulk.ts';
import type { Connection } from '../../db/database.ts';
import { holds } from '../../db/premise.ts';
import { type Sql, sql } from '../../db/sql.ts';

/** What this process has found of the products of a database. Whether it is still so, is for the database to say. */
interface Found {
  /** How many events of products there were at the last look. While there are no more, the catalogue is what it was. */
  asOf: number;
  /** Of a product whether it was known then. */
  readonly products: Map<string, boolean>;
}

const found = new WeakMap<object, Found>();
const MOST_FOUND = 50_000;
/** Less than there ever are. */
const NO_LOOK = -1;

/**
 * Those of the products that are not known. Most are, so few rows come back. What is found is kept in mind of this database, where one is given: only in a transaction that
 * changes no products, whose changes others may never see.
 */
export async function unknownProducts(tx: Connection, database: object | undefined, ids: ReadonlySet<string>): Promise<Set<string>> {
  if (ids.size === 0) return new Set();
  // The number first: of what happens in between, it is better to have seen more than it says.
  const [asOf, rows] = await Promise.all([
    database && countEvents(tx),
    tx.all<{ product_id: string }>(sql`
      select product_id from ${asRows(ids)} as input
      where not exists (select 1 from products where products.product_id = input.product_id)`),
  ]);
  const unknown = new Set(rows.map((row) => row.product_id));
  if (database && asOf !== undefined) keep(foundIn(database), asOf, ids, unknown);
  return unknown;
}

/**
 * The same without waiting for an answer, where the process has found all of them before. If they are not as it found them, the transaction fails when it is
 * committed, and they are asked for when it is tried again.
 */
export function foundProducts(tx: Connection, database: object | undefined, ids: ReadonlySet<string>): Set<string> | undefined {
  if (!database) return undefined;
  const { asOf, products } = foundIn(database);
  const unknown = new Set<string>();
  for (const id of ids) {
    const isKnown = products.get(id);
    if (isKnown === undefined) return undefined;
    if (!isKnown) unknown.add(id);
  }
  if (ids.size > 0) tx.all(sql`select ${holds(sql`${eventsOfProducts()} = ${asOf}`)}`).catch(() => products.clear());
  return unknown;
}

async function countEvents(tx: Connection): Promise<number> {
  const [row] = await tx.all<{ told: number }>(sql`select ${eventsOfProducts()} as told`);
  return row?.told ?? NO_LOOK;
}

function eventsOfProducts(): Sql {
  return sql`coalesce((select n from counters where name = 'events:products'), 0)`;
}

function foundIn(origin: object): Found {
  let known = found.get(origin);
  if (!known) found.set(origin, (known = { asOf: NO_LOOK, products: new Map() }));
  return known;
}

function keep(before: Found, asOf: number, ids: ReadonlySet<string>, unknown: ReadonlySet<string>): void {
  const { products } = before;
  // While the catalogue changes, each transaction that relies on what was found would have to be tried again.
  const isQuiet = asOf === before.asOf;
  if (!isQuiet || products.size + ids.size > MOST_FOUND) products.clear();
  before.asOf = asOf;
  if (isQuiet) for (const id of ids) products.set(id, !unknown.has(id));
}

function asRows(ids: ReadonlySet<string>) {
  return bulk(
    { product_id: 'text' },
    Array.from(ids, (id) => [id]),
  );
}
