import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'node:test';
import pg from 'pg';
import type { Database } from '../../src/db/database.ts';
import { openDatabase, sqliteFile } from '../../src/db/open.ts';
import type { Engine } from '../../src/db/sql.ts';
import { createLog } from '../../src/lib/log.ts';
import { isWhole } from './whole.ts';

export const ENGINES: readonly Engine[] = ['sqlite', 'postgres'];

/** A place for a database that nobody else uses. */
export interface Place {
  dataDir: string;
  databaseUrl: string | undefined;
  remove(): Promise<void>;
}

let places = 0;

/** With nothing in it, as before a first start. On PostgreSQL, on the server of the tests unless another is named. */
export function createPlace(engine: Engine, server = engine === 'postgres' ? postgresUrl() : ''): Promise<Place> {
  return placeOf(engine, server, '');
}

/** With our tables in it, as after a first start, where the first start is not what is tested: that spares most of its time. */
export async function preparedPlace(engine: Engine): Promise<Place> {
  const { TEST_TEMPLATE_FILE: file, TEST_TEMPLATE_DATABASE: database } = process.env;
  // Without the runner there are none; then the first start makes the tables.
  if (!file || !database) return createPlace(engine);
  if (engine === 'postgres') return placeOf(engine, postgresUrl(), `template ${database}`);
  const place = await createPlace(engine);
  copyFileSync(file, sqliteFile(place.dataDir));
  return place;
}

async function placeOf(engine: Engine, serverUrl: string, like: string): Promise<Place> {
  const dataDir = mkdtempSync(join(tmpdir(), 'syncline-test-'));
  const removeFolder = (): void => rmSync(dataDir, { recursive: true, force: true });
  if (engine === 'sqlite') return { dataDir, databaseUrl: undefined, remove: async () => removeFolder() };
  const name = `test_${process.pid}_${Date.now().toString(36)}_${places++}`;
  await administer(serverUrl, `create database ${name} ${like}`);
  return {
    dataDir,
    databaseUrl: Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href,
    remove: async () => {
      removeFolder();
      await administer(serverUrl, `drop database if exists ${name} with (force)`);
    },
  };
}

/** Opens our own database in a new place; `close` leaves nothing behind. */
export async function openTestDatabase(engine: Engine): Promise<Database & { place: Place }> {
  const place = await preparedPlace(engine);
  const db = await openDatabase({ ...place, poolSize: 10 }, createLog('silent'));
  const close = async (): Promise<void> => {
    await db.close();
    await place.remove();
  };
  return { ...db, place, close };
}

/** The same suite on both engines. */
export function onBothEngines(name: string, suite: (engine: Engine) => void): void {
  for (const engine of ENGINES) describe(`${name} (${engine})`, () => suite(engine));
}

/**
 * For code that knows nothing of our database, such as a command that asks the API: what it asks for is tested on both elsewhere, so that
 * either will do. `npm run test:whole` takes both.
 */
export function onEitherEngine(name: string, suite: (engine: Engine) => void): void {
  for (const engine of isWhole ? ENGINES : ENGINES.slice(0, 1)) describe(`${name} (${engine})`, () => suite(engine));
}

function postgresUrl(): string {
  const url = process.env['TEST_POSTGRES_URL'];
  if (!url) throw new Error('These tests need PostgreSQL: run them with `npm test`, or set TEST_POSTGRES_URL.');
  return url;
}

async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
