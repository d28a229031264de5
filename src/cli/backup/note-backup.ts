import { hostname, userInfo } from 'node:os';
import { recordAudit } from '../../audit/record.ts';
import type { Config } from '../../config.ts';
import type { Connection } from '../../db/database.ts';
import { sqliteFile } from '../../db/open.ts';
import { compile, type Sql } from '../../db/sql.ts';
import { actorCalled } from '../../http/caller.ts';

const CONNECT_TIMEOUT = 10_000;

/**
 * Has the audit tell that everything is being copied, before it is: so the backup holds the entry, and one that fails half way has left it,
 * too. Beside a service that runs, as one short transaction.
 */
export async function noteBackup({ databaseUrl, dataDir }: Config, file: string): Promise<void> {
  const details = { file, user: userInfo().username, host: hostname() };
  const note = (tx: Connection): Promise<void> =>
    recordAudit(tx, Date.now(), { actor: actorCalled('command line'), action: 'backup.started', object_id: '', details });
  await (databaseUrl === undefined ? inSqlite(dataDir, note) : inPostgres(databaseUrl, note));
}

async function inSqlite(dataDir: string, note: (tx: Connection) => Promise<void>): Promise<void> {
  const { openSqlite, SqliteConnection } = await import('../../db/sqlite-connection.ts');
  const database = openSqlite(sqliteFile(dataDir), 'write');
  try {
    await note(new SqliteConnection(database));
  } finally {
    database.close();
  }
}

async function inPostgres(url: string, note: (tx: Connection) => Promise<void>): Promise<void> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT, application_name: 'syncline backup' });
  // Without a listener a lost connection would end the process; the statement under way fails with the reason.
  client.on('error', () => {});
  await client.connect();
  try {
    const all = async <Row>(query: Sql): Promise<Row[]> => {
      const { text, parameters } = compile(query, 'postgres');
      return (await client.query(text, parameters)).rows as Row[];
    };
    await note({ engine: 'postgres', all });
  } finally {
    await client.end();
  }
}
