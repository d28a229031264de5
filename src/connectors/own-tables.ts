import { OutsideError } from '../outside/errors.ts';

/** The tables of a Syncline, on every server and of every installation. A law test holds them to the migrations. */
export const OWN_TABLES = [
  'alert_messages',
  'alerts',
  'audit',
  'counters',
  'duties',
  'delivered',
  'erasure_state',
  'erasures',
  'events',
  'hook_calls',
  'hook_tokens',
  'hooks',
  'idempotency_keys',
  'incidents',
  'alert_incidents',
  'key_secrets',
  'lag_points',
  'keys',
  'log_counts',
  'log_head',
  'log_marks',
  'log_releases',
  'logs',
  'migration_checksums',
  'migrations',
  'nodes',
  'notes',
  'order_blocks',
  'order_customers',
  'order_find_columns',
  'order_find_pages',
  'order_find_segments',
  'order_find_state',
  'order_history',
  'orders',
  'product_categories',
  'products',
  'rejects',
  'run_parts',
  'runs',
  'sessions',
  'sources',
  'stock',
  'stock_holds',
  'stock_movements',
  'sync_state',
  'sync_streams',
  'sync_totals',
  'sync_versions',
  'syncs',
  'webhook_deliveries',
  'webhook_state',
  'webhooks',
] as const satisfies readonly string[];

/** The schema of PostgreSQL that holds the jobs of an installation. */
export const OWN_SCHEMA = 'syncline_jobs';

/**
 * By these one knows an installation: tables side by side, each with a column that says whose it is. They have been there since
 * the first version. Names of servers and databases say nothing: there are many names for one place, and many installations.
 */
export const WITNESSES: Readonly<Record<string, string>> = {
  key_secrets: 'key_id',
  idempotency_keys: 'body_hash',
  migrations: 'applied_at',
};

/** What Syncline keeps beside the tables that it writes: positions, and rows that wait. */
const KEPT = /^_syncline_/i;

/** Whether a table of this name is one that Syncline keeps in a target. */
export function isKept(table: string): boolean {
  return KEPT.test(table);
}

/** Throws when a table of this name is one that Syncline keeps in a target: a write there could undo fencing. */
export function demandNotKept(table: string, stream = table): void {
  if (isKept(table)) throw ownTable(stream);
}

export function ownTable(stream: string): OutsideError {
  return new OutsideError('config', 'OWN_TABLE', `"${stream}" is one of Syncline's own tables, or shows what is in one.`, {
    field: 'stream',
    hint: 'What Syncline keeps for itself is neither read nor written by synchronizations. Orders and products are read and written by a source of type hub.',
  });
}
