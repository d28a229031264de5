import { bulk, list } from '../../db/bulk.ts';
import { command, type Connection, LostRace } from '../../db/database.ts';
import { isDuplicate } from '../../db/errors.ts';
import { forUpdate, sql } from '../../db/sql.ts';
import { appendEvents, type NewEvent } from '../../events/append.ts';
import { applyPatch, type Product, type ProductPatch } from './rules.ts';

/** The product as JSON text with `result` and `changed`, or the fields without which there can be no new one. */
export type SyncOutcome = string | { missing: string[] };

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
    if (verdict.kind === 'incomplete') return { missing: verdict.missing };
    const { result, changed, product } = verdict;
    if (verdict.writes) folded.present = product;
    const json = renderProduct(product);
    if (result !== 'unchanged')
      events.push({ type: `product.${result}`, objectId: product.product_id, at: product.updated_at, data: json });
    return `${json.slice(0, -1)},"result":"${result}","changed":${JSON.stringify(changed)}}`;
  });
  const touched = [...products.values()].filter(({ stored, present }) => present !== stored);
  if (touched.length > 0) await save(tx, touched, events);
  return outcomes;
});

/** Takes a product out of the catalogue; answers whether it was there. */
export const deleteProduct = command(import.meta.url, 'deleteProduct', async (tx, input: { productId: string; now: string }) => {
  const product = (await loadProducts(tx, [input.productId])).get(input.productId)?.stored;
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

export function renderProduct(product: Product): string {
  return (
    `{"product_id":${JSON.stringify(product.product_id)},"name":${JSON.stringify(product.name)},"price":${product.price},` +
    `"stock_quantity":${product.stock_quantity},"categories":${product.categories},"version":${product.version},` +
    `"created_at":"${product.created_at}","updated_at":"${product.updated_at}"}`
  );
}

async function loadProducts(tx: Connection, ids: readonly string[]): Promise<Map<string, Folded>> {
  const rows = await tx.all<Product>(sql`
    select product_id, name, price, stock_quantity, categories, version, created_at, updated_at, stock_as_of
    from products where product_id in ${list(ids)} order by product_id ${forUpdate}`);
  const products = new Map<string, Folded>(ids.map((id) => [id, { stored: undefined, present: undefined }]));
  for (const row of rows) {
    products.set(row.product_id, { stored: row, present: row });
  }
  return products;
}

const CONTENT = {
  product_id: 'text',
  name: 'text',
  price: 'numeric',
  stock_quantity: 'bigint',
  categories: 'json',
  stock_as_of: 'text',
  search: 'text',
} as const;
const VERSIONED = { ...CONTENT, version: 'bigint', updated_at: 'text' } as const;

function contentOf(product: Product): (string | number | null)[] {
  const { product_id, name, price, stock_quantity, categories, stock_as_of } = product;
  return [product_id, name, price, stock_quantity, categories, stock_as_of, `${name}\n${product_id}`.toLowerCase()];
}

async function save(tx: Connection, touched: readonly Folded[], events: readonly NewEvent[]): Promise<void> {
  const added = touched.filter(({ stored }) => !stored).map(({ present }) => present as Product);
  const changed = touched.filter(({ stored }) => stored).map(({ present }) => present as Product);
  await Promise.all([
    insertProducts(tx, added),
    updateProducts(tx, changed),
    saveCategories(tx, touched),
    appendEvents(tx, 'products', events, { products: added.length }),
  ]);
}

async function insertProducts(tx: Connection, products: readonly Product[]): Promise<void> {
  if (products.length === 0) return;
  try {
    await tx.all(sql`
      insert into products (product_id, name, price, stock_quantity, categories, stock_as_of, search, version, created_at, updated_at)
      select product_id, name, price, stock_quantity, categories, stock_as_of, search, version, created_at, created_at
      from ${bulk(
        { ...CONTENT, version: 'bigint', created_at: 'text' },
        products.map((p) => [...contentOf(p), p.version, p.created_at]),
      )} as input`);
  } catch (error) {
    // Another node was quicker: what we decided on was not the present state.
    if (isDuplicate(error)) throw new LostRace('a product was created at the same time');
    throw error;
  }
}

async function updateProducts(tx: Connection, products: readonly Product[]): Promise<void> {
  if (products.length === 0) return;
  const rows = products.map((product) => [...contentOf(product), product.version, product.updated_at]);
  await tx.all(sql`
    update products set name = input.name, price = input.price, stock_quantity = input.stock_quantity, categories = input.categories,
      stock_as_of = input.stock_as_of, search = input.search, version = input.version, updated_at = input.updated_at
    from ${bulk(VERSIONED, rows)} as input where products.product_id = input.product_id`);
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
