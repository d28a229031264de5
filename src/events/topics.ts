import { may, type Principal, type Scope } from '../http/scopes.ts';
import type { EventTopic } from './append.ts';

/** What it takes to read the events of a topic. */
export const SCOPE_OF = {
  orders: 'orders:read',
  products: 'products:read',
  stock: 'products:read',
  sources: 'datasync:read',
  syncs: 'datasync:read',
  runs: 'datasync:read',
  keys: 'admin',
  webhooks: 'webhooks',
  hooks: 'datasync:read',
  incidents: 'datasync:read',
} as const satisfies Record<EventTopic, Scope>;

/** How the types of a topic's events begin. Incidents belong to the topic of what they are about. */
export const TYPES_BEGIN: Readonly<Record<EventTopic, readonly string[]>> = {
  orders: ['order.'],
  products: ['product.'],
  stock: ['stock.'],
  sources: ['source.'],
  syncs: ['sync.'],
  runs: ['run.'],
  keys: ['key.', 'incident.'],
  webhooks: ['webhook.', 'alert.', 'incident.'],
  hooks: ['hook.'],
  incidents: ['incident.'],
};

export const EVENT_TOPICS = Object.keys(SCOPE_OF) as EventTopic[];

/** The topics whose events a caller may read. */
export function readableTopics(asking: Pick<Principal, 'scopes'>): EventTopic[] {
  return EVENT_TOPICS.filter((topic) => may(asking, SCOPE_OF[topic]));
}
