import { bulk, list } from '../../db/bulk.ts';
import { command, type Connection, LostRace } from '../../db/database.ts';
import { forUpdate, sql } from '../../db/sql.ts';
import type { ProductsTable } from '../../db/tables.ts';
import { appendEvents, type NewEvent } from '../../events/append.ts';
import { applyPatch, type Product, type ProductPatch, type SyncResult } from './rules.ts';

export type SyncOutcome =
  | { kind: 'synced'; result: SyncResult; changed: string[]; json: string }
  | { kind: 'incomplete'; missing: string[] };

interface Folded {
  /** As it is in the table; undefined when it is not there. */
  stored: Product | undefined;
  present: Product | undefined;
}

/** Creates and updates products that were sent together; several messages about one product take their turn. */
export const syncProducts = command(import.meta.url, 'syncProducts', async (tx, input: { patches: string; now: string }) => {
  const patches = JSON.parse(input.patches) as ProductPatch[];
  const products = await loadProducts(tx, [...new Set(patches.map((patch) => patch.product_id))].sort());
  const events: NewEvent[] = [];
  const outcomes = patches.map((patch): SyncOutcome => {
    const folded = products.get(patch.product_id) as Folded;
    const verdict = applyPatch(folded.present, patch, input.now);
    if (verdict.kind === 'incomplete') return verdict;
    const { result, changed, product } = verdict;
    if (verdict.writes) folded.present = product;
    const json = renderProduct(product);
    if (result !== 'unchanged')
      events.push({ type: `product.${result}`, objectId: product.product_id, at: product.updated_at, data: json });
    return { kind: 'synced', result, changed, json };
  });
  const touched = [...products.values()].filter(({ stored, present }) => present !== stored);
  if (touched.length > 0) await save(tx, touched, events);
  return outcomes;
});

/** Takes a product out of the catalogue; answers whether it was there. */
export const deleteProduct = command(import.meta.url, 'deleteProduct', async (tx, input: { productId: string; now: string }) => {
  const product = (await loadProducts(tx, [input.productId])).get(input.productId)?.stored;
  if (!product) return false;
  await tx.all(sql`delete from product_categories where product_id = ${input.productId}`);
  await tx.all(sql`delete from products where product_id = ${input.productId}`);
  await appendEvents(
    tx,
    'products',
    [{ type: 'product.deleted', objectId: input.productId, at: input.now, data: renderProduct(product) }],
    { products: -1 },
  );
  return true;
});

export function renderProduct(product: Product): string {
  return (
    `{"product_id":${JSON.stringify(product.product_id)},"name":${JSON.stringify(product.name)},"price":${product.price},` +
    `"stock_quantity":${product.stock_quantity},"categories":${JSON.stringify(product.categories)},"version":${product.version},` +
    `"created_at":"${product.created_at}","updated_at":"${product.updated_at}"}`
  );
}

async function loadProducts(tx: Connection, ids: readonly string[]): Promise<Map<string, Folded>> {
  const rows = await tx.all<ProductsTable>(sql`
    select product_id, name, price, stock_quantity, categories, version, created_at, updated_at, stock_as_of
    from products where product_id in ${list(ids)} order by product_id ${forUpdate}`);
  const products = new Map<string, Folded>(ids.map((id) => [id, { stored: undefined, present: undefined }]));
  for (const row of rows) {
    const product: Product = { ...row, categories: JSON.parse(row.categories) as string[] };
    products.set(row.product_id, { stored: product, present: product });
  }
  return products;
}

const COLUMNS = {
  product_id: 'text',
  name: 'text',
  price: 'numeric',
  stock_quantity: 'bigint',
  categories: 'json',
  version: 'bigint',
  created_at: 'text',
  updated_at: 'text',
  stock_as_of: 'text',
  search: 'text',
} as const;

async function save(tx: Connection, touched: readonly Folded[], events: readonly NewEvent[]): Promise<void> {
  const added = touched.filter(({ stored }) => !stored).map(({ present }) => present as Product);
  const changed = touched.filter(({ stored }) => stored).map(({ present }) => present as Product);
  if (added.length > 0) {
    const inserted = await tx.all<{ product_id: string }>(sql`
      insert into products (product_id, name, price, stock_quantity, categories, version, created_at, updated_at, stock_as_of, search)
      select product_id, name, price, stock_quantity, categories, version, created_at, updated_at, stock_as_of, search
      from ${bulk(COLUMNS, added.map(asRow))} as input where true on conflict (product_id) do nothing returning product_id`);
    // Another node was quicker: what we decided on was not the present state.
    if (inserted.length < added.length) throw new LostRace('a product was created at the same time');
  }
  if (changed.length > 0) {
    await tx.all(sql`
      update products set name = input.name, price = input.price, stock_quantity = input.stock_quantity, categories = input.categories,
        version = input.version, updated_at = input.updated_at, stock_as_of = input.stock_as_of, search = input.search
      from ${bulk(COLUMNS, changed.map(asRow))} as input where products.product_id = input.product_id`);
  }
  await saveCategories(tx, touched);
  await appendEvents(tx, 'products', events, { products: added.length });
}

function asRow(product: Product): (string | number | null)[] {
  const search = `${product.name}\n${product.product_id}`.toLowerCase();
  return [
    product.product_id,
    product.name,
    product.price,
    product.stock_quantity,
    JSON.stringify(product.categories),
    product.version,
    product.created_at,
    product.updated_at,
    product.stock_as_of,
    search,
  ];
}

/** The index of categories, for the products whose categories have changed. */
async function saveCategories(tx: Connection, touched: readonly Folded[]): Promise<void> {
  const moved = touched.filter(
    ({ stored, present }) => JSON.stringify(stored?.categories ?? []) !== JSON.stringify(present?.categories ?? []),
  );
  const before = moved.flatMap(({ stored }) => (stored && stored.categories.length > 0 ? [stored.product_id] : []));
  if (before.length > 0) {
    await tx.all(sql`delete from product_categories where product_id in ${list(before)}`);
  }
  const rows = moved.flatMap(({ present }) => (present?.categories ?? []).map((category) => [category, present?.product_id ?? '']));
  if (rows.length > 0) {
    await tx.all(sql`
      insert into product_categories (category, product_id)
      select category, product_id from ${bulk({ category: 'text', product_id: 'text' }, rows)} as input`);
  }
}
