import type { OperationName } from './client.ts';

/** Whatever the stream of changes tells of, and what it does not. */
type Topic = 'orders' | 'products' | 'stock' | 'sources' | 'syncs' | 'runs' | 'webhooks' | 'hooks' | 'incidents' | Untold;
type Untold = 'keys' | 'nodes' | 'deliveries' | 'calls' | 'messages';

/** A delivery is no change: it would have to be delivered itself. The same goes for calls from outside and for messages of alerts. */
const UNTOLD: ReadonlySet<Topic> = new Set<Untold>(['keys', 'nodes', 'deliveries', 'calls', 'messages']);

/** What the answers below a path tell of; the first that fits counts. The health of a synchronization follows from its runs. */
const TOPICS: readonly (readonly [string, readonly Topic[]])[] = [
  ['/api/v1/orders', ['orders']],
  // Customers are what orders say.
  ['/api/v1/customers', ['orders']],
  // What orders reserve is told by the orders alone.
  ['/api/v1/products/{product_id}/stock', ['products', 'stock', 'orders']],
  ['/api/v1/products', ['products', 'stock']],
  ['/api/v1/stock', ['products', 'stock']],
  ['/api/v1/datasync/sources', ['sources']],
  // What is tried before it is saved depends on nothing that we store.
  ['/api/v1/datasync/sync/check', []],
  ['/api/v1/datasync/sync/schedule', []],
  ['/api/v1/datasync/sync', ['syncs', 'runs']],
  ['/api/v1/datasync/runs', ['runs']],
  ['/api/v1/datasync/logs', ['runs']],
  ['/api/v1/datasync/metrics', ['runs', 'syncs']],
  ['/api/v1/datasync/config', ['sources', 'syncs', 'hooks']],
  ['/api/v1/datasync/hooks', ['hooks', 'calls']],
  ['/api/v1/webhooks', ['webhooks', 'deliveries']],
  ['/api/v1/alerts', ['webhooks', 'messages']],
  // A key may see some of them that hears of none.
  ['/api/v1/incidents', ['incidents', 'messages']],
  ['/api/v1/keys', ['keys']],
  ['/api/v1/audit', ['keys', 'sources', 'syncs', 'runs', 'webhooks', 'hooks']],
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
  return topics.length > 0 && !topics.some((topic) => UNTOLD.has(topic));
}
