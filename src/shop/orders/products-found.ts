import { bulk } from '../../db/bulk.ts';
import { type Connection, LostRace } from '../../db/database.ts';
import { isDivisionByZero } from '../../db/errors.ts';
import { type Sql, sql } from '../../db/sql.ts';

/** Of products whether they were known when this process last asked. Whether they still are is for the database to say. */
const found = new Map<string, boolean>();
const MOST_FOUND = 50_000;

/** Those of the products that are not known. Most are, so few rows come back. */
export async function unknownProducts(tx: Connection, ids: ReadonlySet<string>): Promise<Set<string>> {
  if (ids.size === 0) return new Set();
  const rows = await tx.all<{ product_id: string }>(sql`
    select product_id from ${asRows(ids)} as input
    where not exists (select 1 from products where products.product_id = input.product_id)`);
  const unknown = new Set(rows.map((row) => row.product_id));
  if (found.size + ids.size > MOST_FOUND) found.clear();
  for (const id of ids) found.set(id, !unknown.has(id));
  return unknown;
}

export interface FoundProducts {
  /** Those that were not known. */
  unknown: Set<string>;
  /** Fails, and the transaction with it, when one of them is not as it was found: it is tried again, and they are asked for then. */
  asFound: Promise<void>;
}

/** The same without a wait for the answer, which would be half of the time of a transaction: undefined when not all of them were asked for before. */
export function foundProducts(tx: Connection, ids: ReadonlySet<string>): FoundProducts | undefined {
  const known = new Set<string>();
  const unknown = new Set<string>();
  for (const id of ids) {
    const isKnown = found.get(id);
    if (isKnown === undefined) return undefined;
    (isKnown ? known : unknown).add(id);
  }
  const asFound = demand(tx, known, unknown).catch((error: unknown) => {
    for (const id of ids) found.delete(id);
    throw isDivisionByZero(error) ? new LostRace('products came or went') : error;
  });
  // The transaction that it fails tells of it, too.
  asFound.catch(() => {});
  return { unknown, asFound };
}

/** Fails the transaction, as a statement can do it: by what cannot be computed. */
async function demand(tx: Connection, known: ReadonlySet<string>, unknown: ReadonlySet<string>): Promise<void> {
  const isGone = sql`exists (
    select 1 from ${asRows(known)} as input where not exists (select 1 from products where products.product_id = input.product_id))`;
  const hasCome = sql`exists (select 1 from ${asRows(unknown)} as input join products on products.product_id = input.product_id)`;
  const isOther: Sql = unknown.size === 0 ? isGone : sql`${isGone} or ${hasCome}`;
  await tx.all(sql`select 1 / case when ${isOther} then 0 else 1 end as sure`);
}

function asRows(ids: ReadonlySet<string>) {
  return bulk(
    { product_id: 'text' },
    Array.from(ids, (id) => [id]),
  );
}
