// How much of a product is where. Pure: nothing here knows a database.

export const DEFAULT_LOCATION = 'default';

/** What a product has at one location. */
export interface StockLevel {
  product_id: string;
  location: string;
  on_hand: number;
  /** Promised to orders, and still on hand. */
  reserved: number;
  /** 1 when more may be promised than there is. */
  backorder: number;
  /** Since when it is tracked, and when the last movement was. */
  opened_at: string;
  moved_at: string;
}

/** A part of a quantity, and where it is. */
export interface StockPortion {
  location: string;
  quantity: number;
}

/** Locations in the order in which they are taken from: the one that every product has first, then by name. */
export function inTurn(a: StockLevel, b: StockLevel): number {
  if (a.location === b.location) return 0;
  if (a.location === DEFAULT_LOCATION) return -1;
  if (b.location === DEFAULT_LOCATION) return 1;
  return a.location < b.location ? -1 : 1;
}

export function totalOf(levels: readonly StockLevel[]): { on_hand: number; reserved: number; available: number } {
  let [on_hand, reserved] = [0, 0];
  for (const level of levels) {
    on_hand += level.on_hand;
    reserved += level.reserved;
  }
  return { on_hand, reserved, available: on_hand - reserved };
}

/**
 * From where a quantity is reserved: from the first location that has some, and what is missing there from the next. What nobody has is
 * promised at the first location when that is allowed; else there is no way, and the answer is undefined.
 */
export function portionsToReserve(levels: readonly StockLevel[], quantity: number): StockPortion[] | undefined {
  const portions: StockPortion[] = [];
  let missing = quantity;
  for (const { location, on_hand, reserved } of levels) {
    const taken = Math.min(missing, Math.max(0, on_hand - reserved));
    if (taken > 0) portions.push({ location, quantity: taken });
    missing -= taken;
    if (missing === 0) return portions;
  }
  const [first] = levels;
  if (!first || first.backorder !== 1) return undefined;
  const before = portions.find(({ location }) => location === first.location);
  if (before) before.quantity += missing;
  else portions.unshift({ location: first.location, quantity: missing });
  return portions;
}

/**
 * Where a count found more or less than was known. More is at the first location. Less is missing at the first location that has
 * some, then at the next: a location never has less than nothing, unless more may be promised than there is.
 */
export function portionsOfCount(levels: readonly StockLevel[], difference: number): StockPortion[] {
  const [first] = levels;
  if (!first || difference === 0) return [];
  if (difference > 0) return [{ location: first.location, quantity: difference }];
  const portions: StockPortion[] = [];
  let missing = -difference;
  for (const { location, on_hand } of levels) {
    const taken = Math.min(missing, Math.max(0, on_hand));
    if (taken > 0) portions.push({ location, quantity: -taken });
    missing -= taken;
    if (missing === 0) return portions;
  }
  if (first.backorder !== 1) return portions;
  const before = portions.find(({ location }) => location === first.location);
  if (before) before.quantity -= missing;
  else portions.unshift({ location: first.location, quantity: -missing });
  return portions;
}

/** Cuts a quantity out of portions, in their order; what they do not have is left out. One of less than nothing has nothing. */
export function cut(portions: readonly StockPortion[], quantity: number): StockPortion[] {
  const parts: StockPortion[] = [];
  let missing = quantity;
  for (const portion of portions) {
    const taken = Math.max(0, Math.min(missing, portion.quantity));
    if (taken > 0) parts.push({ location: portion.location, quantity: taken });
    missing -= taken;
  }
  return parts;
}
