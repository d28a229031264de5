import type { CanonicalType } from './canonical.ts';

/** As in the contract, which lends the shop to connectors. */
interface ShopField {
  readonly name: string;
  readonly type: CanonicalType;
  readonly nullable: boolean;
}

/** What the shop has. Each has a scope of its own for reading and one for writing. */
export const SHOP_ROWS = ['orders', 'products'] as const;
export type ShopRows = (typeof SHOP_ROWS)[number];

interface ShopStreamForm {
  readonly fields: readonly ShopField[];
  readonly key: readonly string[];
  /** Whose rows they are. */
  readonly rows: ShopRows;
  /** The topic of the events that tell of them; null where the feed does not tell all of it, so that they are read as a whole. */
  readonly topic: 'orders' | 'products' | 'stock' | null;
  /** Names the order of the feed in a definition; null where there is none. */
  readonly cursor: string | null;
  /** Why, behind "cannot be followed:". */
  readonly notFollowed?: string;
}

function fields(types: Readonly<Record<string, CanonicalType | `${CanonicalType}?`>>): ShopField[] {
  return Object.entries(types).map(([name, type]) => ({
    name,
    type: type.replace('?', '') as CanonicalType,
    nullable: type.endsWith('?'),
  }));
}

const OF_ORDERS = { rows: 'orders', topic: 'orders', cursor: 'updated_at' } as const;
const AS_A_WHOLE = { topic: null, cursor: null } as const;

/** Lines are known by their place in `items`, counted from 1. */
const deedLine = { order_id: 'text', line: 'int64', quantity: 'int64', updated_at: 'timestamptz' } as const;

/** Fields are named as in the API. */
const FORMS = {
  orders: {
    ...OF_ORDERS,
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
      subtotal: 'decimal?',
      discount_total: 'decimal?',
      shipping_total: 'decimal?',
      tax_total: 'decimal?',
      adjustment: 'decimal?',
      prices_include_tax: 'boolean?',
      shipping: 'json?',
      discounts: 'json?',
      taxes: 'json?',
      customer: 'json?',
      billing_address: 'json?',
      payment: 'json?',
      payment_status: 'text?',
      fulfillment_status: 'text?',
      note: 'text?',
      tags: 'json?',
      channel: 'text?',
      imported: 'boolean?',
      placed_at: 'timestamptz?',
    }),
    key: ['id'],
  },
  order_items: {
    ...OF_ORDERS,
    fields: fields({
      order_id: 'text',
      line: 'int64',
      product_id: 'text',
      quantity: 'int64',
      price: 'decimal',
      line_total: 'decimal',
      product_known: 'boolean',
      updated_at: 'timestamptz',
      name: 'text?',
      sku: 'text?',
      variant: 'text?',
      discount: 'json?',
      tax: 'json?',
      metadata: 'json?',
    }),
    key: ['order_id', 'line'],
  },
  fulfillments: {
    ...OF_ORDERS,
    fields: fields({
      order_id: 'text',
      id: 'text',
      created_at: 'timestamptz',
      tracking_carrier: 'text?',
      tracking_number: 'text?',
      tracking_url: 'text?',
      location: 'text?',
      updated_at: 'timestamptz',
    }),
    key: ['order_id', 'id'],
  },
  fulfillment_lines: {
    ...OF_ORDERS,
    fields: fields({ ...deedLine, fulfillment_id: 'text' }),
    key: ['order_id', 'fulfillment_id', 'line'],
  },
  returns: {
    ...OF_ORDERS,
    fields: fields({
      order_id: 'text',
      id: 'text',
      created_at: 'timestamptz',
      reason: 'text?',
      restock: 'boolean',
      location: 'text?',
      updated_at: 'timestamptz',
    }),
    key: ['order_id', 'id'],
  },
  return_lines: { ...OF_ORDERS, fields: fields({ ...deedLine, return_id: 'text' }), key: ['order_id', 'return_id', 'line'] },
  refunds: {
    ...OF_ORDERS,
    fields: fields({
      order_id: 'text',
      id: 'text',
      created_at: 'timestamptz',
      amount: 'decimal',
      currency: 'text',
      external_id: 'text?',
      reason: 'text?',
      restock: 'boolean',
      location: 'text?',
      updated_at: 'timestamptz',
    }),
    key: ['order_id', 'id'],
  },
  refund_lines: {
    ...OF_ORDERS,
    fields: fields({ ...deedLine, refund_id: 'text', amount: 'decimal?' }),
    key: ['order_id', 'refund_id', 'line'],
  },
  customers: {
    ...AS_A_WHOLE,
    rows: 'orders',
    fields: fields({
      id: 'text',
      email: 'text?',
      name: 'text?',
      phone: 'text?',
      company: 'text?',
      tax_id: 'text?',
      orders: 'int64',
      totals: 'json',
      first_order_id: 'text',
      first_order_at: 'timestamptz',
      last_order_id: 'text',
      last_order_at: 'timestamptz',
    }),
    key: ['id'],
    notFollowed: 'it is read as a whole: the feed does not name a person who was erased',
  },
  products: {
    rows: 'products',
    topic: 'products',
    cursor: 'updated_at',
    fields: fields({
      product_id: 'text',
      name: 'text',
      price: 'decimal',
      stock_quantity: 'int64',
      categories: 'json',
      version: 'int64',
      created_at: 'timestamptz',
      updated_at: 'timestamptz',
      track_stock: 'boolean?',
      allow_backorder: 'boolean?',
      sku: 'text?',
      barcode: 'text?',
      status: 'text?',
      prices: 'json?',
      weight: 'json?',
      variants: 'json?',
      images: 'json?',
      attributes: 'json?',
    }),
    key: ['product_id'],
  },
  stock: {
    ...AS_A_WHOLE,
    rows: 'products',
    fields: fields({
      product_id: 'text',
      location: 'text',
      on_hand: 'int64',
      reserved: 'int64',
      available: 'int64',
      moved_at: 'timestamptz',
    }),
    key: ['product_id', 'location'],
    notFollowed: 'it is read as a whole: the feed does not tell of every unit that is reserved',
  },
  stock_movements: {
    rows: 'products',
    topic: 'stock',
    cursor: 'at',
    fields: fields({
      product_id: 'text',
      id: 'text',
      location: 'text',
      kind: 'text',
      delta: 'int64',
      on_hand: 'int64',
      reason: 'text?',
      as_of: 'timestamptz?',
      at: 'timestamptz',
    }),
    key: ['product_id', 'id'],
  },
} as const satisfies Readonly<Record<string, ShopStreamForm>>;

export type ShopStream = keyof typeof FORMS;

/** The streams of the shop. */
export const SHOP_STREAMS: Readonly<Record<ShopStream, ShopStreamForm>> = FORMS;
