import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import { openDatabase } from '../db/open.ts';
import { createLog } from '../lib/log.ts';
import { CliError, faultOf } from './errors.ts';

/** Runs work on the database itself, for commands that do without the service. */
export async function withDatabase<Result>(config: Config, work: (db: Database) => Promise<Result>): Promise<Result> {
  const db = await openDatabase(config, createLog(config.logLevel)).catch((error: unknown) => {
    throw new CliError(faultOf(error as Error));
  });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}
