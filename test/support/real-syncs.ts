import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Place } from './databases.ts';
import { type Service, withFreeName } from './service.ts';
import { until } from './until.ts';

const BASE = '/api/v1/datasync';
const OVER = ['succeeded', 'partial', 'failed', 'cancelled', 'skipped'];

// oxlint-disable-next-line no-explicit-any -- the tests look into bodies of every shape
export type Body = any;

/** What it takes to call the API: a service in this process, or another one. */
export type Caller = Pick<Service, 'call'>;

export async function ask(service: Caller, method: string, path: string, body?: unknown): Promise<Body> {
  const reply = await withFreeName((options) => service.call(method, BASE + path, options), body === undefined ? {} : { body });
  if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
  return reply.body.data;
}

export async function addSource(service: Caller, type: string, config: unknown, name = type): Promise<string> {
  return (await ask(service, 'POST', '/sources', { name, type, config })).id;
}

/** A source of made-up rows: the same in every thread. Its stream is called `t`. */
export function madeUp(options: { count?: number; fields?: number; endless?: boolean; delay_ms?: number; fail?: unknown[] } = {}): unknown {
  const { count = 10, fields = 1, endless = false, ...rest } = options;
  const texts = Array.from({ length: fields }, (_, at) => ({ name: `text_${at}`, type: 'text' }));
  const streams = [
    {
      name: 't',
      fields: [{ name: 'id', type: 'int64', nullable: false }, ...texts],
      key: ['id'],
      cursors: ['id'],
      generate: { count },
      endless,
    },
  ];
  return { name: `made up ${Math.random()}`, streams, ...rest };
}

/** A new SQLite file that connectors may use. */
export function sqliteFile(place: Place, name: string): string {
  const folder = join(place.dataDir, 'files');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  new DatabaseSync(path).close();
  return path;
}

/** How many rows a table of an SQLite file has; 0 when there is no such table. */
export function rowsIn(path: string, table: string): number {
  return lookInto(path, (db) => (isIn(db, table) ? Number(db.prepare(`select count(*) as n from "${table}"`).get()?.['n']) : 0));
}

export function hasTable(path: string, table: string): boolean {
  return lookInto(path, (db) => isIn(db, table));
}

function isIn(db: DatabaseSync, table: string): boolean {
  return db.prepare('select 1 from sqlite_master where name = ?').get(table) !== undefined;
}

function lookInto<Answer>(path: string, look: (db: DatabaseSync) => Answer): Answer {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
  try {
    return look(db);
  } finally {
    db.close();
  }
}

export function runOf(service: Caller, id: string): Promise<Body> {
  return ask(service, 'GET', `/runs/${id}`);
}

export async function reaches(service: Caller, id: string, statuses: string | readonly string[], limit?: number): Promise<Body> {
  let last: Body;
  try {
    return await until(
      `the run to be ${String(statuses)}`,
      async () => {
        last = await runOf(service, id);
        return statuses.includes(last.status) && last;
      },
      limit,
    );
  } catch (error) {
    throw new Error(`${(error as Error).message}; it is ${JSON.stringify(last)}`, { cause: error });
  }
}

/** Starts a run and waits until it is over. */
export async function runToEnd(service: Caller, syncId: string, body?: unknown): Promise<Body> {
  const { id } = await ask(service, 'POST', `/sync/${syncId}/runs`, body);
  return reaches(service, id, OVER);
}
