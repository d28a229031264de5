import type { Migration } from './migration.ts';
import { shop } from './migrations/0001_shop.ts';
import { datasync } from './migrations/0002_datasync.ts';
import { runs } from './migrations/0003_runs.ts';
import { logs } from './migrations/0004_logs.ts';
import { nodes } from './migrations/0005_nodes.ts';
import { parts } from './migrations/0006_parts.ts';
import { shares } from './migrations/0007_shares.ts';
import { notes } from './migrations/0008_notes.ts';
import { origins } from './migrations/0009_origins.ts';
import { syncState } from './migrations/0010_sync-state.ts';
import { webhooks } from './migrations/0011_webhooks.ts';
import { hooks } from './migrations/0012_hooks.ts';
import { alerts } from './migrations/0013_alerts.ts';
import { live } from './migrations/0014_live.ts';
import { asItWas } from './migrations/0015_as-it-was.ts';
import { delivered } from './migrations/0016_delivered.ts';
import { proof } from './migrations/0017_proof.ts';
import { undo } from './migrations/0018_undo.ts';
import { orderExtras } from './migrations/0019_order-extras.ts';
import { orderDeeds } from './migrations/0020_order-deeds.ts';
import { stock } from './migrations/0021_stock.ts';
import { findAndErase } from './migrations/0022_find-and-erase.ts';
import { syncTotals } from './migrations/0023_sync-totals.ts';
import { names } from './migrations/0024_names.ts';
import { sessions } from './migrations/0025_sessions.ts';
import { syncVersions } from './migrations/0026_sync-versions.ts';
import { toldFromRows } from './migrations/0027_told-from-rows.ts';

/** Every step of the schema, in their order. */
export const MIGRATIONS: readonly Migration[] = [
  shop,
  datasync,
  runs,
  logs,
  nodes,
  parts,
  shares,
  notes,
  origins,
  syncState,
  webhooks,
  hooks,
  alerts,
  live,
  asItWas,
  delivered,
  proof,
  undo,
  orderExtras,
  orderDeeds,
  stock,
  findAndErase,
  syncTotals,
  names,
  sessions,
  syncVersions,
  toldFromRows,
];
