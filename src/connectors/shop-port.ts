import type { Reject } from './batch.ts';
import type { Row } from './canonical.ts';
import type { ShopStream } from './shop-streams.ts';

/** A piece of what the shop holds, in the order in which it was committed. */
export interface ShopPage {
  rows: readonly Row[];
  /** Goes on behind this page. */
  position: string;
  /** Keys of what is gone since. */
  deleted: readonly Row[];
  /** Whether there was no more at the moment of reading. */
  complete: boolean;
}

/** An order or product that was created, changed or deleted, as it was then; or a change of stock. */
export interface ShopChange {
  /** Its place in the feed, which is the order of commits. */
  readonly seq: number;
  /** When, in milliseconds. */
  readonly at: number;
  /** The rows that it is in each of the streams that were asked for; of what was deleted, the keys. A change of an order may add lines, or take some away. */
  readonly rows: readonly { readonly op: 'insert' | 'update' | 'delete'; readonly stream: ShopStream; readonly row: Row }[];
}

export interface ShopChanges {
  readonly changes: readonly ShopChange[];
  /** Up to this place nothing is missing. */
  readonly seq: number;
}

/** What the shop's connector asks of it: Syncline's own orders and products, by the shop's own rules. */
export interface ShopPort {
  /** Rows of a stream with all its fields, from the beginning or behind a position; who follows also hears of what changes meanwhile. */
  read(stream: ShopStream, after: string | undefined, most: number, follows: boolean): Promise<ShopPage>;
  /** The place of the last change of all. */
  lastChange(): Promise<number>;
  /** What has changed behind a place, one change after the other; about so many. */
  changes(streams: readonly ShopStream[], after: number, most: number): Promise<ShopChanges>;
  /** Rows with these keys as they are now, and maybe others of the same orders; those that are gone are missing. */
  find(stream: ShopStream, keys: readonly Row[]): Promise<readonly Row[]>;
  /** How many there are, exactly. */
  count(stream: 'orders' | 'products'): Promise<number>;
  /** Creates or updates products; a bad one is a reject by its index, and stops no other. */
  writeProducts(
    products: readonly Readonly<Record<string, unknown>>[],
  ): Promise<{ inserted: number; updated: number; unchanged: number; rejects: Reject[] }>;
  /** Removes products; answers how many there were. */
  deleteProducts(ids: readonly string[]): Promise<number>;
  /**
   * Creates orders that are not there yet, told apart by `external_id`; a bad one is a reject by its index. Those that are there are left as they are, or,
   * with `follows`, become what is said of them.
   */
  writeOrders(
    orders: readonly Readonly<Record<string, unknown>>[],
    follows: boolean,
  ): Promise<{ inserted: number; updated: number; unchanged: number; rejects: Reject[] }>;
}
