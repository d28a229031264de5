import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import pg from 'pg';
import { sqliteFile } from '../../../src/db/open.ts';
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
const PARTS = {
  /** A copy of the data directory, without the database: keys and files. */
  dataDir: 'data-dir',
  /** The file of SQLite, byte by byte; of PostgreSQL statements. */
  database: 'database.zst',
  backup: 'shop.backup',
  answers: 'answers.json.zst',
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
  return JSON.parse(unpacked(fixture, 'answers').toString()) as Answers;
}

export function knownOf(fixture: ReleaseFixture): KnownWorld {
  return JSON.parse(readFileSync(partOf(fixture, 'known'), 'utf8')) as KnownWorld;
}

/** Of the large parts there is much that repeats itself. */
export function pack(fixture: ReleaseFixture, part: 'database' | 'answers', content: Buffer | string): void {
  writeFileSync(partOf(fixture, part), zstdCompressSync(content, { params: { [constants.ZSTD_c_compressionLevel]: 19 } }));
}

function unpacked(fixture: ReleaseFixture, part: 'database' | 'answers'): Buffer {
  return zstdDecompressSync(readFileSync(partOf(fixture, part)));
}

/** A place with what the release has left there, to do with as one likes. */
export async function placeOf(fixture: ReleaseFixture): Promise<Place> {
  const place = await emptyPlaceOf(fixture, fixture.engine);
  const database = unpacked(fixture, 'database');
  if (fixture.engine === 'postgres') await execute(place, database.toString());
  else writeFileSync(sqliteFile(place.dataDir), database);
  return place;
}

/** A place with the keys and files of the release, and no database yet. */
export async function emptyPlaceOf(fixture: ReleaseFixture, engine: Engine): Promise<Place> {
  const place = await createPlace(engine);
  cpSync(partOf(fixture, 'dataDir'), place.dataDir, { recursive: true });
  return place;
}

/** Runs statements on the PostgreSQL of a place, past our own way of opening it. */
export async function execute({ databaseUrl }: Place, statements: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    // Several statements have several results.
    const { rows = [] } = (await client.query(statements)) as { rows?: unknown[] };
    return rows;
  } finally {
    await client.end();
  }
}
