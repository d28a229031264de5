import type { Engine, Sql } from './sql.ts';

/** A connection or a transaction: the first argument of every query. */
export interface Connection {
  readonly engine: Engine;
  /** Runs a statement and answers its rows. Statements run in the order in which they were given, awaited or not. */
  all<Row>(query: Sql): Promise<Row[]>;
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
  /** Runs a reading command on one snapshot, where a long one disturbs nobody. */
  query<Input, Output>(command: Command<Input, Output>, input: Input): Promise<Output>;
  /** Throws when the database cannot be reached. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Thrown by a command that lost a race: the whole transaction is tried again. */
export class LostRace extends Error {
  override readonly name = 'LostRace';
}

/** The first row, or undefined. */
export async function first<Row>(db: Connection, query: Sql): Promise<Row | undefined> {
  return (await db.all<Row>(query))[0];
}
