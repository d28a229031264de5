import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import { openDatabase } from '../db/open.ts';
import { AppError } from '../lib/errors.ts';
import { createLog } from '../lib/log.ts';
import { CliError } from './errors.ts';

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

function faultOf(error: Error): string {
  // What a caller of the API must not see, the operator must: why it is not available.
  const { cause } = error;
  return error instanceof AppError && cause instanceof Error ? `${error.message} The reason: ${cause.message}.` : error.message;
}
