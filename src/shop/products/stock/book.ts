import { isoTime } from '../../../lib/clock.ts';
import { idOf } from '../../../lib/ids.ts';
import { DEFAULT_LOCATION, inTurn, portionsOfCount, portionsToReserve, type StockLevel, type StockPortion, totalOf } from './rules.ts';

/** Why there is more or less on hand. */
export const MOVEMENT_KINDS = ['opened', 'adjusted', 'counted', 'shipped', 'returned', 'closed'] as const;
type MovementKind = (typeof MOVEMENT_KINDS)[number];

/** An entry of the ledger: what was added on hand at a location, and what there was after it. */
export interface StockMovement {
  product_id: string;
  id: string;
  location: string;
  kind: MovementKind;
  delta: number;
  on_hand: number;
  reason: string | null;
  order_id: string | null;
  at: string;
  /** Of a count: when it was counted, if that was earlier. */
  as_of: string | null;
}

/** What an order has of a product at a location: promised to it, and taken out for it. Or what is added to both. */
export interface StockHold {
  order_id: string;
  product_id: string;
  location: string;
  held: number;
  shipped: number;
  opened_at: string;
}

/** What a movement may have beyond its numbers. */
type Notes = Partial<Pick<StockMovement, 'reason' | 'order_id' | 'as_of'>>;

/** An order wants more of a product than there is. */
export interface Shortage {
  product_id: string;
  wanted: number;
  available: number;
}

interface KeptLevel {
  level: StockLevel;
  /** What the table has; undefined for a location that is new. */
  stored: Pick<StockLevel, 'on_hand' | 'reserved' | 'backorder'> | undefined;
}

/** So many ids of one moment have the same place; they are told apart by chance. */
const CHANCE = 2 ** 32;

/**
 * The stock of some products within one transaction, whose rows are locked. Changes are made here, one after the other, each change on hand with its entry in
 * the ledger, and written down together in the end.
 */
export class StockBook {
  readonly movements: StockMovement[] = [];
  /** What is added to what orders have. */
  readonly holds: StockHold[] = [];
  /** Products that are no longer tracked. */
  readonly closed = new Set<string>();
  readonly at: string;
  readonly #time: number;
  readonly #levels = new Map<string, KeptLevel[]>();

