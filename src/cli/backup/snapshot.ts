import { existsSync } from 'node:fs';
import type { Config } from '../../config.ts';
import type { Connection } from '../../db/database.ts';
import { SCHEMA_VERSION } from '../../db/migrate.ts';
import { sqliteFile } from '../../db/open.ts';
import { compile, type Sql, sql } from '../../db/sql.ts';
import { CliError } from '../errors.ts';
import { sentence } from '../../lib/sentence.ts';

const CONNECT_TIMEOUT = 10_000;

/** Our database as it was at one moment, for reading only, beside a service that goes on writing. */
export interface DatabaseSnapshot extends Connection {
  close(): Promise<void>;
}

/** Neither takes the lock of the service nor migrates: looking changes nothing. */
export async function openSnapshot({ databaseUrl, dataDir }: Config): Promise<DatabaseSnapshot> {
  let snapshot: DatabaseSnapshot | undefined;
  try {
    snapshot = databaseUrl === undefined ? await openSqliteSnapshot(dataDir) : await openPostgresSnapshot(databaseUrl);
    checkSchema(await schemaOf(snapshot));
    return snapshot;
  } catch (error) {
    await snapshot?.close();
    if (error instanceof CliError) throw error;
    throw new CliError(
      sentence(`The database ${databaseUrl === undefined ? `in ${dataDir}` : 'at DATABASE_URL'} cannot be used: ${reasonOf(error)}`),
    );
  }
}

async function openSqliteSnapshot(dataDir: string): Promise<DatabaseSnapshot> {
  const path = sqliteFile(dataDir);
  if (!existsSync(path)) {
    throw new CliError(`There is no database in ${dataDir}. Set SYNCLINE_DATA_DIR to the folder of the service, or DATABASE_URL.`);
  }
  const { openSqlite, SqliteConnection } = await import('../../db/sqlite-connection.ts');
  const database = openSqlite(path, 'read');
  // From the first read to the end it sees what was committed before that read.
  database.exec('begin');
  const connection = new SqliteConnection(database);
  return { engine: 'sqlite', all: (query) => connection.all(query), close: async () => database.close() };
}

async function openPostgresSnapshot(url: string): Promise<DatabaseSnapshot> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    application_name: 'syncline backup',
    // Every value as the text that PostgreSQL writes.
    types: { getTypeParser: () => (text: string) => text },
  });
  // Without a listener a lost connection would end the process; the query under way fails with the reason.
  client.on('error', () => {});
  await client.connect();
  await client.query('begin isolation level repeatable read read only');
  return {
    engine: 'postgres',
    all: async <Row>(query: Sql) => {
      const { text, parameters } = compile(query, 'postgres');
      return (await client.query(text, parameters)).rows as Row[];
    },
    close: () => client.end(),
  };
}

function reasonOf(error: unknown): string {
  const { message, code, errors } = error as NodeJS.ErrnoException & { errors?: Error[] };
  return message || errors?.[0]?.message || code || 'it does not answer';
}

async function schemaOf(snapshot: DatabaseSnapshot): Promise<number> {
  try {
    const rows = await snapshot.all<{ newest: number | string | null }>(sql`select max(number) as newest from migrations`);
    return Number(rows[0]?.newest ?? 0);
  } catch (error) {
    if (/no such table|does not exist/.test((error as Error).message)) return 0;
    throw error;
  }
}

function checkSchema(schema: number): void {
  if (schema === SCHEMA_VERSION) return;
  if (schema === 0) throw new CliError('There is no Syncline in this database: its tables are missing.');
  const advice =
    schema > SCHEMA_VERSION ? 'Use the newer version.' : 'Start this version once, which brings it up to date, or use the older one.';
  throw new CliError(`The database has the schema ${schema}, this program knows ${SCHEMA_VERSION}. ${advice}`);
}
