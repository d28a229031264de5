import type { Job, Queue } from './job.ts';
import type { Engine, Sql } from './sql.ts';

/** A connection or a transaction: the first argument of every query. */
export interface Connection {
  readonly engine: Engine;
  /** Stands for the database, where a process keeps in mind what it has found there. Without one there is no need to. */
  readonly origin?: object | undefined;
  /** Where this transaction leaves word of what is due. Without one the rows are all there is. */
  readonly jobs?: JobStore | undefined;
  /** Runs a statement and answers its rows. Statements run in the order in which they were given, awaited or not. */
  all<Row>(query: Sql): Promise<Row[]>;
  /**
   * Tells that the statements given so far are the last of this transaction, and that it is to be committed when none of them fails: the commit
   * leaves along with them, and what they have locked is free without another round trip. Only where there is one to be saved.
   */
  last?: (() => void) | undefined;
}

/**
 * A piece of work that runs in one transaction, wherever the engine does that best: PostgreSQL's runs in this thread,
 * SQLite's in the writer's thread, which imports `module` and finds the command there under `name`. Input and output
 * are plain data.
 */
export interface Command<Input, Output> {
  readonly module: string;
  readonly name: string;
  readonly run: (tx: Connection, input: Input) => Promise<Output>;
}

export function command<Input, Output>(
  module: string,
  name: string,
  run: (tx: Connection, input: Input) => Promise<Output>,
): Command<Input, Output> {
  return { module, name, run };
}

/** Our own database. */
export interface Database {
  /** Whether commands run in another thread, where their input has to be copied to. */
  readonly threaded: boolean;
  /** How this engine likes writes that arrive together to be joined: see Batcher. */
  readonly grouping: { readonly concurrency: number; readonly eager: number; readonly eagerShare?: number };
  /** For reading; what it reads has been committed. Each statement sees one moment, two statements may see two. */
  readonly read: Connection;
  /** Runs a command in a transaction of its own; when this resolves, what it wrote is on disk. */
  write<Input, Output>(command: Command<Input, Output>, input: Input): Promise<Output>;
  /** Runs a reading command on one snapshot, where a long one disturbs no other. */
  query<Input, Output>(command: Command<Input, Output>, input: Input): Promise<Output>;
  /** What only a database that several nodes share can do; the embedded one has no need for it. */
  readonly shared?: SharedDatabase;
  /** Has the files hold nothing of what was deleted or changed. Writes wait meanwhile. Only of the embedded one: a server's files are its own. */
  sweep?(): Promise<void>;
  /** What has happened to the database that the operator should look after, in words; the embedded one may lose its files. */
  problem?(): string | undefined;
  /** Throws when the database cannot be reached. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Where jobs are kept: a part of the transaction of the change they tell of. */
export interface JobStore {
  enqueue(tx: Connection, queue: Queue, jobs: readonly Job[]): Promise<void>;
  /** Takes up to so many jobs that are due, oldest first, and leaves alone what others are taking. They are gone with the commit. */
  take(tx: Connection, queue: Queue, most: number): Promise<string[]>;
  cancel(tx: Connection, queue: Queue, keys: readonly string[]): Promise<void>;
}

/** A database server, where several nodes meet. */
export interface SharedDatabase {
  /** Runs statements that are not ours, as they are, outside of any transaction of ours. */
  execute(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
  /** From now on transactions leave word of what is due here. */
  keepJobsIn(jobs: JobStore): void;
  /** Hears what is told on a channel; `onGap` when something may have been missed: at first, and after a lost connection. */
  listen(channel: string, onMessage: (message: string) => void, onGap: () => void): void;
  /** Tells all nodes, this one too. */
  tell(channel: string, message: string): Promise<void>;
  /** Whether what is told is heard: not while the connection is lost, and never through a pooler that loses it. */
  isHeard(): boolean;
}

/** Thrown by a command that lost a race: the whole transaction is tried again. */
export class LostRace extends Error {
  override readonly name = 'LostRace';
}

/** The first row, or undefined. */
export async function first<Row>(db: Connection, query: Sql): Promise<Row | undefined> {
  return (await db.all<Row>(query))[0];
}
