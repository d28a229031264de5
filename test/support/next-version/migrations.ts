import type { Migration } from '../../../src/db/migration.ts';
import { MIGRATIONS as TODAY } from '../../../src/db/migrations.ts';

const TABLES = [
  'orders',
  'order_history',
  'products',
  'stock',
  'stock_holds',
  'stock_movements',
  'keys',
  'audit',
  'events',
  'sources',
  'syncs',
  'sync_state',
  'sync_streams',
  'runs',
  'rejects',
  'nodes',
  'duties',
  'webhooks',
  'webhook_state',
  'webhook_deliveries',
  'hooks',
  'hook_tokens',
  'hook_calls',
  'alerts',
  'incidents',
  'alert_incidents',
  'alert_messages',
];

const expand: Migration = {
  number: TODAY.length + 1,
  name: 'of tomorrow',
  statements: (type) => [
    ...TABLES.map((table) => `alter table ${table} add column of_tomorrow ${type.text} default 'new'`),
    `create table of_tomorrow (id ${type.text} primary key)`,
    `create index orders_of_tomorrow on orders (of_tomorrow) where of_tomorrow <> 'new'`,
  ],
};

const contract: Migration = {
  number: TODAY.length + 2,
  name: 'of the day after',
  needs: TODAY.length + 1,
  statements: () => ['alter table products drop column search'],
};

export const MIGRATIONS: readonly Migration[] = import.meta.url.endsWith('?contract') ? [...TODAY, expand, contract] : [...TODAY, expand];
