import type { DuckDBAppender, DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { aborted, OutsideError } from '../../../outside/errors.ts';
import type { Context } from '../../contract.ts';
import type { DuckdbConfig } from '../manifest.ts';
import { holdAlone } from './alone.ts';
import { duckdbError } from './errors.ts';

interface Opened {
  readonly instance: DuckDBInstance;
  close(): void;
}

/** A file that is open in this thread. DuckDB opens one only once, so all sessions share it. */
interface OpenFile {
  readonly opened: Promise<Opened>;
  readonly isWritable: boolean;
  /** How many want it, those that still wait for it among them. */
  users: number;
  /** When it is closed. */
  readonly closed: PromiseWithResolvers<void>;
}

const files = new Map<string, OpenFile>();
// A page takes moments.
const PATIENCE_MS = 10_000;

/** What is asked of DuckDB. Once it is closed, everything is refused as stopped. */
export interface DuckdbLink {
  /** Does something; answers how many rows it has changed. */
  run(sql: string, values?: readonly SqlValue[]): Promise<number>;
  /** All rows of an answer. */
  rows(sql: string, values?: readonly SqlValue[]): Promise<unknown[][]>;
  appender(table: string): Promise<DuckDBAppender>;
  /** Ends what is under way. */
  interrupt(): void;
  close(): Promise<void>;
}

/** A connection to a file, and how it is let go. */
export interface DuckdbDatabase {
  readonly connection: DuckdbLink;
  /** The real path of the file. */
  readonly file: string;
  close(): Promise<void>;
}

export async function openDatabase(config: DuckdbConfig, context: Context, isWritable: boolean): Promise<DuckdbDatabase> {
  const file = isWritable && config.create ? await creatable(config, context) : await existing(config, context);
  if (isWritable) await unlessRead(file, config.path);
  const entry = files.get(file) ?? {
    opened: open(config, file, isWritable),
    isWritable,
    users: 0,
    closed: Promise.withResolvers<void>(),
  };
  files.set(file, entry);
  entry.users++;
  const letGo = async (): Promise<void> => {
    entry.users--;
    if (entry.users > 0) return;
    files.delete(file);
    try {
      (await entry.opened).close();
    } finally {
      entry.closed.resolve();
    }
  };
  try {
    const connection = linkTo(await (await entry.opened).instance.connect());
    let isClosed = false;
    return {
      connection,
      file,
      close: async () => {
        if (isClosed) return;
        isClosed = true;
        await connection.close();
        await letGo();
      },
    };
  } catch (error) {
    await letGo().catch(() => {});
    throw duckdbError(error, config.path);
  }
}

/** What is open for reading is let go of after each page: then it can be opened for writing, which readers share. */
async function unlessRead(file: string, path: string): Promise<void> {
  const limit = AbortSignal.timeout(PATIENCE_MS);
  for (let entry = files.get(file); entry && !entry.isWritable; entry = files.get(file)) {
    if (limit.aborted) throw duckdbError(new Error('different configuration'), path);
    const { promise, resolve } = Promise.withResolvers<void>();
    limit.addEventListener('abort', () => resolve(), { once: true });
    await Promise.race([entry.closed.promise, promise]);
  }
}

async function open(config: DuckdbConfig, file: string, isWritable: boolean): Promise<Opened> {
  const driver = await load();
  const letGo = await holdAlone(file, PATIENCE_MS).catch(() => {
    throw duckdbError(new Error('different configuration'), config.path);
  });
  try {
    const instance = await instanceOf(driver, config, file, isWritable);
    const close = (): void => {
      try {
        instance.closeSync();
      } finally {
        letGo();
      }
    };
    return { instance, close };
  } catch (error) {
    letGo();
    throw error;
  }
}

async function instanceOf(
  { DuckDBInstance: Instance }: Awaited<ReturnType<typeof load>>,
  config: DuckdbConfig,
  file: string,
  isWritable: boolean,
): Promise<DuckDBInstance> {
  const instance = await Instance.create(file, {
    access_mode: isWritable ? 'READ_WRITE' : 'READ_ONLY',
    // Nothing that stands in the file, such as a view, reaches anything else: no other file, no network, no extension.
    enable_external_access: 'false',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
    memory_limit: `${config.memory_mb}MB`,
    threads: '2',
  });
  try {
    const connection = await instance.connect();
    await connection.run(`set TimeZone = 'UTC'`);
    await connection.run('set lock_configuration = true');
    connection.closeSync();
    return instance;
  } catch (error) {
    instance.closeSync();
    throw error;
  }
}

/** It is an optional dependency, with a library of its own for each kind of machine. */
async function load(): Promise<typeof import('@duckdb/node-api')> {
  try {
    return await import('@duckdb/node-api');
  } catch (error) {
    throw new OutsideError('config', 'DRIVER_MISSING', 'DuckDB is not installed on this machine.', {
      hint: 'Install it beside Syncline with `npm install @duckdb/node-api`; there may be none for this kind of machine.',
      cause: error,
    });
  }
}

async function existing(config: DuckdbConfig, { roots }: Context): Promise<string> {
  const file = await roots.existing(config.path);
  if (!statSync(file).isFile()) throw notAFile(config);
  // What DuckDB opens beside it has to be within bounds, too.
  if (existsSync(`${file}.wal`)) await roots.existing(`${file}.wal`);
  return file;
}

/** The path of a file that is there or can be made: DuckDB makes files, not folders. */
export async function creatable(config: DuckdbConfig, context: Context): Promise<string> {
  const file = await context.roots.writable(config.path);
  if (existsSync(file)) return existing(config, context);
  if (existsSync(dirname(file))) return file;
  throw new OutsideError('config', 'FILE_MISSING', `The folder of "${config.path}" is not there.`, {
    field: 'path',
    hint: 'Make the folder, or check the path.',
  });
}

function notAFile(config: DuckdbConfig): OutsideError {
  return new OutsideError('config', 'NOT_A_FILE', `"${config.path}" is not a file.`, { field: 'path' });
}

export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export type SqlValue = string | number | bigint | null;

/** DuckDB must not be closed while it works: then nobody would ever hear of it again. */
function linkTo(connection: DuckDBConnection): DuckdbLink {
  const underWay = new Set<Promise<unknown>>();
  let isClosed = false;
  const tracked = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isClosed) throw aborted();
    const promise = work();
    underWay.add(promise);
    try {
      return await promise;
    } finally {
      underWay.delete(promise);
    }
  };
  return {
    run: (sql, values = []) => tracked(async () => (await connection.run(sql, [...values])).rowsChanged),
    rows: (sql, values = []) => tracked(async () => (await connection.runAndReadAll(sql, [...values])).getRows()),
    appender: (table) => tracked(() => connection.createAppender(table, 'main', 'temp')),
    interrupt: () => {
      if (!isClosed) connection.interrupt();
    },
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      connection.interrupt();
      await Promise.allSettled(underWay);
      connection.closeSync();
    },
  };
}
