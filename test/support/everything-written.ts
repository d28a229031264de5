import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { Place } from './databases.ts';

/** Every byte that the service has written: its files, and the tables of its database. */
export async function everythingWritten({ dataDir, databaseUrl }: Place): Promise<string> {
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const texts = files.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
  if (databaseUrl !== undefined) {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    const tables = await client.query<{ name: string }>(`select tablename as name from pg_tables where schemaname = 'public'`);
    for (const { name } of tables.rows) texts.push(JSON.stringify((await client.query(`select * from ${name}`)).rows));
    await client.end();
  }
  return texts.join('\n');
}
