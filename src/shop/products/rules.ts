import type { ProductsTable } from '../../db/tables.ts';

/** What a message says about a product; what it leaves out keeps its value. */
export interface ProductPatch {
  product_id: string;
  name?: string | undefined;
  /** Decimal text. */
  price?: string | undefined;
  stock_quantity?: number | undefined;
  /** JSON text of a list of names. */
  categories?: string | undefined;
  /** When the sender looked at its stock, in a form that compares as text. */
  stock_as_of?: string | undefined;
}

export type Product = Omit<ProductsTable, 'search'>;

type SyncResult = 'created' | 'updated' | 'unchanged';

export type SyncVerdict =
  | { kind: 'applied'; result: SyncResult; changed: readonly string[]; product: Product; writes: boolean }
  | { kind: 'incomplete'; missing: string[] };

const FIELDS = ['name', 'price', 'stock_quantity', 'categories'] as const;

/** What a message makes of a product, or why it cannot make one. */
export function applyPatch(present: Product | undefined, patch: ProductPatch, now: string): SyncVerdict {
  return present ? update(present, patch, now) : create(patch, now);
}

function create(patch: ProductPatch, now: string): SyncVerdict {
  const { product_id, name, price, stock_quantity = 0, categories = '[]', stock_as_of = null } = patch;
  if (name === undefined || price === undefined) {
    return { kind: 'incomplete', missing: [...(name === undefined ? ['name'] : []), ...(price === undefined ? ['price'] : [])] };
  }
  const product = { product_id, name, price, stock_quantity, categories, version: 1, created_at: now, updated_at: now, stock_as_of };
  return { kind: 'applied', result: 'created', changed: FIELDS, product, writes: true };
}

function update(present: Product, patch: ProductPatch, now: string): SyncVerdict {
  const late = patch.stock_as_of !== undefined && present.stock_as_of !== null && patch.stock_as_of < present.stock_as_of;
  const changed = late ? [] : changedFields(present, patch);
  // A newer look at an unchanged product is remembered, or a message from in between could still overwrite it; nobody is
  // told, as nothing that can be seen has changed.
  const stock_as_of = late ? present.stock_as_of : (patch.stock_as_of ?? present.stock_as_of);
  if (changed.length === 0) {
    const writes = stock_as_of !== present.stock_as_of;
    return { kind: 'applied', result: 'unchanged', changed: [], product: writes ? { ...present, stock_as_of } : present, writes };
  }
  const product: Product = {
    product_id: present.product_id,
    name: patch.name ?? present.name,
    price: patch.price ?? present.price,
    stock_quantity: patch.stock_quantity ?? present.stock_quantity,
    categories: patch.categories ?? present.categories,
    version: present.version + 1,
    created_at: present.created_at,
    updated_at: now > present.updated_at ? now : present.updated_at,
    stock_as_of,
  };
  return { kind: 'applied', result: 'updated', changed, product, writes: true };
}

/** Written out, as the fields of a thousand products are compared with every batch. */
function changedFields(present: Product, { name, price, stock_quantity, categories }: ProductPatch): string[] {
  const changed: string[] = [];
  if (name !== undefined && name !== present.name) changed.push('name');
  if (price !== undefined && price !== present.price) changed.push('price');
  if (stock_quantity !== undefined && stock_quantity !== present.stock_quantity) changed.push('stock_quantity');
  if (categories !== undefined && categories !== present.categories) changed.push('categories');
  return changed;
}
