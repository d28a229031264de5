import { setTimeout as pause } from 'node:timers/promises';
import { CliError } from '../errors.ts';
import type { KitEnd } from './kit-end.ts';
import { postgresClient } from './plain-client.ts';

/** A server takes a moment to notice that who followed its log is gone. */
const PATIENCE = 30_000;
const GLANCE = 200;

export async function makePostgresEnd(url: URL, database: string): Promise<KitEnd> {
  const own = Object.assign(new URL(url), { pathname: `/${database}` }).href;
  const first = await postgresClient(url.href);
  let version: string;
  try {
    if ((await first.rows(`select 1 from pg_database where datname = '${database}'`)).length > 0)
      throw new CliError(
        `The server ${url.host} has a database ${database} already. If it is left from an earlier proof and nobody needs it, drop it: drop database ${database}.`,
      );
    await first.run(`create database ${database}`);
    version = (await first.rows('show server_version'))[0]?.[0] ?? '';
  } finally {
    await first.close();
  }
  const ssl = url.searchParams.get('sslmode');
  return {
    type: 'postgres',
    config: {
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: Number(url.port || 5432),
      user: decodeURIComponent(url.username),
      ...(url.password && { password: decodeURIComponent(url.password) }),
      database,
      ...(ssl && { ssl }),
    },
    title: `PostgreSQL ${version.split(' ')[0]} at ${url.host}, database ${database}`,
    dialect: {
      types: { time: 'timestamp', decimal: 'numeric(12,2)', text: 'text' },
      insertNew: ['insert into', 'on conflict do nothing'],
      // Backslashes are plain, however the server is set.
      quote: (text) => `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`,
      begin: 'begin',
      now: () => 'clock_timestamp()',
    },
    manyWriters: true,
    named: (table) => `public.${table}`,
    connect: () => postgresClient(own),
    cannotFollow: () => whyNotFollowed(own),
    remove: () => dropDatabase(url.href, database),
  };
}

async function whyNotFollowed(url: string): Promise<string | undefined> {
  const client = await postgresClient(url);
  try {
    const level = (await client.rows('show wal_level'))[0]?.[0];
    if (level !== 'logical') return `wal_level of the source is ${level} and not logical`;
    const may = (await client.rows('select rolreplication or rolsuper from pg_roles where rolname = current_user'))[0]?.[0];
    return may === 't' ? undefined : 'the user of the source has no REPLICATION';
  } finally {
    await client.close();
  }
}

async function dropDatabase(url: string, database: string): Promise<void> {
  const client = await postgresClient(url);
  try {
    // Slots go with their database when nobody follows them.
    for (const end = Date.now() + PATIENCE; ; await pause(GLANCE)) {
      const active = await client.rows(
        `select pg_terminate_backend(active_pid) from pg_replication_slots where database = '${database}' and active`,
      );
      if (active.length === 0 || Date.now() > end) break;
    }
    await client.run(`drop database if exists ${database} with (force)`);
  } finally {
    await client.close();
  }
}
