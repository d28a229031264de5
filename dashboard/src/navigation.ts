import type { ComponentType } from 'react';
import type { Scope } from './api/resources.ts';
import {
  AlertIcon,
  AuditIcon,
  ConnectorIcon,
  CustomerIcon,
  HookIcon,
  type IconType,
  KeyIcon,
  LogIcon,
  MapIcon,
  MetricsIcon,
  NodeIcon,
  OrderIcon,
  OverviewIcon,
  ProductIcon,
  RunIcon,
  SourceIcon,
  SyncIcon,
  WebhookIcon,
} from './parts/icons.tsx';
import { type LazyPart, lazyPart } from './parts/lazy-part.ts';
import { Overview } from './views/overview/overview.tsx';

export interface View {
  /** Its address, with `:name` for what varies. The first part of it must be in PAGES of src/http/pages/dashboard.ts. */
  path: string;
  /** Without one of these scopes it is not shown. None: every key sees it. */
  scopes: readonly Scope[];
  /** Its place in the navigation; a view without is reached from another one. */
  entry?: { label: string; icon: IconType; group: 'Data' | 'Shop' | 'Notifications' | 'System' | undefined };
  component: ComponentType | LazyPart<object>;
}

/** Every view there is, in the order of the navigation: a new one is a line here and a folder in `views/`. */
export const VIEWS: readonly View[] = [
  {
    path: '/',
    scopes: [],
    entry: { label: 'Overview', icon: OverviewIcon, group: undefined },
    // The first thing to see after signing in: it comes with the page.
    component: Overview,
  },
  { path: '/welcome', scopes: ['datasync:write'], component: lazyPart(async () => (await import('./views/welcome/welcome.tsx')).Welcome) },
  {
    path: '/map',
    scopes: ['datasync:read'],
    entry: { label: 'Map', icon: MapIcon, group: 'Data' },
    component: lazyPart(async () => (await import('./views/map/map.tsx')).SyncMap),
  },
  {
    path: '/sources',
    scopes: ['datasync:read'],
    entry: { label: 'Sources', icon: SourceIcon, group: 'Data' },
    component: lazyPart(async () => (await import('./views/sources/source-list.tsx')).SourceList),
  },
  {
    path: '/sources/new',
    scopes: ['datasync:write'],
    component: lazyPart(async () => (await import('./views/sources/new-source.tsx')).NewSource),
  },
  {
    path: '/sources/:id',
    scopes: ['datasync:read'],
    component: lazyPart(async () => (await import('./views/sources/source-detail.tsx')).SourceDetail),
  },
  {
    path: '/sources/:id/edit',
    scopes: ['datasync:write'],
    component: lazyPart(async () => (await import('./views/sources/edit-source.tsx')).EditSource),
  },
  {
    path: '/connectors',
    scopes: ['datasync:read'],
    entry: { label: 'Connectors', icon: ConnectorIcon, group: 'Data' },
    component: lazyPart(async () => (await import('./views/connectors/catalogue.tsx')).Catalogue),
  },
  {
    path: '/syncs',
    scopes: ['datasync:read'],
    entry: { label: 'Synchronizations', icon: SyncIcon, group: 'Data' },
    component: lazyPart(async () => (await import('./views/syncs/sync-list.tsx')).SyncList),
  },
  {
    path: '/syncs/new',
    scopes: ['datasync:write'],
    component: lazyPart(async () => (await import('./views/syncs/builder/new-sync.tsx')).NewSync),
  },
  {
    path: '/syncs/:id',
    scopes: ['datasync:read'],
    component: lazyPart(async () => (await import('./views/syncs/sync-detail.tsx')).SyncDetail),
  },
  {
    path: '/syncs/:id/edit',
    scopes: ['datasync:write'],
    component: lazyPart(async () => (await import('./views/syncs/builder/edit-sync.tsx')).EditSync),
  },
  {
    path: '/runs',
    scopes: ['datasync:read'],
    entry: { label: 'Runs', icon: RunIcon, group: 'Data' },
    component: lazyPart(async () => (await import('./views/runs/runs.tsx')).Runs),
  },
  { path: '/runs/:id', scopes: ['datasync:read'], component: lazyPart(async () => (await import('./views/runs/run.tsx')).Run) },
  {
    path: '/hooks',
    scopes: ['datasync:read'],
    entry: { label: 'Hooks', icon: HookIcon, group: 'Data' },
    component: lazyPart(async () => (await import('./views/hooks/hook-list.tsx')).HookList),
  },
  {
    path: '/hooks/new',
    scopes: ['datasync:write'],
    component: lazyPart(async () => (await import('./views/hooks/new-hook.tsx')).NewHook),
  },
  {
    path: '/hooks/:id',
    scopes: ['datasync:read'],
    component: lazyPart(async () => (await import('./views/hooks/hook-detail.tsx')).HookDetail),
  },
  {
    path: '/hooks/:id/edit',
    scopes: ['datasync:write'],
    component: lazyPart(async () => (await import('./views/hooks/edit-hook.tsx')).EditHook),
  },
  {
    path: '/logs',
    scopes: ['datasync:read'],
    entry: { label: 'Logs', icon: LogIcon, group: 'Data' },
    component: lazyPart(async () => (await import('./views/logs/logs.tsx')).Logs),
  },
  {
    path: '/metrics',
    scopes: ['datasync:read'],
    entry: { label: 'Metrics', icon: MetricsIcon, group: 'Data' },
    component: lazyPart(async () => (await import('./views/metrics/metrics.tsx')).Metrics),
  },
  {
    path: '/orders',
    scopes: ['orders:read'],
    entry: { label: 'Orders', icon: OrderIcon, group: 'Shop' },
    component: lazyPart(async () => (await import('./views/orders/orders.tsx')).Orders),
  },
  { path: '/orders/:id', scopes: ['orders:read'], component: lazyPart(async () => (await import('./views/orders/order.tsx')).OrderPage) },
  {
    path: '/customers',
    scopes: ['orders:read'],
    entry: { label: 'Customers', icon: CustomerIcon, group: 'Shop' },
    component: lazyPart(async () => (await import('./views/customers/customers.tsx')).Customers),
  },
  {
    path: '/customers/:id',
    scopes: ['orders:read'],
    component: lazyPart(async () => (await import('./views/customers/customer.tsx')).CustomerPage),
  },
  {
    path: '/products',
    scopes: ['products:read'],
    entry: { label: 'Products', icon: ProductIcon, group: 'Shop' },
    component: lazyPart(async () => (await import('./views/products/products.tsx')).Products),
  },
  {
    path: '/products/:id',
    scopes: ['products:read'],
    component: lazyPart(async () => (await import('./views/products/product.tsx')).ProductPage),
  },
  {
    path: '/webhooks',
    scopes: ['webhooks'],
    entry: { label: 'Webhooks', icon: WebhookIcon, group: 'Notifications' },
    component: lazyPart(async () => (await import('./views/webhooks/webhook-list.tsx')).WebhookList),
  },
  {
    path: '/webhooks/new',
    scopes: ['webhooks'],
    component: lazyPart(async () => (await import('./views/webhooks/new-webhook.tsx')).NewWebhook),
  },
  {
    path: '/webhooks/:id',
    scopes: ['webhooks'],
    component: lazyPart(async () => (await import('./views/webhooks/webhook-detail.tsx')).WebhookDetail),
  },
  {
    path: '/webhooks/:id/edit',
    scopes: ['webhooks'],
    component: lazyPart(async () => (await import('./views/webhooks/edit-webhook.tsx')).EditWebhook),
  },
  {
    path: '/webhooks/:id/deliveries/:sequence',
    scopes: ['webhooks'],
    component: lazyPart(async () => (await import('./views/webhooks/delivery.tsx')).DeliveryPage),
  },
  {
    path: '/alerts',
    scopes: ['webhooks'],
    entry: { label: 'Alerts', icon: AlertIcon, group: 'Notifications' },
    component: lazyPart(async () => (await import('./views/alerts/alert-list.tsx')).AlertList),
  },
  {
    path: '/alerts/new',
    scopes: ['webhooks'],
    component: lazyPart(async () => (await import('./views/alerts/new-alert.tsx')).NewAlert),
  },
  {
    path: '/alerts/:id',
    scopes: ['webhooks'],
    component: lazyPart(async () => (await import('./views/alerts/alert-detail.tsx')).AlertDetail),
  },
  {
    path: '/alerts/:id/edit',
    scopes: ['webhooks'],
    component: lazyPart(async () => (await import('./views/alerts/edit-alert.tsx')).EditAlert),
  },
  {
    path: '/keys',
    scopes: ['admin'],
    entry: { label: 'Keys', icon: KeyIcon, group: 'System' },
    component: lazyPart(async () => (await import('./views/keys/keys.tsx')).Keys),
  },
  {
    path: '/nodes',
    scopes: ['admin'],
    entry: { label: 'Nodes', icon: NodeIcon, group: 'System' },
    component: lazyPart(async () => (await import('./views/nodes/nodes.tsx')).Nodes),
  },
  {
    path: '/audit',
    scopes: ['admin'],
    entry: { label: 'Audit', icon: AuditIcon, group: 'System' },
    component: lazyPart(async () => (await import('./views/audit/audit.tsx')).Audit),
  },
];
