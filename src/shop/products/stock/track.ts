import { bulk } from '../../../db/bulk.ts';
import type { Connection } from '../../../db/database.ts';
import { sql } from '../../../db/sql.ts';
import { firstIdAt } from '../../../lib/ids.ts';
import { isLate, type Product, type ProductPatch } from '../rules.ts';
import type { StockBook } from './book.ts';
import { totalOf } from './rules.ts';
import { openBook } from './save.ts';

/** What is said about the stock of products, of which some are tracked: for those every change is a movement. */
export interface TrackedStock {
  readonly book: StockBook;
  /** How many units are promised to orders, when a message would stop the tracking of them. */
  promised(present: Product | undefined, patch: ProductPatch): number;
  /** The message with what it makes of the stock of a tracked product: what it counted, and what has moved since. */
  counted(present: Product | undefined, patch: ProductPatch): ProductPatch;
  /** Writes down what a message has made of a product. */
  follow(before: Product | undefined, after: Product, patch: ProductPatch): void;
}

/** The stock of the products that are tracked, or are to be; undefined when there are none. The products are locked. */
export async function openTracked(
  tx: Connection,
  products: readonly (Product | undefined)[],
  patches: readonly ProductPatch[],
  now: number,
): Promise<TrackedStock | undefined> {
  const ids = new Set<string>();
  for (const product of products) if (product?.track_stock === 1) ids.add(product.product_id);
  for (const { product_id, more } of patches) if (more?.track_stock === true) ids.add(product_id);
  if (ids.size === 0) return undefined;
  const sorted = [...ids].sort();
  const counts = patches.filter(
    (patch) => ids.has(patch.product_id) && patch.stock_quantity !== undefined && patch.stock_as_of !== undefined,
  );
  const [book, moved] = await Promise.all([openBook(tx, sorted, now), movedSince(tx, counts)]);
  return trackedStock(book, moved);
}

function trackedStock(book: StockBook, moved: ReadonlyMap<string, number>): TrackedStock {
  return {
    book,
    promised: (present, patch) => {
      const stops = present?.track_stock === 1 && patch.more?.track_stock === false && !isLate(present, patch);
      return stops ? totalOf(book.levelsOf(present.product_id)).reserved : 0;
    },
    counted: (present, patch) => {
      if (present?.track_stock !== 1 || patch.stock_quantity === undefined || patch.stock_as_of === undefined) return patch;
      const asOf = wholeMilliseconds(patch.stock_as_of);
      const since = (moved.get(nameOf(patch.product_id, asOf)) ?? 0) + book.addedAfter(patch.product_id, asOf);
      const allowed = patch.more?.allow_backorder ?? present.allow_backorder === 1;
      // What has left since the count was there when it was counted: that takes no product below zero, and brings none back that was below it.
      const least = allowed ? -Number.MAX_SAFE_INTEGER : Math.min(0, present.stock_quantity);
      const stock_quantity = Math.min(Number.MAX_SAFE_INTEGER, Math.max(least, patch.stock_quantity + since));
      return { ...patch, stock_quantity };
    },
    follow: (before, after, { stock_as_of }) => {
      const [was, is] = [before?.track_stock === 1, after.track_stock === 1];
      if (was && is && before?.allow_backorder !== after.allow_backorder)
        book.allowBackorder(after.product_id, after.allow_backorder === 1);
      if (was && is) book.count(after.product_id, after.stock_quantity, stock_as_of && wholeMilliseconds(stock_as_of));
      else if (is) book.open(after.product_id, after.stock_quantity, after.allow_backorder === 1);
      else if (was) book.close(after.product_id);
    },
  };
}

/** What was added on hand to products since each of these counts. What a ledger begins with was there before. A count that was told late tells of the time when it was made. */
async function movedSince(tx: Connection, counts: readonly ProductPatch[]): Promise<Map<string, number>> {
  if (counts.length === 0) return new Map();
  const rows = counts.map(({ product_id, stock_as_of = '' }) => {
    const asOf = wholeMilliseconds(stock_as_of);
    return [product_id, asOf, firstIdAt('mov', Date.parse(asOf))];
  });
  const sums = await tx.all<{ product_id: string; as_of: string; added: number }>(sql`
    select input.product_id, input.as_of, cast(sum(m.delta) as bigint) as added
    from (select distinct product_id, as_of, from_id from ${bulk({ product_id: 'text', as_of: 'text', from_id: 'text' }, rows)} as given) as input
    join stock_movements m on m.product_id = input.product_id and m.id >= input.from_id and coalesce(m.as_of, m.at) > input.as_of
      and m.kind not in ('opened', 'closed')
    group by input.product_id, input.as_of`);
  return new Map(sums.map(({ product_id, as_of, added }) => [nameOf(product_id, as_of), added]));
}

/** Movements have milliseconds, and times that are given may have more. */
function wholeMilliseconds(exact: string): string {
  return `${exact.slice(0, 23)}Z`;
}

function nameOf(productId: string, asOf: string): string {
  return `${asOf}\0${productId}`;
}
