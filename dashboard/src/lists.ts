/** A list that pages of one thing belong to, and what the things in it are called. */
export interface ListOf {
  label: string;
  href: string;
  /** One of them, within a sentence. */
  one: string;
  /** Where the way back leads, in words that are never long; the label, unless given. */
  way?: string;
}

/** The way back from the page of one thing, also when it does not exist. */
export const LISTS = {
  alerts: { label: 'Alerts', href: '/alerts', one: 'alert' },
  customers: { label: 'Customers', href: '/customers', one: 'customer' },
  hooks: { label: 'Hooks', href: '/hooks', one: 'hook' },
  orders: { label: 'Orders', href: '/orders', one: 'order' },
  products: { label: 'Products', href: '/products', one: 'product' },
  runs: { label: 'Runs', href: '/runs', one: 'run' },
  sources: { label: 'Sources', href: '/sources', one: 'source' },
  syncs: { label: 'Synchronizations', href: '/syncs', one: 'synchronization' },
  webhooks: { label: 'Webhooks', href: '/webhooks', one: 'webhook' },
} as const satisfies Record<string, ListOf>;
