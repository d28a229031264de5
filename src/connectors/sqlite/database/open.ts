import { existsSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { constants, DatabaseSync, type StatementSync } from 'node:sqlite';
import { type Context, MAX_ROW_BYTES } from '../../contract.ts';
import { codeOf, OutsideError } from '../../../outside/errors.ts';
import { fileError } from '../../../outside/file-errors.ts';
import { WITNESSES } from '../../own-tables.ts';
import { sqliteError } from './errors.ts';
import type { SqliteConfig } from '../manifest.ts';

// A program that waits inside SQLite answers nobody. So it waits this long at a time, and outside of it for the rest.
const WAIT_INSIDE = 50;

/** Opens for reading; the file has to be there. */
export async function openForReading(config: SqliteConfig, context: Context): Promise<DatabaseSync> {
  try {
    return await connectTo(config, context, true);
  } catch (error) {
    if (!(error instanceof OutsideError) || error.code !== 'READ_ONLY') throw error;
    // A program that was killed has left its log behind. It is put in order by the next one that may write, and by no other.
    (await connectTo(config, context, false)).close();
    return connectTo(config, context, true);
  }
}

/** Opens for writing; makes the file when the configuration says so. */
export async function openForWriting(config: SqliteConfig, context: Context): Promise<DatabaseSync> {
  if (config.create) await make(config, context);
  return connectTo(config, context, false);
}

/** SQLite would make the file with rights for all users, and where a link leads to. What it makes beside the file has the file's rights. */
async function make(config: SqliteConfig, context: Context): Promise<void> {
  const file = await creatable(config, context);
  const folder = await context.roots.folder(dirname(file));
  try {
    const handle = await open(folder.at(basename(file)), 'wx', 0o640);
    await handle.close();
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw fileError(error, config.path);
  } finally {
    folder.close();
  }
}

/** The path of a file that is there or can be made: SQLite makes files, not folders. */
export async function creatable(config: SqliteConfig, context: Context): Promise<string> {
  const file = await context.roots.writable(config.path);
  // A pipe would keep SQLite waiting without end.
  if (existsSync(file) && !statSync(file).isFile())
    throw new OutsideError('config', 'NOT_A_FILE', `"${config.path}" is not a file.`, { field: 'path' });
  if (existsSync(dirname(file))) return file;
  throw new OutsideError('config', 'FILE_MISSING', `The folder of "${config.path}" is not there.`, {
    field: 'path',
    hint: 'Make the folder, or check the path.',
  });
}

// What SQLite opens beside a file, by names that it makes itself.
const BESIDE = ['-wal', '-shm', '-journal'];

/**
 * Opens a file that is there. SQLite opens by name, so what it opened is looked at afterwards; not by opening it ourselves, as closing
 * it again would end SQLite's locks on it. Links are not followed by SQLite.
 */
async function connectTo(config: SqliteConfig, { roots, signal }: Context, readOnly: boolean): Promise<DatabaseSync> {
  const held = await roots.hold(config.path);
  const demandBeside = async (): Promise<void> => {
    for (const ending of BESIDE) {
      const beside = await roots.hold(held.path + ending).catch((error: unknown) => {
        if (!(error instanceof OutsideError) || error.code !== 'FILE_MISSING') throw error;
      });
      beside?.close();
    }
  };
  try {
    await demandBeside();
    // Opening reads, and a file whose writer is about to commit cannot be read for that moment.
    const database = await patiently(config, signal, () => connect(config, held.path, readOnly));
    try {
      held.demandOpened();
      await demandBeside();
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  } finally {
    held.close();
  }
}

// A query without an end, and another file.
const REFUSED: ReadonlySet<number> = new Set([constants.SQLITE_RECURSIVE, constants.SQLITE_ATTACH]);

function connect(config: SqliteConfig, file: string, readOnly: boolean): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { readOnly, timeout: WAIT_INSIDE, enableDoubleQuotedStringLiterals: false });
    database.enableDefensive(true);
    // A value beyond this is refused before it is fetched.
    database.limits.length = MAX_ROW_BYTES;
    // The file may come from anywhere: what its schema wants to run is not trusted, and its structure is looked at.
    database.exec('pragma trusted_schema = off; pragma cell_size_check = on; pragma temp_store = file');
    if (!readOnly) prepareToWrite(database, file);
    database.setAuthorizer((action) => (REFUSED.has(action) ? constants.SQLITE_DENY : constants.SQLITE_OK));
    // Opening looks at nothing yet. This reads the header.
    database.prepare('select count(*) from sqlite_schema').get();
    if (isInstallation(database)) throw ownFile(config.path);
    return database;
  } catch (error) {
    if (database?.isOpen) database.close();
    const failure = sqliteError(error, config.path);
    throw failure.code === 'UNEXPECTED' ? fileError(error, config.path) : failure;
  }
}

const isWitnessed = Object.entries(WITNESSES)
  .map(([table, column]) => `exists (select 1 from pragma_table_info('${table}') where name = '${column}')`)
  .join(' and ');

/** Whether the file holds a Syncline, be it this one's own, another's, or a copy: a file like that holds nothing else. */
function isInstallation(database: DatabaseSync): boolean {
  return database.prepare(`select ${isWitnessed} as found`).get()?.['found'] === 1;
}

function ownFile(path: string): OutsideError {
  return new OutsideError('config', 'OWN_TABLE', `"${path}" is the database of a Syncline, or a copy of it.`, {
    field: 'path',
    hint: 'What Syncline keeps for itself is neither read nor written by synchronizations. Orders and products are read and written by a source of type hub.',
  });
}

/** Keys that come in no order need their pages again and again. A file that we make has the journal that lets others read meanwhile. */
function prepareToWrite(database: DatabaseSync, file: string): void {
  database.exec('pragma cache_size = -16000');
  if (statSync(file).size === 0) database.exec('pragma journal_mode = wal');
}

/** Does something that may find the file locked, again and again until the patience is at its end. */
export async function patiently<T>(config: SqliteConfig, signal: AbortSignal, work: () => T): Promise<T> {
  const end = performance.now() + config.busy_timeout_ms;
  for (;;) {
    try {
      return work();
    } catch (error) {
      const failure = sqliteError(error, config.path);
      if (failure.code !== 'LOCKED' || performance.now() >= end) throw failure;
    }
    await breathe(signal, 20);
  }
}

/** Lets others have their turn, then goes on unless it was stopped. */
export async function breathe(signal: AbortSignal, milliseconds = 0): Promise<void> {
  await new Promise<void>((resolve) => (milliseconds > 0 ? setTimeout(resolve, milliseconds) : setImmediate(resolve)));
  if (signal.aborted) throw new OutsideError('transient', 'ABORTED', 'The work was stopped.');
}

/**
 * A statement that changes something. Whenever one is run, node:sqlite tells the row that the connection has inserted last, and throws when its number is
 * too large for a double: so it is read as a bigint, as the counts are.
 */
export function changing(database: DatabaseSync, sql: string): StatementSync {
  const statement = database.prepare(sql);
  statement.setReadBigInts(true);
  return statement;
}

export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
