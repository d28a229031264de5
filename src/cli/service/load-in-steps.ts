import { flushCompileCache } from 'node:module';

/** Rooms of the service, from left to right, so that each brings some of its modules. */
const STEPS: readonly (() => Promise<unknown>)[] = [
  () => import('../../db/open.ts'),
  () => import('../../http/server.ts'),
  () => import('../../keys/routes.ts'),
  () => import('../../connectors/registry.ts'),
  () => import('../../shop/orders/routes.ts'),
  () => import('../../shop/products/routes.ts'),
  () => import('../../datasync/sources/routes.ts'),
  () => import('../../datasync/syncs/routes.ts'),
  () => import('../../datasync/hooks/routes.ts'),
  () => import('../../datasync/runs/routes.ts'),
  () => import('../../datasync/runs/work/runner.ts'),
  () => import('../../webhooks/routes.ts'),
  () => import('../../configuration/service.ts'),
];

/**
 * Loads the modules of the service in steps. What Node has read from its compile cache of a module it keeps until it is told to let go of it, four
 * megabytes for all of them; what is let go of behind each step is the room that the next one needs.
 */
export async function loadInSteps(): Promise<void> {
  for (const load of STEPS) {
    await load();
    flushCompileCache();
  }
}
