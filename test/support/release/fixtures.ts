import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import type { Engine } from '../../../src/db/sql.ts';
import { createPlace, ENGINES, type Place } from '../databases.ts';
import type { Answers } from './answers.ts';
import type { KnownWorld } from './world.ts';

const FOLDER = fileURLToPath(new URL('../../fixtures/', import.meta.url));

/** What a release has written on one engine. */
export interface ReleaseFixture {
  readonly release: string;
  readonly engine: Engine;
  readonly folder: string;
}

// What lies in the folder of a fixture.
export const PARTS = {
  /** A copy of the data directory: keys, files, and on SQLite the database. */
  dataDir: 'data-dir',
  /** PostgreSQL's database as statements. */
  dump: 'database.sql',
  backup: 'shop.backup',
  answers: 'answers.json',
  known: 'known.json',
} as const;

export function fixtureOf(release: string, engine: Engine): ReleaseFixture {
  return { release, engine, folder: join(FOLDER, release, engine) };
}

/** Of every release, on every engine. */
export function allFixtures(): ReleaseFixture[] {
  return readdirSync(FOLDER)
    .sort()
    .flatMap((release) => ENGINES.map((engine) => fixtureOf(release, engine)))
    .filter(({ folder }) => existsSync(folder));
}

export function partOf({ folder }: ReleaseFixture, part: keyof typeof PARTS): string {
  return join(folder, PARTS[part]);
}

export function answersOf(fixture: ReleaseFixture): Answers {
  return JSON.parse(readFileSync(partOf(fixture, 'answers'), 'utf8')) as Answers;
}

export function knownOf(fixture: ReleaseFixture): KnownWorld {
  return JSON.parse(readFileSync(partOf(fixture, 'known'), 'utf8')) as KnownWorld;
}

/** A place with what the release has left there, to do with as one likes. */
export async function placeOf(fixture: ReleaseFixture): Promise<Place> {
  const place = await createPlace(fixture.engine);
  cpSync(partOf(fixture, 'dataDir'), place.dataDir, { recursive: true });
  if (fixture.engine === 'postgres') await execute(place, readFileSync(partOf(fixture, 'dump'), 'utf8'));
  return place;
}

/** A place with the keys and files of the release, and no database yet. */
export async function emptyPlaceOf(fixture: ReleaseFixture, engine: Engine): Promise<Place> {
  const place = await createPlace(engine);
  cpSync(partOf(fixture, 'dataDir'), place.dataDir, { recursive: true, filter: (path) => !path.endsWith('syncline.db') });
  return place;
}

/** Runs statements on the PostgreSQL of a place, past our own way of opening it. */
export async function execute({ databaseUrl }: Place, statements: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(statements);
  } finally {
    await client.end();
  }
}
