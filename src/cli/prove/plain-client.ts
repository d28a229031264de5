import { DatabaseSync } from 'node:sqlite';
import { createConnection } from 'mysql2/promise';
import pg from 'pg';

/** A way into a database that is not the connector's, so that one can be held against the other. Every value is text or null. */
export interface PlainClient {
  run(sql: string): Promise<void>;
  rows(sql: string): Promise<(string | null)[][]>;
  close(): Promise<void>;
}

/** How long a lock of another is waited for. A call of SQLite holds up everything else meanwhile. */
const FILE_PATIENCE = 10_000;

export async function postgresClient(url: string): Promise<PlainClient> {
  const types = { getTypeParser: () => (text: string) => text } as unknown as pg.CustomTypesConfig;
  const client = new pg.Client({ connectionString: url, types });
  // It may be cut off at any moment; the next statement tells.
  client.on('error', () => {});
  await client.connect();
  return {
    run: async (sql) => void (await client.query(sql)),
    rows: async (sql) => (await client.query({ text: sql, rowMode: 'array' })).rows as (string | null)[][],
    close: () => client.end().catch(() => {}),
  };
}

export interface MysqlPlace {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password?: string;
  readonly database?: string;
  readonly ssl?: { readonly rejectUnauthorized: boolean };
}

export async function mysqlClient(place: MysqlPlace): Promise<PlainClient> {
  const connection = await createConnection({ ...place, charset: 'utf8mb4', timezone: 'Z' });
  connection.on('error', () => {});
  return {
    run: async (sql) => void (await connection.query(sql)),
    rows: async (sql) => {
      const [rows] = await connection.query({ sql, rowsAsArray: true, typeCast: (field) => field.string() });
      return rows as unknown as (string | null)[][];
    },
    close: async () => connection.destroy(),
  };
}

export function sqliteClient(path: string, patience = FILE_PATIENCE): PlainClient {
  const database = new DatabaseSync(path, { timeout: patience });
  return {
    run: async (sql) => database.exec(sql),
    rows: async (sql) => {
      const statement = database.prepare(sql);
      statement.setReturnArrays(true);
      return statement.all().map((row) => Object.values(row).map((value) => (value === null ? null : String(value))));
    },
    close: async () => database.close(),
  };
}
