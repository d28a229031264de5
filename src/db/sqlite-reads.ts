import type { DatabaseSync } from 'node:sqlite';
import type { Connection } from './database.ts';
import type { Sql } from './sql.ts';
import { SqliteConnection } from './sqlite-connection.ts';

interface Waiting {
  query: Sql;
  resolve: (rows: never[]) => void;
  reject: (error: unknown) => void;
}

/**
 * Short reads in this thread. Those that arrive in one turn of the loop are done together at its end, on one snapshot:
 * the locks are taken once, and each finds the processor's caches filled by the one before it.
 */
export class SqliteReads implements Connection {
  readonly engine = 'sqlite';
  readonly #database: DatabaseSync;
  readonly #connection: SqliteConnection;
  #waiting: Waiting[] = [];

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#connection = new SqliteConnection(database);
  }

  all<Row>(query: Sql): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.push({ query, resolve, reject }) === 1) setImmediate(() => this.#run());
    });
  }

  #run(): void {
    const reads = this.#waiting;
    this.#waiting = [];
    const together = reads.length > 1;
    try {
      if (together) this.#database.exec('begin');
    } catch (error) {
      for (const { reject } of reads) reject(error);
      return;
    }
    for (const { query, resolve, reject } of reads) {
      try {
        resolve(this.#connection.rows(query));
      } catch (error) {
        reject(error);
      }
    }
    // A read that failed badly may have ended it.
    if (together && this.#database.isTransaction) this.#database.exec('commit');
  }
}
