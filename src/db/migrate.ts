import type { Connection } from './database.ts';
import type { ColumnTypes, Migration } from './migration.ts';
import { shop } from './migrations/0001_shop.ts';
import { datasync } from './migrations/0002_datasync.ts';
import { runs } from './migrations/0003_runs.ts';
import { logs } from './migrations/0004_logs.ts';
import { type Engine, raw, sql } from './sql.ts';

const COLUMN_TYPES: Record<Engine, ColumnTypes> = {
  sqlite: { text: 'text', money: 'text', json: 'text', sequence: 'integer primary key', clustered: ' without rowid' },
  postgres: { text: 'text collate "C"', money: 'numeric', json: 'json', sequence: 'bigint primary key', clustered: '' },
};

const MIGRATIONS: readonly Migration[] = [shop, datasync, runs, logs];

export const SCHEMA_VERSION = MIGRATIONS.length;

/** Any number that only we take: nodes that start together queue up behind it. */
const POSTGRES_LOCK = 7_316_924_771;

/**
 * Brings the database to this program's schema: forward only, each step once, all in the caller's transaction. On SQLite
 * that transaction already excludes other writers; on PostgreSQL a lock makes nodes that start together wait.
 */
export async function migrate(tx: Connection, now: string): Promise<void> {
  const { engine } = tx;
  if (engine === 'postgres') await tx.all(sql`select pg_advisory_xact_lock(${POSTGRES_LOCK})`);
  const text = raw(COLUMN_TYPES[engine].text);
  await tx.all(sql`create table if not exists migrations (number bigint primary key, name ${text} not null, applied_at ${text} not null)`);

  const applied = await tx.all<{ number: number }>(sql`select number from migrations order by number`);
  const newest = applied.at(-1)?.number ?? 0;
  if (newest > SCHEMA_VERSION) {
    throw new Error(
      `The database is of a newer Syncline (schema ${newest}, this program knows ${SCHEMA_VERSION}). ` +
        'Nothing was changed. Start the newer version again, or restore a backup made by this one.',
    );
  }
  for (const migration of MIGRATIONS.slice(newest)) {
    for (const statement of migration.statements(COLUMN_TYPES[engine], engine)) await tx.all(raw(statement));
    await tx.all(sql`insert into migrations (number, name, applied_at) values (${migration.number}, ${migration.name}, ${now})`);
  }
}