  constructor(levels: readonly StockLevel[], now: number) {
    let last = '';
    for (const level of levels) {
      const { on_hand, reserved, backorder } = level;
      this.#keep({ level, stored: { on_hand, reserved, backorder } });
      if (level.moved_at > last) last = level.moved_at;
    }
    // The clock of another node may be ahead of ours. The entries of a product stay in the order in which they were made.
    this.#time = last === '' ? now : Math.max(now, Date.parse(last) + 1);
    this.at = isoTime(this.#time);
  }

  /** The levels of a product, in the order in which they are taken from; none when it is not tracked. */
  levelsOf(productId: string): StockLevel[] {
    return (this.#levels.get(productId) ?? []).map(({ level }) => level);
  }

  /** The products whose ledger has new entries, or that have none available where there was some, or some where there was none. */
  notable(): string[] {
    const notable = new Set<string>([...this.closed, ...this.movements.map(({ product_id }) => product_id)]);
    for (const [productId, kept] of this.#levels) {
      let [before, after] = [0, 0];
      for (const { level, stored } of kept) {
        before += stored ? stored.on_hand - stored.reserved : 0;
        after += level.on_hand - level.reserved;
      }
      if (before > 0 !== after > 0) notable.add(productId);
    }
    return [...notable];
  }

  /** Every level with what the table has of it. */
  kept(): KeptLevel[] {
    return [...this.#levels.values()].flat();
  }

  /** Takes all that an order wants, or nothing. What is not tracked cannot run out. Answers what there is too little of. */
  reserve(orderId: string, wanted: ReadonlyMap<string, number>): Shortage[] {
    const shortages: Shortage[] = [];
    const taken: { productId: string; portions: StockPortion[] }[] = [];
    for (const [productId, quantity] of wanted) {
      const levels = this.levelsOf(productId);
      if (levels.length === 0) continue;
      const portions = portionsToReserve(levels, quantity);
      if (portions) taken.push({ productId, portions });
      else shortages.push({ product_id: productId, wanted: quantity, available: Math.max(0, totalOf(levels).available) });
    }
    if (shortages.length > 0) return shortages;
    for (const { productId, portions } of taken)
      for (const { location, quantity } of portions) this.#hold(orderId, productId, location, quantity, 0);
    return [];
  }

  /** Gives back what was reserved for an order. */
  release(orderId: string, productId: string, portions: readonly StockPortion[]): void {
    for (const { location, quantity } of portions) this.#hold(orderId, productId, location, -quantity, 0);
  }

  /** Takes out what was reserved for an order. What was sent away was there, whatever a count has said meanwhile. */
  ship(orderId: string, productId: string, portions: readonly StockPortion[]): void {
    for (const { location, quantity } of portions) {
      const level = this.#find(productId, location)?.level;
      if (!level) continue;
      this.#hold(orderId, productId, location, -quantity, quantity);
      const there = level.backorder === 1 ? quantity : Math.min(quantity, Math.max(0, level.on_hand));
      this.#move(productId, location, 'shipped', -there, { order_id: orderId });
    }
  }

  /** Puts back what an order has taken out, also at a location that is new. */
  putBack(orderId: string, productId: string, portions: readonly StockPortion[]): void {
    for (const { location, quantity } of portions) {
      this.#demand(productId, location);
      this.#hold(orderId, productId, location, 0, -quantity);
      this.#move(productId, location, 'returned', quantity, { order_id: orderId });
    }
  }

  /** Adds to a location, which may be a new one, or takes away. Answers undefined when there is too little that is not promised. */
  adjust(productId: string, location: string, delta: number, reason: string | null): StockMovement | undefined {
    const [first] = this.levelsOf(productId);
    if (!first) return undefined;
    const level = this.#find(productId, location)?.level;
    const available = (level?.on_hand ?? 0) - (level?.reserved ?? 0) + delta;
    if (delta < 0 && available < 0 && first.backorder !== 1) return undefined;
    this.#demand(productId, location);
    this.#move(productId, location, 'adjusted', delta, { reason });
    return this.movements.at(-1);
  }

  /** Begins the ledger of a product with what it has. */
  open(productId: string, onHand: number, backorder: boolean): void {
    const none = { on_hand: 0, reserved: 0, opened_at: this.at, moved_at: this.at };
    this.#add({ product_id: productId, location: DEFAULT_LOCATION, backorder: backorder ? 1 : 0, ...none });
    this.#move(productId, DEFAULT_LOCATION, 'opened', onHand);
  }

  /** Ends it, when nothing is reserved: the sum of the ledger is nothing. */
  close(productId: string): void {
    for (const { location, on_hand } of this.levelsOf(productId)) this.#move(productId, location, 'closed', -on_hand);
    this.#levels.delete(productId);
    this.closed.add(productId);
  }

  /** A count has found so many in all, at that time if it is told. */
  count(productId: string, onHand: number, asOf: string | undefined): void {
    const levels = this.levelsOf(productId);
    const as_of = asOf === undefined || asOf >= this.at ? null : asOf;
    for (const { location, quantity } of portionsOfCount(levels, onHand - totalOf(levels).on_hand))
      this.#move(productId, location, 'counted', quantity, { as_of });
  }

  /** What was added on hand after a time, within this transaction. */
  addedAfter(productId: string, asOf: string): number {
    return this.movements
      .filter(
        ({ product_id, kind, as_of, at }) => product_id === productId && kind !== 'opened' && kind !== 'closed' && (as_of ?? at) > asOf,
      )
      .reduce((sum, { delta }) => sum + delta, 0);
  }

  allowBackorder(productId: string, allowed: boolean): void {
    for (const { level } of this.#levels.get(productId) ?? []) level.backorder = allowed ? 1 : 0;
  }

  #find(productId: string, location: string): KeptLevel | undefined {
    return this.#levels.get(productId)?.find(({ level }) => level.location === location);
  }

  #keep(kept: KeptLevel): void {
    const levels = this.#levels.get(kept.level.product_id);
    if (!levels) this.#levels.set(kept.level.product_id, [kept]);
    else {
      levels.push(kept);
      levels.sort((a, b) => inTurn(a.level, b.level));
    }
  }

  /** Makes a location of a tracked product, if it is not there. */
  #demand(productId: string, location: string): void {
    const [first] = this.levelsOf(productId);
    if (first && !this.#find(productId, location)) this.#add({ ...first, location, on_hand: 0, reserved: 0 });
  }

  #add(level: StockLevel): void {
    this.#keep({ level, stored: undefined });
  }

  #hold(orderId: string, productId: string, location: string, held: number, shipped: number): void {
    const level = this.#find(productId, location)?.level;
    if (!level) return;
    level.reserved += held;
    this.holds.push({ order_id: orderId, product_id: productId, location, held, shipped, opened_at: level.opened_at });
  }

  #move(productId: string, location: string, kind: MovementKind, delta: number, notes: Notes = {}): void {
    const level = this.#find(productId, location)?.level;
    if (!level || (delta === 0 && kind !== 'opened')) return;
    level.on_hand += delta;
    level.moved_at = this.at;
    this.movements.push({
      product_id: productId,
      id: idOf('mov', this.#time, this.movements.length * CHANCE + Math.floor(Math.random() * CHANCE)),
      location,
      kind,
      delta,
      on_hand: level.on_hand,
      reason: notes.reason ?? null,
      order_id: notes.order_id ?? null,
      at: this.at,
      as_of: notes.as_of ?? null,
    });
  }
}
