import { SHOP_ROWS, type ShopRows } from '../../connectors/shop-streams.ts';
import { may } from '../../http/scopes.ts';
import type { Asking } from './rules.ts';

// A mark says which rows of the shop something may show. It is kept with it, as text.

/** What belongs to either. A synchronization that had the shop at an end still has rows of it in its runs and rejects. */
export function joinShopRows(one: string | null, other: string | null): string {
  const both = new Set([...rowsIn(one), ...rowsIn(other)]);
  return SHOP_ROWS.filter((rows) => both.has(rows)).join(' ');
}

/** The scopes that the caller lacks to see rows that were kept with this mark. */
export function hiddenRows(asking: Asking, mark: string | null): ShopRows[] {
  return rowsIn(mark).filter((rows) => !may(asking, `${rows}:read`));
}

/** Of what was written before marks were kept, nobody knows what is in it. */
function rowsIn(mark: string | null): ShopRows[] {
  return mark === null ? [...SHOP_ROWS] : SHOP_ROWS.filter((rows) => mark.split(' ').includes(rows));
}
