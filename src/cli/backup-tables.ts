import type { ColumnType } from '../db/bulk.ts';

export type Value = string | number | null;

export interface BackupTable {
  name: string;
  columns: Readonly<Record<string, ColumnType>>;
  /** The columns of the primary key: the order in which the rows are read. */
  key: readonly string[];
}

/** Everything that a backup holds, a table after those that it refers to. `migrations` tells of the database, not of its data. */
export const BACKUP_TABLES: readonly BackupTable[] = [
  { name: 'counters', columns: { name: 'text', n: 'bigint' }, key: ['name'] },
  {
    name: 'keys',
    columns: {
      id: 'text',
      name: 'text',
      scopes: 'json',
      rate_limit: 'bigint',
      created_at: 'text',
      expires_at: 'text',
      revoked_at: 'text',
      last_used_at: 'text',
    },
    key: ['id'],
  },
  { name: 'key_secrets', columns: { hash: 'text', key_id: 'text', created_at: 'text', expires_at: 'text' }, key: ['hash'] },
  {
    name: 'audit',
    columns: { id: 'text', at: 'text', actor: 'text', action: 'text', object_id: 'text', details: 'json' },
    key: ['id'],
  },
  {
    name: 'products',
    columns: {
      product_id: 'text',
      name: 'text',
      price: 'numeric',
      stock_quantity: 'bigint',
      categories: 'json',
      version: 'bigint',
      created_at: 'text',
      updated_at: 'text',
      stock_as_of: 'text',
      search: 'text',
    },
    key: ['product_id'],
  },
  { name: 'product_categories', columns: { category: 'text', product_id: 'text' }, key: ['category', 'product_id'] },
  {
    name: 'orders',
    columns: {
      id: 'text',
      status: 'text',
      total: 'numeric',
      created_at: 'text',
      updated_at: 'text',
      version: 'bigint',
      customer_id: 'text',
      currency: 'text',
      external_id: 'text',
      items: 'json',
      shipping_address: 'json',
      metadata: 'json',
    },
    key: ['id'],
  },
  {
    name: 'order_history',
    columns: { order_id: 'text', version: 'bigint', status: 'text', at: 'text', reason: 'text' },
    key: ['order_id', 'version'],
  },
  { name: 'order_blocks', columns: { start: 'text', status: 'text', n: 'bigint' }, key: ['start', 'status'] },
  {
    name: 'idempotency_keys',
    columns: { owner: 'text', key: 'text', body_hash: 'text', order_id: 'text', expires_at: 'text' },
    key: ['owner', 'key'],
  },
  {
    name: 'sources',
    columns: {
      id: 'text',
      name: 'text',
      type: 'text',
      config: 'json',
      secrets: 'text',
      status: 'text',
      status_message: 'text',
      checked_at: 'text',
      version: 'bigint',
      created_at: 'text',
      updated_at: 'text',
    },
    key: ['id'],
  },
  {
    name: 'syncs',
    columns: {
      id: 'text',
      name: 'text',
      status: 'text',
      source_id: 'text',
      target_id: 'text',
      definition: 'json',
      version: 'bigint',
      created_at: 'text',
      updated_at: 'text',
    },
    key: ['id'],
  },
  {
    name: 'events',
    columns: {
      seq: 'bigint',
      topic: 'text',
      topic_seq: 'bigint',
      type: 'text',
      object_id: 'text',
      created_at: 'text',
      data: 'json',
    },
    key: ['seq'],
  },
];
