import type { Reject } from './batch.ts';
import type { CanonicalType, Row } from './canonical.ts';

/** As in the contract, which lends this port to connectors. */
interface ShopField {
  readonly name: string;
  readonly type: CanonicalType;
  readonly nullable: boolean;
}

export type ShopStream = 'orders' | 'order_items' | 'products';

/** What the shop has. Each has a scope of its own for reading and one for writing. */
export const SHOP_ROWS = ['orders', 'products'] as const;
export type ShopRows = (typeof SHOP_ROWS)[number];

function fields(types: Readonly<Record<string, CanonicalType | `${CanonicalType}?`>>): ShopField[] {
  return Object.entries(types).map(([name, type]) => ({
    name,
    type: type.replace('?', '') as CanonicalType,
    nullable: type.endsWith('?'),
  }));
}

/** The streams of the shop. Fields are named as in the API. */
export const SHOP_STREAMS: Readonly<Record<ShopStream, { fields: readonly ShopField[]; key: readonly string[] }>> = {
  orders: {
    fields: fields({
      id: 'text',
      status: 'text',
      total: 'decimal',
      created_at: 'timestamptz',
      updated_at: 'timestamptz',
      version: 'int64',
      customer_id: 'text',
      currency: 'text',
      external_id: 'text?',
      shipping_address: 'json?',
      metadata: 'json',
    }),
    key: ['id'],
  },
  order_items: {
    fields: fields({
      order_id: 'text',
      line: 'int64',
      product_id: 'text',
      quantity: 'int64',
      price: 'decimal',
      line_total: 'decimal',
      product_known: 'boolean',
      updated_at: 'timestamptz',
    }),
    key: ['order_id', 'line'],
  },
  products: {
    fields: fields({
      product_id: 'text',
      name: 'text',
      price: 'decimal',
      stock_quantity: 'int64',
      categories: 'json',
      version: 'int64',
      created_at: 'timestamptz',
      updated_at: 'timestamptz',
    }),
    key: ['product_id'],
  },
};

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

/** An order or product that was created, changed or deleted, as it was then. */
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
  /** The rows of these orders or products as they are now; those that are gone are missing. */
  find(stream: ShopStream, ids: readonly string[]): Promise<readonly Row[]>;
  /** How many rows there are, exactly. */
  count(stream: ShopStream): Promise<number>;
  /** Creates or updates products; a bad one is a reject by its index, and stops no other. */
  writeProducts(
    products: readonly Readonly<Record<string, unknown>>[],
  ): Promise<{ inserted: number; updated: number; unchanged: number; rejects: Reject[] }>;
  /** Removes products; answers how many there were. */
  deleteProducts(ids: readonly string[]): Promise<number>;
  /** Creates orders that are not there yet, told apart by `external_id`; a bad one is a reject by its index. */
  writeOrders(orders: readonly Readonly<Record<string, unknown>>[]): Promise<{ inserted: number; unchanged: number; rejects: Reject[] }>;
}
