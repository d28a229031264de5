import { bulk } from '../../db/bulk.ts';
import { command, type Connection } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import { appendEvents, type NewEvent } from '../../events/append.ts';
import { type PackedPatches, unpackPatches } from './packing.ts';
import { insertProducts, lockProducts, renderProduct, updateProducts } from './rows.ts';
import { applyPatch, type Product, type ProductPatch, type SyncVerdict } from './rules.ts';
import { saveStock, tellOfStock } from './stock/save.ts';
import { openTracked, type TrackedStock } from './stock/track.ts';

/** The product as JSON text with `result` and `changed`, or why there is none. */
export type SyncOutcome = string | SyncRefusal;

export type SyncRefusal =
  | Exclude<SyncVerdict, { kind: 'applied' }>
  /** Its stock cannot stop to be tracked while orders wait for some of it. */
  | { kind: 'promised'; units: number };

interface Folded {
  /** As it is in the table; undefined when it is not there. */
  stored: Product | undefined;
  present: Product | undefined;
}

/** Creates and updates products that were sent together; several messages about one product take their turn. */
export const syncProducts = command(import.meta.url, 'syncProducts', async (tx, input: { patches: PackedPatches; now: string }) => {
  const patches = unpackPatches(input.patches);
  const products = await loadProducts(tx, patches);
  const tracked = await openTracked(
    tx,
    Array.from(products.values(), ({ stored }) => stored),
    patches,
    Date.parse(input.now),
  );
  const events: NewEvent[] = [];
  const outcomes = patches.map((given): SyncOutcome => {
    const folded = products.get(given.product_id) as Folded;
    const units = tracked?.promised(folded.present, given) ?? 0;
    if (units > 0) return { kind: 'promised', units };
    const patch = tracked ? tracked.counted(folded.present, given) : given;
    const verdict = applyPatch(folded.present, patch, input.now);
    if (verdict.kind !== 'applied') return verdict;
    const { result, changed, product } = verdict;
    if (result !== 'unchanged') tracked?.follow(folded.present, product, patch);
    if (verdict.writes) folded.present = product;
    const json = renderProduct(product);
    if (result !== 'unchanged')
      events.push({ type: `product.${result}`, objectId: product.product_id, at: product.updated_at, data: json });
    return `${json.slice(0, -1)},"result":"${result}","changed":${namesOf(changed)}}`;
  });
  const touched = [...products.values()].filter(({ stored, present }) => present !== stored);
  if (touched.length > 0) await save(tx, touched, events, input.now, tracked);
  return outcomes;
});

/** Takes a product out of the catalogue; answers whether it was there. */
export const deleteProduct = command(import.meta.url, 'deleteProduct', async (tx, input: { productId: string; now: string }) => {
  const product = (await loadProducts(tx, [{ product_id: input.productId }])).get(input.productId)?.stored;
  if (!product) return false;
  await saveCategories(tx, [{ stored: product, present: undefined }]);
  await tx.all(sql`delete from products where product_id = ${input.productId}`);
  if (product.track_stock !== null) {
    await tx.all(sql`delete from stock where product_id = ${input.productId}`);
    await tx.all(sql`delete from stock_movements where product_id = ${input.productId}`);
  }
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

/** The products that are spoken of, in the order of their ids: all who lock or create several do it in the same order. */
async function loadProducts(tx: Connection, patches: readonly ProductPatch[]): Promise<Map<string, Folded>> {
  const ids = [...new Set(patches.map((patch) => patch.product_id))].sort();
  const products = new Map<string, Folded>();
  for (const id of ids) products.set(id, { stored: undefined, present: undefined });
  for (const row of await lockProducts(tx, ids)) products.set(row.product_id, { stored: row, present: row });
  return products;
}

async function save(
  tx: Connection,
  touched: readonly Folded[],
  events: readonly NewEvent[],
  now: string,
  tracked: TrackedStock | undefined,
): Promise<void> {
  const added = touched.filter(({ stored }) => !stored).map(({ present }) => present as Product);
  const changed = touched.filter(({ stored }) => stored);
  await Promise.all([
    insertProducts(tx, added, now),
    updateProducts(
      tx,
      changed.map(({ present }) => present as Product),
      changed.map(({ stored }) => stored as Product),
    ),
    saveCategories(tx, touched),
    tracked && saveStock(tx, tracked.book),
    appendEvents(tx, 'products', events, { products: added.length }),
    tracked && tellOfStock(tx, tracked.book),
  ]);
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
