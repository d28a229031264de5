import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { Connection } from './database.ts';
import { compile, type Sql } from './sql.ts';

// Statement texts come from our own code, so their number is small; the bound only guards against a mistake.
const MAX_STATEMENTS = 500;

export function openSqlite(path: string, mode: 'read' | 'write'): DatabaseSync {
  const database = new DatabaseSync(path, { readOnly: mode === 'read', timeout: 10_000 });
  if (mode === 'write') {
    // FULL: a commit is on disk before we say so. Frequent checkpoints are short ones, which nobody notices waiting for.
    database.exec(
      'pragma journal_mode = wal; pragma synchronous = full; pragma wal_autocheckpoint = 400; pragma journal_size_limit = 67108864',
    );
  }
  database.exec('pragma foreign_keys = on; pragma cache_size = -16000; pragma temp_store = memory');
  return database;
}

/** Our queries over one `node:sqlite` connection. Whoever opened it decides about transactions. */
export class SqliteConnection implements Connection {
  readonly engine = 'sqlite';
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  all<Row>(query: Sql): Promise<Row[]> {
    return Promise.try(() => this.rows<Row>(query));
  }

  /** The same at once. */
  rows<Row>(query: Sql): Row[] {
    const { text, parameters } = compile(query, 'sqlite');
    return this.#prepare(text).all(...(parameters as SQLInputValue[])) as Row[];
  }

  #prepare(text: string): StatementSync {
    let statement = this.#statements.get(text);
    if (!statement) {
      if (this.#statements.size >= MAX_STATEMENTS) this.#statements.clear();
      statement = this.#database.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }
}
