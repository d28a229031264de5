import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '../../test/support/postgres-server.ts';
import { atEnd } from './cleanup.ts';
import { temporaryFolder } from './processes.ts';
import { psql } from './psql.ts';
import { type Syncline, startSyncline } from './syncline.ts';
import { databaseOn } from './two-databases.ts';

export type Role = 'all' | 'api' | 'worker';

const SHARED = {
  SYNCLINE_ADMIN_KEY: 'the-admin-key-of-the-benchmark',
  SYNCLINE_SECRET_KEY: Buffer.alloc(32, 'bench').toString('base64'),
};

/** A private PostgreSQL with a database for the nodes, one to read from and one to write to. */
export interface Ground {
  readonly server: string;
  readonly own: string;
  readonly source: string;
  readonly target: string;
  /** A folder for files. */
  readonly folder: string;
  /** Starts one more node on it. */
  start(role: Role, environment?: Record<string, string>): Promise<Syncline>;
}

/** `settings` are for the server, such as `-c shared_preload_libraries=…`. */
export async function prepareGround(settings = ''): Promise<Ground> {
  const postgres = await startPostgres('', settings);
  atEnd(() => postgres.stop());
  const server = postgres.url;
  const [own, source, target] = ['own', 'source', 'target'].map((name) => databaseOn(server, name)) as [string, string, string];
  psql(server, 'create database own', 'create database source', 'create database target');
  return {
    server,
    own,
    source,
    target,
    folder: temporaryFolder(),
    start: (role, environment = {}) =>
      startSyncline(temporaryFolder(), { ...SHARED, DATABASE_URL: own, SYNCLINE_ROLE: role, ...environment }),
  };
}

/** Waits until a query answers this text, or what is the right answer by then. */
export async function untilAnswer(url: string, query: string, answer: string | (() => string), limit: number): Promise<void> {
  const deadline = performance.now() + limit;
  const right = (): string => (typeof answer === 'string' ? answer : answer());
  for (let last = psql(url, query); last !== right(); last = psql(url, query)) {
    if (performance.now() > deadline) throw new Error(`After ${limit} ms "${query}" still answers ${last}, not ${right()}.`);
    await sleep(250);
  }
}

/** How many of the machine's cores were at work while something was done, whichever process used them. */
export async function coresUsed<Result>(work: () => Promise<Result>): Promise<{ result: Result; cores: number }> {
  const before = ticks();
  const result = await work();
  const after = ticks();
  const all = after.all - before.all;
  return { result, cores: all === 0 ? Number.NaN : ((after.busy - before.busy) / all) * cpus().length };
}

function ticks(): { all: number; busy: number } {
  const [user = 0, nice = 0, system = 0, idle = 0, wait = 0, ...rest] = (readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? '')
    .split(/\s+/)
    .slice(1)
    .map(Number);
  const busy = user + nice + system + rest.reduce((sum, part) => sum + part, 0);
  return { all: busy + idle + wait, busy };
}
