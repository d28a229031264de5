import { closeSync, createWriteStream, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Config } from '../config.ts';
import { asUnavailable } from '../db/errors.ts';
import { SCHEMA_VERSION } from '../db/migrate.ts';
import { join, raw, sql } from '../db/sql.ts';
import { isoTime } from '../lib/clock.ts';
import { VERSION } from '../version.ts';
import { readArguments } from './arguments/arguments.ts';
import { backupText, compressor, type TableCounts } from './backup/backup-format.ts';
import type { BackupTable, ColumnValue } from './backup/backup-tables.ts';
import { contentOf, fileSize } from './shown/amounts.ts';
import { CliError } from './errors.ts';
import { noteBackup } from './backup/note-backup.ts';
import { openSnapshot, type DatabaseSnapshot } from './backup/snapshot.ts';

// Rows read at a time: what is in memory at once, as an order may have a hundred kilobytes.
const CHUNK_ROWS = 500;

/** Writes everything there is, as of one moment, into one file; the service may go on. */
export async function backup(args: string[], config: Config): Promise<number> {
  const { values, positionals } = readArguments(args, { force: { type: 'boolean' } }, ['file']);
  const path = resolve(positionals[0] ?? '');
  const present = statSync(path, { throwIfNoEntry: false });
  if (present?.isDirectory()) throw new CliError(`${path} is a folder. Name a file in it.`);
  if (present && !values.force) throw new CliError(`${path} exists already. Name another file, or replace it with --force.`);
  await tellAudit(config, path);
  const snapshot = await openSnapshot(config);
  const counts: TableCounts = {};
  try {
    const about = { schema: SCHEMA_VERSION, created_at: isoTime(Date.now()), app: VERSION };
    await writeWhole(
      path,
      backupText(about, (table) => rowsOf(snapshot, table), counts),
    );
  } finally {
    await snapshot.close();
  }
  process.stdout.write(
    `Wrote ${path} (${fileSize(statSync(path).size)}): ${contentOf(counts)}.\n` +
      "It holds the customers' data: keep it where only you can read it. Of the keys it holds only hashes: keep the admin key too.\n" +
      (counts['sources']
        ? 'The secrets of sources are in it encrypted: keep secret-key or SYNCLINE_SECRET_KEY apart from it, and do not lose it.\n'
        : ''),
  );
  return 0;
}

/** A user who may only read the database can make a backup as well: they could copy it by other means. But the log says so. */
async function tellAudit(config: Config, path: string): Promise<void> {
  // A first look, which says in words when there is nothing to be backed up, or nothing that this program knows.
  await (await openSnapshot(config)).close();
  try {
    await noteBackup(config, path);
  } catch (error) {
    process.stderr.write(`The audit trail does not tell of this backup: ${(error as Error).message}.\n`);
  }
}

/** The rows of a table along its primary key, some at a time. */
async function* rowsOf(snapshot: DatabaseSnapshot, { name, columns, key }: BackupTable): AsyncGenerator<ColumnValue[][]> {
  const names = Object.keys(columns);
  const keyNames = raw(key.join(', '));
  let after = sql``;
  for (;;) {
    const rows = await snapshot.all<Record<string, ColumnValue>>(
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

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
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
