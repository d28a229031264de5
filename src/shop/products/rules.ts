import type { ProductsTable } from '../../db/tables.ts';
import { changedExtras, extraOf, type ExtraPatch, mergedExtra } from './extras.ts';

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
  /** What only some messages say. */
  more?: MorePatch | undefined;
}

export interface MorePatch {
  track_stock?: boolean;
  allow_backorder?: boolean;
  extras?: ExtraPatch;
  /** Only a product that is there is changed, and only when it has this version, if there is one. */
  present?: { version: number | null };
}

export type Product = Omit<ProductsTable, 'search'>;

type SyncResult = 'created' | 'updated' | 'unchanged';

export type SyncVerdict =
  | { kind: 'applied'; result: SyncResult; changed: readonly string[]; product: Product; writes: boolean }
  | { kind: 'incomplete'; missing: string[] }
  | { kind: 'not_found' }
  | { kind: 'version_conflict'; version: number };

const FIELDS = ['name', 'price', 'stock_quantity', 'categories'] as const;

/** What a message makes of a product, or why it cannot make one. */
export function applyPatch(present: Product | undefined, patch: ProductPatch, now: string): SyncVerdict {
  const wanted = patch.more?.present;
  if (wanted && !present) return { kind: 'not_found' };
  if (wanted && present && wanted.version !== null && wanted.version !== present.version)
    return { kind: 'version_conflict', version: present.version };
  return present ? update(present, patch, now) : create(patch, now);
}

function create(patch: ProductPatch, now: string): SyncVerdict {
  const { product_id, name, price, stock_quantity = 0, categories = '[]', stock_as_of = null, more } = patch;
  if (name === undefined || price === undefined) {
    return { kind: 'incomplete', missing: [...(name === undefined ? ['name'] : []), ...(price === undefined ? ['price'] : [])] };
  }
  const product: Product = {
    product_id,
    name,
    price,
    stock_quantity,
    categories,
    version: 1,
    created_at: now,
    updated_at: now,
    stock_as_of,
    extra: more?.extras ? extraOf(more.extras) : null,
    track_stock: flagOf(more?.track_stock) ?? null,
    allow_backorder: flagOf(more?.allow_backorder) ?? null,
  };
  const changed = more ? [...FIELDS, ...changedMore(undefined, more)] : FIELDS;
  return { kind: 'applied', result: 'created', changed, product, writes: true };
}

/** Whether a message is of an earlier look than what is known. */
export function isLate(present: Product, { stock_as_of }: ProductPatch): boolean {
  return stock_as_of !== undefined && present.stock_as_of !== null && stock_as_of < present.stock_as_of;
}

function update(present: Product, patch: ProductPatch, now: string): SyncVerdict {
  const late = isLate(present, patch);
  const changed = late ? [] : changedFields(present, patch);
  // A newer look at an unchanged product is remembered, or a message from in between could still overwrite it; nobody is
  // told, as nothing that can be seen has changed.
  const stock_as_of = late ? present.stock_as_of : (patch.stock_as_of ?? present.stock_as_of);
  if (changed.length === 0) {
    const writes = stock_as_of !== present.stock_as_of;
    return { kind: 'applied', result: 'unchanged', changed: [], product: writes ? { ...present, stock_as_of } : present, writes };
  }
  const { more } = patch;
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
    extra: more?.extras ? mergedExtra(present.extra, more.extras) : present.extra,
    track_stock: flagOf(more?.track_stock) ?? present.track_stock,
    allow_backorder: flagOf(more?.allow_backorder) ?? present.allow_backorder,
  };
  return { kind: 'applied', result: 'updated', changed, product, writes: true };
}

/** Written out, as the fields of a thousand products are compared with every batch. */
function changedFields(present: Product, { name, price, stock_quantity, categories, more }: ProductPatch): string[] {
  const changed: string[] = [];
  if (name !== undefined && name !== present.name) changed.push('name');
  if (price !== undefined && price !== present.price) changed.push('price');
  if (stock_quantity !== undefined && stock_quantity !== present.stock_quantity) changed.push('stock_quantity');
  if (categories !== undefined && categories !== present.categories) changed.push('categories');
  if (more) changed.push(...changedMore(present, more));
  return changed;
}

function changedMore(present: Product | undefined, { track_stock, allow_backorder, extras }: MorePatch): string[] {
  const changed: string[] = [];
  if (isNew(present?.track_stock, track_stock)) changed.push('track_stock');
  if (isNew(present?.allow_backorder, allow_backorder)) changed.push('allow_backorder');
  if (extras) changed.push(...changedExtras(present?.extra ?? null, extras));
  return changed;
}

function isNew(present: number | null | undefined, given: boolean | undefined): boolean {
  return given !== undefined && flagOf(given) !== present;
}

function flagOf(given: boolean | undefined): number | undefined {
  return given === undefined ? undefined : given ? 1 : 0;
}
