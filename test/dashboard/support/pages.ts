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
  { name: 'runs', path: () => '/runs', ready: 'All runs' },
  { name: 'run-live', path: ({ liveRun }) => `/runs/${liveRun}`, ready: 'Cancel the run' },
  { name: 'run-failed', path: ({ failedRun }) => `/runs/${failedRun}`, ready: 'The run failed' },
  { name: 'run-partial', path: ({ partialRun }) => `/runs/${partialRun}`, ready: 'Put aside' },
  { name: 'run-asking', path: ({ askingRun }) => `/runs/${askingRun}`, ready: 'This run waits for your approval' },
  { name: 'logs', path: () => '/logs', ready: 'Details' },
  { name: 'logs-none', path: () => '/logs?q=nowhere', ready: 'No entry fits.' },
  { name: 'metrics', path: () => '/metrics', ready: 'By synchronization' },
  { name: 'metrics-empty', path: ({ paused }) => `/metrics?sync_id=${paused}`, ready: 'No run ended in' },
  { name: 'orders', path: () => '/orders', ready: '1–50 of' },
  { name: 'orders-none', path: () => '/orders?customer_id=nobody', ready: 'No order matches these filters.' },
  { name: 'order', path: ({ order }) => `/orders/${order}`, ready: 'History' },
  { name: 'products', path: () => '/products', ready: '1–41 of' },
  { name: 'product', path: ({ product }) => `/products/${encodeURIComponent(product)}`, ready: 'The product' },
  { name: 'keys', path: () => '/keys', ready: 'Web shop' },
  { name: 'audit', path: () => '/audit', ready: 'Key revoked' },
];
