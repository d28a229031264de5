import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../lib/errors.ts';
import type { Logger } from '../lib/log.ts';
import type { Database } from './database.ts';
import { asUnavailable } from './errors.ts';

const PATIENCE = 30_000;
const PAUSE = 1_000;

/** Where the database is; the part of the configuration that this room needs to know. */
export interface DatabaseSettings {
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
  /** PostgreSQL connections of this node. */
  readonly poolSize: number;
}

/** Opens the database that the configuration names, at this program's schema. Only the engine in use is loaded. */
export async function openDatabase(config: DatabaseSettings, log: Logger): Promise<Database> {
  if (config.databaseUrl === undefined) {
    const { openSqliteDatabase } = await import('./sqlite.ts');
    return openSqliteDatabase(sqliteFile(config.dataDir), log);
  }
  const { openPostgresDatabase } = await import('./postgres.ts');
  const deadline = performance.now() + PATIENCE;
  for (;;) {
    try {
      return await openPostgresDatabase(config.databaseUrl, { poolSize: config.poolSize, log });
    } catch (error) {
      // A database that is still starting (as in a compose file) is waited for; a wrong password is not.
      const waitable = asUnavailable(error) instanceof AppError;
      if (!waitable || performance.now() > deadline)
        throw new Error(`The database at DATABASE_URL cannot be used: ${(error as Error).message}`, { cause: error });
      log.warn({ reason: (error as Error).message }, 'the database is not there yet; waiting for it');
      await sleep(PAUSE);
    }
  }
}

export function sqliteFile(dataDir: string): string {
  return join(dataDir, 'syncline.db');
}
