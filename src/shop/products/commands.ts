import { bulk, list } from '../../db/bulk.ts';
import { command, type Connection, LostRace } from '../../db/database.ts';
import { isDuplicate } from '../../db/errors.ts';
import { forUpdate, sql } from '../../db/sql.ts';
import { appendEvents, type NewEvent } from '../../events/append.ts';
import { type PackedPatches, unpackPatches } from './packing.ts';
import { applyPatch, type Product, type ProductPatch } from './rules.ts';

/** The product as JSON text with `result` and `changed`, or the fields without which there can be no new one. */
export type SyncOutcome = string | { missing: string[] };

interface Folded {
  /** As it is in the table; undefined when it is not there. */
  stored: Product | undefined;
  present: Product | undefined;
}

/** Creates and updates products that were sent together; several messages about one product take their turn. */
export const syncProducts = command(import.meta.url, 'syncProducts', async (tx, input: { patches: PackedPatches; now: string }) => {
  const patches = unpackPatches(input.patches);
  const products = await loadProducts(tx, patches);
  const events: NewEvent[] = [];
  const outcomes = patches.map((patch): SyncOutcome => {
    const folded = products.get(patch.product_id) as Folded;
    const verdict = applyPatch(folded.present, patch, input.now);
    if (verdict.kind === 'incomplete') return { missing: verdict.missing };
    const { result, changed, product } = verdict;
    if (verdict.writes) folded.present = product;
    const json = renderProduct(product);
    if (result !== 'unchanged')
      events.push({ type: `product.${result}`, objectId: product.product_id, at: product.updated_at, data: json });
    return `${json.slice(0, -1)},"result":"${result}","changed":${namesOf(changed)}}`;
  });
  const touched = [...products.values()].filter(({ stored, present }) => present !== stored);
  if (touched.length > 0) await save(tx, touched, events, input.now);
  return outcomes;
});

/** Takes a product out of the catalogue; answers whether it was there. */
export const deleteProduct = command(import.meta.url, 'deleteProduct', async (tx, input: { productId: string; now: string }) => {
  const product = (await loadProducts(tx, [{ product_id: input.productId }])).get(input.productId)?.stored;
  if (!product) return false;
  await saveCategories(tx, [{ stored: product, present: undefined }]);
  await tx.all(sql`delete from products where product_id = ${input.productId}`);
  await appendEvents(
    tx,
    'products',
    [{ type: 'product.deleted', objectId: input.productId, at: input.now, data: renderProduct(product) }],
    { products: -1 },
  );
  return true;
});

/** Names of fields as a JSON list; nothing in them needs escaping. */
function namesOf(fields: readonly string[]): string {
  return fields.length === 0 ? '[]' : `["${fields.join('","')}"]`;
}

export function renderProduct(product: Product): string {
  return (
    `{"product_id":${JSON.stringify(product.product_id)},"name":${JSON.stringify(product.name)},"price":${product.price},` +
    `"stock_quantity":${product.stock_quantity},"categories":${product.categories},"version":${product.version},` +
    `"created_at":"${product.created_at}","updated_at":"${product.updated_at}"}`
  );
}

/** The products that are spoken of, in the order of their ids: all who lock or create several do it in the same order. */
async function loadProducts(tx: Connection, patches: readonly ProductPatch[]): Promise<Map<string, Folded>> {
  const ids = [...new Set(patches.map((patch) => patch.product_id))].sort();
  const products = new Map<string, Folded>();
  for (const id of ids) products.set(id, { stored: undefined, present: undefined });
  const rows = await tx.all<Product>(sql`
    select product_id, name, price, stock_quantity, categories, version, created_at, updated_at, stock_as_of
    from products where product_id in ${list(ids)} order by product_id ${forUpdate}`);
  for (const row of rows) products.set(row.product_id, { stored: row, present: row });
  return products;
}

const COLUMNS = {
  product_id: 'text',
  name: 'text',
  price: 'numeric',
  stock_quantity: 'bigint',
  categories: 'json',
  stock_as_of: 'text',
  search: 'text',
  version: 'bigint',
} as const;

function valuesOf({ product_id, name, price, stock_quantity, categories, stock_as_of, version }: Product) {
  return [product_id, name, price, stock_quantity, categories, stock_as_of, `${name}\n${product_id}`.toLowerCase(), version];
}

async function save(tx: Connection, touched: readonly Folded[], events: readonly NewEvent[], now: string): Promise<void> {
  const added = touched.filter(({ stored }) => !stored).map(({ present }) => present as Product);
  const changed = touched.filter(({ stored }) => stored).map(({ present }) => present as Product);
  await Promise.all([
    insertProducts(tx, added, now),
    updateProducts(tx, changed),
    saveCategories(tx, touched),
    appendEvents(tx, 'products', events, { products: added.length }),
  ]);
}

async function insertProducts(tx: Connection, products: readonly Product[], now: string): Promise<void> {
  if (products.length === 0) return;
  try {
    await tx.all(sql`
      insert into products (product_id, name, price, stock_quantity, categories, stock_as_of, search, version, created_at, updated_at)
      select product_id, name, price, stock_quantity, categories, stock_as_of, search, version, ${now}, ${now}
      from ${bulk(COLUMNS, products.map(valuesOf))} as input`);
  } catch (error) {
    // Another node was quicker: what we decided on was not the present state.
    if (isDuplicate(error)) throw new LostRace('a product was created at the same time');
    throw error;
  }
}

/** All of them are there, and locked: writing over them in one go takes SQLite less than an update by a list does. */
async function updateProducts(tx: Connection, products: readonly Product[]): Promise<void> {
  if (products.length === 0) return;
  const rows = products.map((product) => [...valuesOf(product), product.updated_at]);
  await tx.all(sql`
    insert into products (product_id, name, price, stock_quantity, categories, stock_as_of, search, version, created_at, updated_at)
    select product_id, name, price, stock_quantity, categories, stock_as_of, search, version, updated_at, updated_at
    from ${bulk({ ...COLUMNS, updated_at: 'text' }, rows)} as input where true
    on conflict (product_id) do update set name = excluded.name, price = excluded.price, stock_quantity = excluded.stock_quantity,
      categories = excluded.categories, stock_as_of = excluded.stock_as_of, search = excluded.search, version = excluded.version,
      updated_at = excluded.updated_at`);
}

/** The index of categories, for the products whose categories have changed. */
async function saveCategories(tx: Connection, touched: readonly Folded[]): Promise<void> {
  const moved = touched.filter(({ stored, present }) => (stored?.categories ?? '[]') !== (present?.categories ?? '[]'));
  const columns = { category: 'text', product_id: 'text' } as const;
  const before = moved.flatMap(({ stored }) => entriesOf(stored));
  const after = moved.flatMap(({ present }) => entriesOf(present));
  const removed =
    before.length === 0
      ? undefined
      : tx.all(sql`
    delete from product_categories where (category, product_id) in (select category, product_id from ${bulk(columns, before)} as input)`);
  const added =
    after.length === 0
      ? undefined
      : tx.all(sql`
    insert into product_categories (category, product_id) select category, product_id from ${bulk(columns, after)} as input`);
  await Promise.all([removed, added]);
}

function entriesOf(product: Product | undefined): [category: string, productId: string][] {
  if (!product || product.categories === '[]') return [];
  return (JSON.parse(product.categories) as string[]).map((category) => [category, product.product_id]);
}
