import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
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

interface Prepared {
  statement: StatementSync;
  names: readonly string[];
}

/** Our queries over one `node:sqlite` connection. The caller that opened it decides about transactions. */
export class SqliteConnection implements Connection {
  readonly engine = 'sqlite';
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, Prepared>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  all<Row>(query: Sql): Promise<Row[]> {
    return Promise.try(() => this.rows<Row>(query));
  }

  /** The same at once. */
  rows<Row>(query: Sql): Row[] {
    const { text, parameters } = compile(query, 'sqlite');
    const { statement, names } = this.#prepare(text);
    const rows = statement.all(...(parameters as SQLInputValue[])) as unknown as SQLOutputValue[][];
    return rows.map((values) => rowOf(names, values)) as Row[];
  }

  #prepare(text: string): Prepared {
    let prepared = this.#statements.get(text);
    if (!prepared) {
      if (this.#statements.size >= MAX_STATEMENTS) this.#statements.clear();
      const statement = this.#database.prepare(text);
      statement.setReturnArrays(true);
      prepared = { statement, names: statement.columns().map(({ name }) => name) };
      this.#statements.set(text, prepared);
    }
    return prepared;
  }
}

/** An ordinary object. Those that `node:sqlite` makes are hash tables: reading a field of one takes ten times as long. */
function rowOf(names: readonly string[], values: readonly SQLOutputValue[]): Record<string, SQLOutputValue> {
  const row: Record<string, SQLOutputValue> = {};
  for (let i = 0; i < names.length; i++) row[names[i] as string] = values[i] as SQLOutputValue;
  return row;
}
