// What the documents show of orders. A test makes the new order and compares what comes of it.

export const ORDER_ID = 'ord_01kfa0v2m3f8rb4v3k7m2t9xqe';

export const EXAMPLE_ORDER = {
  id: ORDER_ID,
  status: 'new',
  total: 59.97,
  created_at: '2026-11-01T09:30:00.000Z',
  updated_at: '2026-11-01T09:30:00.000Z',
  version: 1,
  customer_id: 'c-1001',
  currency: 'EUR',
  external_id: null,
  items: [{ product_id: 'mug-blue', quantity: 3, price: 19.99, line_total: 59.97, product_known: true }],
  shipping_address: { street: 'Main St 1', city: 'Springfield', zip: '12345' },
  metadata: {},
  history: [{ status: 'new', at: '2026-11-01T09:30:00.000Z', reason: null }],
};

export const EXAMPLE_MOVED_ORDER = {
  ...EXAMPLE_ORDER,
  status: 'processing',
  updated_at: '2026-11-01T10:00:00.000Z',
  version: 2,
  history: [...EXAMPLE_ORDER.history, { status: 'processing', at: '2026-11-01T10:00:00.000Z', reason: null }],
};

/** An order with its money: the tax is in the prices, and a voucher takes ten percent off. */
export const EXAMPLE_NEW_ORDER = {
  customer_id: 'c-1001',
  items: [{ product_id: 'mug-blue', quantity: 3, price: 19.99, name: 'Blue mug', sku: 'MUG-B', tax: { rate: 19 } }],
  shipping_address: { street: 'Main St 1', city: 'Springfield', zip: '12345' },
  prices_include_tax: true,
  shipping: { method: 'parcel', price: 4.9, tax: { rate: 19 } },
  discounts: [{ code: 'WELCOME10', percent: 10 }],
  expected_total: 58.87,
  customer: { email: 'jo@example.com', name: 'Jo Doe' },
  channel: 'web',
};

const { customer, channel, shipping_address } = EXAMPLE_NEW_ORDER;

export const EXAMPLE_PAID_ORDER = {
  ...EXAMPLE_ORDER,
  total: 58.87,
  items: EXAMPLE_ORDER.items.map((item) => ({ ...item, name: 'Blue mug', sku: 'MUG-B', tax: { rate: 19, amount: 8.62 } })),
  shipping_address,
  subtotal: 59.97,
  discount_total: 6,
  shipping_total: 4.9,
  tax_total: 9.4,
  prices_include_tax: true,
  shipping: { method: 'parcel', price: 4.9, tax: { rate: 19, amount: 0.78 } },
  discounts: [{ code: 'WELCOME10', percent: 10, amount: 6 }],
  customer,
  channel,
};

/** The customer has moved, and takes one mug less. */
export const EXAMPLE_PATCH = {
  items: [{ product_id: 'mug-blue', quantity: 2, price: 19.99 }],
  shipping_address: { street: 'Side St 2', zip: '12346' },
  note: 'Ring twice.',
  expected_version: 1,
};

export const EXAMPLE_CHANGED_ORDER = {
  ...EXAMPLE_ORDER,
  total: 39.98,
  updated_at: '2026-11-01T11:00:00.000Z',
  version: 2,
  items: [{ product_id: 'mug-blue', quantity: 2, price: 19.99, line_total: 39.98, product_known: true }],
  shipping_address: { street: 'Side St 2', city: 'Springfield', zip: '12346' },
  note: 'Ring twice.',
  changes: [
    {
      version: 2,
      at: '2026-11-01T11:00:00.000Z',
      by: 'key_01kfa0v2m3f8rb4v3k7m2t9xqe',
      members: ['shipping_address', 'note', 'items'],
      lines: 1,
    },
  ],
};

/** History of another shop, and an order that is here already. */
export const EXAMPLE_BATCH = [
  {
    customer_id: 'c-1001',
    external_id: 'old-4711',
    imported: true,
    placed_at: '2024-03-05T09:30:00.000Z',
    items: [{ product_id: 'mug-blue', quantity: 3, price: 19.99 }],
    total: 54.99,
    history: [
      { status: 'new', at: '2024-03-05T09:30:00.000Z' },
      { status: 'shipped', at: '2024-03-06T08:00:00.000Z', reason: 'tracking 123' },
    ],
  },
  { customer_id: 'c-1002', external_id: 'old-4711', items: [{ product_id: 'mug-blue', quantity: 1, price: 19.99 }] },
];

const TAKEN = `is taken by ${ORDER_ID}`;

export const EXAMPLE_BATCH_ANSWER = {
  success: true,
  data: [
    {
      index: 0,
      success: true,
      data: { id: ORDER_ID, status: 'shipped', total: 54.99, created_at: '2026-11-01T09:30:00.000Z', version: 1, external_id: 'old-4711' },
    },
    {
      index: 1,
      success: false,
      error: {
        code: 'CONFLICT',
        message: `There is an order with this external_id already: ${ORDER_ID}.`,
        details: { field: 'external_id', reason: TAKEN, errors: [{ field: 'external_id', reason: TAKEN }] },
      },
    },
  ],
  total: 2,
  failed: 1,
};
