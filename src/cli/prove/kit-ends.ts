import { join } from 'node:path';
import { CliError, UsageError } from '../errors.ts';
import type { KitEnd } from './kit-end.ts';
import { makeMysqlEnd } from './mysql-end.ts';
import { sqliteClient } from './plain-client.ts';
import { makePostgresEnd } from './postgres-end.ts';

export interface KitEndOptions {
  /** Where the server is; undefined: a file of SQLite. */
  readonly address: string | undefined;
  /** What it is for; it is part of the name of the database. */
  readonly role: 'source' | 'target';
  /** The folder for files. */
  readonly folder: string;
}

/** Makes a database of its own where it was asked for. What is there already is never used: it is refused. */
export async function makeEnd({ address, role, folder }: KitEndOptions): Promise<KitEnd> {
  if (address === undefined) return makeSqliteEnd(join(folder, `${role}.db`));
  const url = URL.parse(address);
  const make =
    url && { 'postgres:': makePostgresEnd, 'postgresql:': makePostgresEnd, 'mysql:': makeMysqlEnd, 'mariadb:': makeMysqlEnd }[url.protocol];
  if (!make)
    throw new UsageError(`--${role} must be of the form postgres://user:password@host:5432/database or mysql://user:password@host:3306.`);
  try {
    return await make(url, `syncline_prove_${role}`);
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(`The ${role} cannot be made at ${url.protocol}//${url.host}: ${(error as Error).message}`);
  }
}

function makeSqliteEnd(path: string): KitEnd {
  const file = sqliteClient(path);
  // Who reads does not hold up who writes.
  void file.run('pragma journal_mode = wal');
  void file.close();
  return {
    type: 'sqlite',
    config: { path },
    title: `SQLite ${process.versions.sqlite}, a temporary file`,
    dialect: {
      types: { time: 'timestamp', decimal: 'decimal', text: 'text' },
      insertNew: ['insert or ignore into', ''],
      quote: (text) => `'${text.replaceAll("'", "''")}'`,
      begin: 'begin immediate',
      now: growingTime(),
    },
    manyWriters: false,
    named: (table) => table,
    connect: async () => sqliteClient(path),
    cannotFollow: async () => 'SQLite has no log that can be followed',
    // It goes with its folder.
    remove: async () => {},
  };
}

/** Times to the microsecond, each later than the one before: two changes within one moment would have to be told apart. */
function growingTime(): () => string {
  let last = 0;
  return () => {
    last = Math.max(last + 1, Date.now() * 1000);
    const text = new Date(Math.floor(last / 1000)).toISOString();
    return `'${text.slice(0, 10)} ${text.slice(11, 23)}${String(last % 1000).padStart(3, '0')}'`;
  };
}
