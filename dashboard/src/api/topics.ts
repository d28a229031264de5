import type { OperationName } from './client.ts';

/** Whatever the stream of changes tells of, and keys, which it does not. */
type Topic = 'orders' | 'products' | 'sources' | 'syncs' | 'runs' | 'keys';

/** What the answers below a path tell of; the first that fits counts. The health of a synchronization follows from its runs. */
const TOPICS: readonly (readonly [string, readonly Topic[]])[] = [
  ['/api/v1/orders', ['orders']],
  ['/api/v1/products', ['products']],
  ['/api/v1/datasync/sources', ['sources']],
  ['/api/v1/datasync/sync', ['syncs', 'runs']],
  ['/api/v1/datasync/runs', ['runs']],
  ['/api/v1/datasync/logs', ['runs']],
  ['/api/v1/datasync/metrics', ['runs', 'syncs']],
  ['/api/v1/keys', ['keys']],
  ['/api/v1/audit', ['keys', 'sources', 'syncs', 'runs']],
  ['/api/v1/nodes', ['runs']],
];

export function topicsOf(name: OperationName): readonly Topic[] {
  const path = name.slice(name.indexOf(' ') + 1);
  return TOPICS.find(([prefix]) => path.startsWith(prefix))?.[1] ?? [];
}
