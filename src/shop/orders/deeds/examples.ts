import { ORDER_ID } from '../examples.ts';

// What the documents show of fulfilments, returns and refunds of the order in the other examples.

export const EXAMPLE_NEW_FULFILLMENT = {
  lines: [{ line: 1, quantity: 2 }],
  tracking: { carrier: 'Parcel Post', number: 'PP-4711', url: 'https://parcels.example/PP-4711' },
};

export const EXAMPLE_FULFILLMENT = {
  id: 'ful_01kfa1v2m3f8rb4v3k7m2t9xqe',
  created_at: '2026-11-02T08:00:00.000Z',
  ...EXAMPLE_NEW_FULFILLMENT,
};

export const EXAMPLE_NEW_RETURN = { lines: [{ line: 1, quantity: 1 }], reason: 'The handle is broken.', restock: false };

export const EXAMPLE_RETURN = { id: 'ret_01kfa2v2m3f8rb4v3k7m2t9xqe', created_at: '2026-11-05T10:00:00.000Z', ...EXAMPLE_NEW_RETURN };

export const EXAMPLE_NEW_REFUND = { lines: [{ line: 1, quantity: 1 }], reason: 'The handle is broken.' };

export const EXAMPLE_REFUND = {
  id: 'rfd_01kfa3v2m3f8rb4v3k7m2t9xqe',
  created_at: '2026-11-05T10:05:00.000Z',
  amount: 17.99,
  lines: [{ line: 1, quantity: 1, amount: 17.99 }],
  reason: 'The handle is broken.',
  restock: false,
};

export const EXAMPLE_AFTER = {
  fulfillments: { id: ORDER_ID, status: 'processing', version: 3, updated_at: '2026-11-02T08:00:00.000Z', fulfillment_status: 'partial' },
  returns: { id: ORDER_ID, status: 'processing', version: 4, updated_at: '2026-11-05T10:00:00.000Z', fulfillment_status: 'partial' },
  refunds: {
    id: ORDER_ID,
    status: 'processing',
    version: 5,
    updated_at: '2026-11-05T10:05:00.000Z',
    fulfillment_status: 'partial',
    payment_status: 'partially_refunded',
  },
};
