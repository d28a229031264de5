import { join } from 'node:path';
import type { Database } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import { ensureAdminKey } from './commands.ts';

/** Makes an admin key when there is none that works, and keeps it in its file; answers it when it made one. */
export async function makeAdminKey(db: Database, dataDir: string, clock: Clock): Promise<string | undefined> {
  const made = await db.write(ensureAdminKey, { now: clock(), file: adminKeyFile(dataDir) });
  return made?.key;
}

export function adminKeyFile(dataDir: string): string {
  return join(dataDir, 'admin-key');
}
