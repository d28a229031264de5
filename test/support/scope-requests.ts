import type { Ends, ScopeWorld } from './scope-world.ts';

/**
 * What a route does with the rows of the shop when the shop is at an end: it moves them, it shows them, or it does neither. To move them
 * takes the scope to read at the source and to write at the target; to show them, the one to read.
 */
export type Deed = 'moves' | 'shows' | 'moves and shows' | 'neither';

export interface ScopeRequest {
  deed: Deed;
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** Has no end: what comes first is enough. */
  endless?: boolean;
}

/** What exists for this request alone. */
export interface Doomed {
  alert: string;
  webhook: string;
  sync: string;
  source: string;
  hook: string;
  key: string;
}

type Requests = (ends: Ends, world: ScopeWorld, doomed: Doomed) => ScopeRequest[];

const SHOP = '/api/v1';
const BASE = '/api/v1/datasync';
const WEBHOOKS = '/api/v1/webhooks';
const ALERTS = '/api/v1/alerts';
/** Where nobody listens. */
const NOWHERE = 'http://127.0.0.1:9/';

/** A synchronization with the shop at one end, as a file would have it. */
function shopDocument(at: 'source' | 'target', config: unknown, streams: unknown): object {
  const [shop, other] = [`the shop ${Math.random()}`, `a file ${Math.random()}`];
  const [source, target] = at === 'source' ? [shop, other] : [other, shop];
  return {
    sources: { [shop]: { type: 'hub', config: {} }, [other]: { type: 'sqlite', config } },
    syncs: { [`as a file says ${Math.random()}`]: { source, target, streams, schedule: { type: 'manual' } } },
  };
}

/** The streams of the shop that have rows of orders, and those that have rows of products. */
const STREAMS_OF = {
  orders: ['order_items', 'fulfillments', 'fulfillment_lines', 'returns', 'return_lines', 'refunds', 'refund_lines', 'customers'],
  products: ['stock', 'stock_movements'],
} as const;

