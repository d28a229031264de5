import type { Connection } from '../../../db/database.ts';
import { appendEvents, type NewEvent } from '../../../events/append.ts';
import { lockProducts, renderProduct, updateProducts } from '../rows.ts';
import type { Product } from '../rules.ts';
import type { StockBook } from './book.ts';
import { totalOf } from './rules.ts';
import { type MovementKey, openBook, saveStock, tellOfStock } from './save.ts';

/** The stock of some products with the products themselves: `stock_quantity` is what they have on hand in all. */
export interface ProductStock {
  readonly book: StockBook;
  /** Those that there are. */
  readonly products: ReadonlyMap<string, Product>;
}

/** Locks the products and then their stock, as all do who change what is on hand. */
export async function openProductStock(tx: Connection, productIds: readonly string[], now: number): Promise<ProductStock> {
  const ids = [...new Set(productIds)].sort();
  const [products, book] = await Promise.all([lockProducts(tx, ids), openBook(tx, ids, now)]);
  return { book, products: new Map(products.map((product) => [product.product_id, product])) };
}

/** Writes down the stock and what it makes of the products. What it answers tells of it: call that last. */
export async function saveProductStock(tx: Connection, { book, products }: ProductStock, key?: MovementKey): Promise<() => Promise<void>> {
  const before: Product[] = [];
  const after: Product[] = [];
  for (const product of products.values()) {
    if (product.track_stock !== 1) continue;
    const { on_hand } = totalOf(book.levelsOf(product.product_id));
    if (on_hand === product.stock_quantity) continue;
    before.push(product);
    after.push({
      ...product,
      stock_quantity: on_hand,
      version: product.version + 1,
      updated_at: book.at > product.updated_at ? book.at : product.updated_at,
    });
  }
  await Promise.all([saveStock(tx, book, key), updateProducts(tx, after, before)]);
  const events = after.map(
    (product): NewEvent => ({
      type: 'product.updated',
      objectId: product.product_id,
      at: product.updated_at,
      data: renderProduct(product),
    }),
  );
  return async () => {
    await Promise.all([appendEvents(tx, 'products', events, {}), tellOfStock(tx, book)]);
  };
}
