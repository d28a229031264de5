import type { Connection } from '../../src/db/database.ts';
import { BACKUP_TABLES } from '../../src/cli/backup/backup-tables.ts';
import { openDatabase } from '../../src/db/open.ts';
import { raw, sql } from '../../src/db/sql.ts';
import { createLog } from '../../src/lib/log.ts';
import type { Place } from './databases.ts';

/** Looks into the database of a place that no service is on. */
export async function inDatabase(place: Place, work: (db: Connection) => Promise<void>): Promise<void> {
  const db = await openDatabase({ ...place, poolSize: 2 }, createLog('silent'));
  try {
    await work(db.read);
  } finally {
    await db.close();
  }
}

/** Every row of every table as JSON, in the order of the keys. */
export async function dump(db: Connection): Promise<Record<string, string[]>> {
  const tables: Record<string, string[]> = {};
  for (const { name, columns, key } of BACKUP_TABLES) {
    const rows = await db.all<Record<string, unknown>>(sql`select * from ${raw(name)} order by ${raw(key.join(', '))}`);
    tables[name] = rows.map((row) => JSON.stringify(Object.keys(columns).map((column) => row[column])));
  }
  return tables;
}
