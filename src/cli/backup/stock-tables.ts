import type { BackupTable } from './backup-table.ts';

/** What is in stock, and the ledger of how it came to be. */
export const STOCK_TABLES: readonly BackupTable[] = [
  {
    name: 'stock',
    columns: {
      product_id: 'text',
      location: 'text',
      on_hand: 'bigint',
      reserved: 'bigint',
      backorder: 'bigint',
      opened_at: 'text',
      moved_at: 'text',
    },
    key: ['product_id', 'location'],
  },
  {
    name: 'stock_movements',
    columns: {
      product_id: 'text',
      id: 'text',
      location: 'text',
      kind: 'text',
      delta: 'bigint',
      on_hand: 'bigint',
      reason: 'text',
      order_id: 'text',
      at: 'text',
      as_of: 'text',
      owner: 'text',
      key: 'text',
      place: 'bigint',
      body_hash: 'text',
    },
    key: ['product_id', 'id'],
  },
  {
    name: 'stock_holds',
    columns: { order_id: 'text', product_id: 'text', location: 'text', held: 'bigint', shipped: 'bigint', opened_at: 'text' },
    key: ['order_id', 'product_id', 'location'],
  },
];
