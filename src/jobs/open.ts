import type { Database } from '../db/database.ts';
import type { Logger } from '../lib/log.ts';
import type { Dispatcher } from './dispatcher.ts';
import { createInProcessDispatcher } from './in-process.ts';

/** The adapter that this database needs. */
export async function openDispatcher(db: Database, log: Logger): Promise<Dispatcher> {
  if (!db.shared) return createInProcessDispatcher(log);
  // Only the adapter in use is loaded: the embedded service has no memory to spare for the other.
  const { createPgBossDispatcher } = await import('./pg-boss.ts');
  return createPgBossDispatcher(db.shared, log);
}
