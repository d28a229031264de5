import type { TSchema } from '../../src/lib/schema.ts';

/** Ids and cursors that exist, so that not every request is about nothing. */
export interface World {
  orders: string[];
  customers: string[];
  erasures: string[];
  products: string[];
  /** Products that nobody needs: those are deleted. */
  doomed: string[];
  keys: string[];
  sources: string[];
  /** Sources that nobody needs. */
  doomedSources: string[];
  syncs: string[];
  /** Synchronizations that nobody needs. */
  doomedSyncs: string[];
  hooks: string[];
  /** Hooks that nobody needs. */
  doomedHooks: string[];
  /** Runs that are over. */
  runs: string[];
  webhooks: string[];
  alerts: string[];
  /** Alerts that nobody needs. */
  doomedAlerts: string[];
  /** Endpoints that nobody needs. */
  doomedWebhooks: string[];
  /** By path of the list. */
  cursors: Record<string, string[]>;
  /** The schema of one product, for the operation that takes many. */
  product: TSchema;
}
