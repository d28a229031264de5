import { bulk } from '../../db/bulk.ts';
import type { Connection } from '../../db/database.ts';
import { demand } from '../../db/premise.ts';
import { sql } from '../../db/sql.ts';

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

/**
 * The same without a wait for the answer, where all of them were asked for before: undefined where one was not. The transaction fails when one of them is not as it was
 * found, and they are asked for when it is tried again.
 */
export function foundProducts(tx: Connection, ids: ReadonlySet<string>): Set<string> | undefined {
  const known = new Set<string>();
  const unknown = new Set<string>();
  for (const id of ids) {
    const isKnown = found.get(id);
    if (isKnown === undefined) return undefined;
    (isKnown ? known : unknown).add(id);
  }
  if (ids.size === 0) return unknown;
  const noneIsGone = sql`not exists (
    select 1 from ${asRows(known)} as input where not exists (select 1 from products where products.product_id = input.product_id))`;
  const noneHasCome = sql`not exists (select 1 from ${asRows(unknown)} as input join products on products.product_id = input.product_id)`;
  demand(tx, unknown.size === 0 ? noneIsGone : sql`${noneIsGone} and ${noneHasCome}`).catch(() => {
    for (const id of ids) found.delete(id);
  });
  return unknown;
}

function asRows(ids: ReadonlySet<string>) {
  return bulk(
    { product_id: 'text' },
    Array.from(ids, (id) => [id]),
  );
}