/** A request that succeeds, or conflicts with the state at worst, for every route and whatever is at the ends. */
export const REQUESTS: Readonly<Record<string, Requests>> = {
  'GET /api/v1/orders': () => [neither(`${SHOP}/orders?expand=all`)],
  'POST /api/v1/orders/batch': () => [
    neither(`${SHOP}/orders/batch`, [{ customer_id: 'c', items: [{ product_id: 'p', quantity: 1, price: 1 }] }]),
  ],
  'POST /api/v1/orders': () => [neither(`${SHOP}/orders`, { customer_id: 'c', items: [{ product_id: 'p', quantity: 1, price: 1 }] })],
  'GET /api/v1/orders/export': () => [neither(`${SHOP}/orders/export?format=jsonl`)],
  'GET /api/v1/customers': () => [neither(`${SHOP}/customers`)],
  'GET /api/v1/customers/{id}': () => [neither(`${SHOP}/customers/17`)],
  'GET /api/v1/customers/{id}/orders': () => [neither(`${SHOP}/customers/17/orders`)],
  'POST /api/v1/customers/{id}/erase': () => [neither(`${SHOP}/customers/to-be-erased/erase`)],
  'GET /api/v1/erasures': () => [neither(`${SHOP}/erasures`)],
  'GET /api/v1/erasures/{id}': (_, { erasure }) => [neither(`${SHOP}/erasures/${erasure}`)],
  'GET /api/v1/orders/{id}': (_, { order }) => [neither(`${SHOP}/orders/${order}`)],
  'POST /api/v1/orders/{id}/transitions': (_, { order }) => [
    neither(`${SHOP}/orders/${order}/transitions`, { to: 'on_hold' }),
    neither(`${SHOP}/orders/${order}/transitions`, { to: 'returned' }),
  ],
  'PATCH /api/v1/orders/{id}': (_, { order }) => [neither(`${SHOP}/orders/${order}`, { note: `changed ${Math.random()}` })],
  'POST /api/v1/orders/{id}/fulfillments': (_, { order }) => [
    neither(`${SHOP}/orders/${order}/fulfillments`, { lines: [{ line: 1, quantity: 1 }] }),
    neither(`${SHOP}/orders/${order}/fulfillments`, {}),
  ],
  'GET /api/v1/orders/{id}/fulfillments': (_, { order }) => [neither(`${SHOP}/orders/${order}/fulfillments`)],
  'POST /api/v1/orders/{id}/returns': (_, { order }) => [neither(`${SHOP}/orders/${order}/returns`, { restock: true })],
  'GET /api/v1/orders/{id}/returns': (_, { order }) => [neither(`${SHOP}/orders/${order}/returns`)],
  'POST /api/v1/orders/{id}/refunds': (_, { order }) => [
    neither(`${SHOP}/orders/${order}/refunds`, { lines: [{ line: 1 }] }),
    neither(`${SHOP}/orders/${order}/refunds`, { amount: 1000 }),
  ],
  'GET /api/v1/orders/{id}/refunds': (_, { order }) => [neither(`${SHOP}/orders/${order}/refunds`)],
  'GET /api/v1/products': () => [neither(`${SHOP}/products`)],
  'POST /api/v1/products/sync': () => [neither(`${SHOP}/products/sync`, { product_id: 'mine', name: 'mine', price: 1 })],
  'POST /api/v1/products/sync/batch': () => [neither(`${SHOP}/products/sync/batch`, [{ product_id: 'mine', name: 'mine', price: 1 }])],
  'GET /api/v1/products/{product_id}': () => [neither(`${SHOP}/products/5`)],
  'PATCH /api/v1/products/{product_id}': () => [neither(`${SHOP}/products/5`, { sku: `s ${Math.random()}` })],
  'GET /api/v1/products/{product_id}/stock': () => [neither(`${SHOP}/products/5/stock`)],
  'POST /api/v1/stock/movements': () => [neither(`${SHOP}/stock/movements`, { product_id: '5', delta: 1 })],
  'DELETE /api/v1/products/{product_id}': () => [neither(`${SHOP}/products/mine`)],
  'GET /api/v1/events': () => [
    neither(`${SHOP}/events?limit=1000`),
    { ...neither(`${SHOP}/events`), headers: { accept: 'text/event-stream' }, endless: true },
  ],
  'GET /api/v1/me': () => [neither(`${SHOP}/me`)],
  'GET /api/v1/keys': () => [neither(`${SHOP}/keys`)],
  'POST /api/v1/keys': () => [neither(`${SHOP}/keys`, { name: `made ${Math.random()}`, scopes: ['webhooks'] })],
  'GET /api/v1/keys/{id}': (_, __, { key }) => [neither(`${SHOP}/keys/${key}`)],
  'DELETE /api/v1/keys/{id}': (_, __, { key }) => [neither(`${SHOP}/keys/${key}`)],
  'POST /api/v1/keys/{id}/rotate': (_, __, { key }) => [neither(`${SHOP}/keys/${key}/rotate`, {})],
  'POST /api/v1/sessions': () => [neither(`${SHOP}/sessions`)],
  'GET /api/v1/sessions': () => [neither(`${SHOP}/sessions`)],
  'DELETE /api/v1/sessions': () => [neither(`${SHOP}/sessions`)],
  'DELETE /api/v1/sessions/{id}': () => [neither(`${SHOP}/sessions/current`)],
  'GET /api/v1/webhooks': () => [neither(WEBHOOKS)],
  'POST /api/v1/webhooks': () => [neither(WEBHOOKS, { name: `all that one may read ${Math.random()}`, url: NOWHERE })],
  'GET /api/v1/webhooks/{id}': (_, __, { webhook }) => [neither(`${WEBHOOKS}/${webhook}`)],
  'PUT /api/v1/webhooks/{id}': (_, __, { webhook }) => [neither(`${WEBHOOKS}/${webhook}`, { name: `called otherwise ${Math.random()}` })],
  'DELETE /api/v1/webhooks/{id}': (_, __, { webhook }) => [neither(`${WEBHOOKS}/${webhook}`)],
  'POST /api/v1/webhooks/{id}/test': (_, __, { webhook }) => [neither(`${WEBHOOKS}/${webhook}/test`)],
  'POST /api/v1/webhooks/{id}/pause': (_, __, { webhook }) => [neither(`${WEBHOOKS}/${webhook}/pause`)],
  'POST /api/v1/webhooks/{id}/resume': (_, __, { webhook }) => [neither(`${WEBHOOKS}/${webhook}/resume`)],
  'POST /api/v1/webhooks/{id}/rotate': (_, __, { webhook }) => [neither(`${WEBHOOKS}/${webhook}/rotate`)],
  'GET /api/v1/webhooks/{id}/deliveries': (_, __, { webhook }) => [neither(`${WEBHOOKS}/${webhook}/deliveries`)],
  // What an endpoint is told of, and who may look at it, has a test of its own: webhook-scopes.
  'GET /api/v1/webhooks/{id}/deliveries/{sequence}': () => [],
  'POST /api/v1/webhooks/{id}/replay': (_, __, { webhook }) => [neither(`${WEBHOOKS}/${webhook}/replay`, { failed: true })],
  'GET /api/v1/alerts': () => [neither(ALERTS)],
  'POST /api/v1/alerts': () => [
    neither(ALERTS, { name: 'told', channel: { type: 'webhook', url: NOWHERE }, rules: [{ type: 'endpoint_paused' }] }),
  ],
  'GET /api/v1/alerts/{id}': (_, __, { alert }) => [neither(`${ALERTS}/${alert}`)],
  'PUT /api/v1/alerts/{id}': (_, __, { alert }) => [neither(`${ALERTS}/${alert}`, { name: `called otherwise ${Math.random()}` })],
  'DELETE /api/v1/alerts/{id}': (_, __, { alert }) => [neither(`${ALERTS}/${alert}`)],
  'POST /api/v1/alerts/{id}/test': (_, __, { alert }) => [neither(`${ALERTS}/${alert}/test`)],
  'GET /api/v1/alerts/{id}/messages': (_, __, { alert }) => [neither(`${ALERTS}/${alert}/messages`)],
  'GET /api/v1/incidents': () => [neither(`${SHOP}/incidents?status=all&limit=1000`)],
  'GET /api/v1/audit': () => [neither(`${SHOP}/audit?limit=1000`)],
  'GET /api/v1/nodes': () => [neither(`${SHOP}/nodes`)],

  'GET /api/v1/datasync/sources': () => [neither(`${BASE}/sources?limit=1000`)],
  'POST /api/v1/datasync/sources': ({ other }) => [
    neither(`${BASE}/sources`, { name: 'another', type: 'sqlite', config: other.config }),
    neither(`${BASE}/sources`, { name: 'the shop again', type: 'hub', config: {} }),
  ],
  'POST /api/v1/datasync/sources/check': ({ other }) => [
    neither(`${BASE}/sources/check`, { type: 'sqlite', config: other.config }),
    neither(`${BASE}/sources/check`, { type: 'hub', config: {} }),
  ],
  'POST /api/v1/datasync/sources/outline': () => [neither(`${BASE}/sources/outline`, { type: 'hub', config: {} })],
  // Rows of the shop are not shown this way.
  'POST /api/v1/datasync/sources/sample': () => [neither(`${BASE}/sources/sample`, { type: 'hub', config: {}, stream: 'orders' })],
  'GET /api/v1/datasync/sources/{id}': ({ other }, { hub }) => [neither(`${BASE}/sources/${other.id}`), neither(`${BASE}/sources/${hub}`)],
  'PUT /api/v1/datasync/sources/{id}': ({ other }) => [
    { deed: 'moves', path: `${BASE}/sources/${other.id}`, body: { config: other.config } },
    neither(`${BASE}/sources/${other.id}`, { name: `called otherwise ${Math.random()}` }),
  ],
  'DELETE /api/v1/datasync/sources/{id}': (_, __, { source }) => [neither(`${BASE}/sources/${source}`)],
  'POST /api/v1/datasync/sources/{id}/check': ({ other }, { hub }) => [
    neither(`${BASE}/sources/${other.id}/check`),
    neither(`${BASE}/sources/${hub}/check`),
  ],
  'GET /api/v1/datasync/sources/{id}/streams': ({ other }, { hub }) => [
    neither(`${BASE}/sources/${other.id}/streams`),
    neither(`${BASE}/sources/${hub}/streams`),
  ],
  'GET /api/v1/datasync/sources/{id}/streams/{name}/sample': ({ other, shop }, { hub }) => [
    { deed: 'shows', path: `${BASE}/sources/${other.id}/streams/${other.stream}/sample` },
    ...(shop ? [{ deed: 'shows' as const, path: `${BASE}/sources/${hub}/streams/${shop.rows}/sample` }] : []),
    ...(shop ? STREAMS_OF[shop.rows] : []).map((stream) => ({
      deed: 'shows' as const,
      path: `${BASE}/sources/${hub}/streams/${stream}/sample`,
    })),
  ],
  'POST /api/v1/datasync/sample': () => [neither(`${BASE}/sample`)],
  'GET /api/v1/datasync/connectors': () => [neither(`${BASE}/connectors`)],
  'GET /metrics': () => [neither('/metrics')],
  'GET /api/v1/datasync/metrics': ({ syncId }) => [neither(`${BASE}/metrics?window=1h&sync_id=${syncId}`)],
  'GET /api/v1/datasync/logs': ({ syncId, runId }) => [
    neither(`${BASE}/logs?limit=1000`),
    neither(`${BASE}/logs?run_id=${runId}`),
    neither(`${BASE}/logs?sync_id=${syncId}&follow=true`, undefined, true),
  ],

  'GET /api/v1/datasync/config': () => [neither(`${BASE}/config`)],
  'GET /api/v1/datasync/config/sources/{id}': ({ other }) => [neither(`${BASE}/config/sources/${other.id}`)],
  'GET /api/v1/datasync/config/syncs/{id}': ({ syncId }) => [neither(`${BASE}/config/syncs/${syncId}?version=1`)],
  'POST /api/v1/datasync/config/plan': () => [neither(`${BASE}/config/plan`, { document: { hooks: {} } })],
  'POST /api/v1/datasync/config/apply': ({ shop, other, streams }) => [
    neither(`${BASE}/config/apply`, { document: { hooks: {} } }),
    ...(shop
      ? [{ deed: 'moves' as const, path: `${BASE}/config/apply`, body: { document: shopDocument(shop.at, other.config, streams) } }]
      : []),
  ],
  'GET /api/v1/datasync/hooks': () => [neither(`${BASE}/hooks`)],
  'POST /api/v1/datasync/hooks': ({ syncId }) => [
    neither(`${BASE}/hooks`, { name: `starts nothing ${Math.random()}`, scheme: 'token' }),
    { deed: 'moves', path: `${BASE}/hooks`, body: { name: `starts it ${Math.random()}`, scheme: 'token', sync_id: syncId } },
  ],
  'GET /api/v1/datasync/hooks/{id}': (_, { hook }) => [neither(`${BASE}/hooks/${hook}`)],
  'PUT /api/v1/datasync/hooks/{id}': ({ syncId }, { hook }) => [
    neither(`${BASE}/hooks/${hook}`, { name: `called otherwise ${Math.random()}`, sync_id: null }),
    { deed: 'moves', path: `${BASE}/hooks/${hook}`, body: { sync_id: syncId } },
    neither(`${BASE}/hooks/${hook}`, { sync_id: null }),
  ],
  'DELETE /api/v1/datasync/hooks/{id}': (_, __, { hook }) => [neither(`${BASE}/hooks/${hook}`)],
  'POST /api/v1/datasync/hooks/{id}/rotate': (_, { hook }) => [neither(`${BASE}/hooks/${hook}/rotate`, {})],
  'GET /api/v1/datasync/hooks/{id}/calls': (_, { hook }) => [neither(`${BASE}/hooks/${hook}/calls`)],

  'GET /api/v1/datasync/sync': () => [neither(`${BASE}/sync?status=all&limit=1000`)],
  'POST /api/v1/datasync/sync': ({ sourceId, targetId, streams }) => [
    {
      deed: 'moves',
      path: `${BASE}/sync`,
      body: { name: `one more ${Math.random()}`, source_id: sourceId, target_id: targetId, streams, schedule: { type: 'manual' } },
    },
  ],
  'POST /api/v1/datasync/sync/check': ({ sourceId, targetId, streams }) => [
    { deed: 'moves', path: `${BASE}/sync/check`, body: { source_id: sourceId, target_id: targetId, streams } },
    { deed: 'moves and shows', path: `${BASE}/sync/check`, body: { source_id: sourceId, target_id: targetId, streams, sample_of: 0 } },
  ],
  'POST /api/v1/datasync/sync/schedule': () => [neither(`${BASE}/sync/schedule`, { schedule: { type: 'interval', every: '1h' } })],
  'GET /api/v1/datasync/sync/{id}': ({ syncId }) => [neither(`${BASE}/sync/${syncId}`)],
  'PUT /api/v1/datasync/sync/{id}': ({ syncId, streams }) => [
    { deed: 'moves', path: `${BASE}/sync/${syncId}`, body: { name: `called otherwise ${Math.random()}` } },
    { deed: 'moves', path: `${BASE}/sync/${syncId}`, body: { streams } },
  ],
  'GET /api/v1/datasync/sync/{id}/versions': ({ syncId }) => [neither(`${BASE}/sync/${syncId}/versions`)],
  'GET /api/v1/datasync/sync/{id}/versions/{version}': ({ syncId }) => [neither(`${BASE}/sync/${syncId}/versions/1`)],
  'POST /api/v1/datasync/sync/{id}/versions/{version}/restore': ({ syncId }) => [
    { deed: 'moves', path: `${BASE}/sync/${syncId}/versions/1/restore` },
  ],
  'DELETE /api/v1/datasync/sync/{id}': (_, __, { sync }) => [neither(`${BASE}/sync/${sync}`)],
  'POST /api/v1/datasync/sync/{id}/pause': (_, __, { sync }) => [neither(`${BASE}/sync/${sync}/pause`)],
  'POST /api/v1/datasync/sync/{id}/resume': ({ syncId }) => [{ deed: 'moves', path: `${BASE}/sync/${syncId}/resume` }],
  'POST /api/v1/datasync/sync/{id}/reset': ({ syncId }) => [{ deed: 'moves', path: `${BASE}/sync/${syncId}/reset`, body: {} }],
  'POST /api/v1/datasync/sync/{id}/runs': ({ syncId }) => [
    { deed: 'moves', path: `${BASE}/sync/${syncId}/runs` },
    { deed: 'moves', path: `${BASE}/sync/${syncId}/runs`, body: { mode: 'full' } },
    { deed: 'shows', path: `${BASE}/sync/${syncId}/runs`, body: { mode: 'preview' } },
    { deed: 'shows', path: `${BASE}/sync/${syncId}/runs`, body: { mode: 'verify' } },
    { deed: 'shows', path: `${BASE}/sync/${syncId}/runs`, body: { mode: 'repair_preview' } },
    { deed: 'moves', path: `${BASE}/sync/${syncId}/runs`, body: { mode: 'repair' } },
  ],
  'GET /api/v1/datasync/sync/{id}/runs': ({ syncId }) => [neither(`${BASE}/sync/${syncId}/runs?limit=1000`)],
  'GET /api/v1/datasync/runs': () => [neither(`${BASE}/runs?limit=1000`)],
  'GET /api/v1/datasync/runs/{id}': ({ runId }) => [neither(`${BASE}/runs/${runId}`)],
  'GET /api/v1/datasync/runs/{id}/events': ({ runId }) => [neither(`${BASE}/runs/${runId}/events`)],
  'POST /api/v1/datasync/runs/{id}/cancel': ({ runId }) => [neither(`${BASE}/runs/${runId}/cancel`)],
  'POST /api/v1/datasync/runs/{id}/approve': ({ runId }) => [{ deed: 'moves', path: `${BASE}/runs/${runId}/approve` }],
  'POST /api/v1/datasync/runs/{id}/undo': ({ runId }) => [
    { deed: 'moves', path: `${BASE}/runs/${runId}/undo` },
    { deed: 'shows', path: `${BASE}/runs/${runId}/undo`, body: { preview: true } },
  ],
  'GET /api/v1/datasync/sync/{id}/rejects': ({ syncId }) => [{ deed: 'shows', path: `${BASE}/sync/${syncId}/rejects?status=all` }],
  'POST /api/v1/datasync/sync/{id}/rejects/retry': ({ syncId }) => [{ deed: 'moves', path: `${BASE}/sync/${syncId}/rejects/retry` }],
  'GET /api/v1/datasync/runs/{id}/rejects': ({ runId }) => [{ deed: 'shows', path: `${BASE}/runs/${runId}/rejects` }],
  'POST /api/v1/datasync/runs/{id}/rejects/retry': ({ runId }) => [{ deed: 'moves', path: `${BASE}/runs/${runId}/rejects/retry` }],
};

function neither(path: string, body?: unknown, endless = false): ScopeRequest {
  return { deed: 'neither', path, ...(body !== undefined && { body }), ...(endless && { endless }) };
}
