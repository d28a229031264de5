import type { OperationName } from './client.ts';

/** Whatever the stream of changes tells of, and what it does not. */
type Topic = 'orders' | 'products' | 'sources' | 'syncs' | 'runs' | Untold;
type Untold = 'keys' | 'nodes';

/** What the answers below a path tell of; the first that fits counts. The health of a synchronization follows from its runs. */
const TOPICS: readonly (readonly [string, readonly Topic[]])[] = [
  ['/api/v1/orders', ['orders']],
  ['/api/v1/products', ['products']],
  ['/api/v1/datasync/sources', ['sources']],
  // What is tried before it is saved depends on nothing that we store.
  ['/api/v1/datasync/sync/check', []],
  ['/api/v1/datasync/sync/schedule', []],
  ['/api/v1/datasync/sync', ['syncs', 'runs']],
  ['/api/v1/datasync/runs', ['runs']],
  ['/api/v1/datasync/logs', ['runs']],
  ['/api/v1/datasync/metrics', ['runs', 'syncs']],
  ['/api/v1/keys', ['keys']],
  ['/api/v1/audit', ['keys', 'sources', 'syncs', 'runs']],
  // They come and go without an event.
  ['/api/v1/nodes', ['runs', 'nodes']],
];

export function topicsOf(name: OperationName): readonly Topic[] {
  const path = name.slice(name.indexOf(' ') + 1);
  return TOPICS.find(([prefix]) => path.startsWith(prefix))?.[1] ?? [];
}

/** Whether the stream of changes says all of what makes such an answer out of date. */
export function isToldOf(name: OperationName): boolean {
  const topics = topicsOf(name);
  return topics.length > 0 && !topics.includes('keys') && !topics.includes('nodes');
}
