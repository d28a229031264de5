import { bulk } from '../../db/bulk.ts';
import type { Connection } from '../../db/database.ts';
import { holds } from '../../db/premise.ts';
import { type Sql, sql } from '../../db/sql.ts';

/** Of a product whether it was known when this process last asked. Whether it still is, is for the database to say. */
interface Found {
  isKnown: boolean;
  /** How many events of products there were then. While there are no more, the catalogue is what it was. */
  asOf: number;
}

/** Of each database. */
const found = new WeakMap<object, Map<string, Found>>();
const MOST_FOUND = 50_000;
/** Less than there ever are. */
const NOT_ASKED = -1;

/** Those of the products that are not known. Most are, so few rows come back. */
export async function unknownProducts(tx: Connection, ids: ReadonlySet<string>): Promise<Set<string>> {
  if (ids.size === 0) return new Set();
  const rows = await tx.all<{ product_id: string }>(sql`
    select product_id from ${asRows(ids)} as input
    where not exists (select 1 from products where products.product_id = input.product_id)`);
  const unknown = new Set(rows.map((row) => row.product_id));
  if (tx.origin) keep(foundIn(tx.origin), ids, (id) => ({ isKnown: !unknown.has(id), asOf: NOT_ASKED }));
  return unknown;
}

/**
 * The same without a wait for the answer, where all of them were asked for before: undefined where one was not. The transaction fails when one of them is not as it was
 * found, and they are asked for when it is tried again.
 */
export function foundProducts(tx: Connection, ids: ReadonlySet<string>): Set<string> | undefined {
  if (!tx.origin) return undefined;
  const before = foundIn(tx.origin);
  const known = new Set<string>();
  const unknown = new Set<string>();
  let asOf = Number.MAX_SAFE_INTEGER;
  for (const id of ids) {
    const product = before.get(id);
    if (product === undefined) return undefined;
    (product.isKnown ? known : unknown).add(id);
    asOf = Math.min(asOf, product.asOf);
  }
  if (ids.size > 0) {
    demandThese(tx, { known, unknown, asOf }).then(
      (now) => {
        if (now !== asOf) keep(before, ids, (id) => ({ isKnown: known.has(id), asOf: now }));
      },
      () => before.clear(),
    );
  }
  return unknown;
}

/** Fails the transaction when they are not as they were found; answers how many events of products there are. Only when there are more, products are looked at. */
async function demandThese(
  tx: Connection,
  { known, unknown, asOf }: { known: ReadonlySet<string>; unknown: ReadonlySet<string>; asOf: number },
): Promise<number> {
  const noneIsGone = sql`not exists (
    select 1 from ${asRows(known)} as input where not exists (select 1 from products where products.product_id = input.product_id))`;
  const noneHasCome = sql`not exists (select 1 from ${asRows(unknown)} as input join products on products.product_id = input.product_id)`;
  const asFound = unknown.size === 0 ? noneIsGone : sql`${noneIsGone} and ${noneHasCome}`;
  const [row] = await tx.all<{ told: number }>(sql`
    select told, ${holds(ifMore(asOf, asFound))}
    from (select coalesce((select n from counters where name = 'events:products'), 0) as told) as events`);
  return row?.told ?? NOT_ASKED;
}

/** In this form the server does not look at the second when the first is so. */
function ifMore(asOf: number, premise: Sql): Sql {
  return sql`case when told = ${asOf} then true else ${premise} end`;
}

function foundIn(origin: object): Map<string, Found> {
  let products = found.get(origin);
  if (!products) found.set(origin, (products = new Map()));
  return products;
}

function keep(products: Map<string, Found>, ids: ReadonlySet<string>, what: (id: string) => Found): void {
  if (products.size + ids.size > MOST_FOUND) products.clear();
  for (const id of ids) products.set(id, what(id));
}

function asRows(ids: ReadonlySet<string>) {
  return bulk(
    { product_id: 'text' },
    Array.from(ids, (id) => [id]),
  );
}
