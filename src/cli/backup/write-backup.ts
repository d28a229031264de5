import { createWriteStream, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Connection } from '../../db/database.ts';
import { asUnavailable } from '../../db/errors.ts';
import { SCHEMA_VERSION } from '../../db/migrate.ts';
import { join, raw, sql } from '../../db/sql.ts';
import { syncFolder } from '../../lib/sync-folder.ts';
import { type BackupHeader, backupText, compressor, type TableCounts } from './backup-format.ts';
import type { ColumnValue } from './backup-tables.ts';
import type { BackupTable } from './backup-table.ts';
import { CliError } from '../errors.ts';

// Rows read at a time: what is in memory at once, as an order may have a hundred kilobytes.
const CHUNK_ROWS = 500;

/** Writes everything that a database of this version holds into one file; answers how much that was. The caller sees to it that it is of one moment. */
export async function writeBackup(path: string, db: Connection, about: Pick<BackupHeader, 'created_at' | 'app'>): Promise<TableCounts> {
  const counts: TableCounts = {};
  await writeWhole(
    path,
    backupText({ schema: SCHEMA_VERSION, ...about }, (table) => rowsOf(db, table), counts),
  );
  return counts;
}

/** The rows of a table along its primary key, some at a time. */
async function* rowsOf(db: Connection, { name, columns, key }: BackupTable): AsyncGenerator<ColumnValue[][]> {
  const names = Object.keys(columns);
  const keyNames = raw(key.join(', '));
  let after = sql``;
  for (;;) {
    const rows = await db.all<Record<string, ColumnValue>>(
      sql`select ${raw(names.join(', '))} from ${raw(name)} ${after} order by ${keyNames} limit ${CHUNK_ROWS}`,
    );
    if (rows.length > 0) yield rows.map((row) => names.map((column) => valueOf(row[column] ?? null, columns[column] === 'bigint')));
    const last = rows.at(-1);
    if (!last || rows.length < CHUNK_ROWS) return;
    const place = key.map((column) => sql`${last[column]}`);
    after = sql`where (${keyNames}) > (${join(place, ', ')})`;
  }
}

function valueOf(value: ColumnValue, isNumber: boolean): ColumnValue {
  return isNumber && value !== null ? Number(value) : value;
}

/** Either the whole file appears under its name, and is on disk, or nothing does. */
async function writeWhole(path: string, text: AsyncIterable<string>): Promise<void> {
  const part = `${path}.part`;
  try {
    rmSync(part, { force: true });
    const file = createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true });
    await pipeline(Readable.from(text), compressor(), file);
    renameSync(part, path);
    syncFolder(dirname(path));
  } catch (error) {
    rmSync(part, { force: true });
    throw asCliError(path, error as NodeJS.ErrnoException);
  }
}

function asCliError(path: string, error: NodeJS.ErrnoException): unknown {
  switch (error.code) {
    case 'ENOENT':
      return new CliError(`The folder ${dirname(path)} does not exist.`);
    case 'EACCES':
    case 'EROFS':
      return new CliError(`This user may not write into ${dirname(path)}.`);
    case 'ENOSPC':
      return new CliError(`The disk of ${dirname(path)} is full. No backup was written.`);
    default:
      return asUnavailable(error);
  }
}
