import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bulk } from '../../db/bulk.ts';
import type { Connection } from '../../db/database.ts';
import { migrate, SCHEMA_VERSION } from '../../db/migrate.ts';
import { raw, sql } from '../../db/sql.ts';
import { damaged, openBackup } from './backup-file.ts';
import type { BackupHeader } from './backup-format.ts';
import type { BackupTable } from './backup-table.ts';
import { writeBackup } from './write-backup.ts';

/**
 * Hands on a backup of this version's schema. One of an older version is brought up to date for it: into an SQLite database of its
 * schema, forward by the same steps that any database takes, and out again. What is made for that goes when the work is done.
 */
export async function withBackupOfToday(
  path: string,
  header: BackupHeader,
  dataDir: string,
  work: (path: string) => Promise<void>,
): Promise<void> {
  if (header.schema === SCHEMA_VERSION) return work(path);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const folder = mkdtempSync(join(dataDir, 'restore-'));
  try {
    await work(await bringUpToDate(path, header, folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function bringUpToDate(path: string, { schema, created_at, app }: BackupHeader, folder: string): Promise<string> {
  const { openSqlite, SqliteConnection } = await import('../../db/sqlite-connection.ts');
  const database = openSqlite(join(folder, 'older.db'), 'write');
  try {
    // Nobody needs it after a crash.
    database.exec('pragma synchronous = off; begin');
    const tx = new SqliteConnection(database);
    await migrate(tx, Date.now(), schema);
    await fill(tx, path);
    await migrate(tx, Date.now());
    const file = join(folder, 'today.backup');
    await writeBackup(file, tx, { created_at, app });
    return file;
  } finally {
    database.close();
  }
}

async function fill(tx: Connection, path: string): Promise<void> {
  const backup = await openBackup(path);
  const known = new Set<string>();
  try {
    for await (const { table, rows } of backup.chunks) {
      if (!known.has(table.name)) {
        await demandTable(tx, path, table);
        // The steps of the schema have put some rows there.
        await tx.all(sql`delete from ${raw(table.name)}`);
        known.add(table.name);
      }
      const names = raw(Object.keys(table.columns).map(quoted).join(', '));
      const types = Object.fromEntries(Object.entries(table.columns).map(([name, type]) => [quoted(name), type]));
      await tx.all(sql`insert into ${raw(table.name)} (${names}) select ${names} from ${bulk(types, rows)} as input`);
    }
  } finally {
    await backup.close();
  }
}

function quoted(name: string): string {
  return `"${name}"`;
}

async function demandTable(tx: Connection, path: string, { name, columns }: BackupTable): Promise<void> {
  const there = await tx.all<{ name: string }>(sql`select name from pragma_table_info(${name})`);
  const names = new Set(there.map((column) => column.name));
  if (names.size === 0 || !Object.keys(columns).every((column) => names.has(column))) throw damaged(path);
}
