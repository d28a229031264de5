import type { SampleWorld } from './sample-world.ts';

export interface SamplePage {
  /** For the names of files and tests. */
  name: string;
  /** Its address in the sample world. */
  path: (world: SampleWorld) => string;
  /** A heading or text by which one knows that it is all there. */
  ready: string;
}

/** Every view with something on it: tried for accessibility and width, and photographed. */
export const PAGES: readonly SamplePage[] = [
  { name: 'overview', path: () => '/', ready: 'Overview' },
  { name: 'welcome', path: () => '/welcome', ready: 'Welcome to Syncline' },
  { name: 'map', path: () => '/map', ready: 'As a list' },
  { name: 'sources', path: () => '/sources', ready: 'Old ERP' },
  { name: 'source-kinds', path: () => '/sources/new', ready: 'What type of system is it?' },
  { name: 'source-new-api', path: () => '/sources/new?type=http', ready: 'Test the connection' },
  { name: 'source-edit', path: ({ failingSource }) => `/sources/${failingSource}/edit`, ready: 'Remove what is stored' },
  { name: 'source', path: ({ workingSource }) => `/sources/${workingSource}`, ready: 'customers' },
  { name: 'source-stream', path: ({ workingSource }) => `/sources/${workingSource}?stream=customers`, ready: 'Customer 20' },
  { name: 'source-failing', path: ({ failingSource }) => `/sources/${failingSource}`, ready: 'Try again' },
  { name: 'syncs', path: () => '/syncs', ready: 'People from the survey' },
  { name: 'sync', path: ({ synced }) => `/syncs/${synced}`, ready: 'All runs' },
  { name: 'sync-failing', path: ({ failing }) => `/syncs/${failing}`, ready: 'Once it is corrected, run it again.' },
  { name: 'sync-asking', path: ({ needs_approval }) => `/syncs/${needs_approval}`, ready: 'A run waits for your approval' },
  { name: 'sync-running', path: ({ running }) => `/syncs/${running}`, ready: 'No run has ended yet.' },
  { name: 'sync-rejects', path: ({ degraded }) => `/syncs/${degraded}?tab=rejects`, ready: 'unknown' },
  { name: 'sync-definition', path: ({ degraded }) => `/syncs/${degraded}?tab=definition`, ready: 'Guard' },
  { name: 'sync-manage', path: ({ synced }) => `/syncs/${synced}?tab=manage`, ready: 'Full refresh' },
  { name: 'sync-new', path: ({ workingSource }) => `/syncs/new?source=${workingSource}&stream=customers`, ready: '1 of' },
  { name: 'sync-edit', path: ({ degraded }) => `/syncs/${degraded}/edit`, ready: 'How it is kept in sync' },
  { name: 'runs', path: () => '/runs', ready: 'All runs' },
  { name: 'run-live', path: ({ liveRun }) => `/runs/${liveRun}`, ready: 'Cancel the run' },
  { name: 'run-failed', path: ({ failedRun }) => `/runs/${failedRun}`, ready: 'The run failed' },
  { name: 'run-partial', path: ({ partialRun }) => `/runs/${partialRun}`, ready: 'Retry rejected rows' },
  { name: 'run-asking', path: ({ askingRun }) => `/runs/${askingRun}`, ready: 'This run waits for your approval' },
  { name: 'connectors', path: () => '/connectors', ready: 'PostgreSQL' },
  { name: 'connectors-none', path: () => '/connectors?q=nowhere', ready: 'No connector matches.' },
  { name: 'hooks', path: () => '/hooks', ready: 'Web shop' },
  { name: 'hook', path: ({ hook }) => `/hooks/${hook}`, ready: '1–3 of 3' },
  { name: 'hook-new', path: () => '/hooks/new', ready: 'At the sender' },
  { name: 'hook-edit', path: ({ hook }) => `/hooks/${hook}/edit`, ready: 'At the sender' },
  { name: 'logs', path: () => '/logs', ready: 'Details' },
  { name: 'logs-none', path: () => '/logs?q=nowhere', ready: 'No entry matches.' },
  { name: 'metrics', path: () => '/metrics', ready: 'By synchronization' },
  { name: 'metrics-empty', path: ({ paused }) => `/metrics?sync_id=${paused}`, ready: 'No run ended in' },
  { name: 'orders', path: () => '/orders', ready: '1–50 of' },
  { name: 'orders-none', path: () => '/orders?customer_id=nobody', ready: 'No order matches these filters.' },
  { name: 'orders-filtered', path: () => '/orders?status=new,on_hold&channel=web&sort=-total', ready: 'Orders that match' },
  { name: 'order', path: ({ order }) => `/orders/${order}`, ready: 'History' },
  { name: 'order-paid', path: ({ paidOrder }) => `/orders/${paidOrder}`, ready: 'Left of the total' },
  { name: 'customers', path: () => '/customers', ready: '1–50 of' },
  { name: 'customers-found', path: () => '/customers?q=ada', ready: 'Customers that match' },
  { name: 'customer', path: ({ customer }) => `/customers/${encodeURIComponent(customer)}`, ready: 'The customer' },
  { name: 'products', path: () => '/products', ready: '1–42 of' },
  { name: 'product', path: ({ product }) => `/products/${encodeURIComponent(product)}`, ready: 'The product' },
  { name: 'product-stock', path: ({ stocked }) => `/products/${encodeURIComponent(stocked)}`, ready: 'Ledger' },
  { name: 'webhooks', path: () => '/webhooks', ready: 'ERP' },
  { name: 'webhook', path: ({ webhook }) => `/webhooks/${webhook}`, ready: '1–25 of 30' },
  { name: 'webhook-new', path: () => '/webhooks/new', ready: 'What is sent' },
  { name: 'webhook-edit', path: ({ webhook }) => `/webhooks/${webhook}/edit`, ready: 'Remove' },
  { name: 'delivery', path: ({ webhook, delivery }) => `/webhooks/${webhook}/deliveries/${delivery}`, ready: 'webhook-signature' },
  { name: 'alerts', path: () => '/alerts', ready: 'node-1' },
  { name: 'alert', path: ({ alert }) => `/alerts/${alert}`, ready: 'It began' },
  { name: 'alert-kinds', path: () => '/alerts/new', ready: 'Mattermost' },
  { name: 'alert-new', path: () => '/alerts/new?type=email', ready: 'Mail server' },
  { name: 'alert-edit', path: ({ alert }) => `/alerts/${alert}/edit`, ready: 'Signing secret' },
  { name: 'keys', path: () => '/keys', ready: 'Web shop' },
  { name: 'nodes', path: () => '/nodes', ready: '1 node' },
  { name: 'audit', path: () => '/audit', ready: '127.0.0.1' },
];
