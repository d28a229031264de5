import { join } from 'node:path';
import { startPostgres } from '../../test/support/postgres-server.ts';
import { atEnd } from './cleanup.ts';
import { mixedLines, writePortions } from './mixed-rows.ts';
import { temporaryFolder } from './processes.ts';
import { MIXED_COLUMNS, psql } from './psql.ts';

/** Two databases on one private server, the first of them with the mixed rows in `rows`. */
export async function twoDatabases(rows: number): Promise<{ server: string; source: string; target: string }> {
  const postgres = await startPostgres();
  atEnd(() => postgres.stop());
  const server = postgres.url;
  psql(server, 'create database source', 'create database target');
  const [source, target] = ['source', 'target'].map((name) => databaseOn(server, name)) as [string, string];
  const file = join(temporaryFolder(), 'rows.copy');
  await writePortions(file, mixedLines(rows));
  psql(source, `create table rows (${MIXED_COLUMNS})`, `\\copy rows from '${file}'`, 'vacuum analyze rows', 'checkpoint');
  return { server, source, target };
}

export function databaseOn(server: string, name: string): string {
  return Object.assign(new URL(server), { pathname: `/${name}` }).href;
}
