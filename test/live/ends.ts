import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { mysqlClient, type PlainClient, postgresClient, sqliteClient } from '../../src/cli/prove/plain-client.ts';
import { startKillablePostgres } from '../crash/postgres-kill.ts';
import { type ChaosProxy, startChaosProxy } from '../support/chaos-proxy.ts';
import type { Place } from '../support/databases.ts';
import { startOwnMysql } from '../support/mysql-server.ts';

export type EndType = 'postgres' | 'mysql' | 'sqlite';

/** A system at either end of a live synchronization, which may be killed and cut off. */
export interface LiveEnd {
  readonly type: EndType;
  /** As the service reaches it: by the wire. */
  readonly config: object;
  /** The network between the service and it; a file has none. */
  readonly wire: ChaosProxy | undefined;
  /** How a table is called in the definition of a stream. */
  named(table: string): string;
  /** Has the wire lead to another server, as when a name is given to another machine. */
  leadTo(other: { readonly port: number }): void;
  /** Where the server itself listens. */
  readonly port: number;
  /** Another connection, past the wire. */
  /** A file is waited for within the one thread that the tests have: who looks again and again takes no for an answer after `patience` milliseconds. */
  connect(patience?: number): Promise<PlainClient>;
  kill(): Promise<void>;
  startAgain(): Promise<void>;
  close(): Promise<void>;
}

const DATABASE = 'live';
/** A process that is killed leaves to the system what it has written, so nobody has to wait for a disk. */
const POSTGRES = '-c fsync=off -c max_replication_slots=20 -c max_wal_senders=20 -c wal_level=logical';
const MYSQL = ['--log-bin=binlog', '--server-id=7', '--binlog-format=ROW', '--sync-binlog=0', '--innodb-flush-log-at-trx-commit=2'];

export function startEnd(type: EndType, place: Place, settings?: string): Promise<LiveEnd> {
  if (type === 'postgres') return startPostgresEnd(settings);
  return type === 'mysql' ? startMysqlEnd() : startSqliteEnd(place);
}

export async function startPostgresEnd(settings = ''): Promise<LiveEnd> {
  const server = await startKillablePostgres(`${POSTGRES} ${settings}`);
  const { hostname, port, username } = new URL(server.url);
  const behind = { host: hostname, port: Number(port) };
  const wire = await startChaosProxy(behind);
  const first = await postgresClient(server.url);
  await first.run(`create database ${DATABASE}`);
  await first.close();
  return {
    type: 'postgres',
    config: { host: '127.0.0.1', port: wire.port, user: username, database: DATABASE, ssl: 'disable' },
    wire,
    port: Number(port),
    leadTo: (other) => {
      behind.port = other.port;
      wire.cut();
    },
    named: (table) => `public.${table}`,
    connect: () => postgresClient(Object.assign(new URL(server.url), { pathname: `/${DATABASE}` }).href),
    kill: () => server.kill(),
    startAgain: async () => server.startAgain(),
    close: async () => {
      await wire.close();
      server.stop();
    },
  };
}

export async function startMysqlEnd(): Promise<LiveEnd> {
  const server = await startOwnMysql(MYSQL);
  const { hostname, port } = new URL(server.url);
  const behind = { host: hostname, port: Number(port) };
  const wire = await startChaosProxy(behind);
  const first = await mysqlClient(mysqlPlace(Number(port)));
  await first.run(`create database ${DATABASE} character set utf8mb4`);
  await first.close();
  return {
    type: 'mysql',
    config: { host: '127.0.0.1', port: wire.port, user: 'root', password: '', database: DATABASE, tls: 'disable' },
    wire,
    port: Number(port),
    leadTo: (other) => {
      behind.port = other.port;
      wire.cut();
    },
    named: (table) => table,
    connect: () => mysqlClient({ ...mysqlPlace(Number(port)), database: DATABASE }),
    kill: () => server.kill(),
    startAgain: () => server.startAgain(),
    close: async () => {
      await wire.close();
      server.stop();
    },
  };
}

function mysqlPlace(port: number): { host: string; port: number; user: string } {
  return { host: '127.0.0.1', port, user: 'root' };
}

/** The folder that ends are in which are files. */
export function filesOf(place: Place): string {
  return join(place.dataDir, 'files');
}

async function startSqliteEnd(place: Place): Promise<LiveEnd> {
  const folder = filesOf(place);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'live.db');
  new DatabaseSync(path).close();
  return {
    type: 'sqlite',
    config: { path },
    wire: undefined,
    port: 0,
    leadTo: () => {},
    named: (table) => table,
    connect: async (patience) => sqliteClient(path, patience),
    kill: async () => {},
    startAgain: async () => {},
    close: async () => {},
  };
}
