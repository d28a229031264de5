import { DatabaseSync } from 'node:sqlite';
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { unavailable } from '../lib/errors.ts';
import type { Logger } from '../lib/log.ts';
import { startThread } from '../lib/thread.ts';
import type { Command, Database } from './database.ts';
import { asUnavailable, unpackError } from './errors.ts';
import { sql } from './sql.ts';
import { openSqlite } from './sqlite-connection.ts';
import { watchFiles } from './sqlite-files.ts';
import { SqliteReads } from './sqlite-reads.ts';
import type { SweepRequest, ThreadAnswer, ThreadRequest, ThreadSettings } from './sqlite-thread.ts';

/** Megabytes for what long reads soon forget. With 48, as the writer has, they took 30 MB more, and no less time. */
const READER_YOUNG = 12;
/** Milliseconds after which the reader's thread ends that nobody has asked: it keeps some tens of megabytes. */
const READER_IDLE = 60_000;

/**
 * The embedded database: one file. Writes happen in a thread of their own; short reads here, as asking another thread
 * would take longer than the reading; long reads in a second thread that starts when first needed, and ends when it is idle.
 */
export async function openSqliteDatabase(path: string, log: Logger, readerIdle = READER_IDLE): Promise<Database> {
  // Orders are private: a folder that we make is ours alone, and so is the file.
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  for (const file of [path, `${path}.lock`]) makeOwnFile(file);
  const lock = lockFile(`${path}.lock`);
  let writer = new Thread({ path, mode: 'write' });
  let reader: Thread | undefined;
  let leaving: Promise<void> | undefined;
  try {
    await writer.ready;
  } catch (error) {
    await writer.close();
    lock.close();
    throw error;
  }
  const connection = openSqlite(path, 'read');
  const read = new SqliteReads(connection);
  const files = watchFiles(path, log);
  // Never on another file than that of the others.
  const startThread = (mode: ThreadSettings['mode']): Thread => {
    files.demand();
    return new Thread({ path, mode });
  };
  // A thread that has died fails what it had under way; the next request starts another.
  const writing = (): Thread => (writer.alive ? writer : (writer = startThread('write')));
  const reading = (): Thread => (reader?.alive ? reader : (reader = startThread('read')));
  const resting = setInterval(() => {
    if (!reader?.alive || reader.idleFor() < readerIdle) return;
    leaving = reader.close();
    // What is asked from now on starts another.
    reader = undefined;
  }, readerIdle / 4).unref();
  return {
    threaded: true,
    // One batch is written while the next is on its way; a commit is cheap, so a few make a batch.
    grouping: { concurrency: 2, eager: 8 },
    read,
    write: async (command, input) => writing().run(command, input),
    query: async (command, input) => reading().run(command, input),
    sweep: () => writing().sweep(),
    problem: () => files.problem(),
    ping: async () => {
      files.demand();
      await writing().ready;
      await read.all(sql`select 1`);
    },
    close: async () => {
      clearInterval(resting);
      files.close();
      // The writer goes last: only the last connection, and only one that may write, folds the log into the file.
      await Promise.all([leaving, reader?.close()]);
      connection.close();
      await writer.close();
      lock.close();
    },
  };
}

/** What SQLite makes by itself all may read. A file that is there is left alone: to close it would free the locks of this process on it. */
function makeOwnFile(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
}

/** Two services on one file would each believe to be the only writer. The operating system frees the lock when we die. */
function lockFile(path: string): DatabaseSync {
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    lock.exec('pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    lock.close();
    throw new Error(
      `Another Syncline is using this data directory (${dirname(path)}). Stop it first, or set SYNCLINE_DATA_DIR to another folder.`,
      {
        cause: error,
      },
    );
  }
  return lock;
}

interface Pending {
  resolve: (output: unknown) => void;
  reject: (error: unknown) => void;
}

class Thread {
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  readonly ready: Promise<unknown>;
  alive = true;
  #lastId = 0;
  #lastAsked = performance.now();

  constructor(settings: ThreadSettings) {
    const resourceLimits = settings.mode === 'read' ? { maxYoungGenerationSizeMb: READER_YOUNG } : {};
    this.#worker = startThread(import.meta.url, 'sqlite-thread', { workerData: settings, resourceLimits });
    this.ready = new Promise((resolve, reject) => this.#pending.set(0, { resolve, reject }));
    this.ready.catch(() => {});
    this.#worker.on('message', (answer: ThreadAnswer) => this.#settle(answer));
    this.#worker.on('error', (error: unknown) => this.#die(error));
    this.#worker.on('exit', () => this.#die(new Error('The database thread has ended.')));
  }

  run<Input, Output>({ module, name }: Command<Input, Output>, input: Input): Promise<Output> {
    return this.#ask((id) => ({ id, module, name, input }));
  }

  /** Milliseconds since it was last asked; none while it works. */
  idleFor(): number {
    return this.#pending.size > 0 ? 0 : performance.now() - this.#lastAsked;
  }

  sweep(): Promise<void> {
    return this.#ask((id) => ({ id, sweep: true }));
  }

  async #ask<Output>(requestOf: (id: number) => ThreadRequest | SweepRequest): Promise<Output> {
    if (!this.alive) throw unavailable('The database is closed.');
    const id = ++this.#lastId;
    this.#lastAsked = performance.now();
    try {
      return await new Promise((resolve, reject) => {
        this.#pending.set(id, { resolve: resolve as (output: unknown) => void, reject });
        this.#worker.postMessage(requestOf(id));
      });
    } catch (error) {
      throw asUnavailable(error);
    }
  }

  async close(): Promise<void> {
    if (!this.alive) return;
    const ended = new Promise((resolve) => this.#worker.once('exit', resolve));
    this.#worker.postMessage('close');
    await ended;
  }

  #settle(answer: ThreadAnswer): void {
    const pending = this.#pending.get(answer.id);
    this.#pending.delete(answer.id);
    if ('error' in answer) pending?.reject(unpackError(answer.error));
    else pending?.resolve(answer.output);
  }

  #die(error: unknown): void {
    this.alive = false;
    for (const { reject } of this.#pending.values()) reject(unavailable('The database thread has ended.', { cause: error }));
    this.#pending.clear();
  }
}
