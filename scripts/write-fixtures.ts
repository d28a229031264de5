// `npm run fixtures`: writes what this release leaves behind, on both engines, into test/fixtures/<version>/. Later versions are tested
// by opening it. To be run once for each release, as the last thing before it: CONTRIBUTING.md tells when.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sqliteFile } from '../src/db/open.ts';
import { adminKeyFile } from '../src/keys/admin-key.ts';
import { VERSION } from '../src/version.ts';
import { settingsOf, syncline } from '../test/support/command-line.ts';
import { createPlace, ENGINES, type Place } from '../test/support/databases.ts';
import { startPostgres } from '../test/support/postgres-server.ts';
import { startProcess } from '../test/support/process.ts';
import type { Caller } from '../test/support/real-syncs.ts';
import { type Answers, readAnswers } from '../test/support/release/answers.ts';
import { fixtureOf, pack, partOf, type ReleaseFixture } from '../test/support/release/fixtures.ts';
import {
  type KnownWorld,
  makeAlert,
  makeApproval,
  makeKeys,
  makeQueuedRuns,
  makeSecretSources,
  makeShop,
  makeStuckRuns,
  makeSyncs,
  WorldFiles,
} from '../test/support/release/world.ts';
import { callService, startService } from '../test/support/service.ts';

/** Fills a place by a service of its own, which is killed at its work. */
async function fill(place: Place): Promise<KnownWorld> {
  const node = await startProcess(place);
  try {
    const callerWith = (key: string): Caller => ({
      call: (method, path, options = {}) => callService(node.url, key, method, path, options),
    });
    const admin = readFileSync(adminKeyFile(place.dataDir), 'utf8').trim();
    const service = callerWith(admin);
    const files = new WorldFiles(place.dataDir);
    const keys = await makeKeys(service);
    const order = await makeShop(service);
    const secrets = await makeSecretSources(service);
    const syncs = await makeSyncs(service, files, callerWith(keys.keeper));
    const needs_approval = await makeApproval(service, files, syncs['shrinking'] ?? '');
    await makeAlert(service);
    const unlock = ['patient.db', 'impatient.db'].map((name) => files.lock(name));
    const stuck = await makeStuckRuns(service, syncs);
    await node.kill();
    for (const release of unlock) release();
    return { madeAt: 0, keys: { admin, ...keys }, order, secrets, syncs, runs: { needs_approval, ...stuck } };
  } finally {
    await node.kill();
  }
}

/** Asks for everything, where nobody runs anything, and makes a backup. */
async function tell(fixture: ReleaseFixture, place: Place, known: KnownWorld): Promise<{ answers: Answers; known: KnownWorld }> {
  const service = await startService(fixture.engine, { place, environment: { SYNCLINE_ROLE: 'api' } });
  try {
    const queued = await makeQueuedRuns(service, known.syncs);
    const answers = await readAnswers(service);
    const ended = await syncline(['backup', partOf(fixture, 'backup')], settingsOf(place));
    assert.equal(ended.code, 0, ended.stderr);
    return { answers, known: { ...known, madeAt: Date.now(), runs: { ...known.runs, queued } } };
  } finally {
    await service.close();
  }
}

/** Brings what is in a log of its own into the file, and leaves no page unused. */
function tidy(path: string): void {
  const database = new DatabaseSync(path);
  database.exec('pragma wal_checkpoint(truncate); vacuum; pragma wal_checkpoint(truncate)');
  database.close();
}

/** Statements for any client and for every version that we support. */
function dumpOf({ databaseUrl = '' }: Place): string {
  const text = execFileSync('pg_dump', ['--no-owner', '--no-privileges', '--inserts', '--rows-per-insert=100', databaseUrl], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const isForPsql = (line: string): boolean => line.startsWith('\\') || line.startsWith('SET transaction_timeout');
  return text
    .split('\n')
    .filter((line) => !isForPsql(line) && !line.startsWith('--') && line !== '')
    .join('\n');
}

function keep(fixture: ReleaseFixture, place: Place, { answers, known }: { answers: Answers; known: KnownWorld }): void {
  const files = join(place.dataDir, 'files');
  for (const name of readdirSync(files).filter((file) => file.endsWith('.db'))) tidy(join(files, name));
  for (const name of ['admin-key', 'secret-key', 'files'])
    cpSync(join(place.dataDir, name), join(partOf(fixture, 'dataDir'), name), { recursive: true });
  if (fixture.engine === 'sqlite') tidy(sqliteFile(place.dataDir));
  pack(fixture, 'database', fixture.engine === 'sqlite' ? readFileSync(sqliteFile(place.dataDir)) : dumpOf(place));
  pack(fixture, 'answers', JSON.stringify(answers));
  writeFileSync(partOf(fixture, 'known'), `${JSON.stringify(known, null, 2)}\n`);
}

const server = await startPostgres();
try {
  for (const engine of ENGINES) {
    const fixture = fixtureOf(VERSION, engine);
    // What a release has written is not written again by something else of that name.
    if (existsSync(fixture.folder)) throw new Error(`${fixture.folder} is there already. Is the version in package.json the one to come?`);
    mkdirSync(partOf(fixture, 'dataDir'), { recursive: true });
    const place = await createPlace(engine, server.url);
    try {
      keep(fixture, place, await tell(fixture, place, await fill(place)));
    } finally {
      await place.remove();
    }
    process.stdout.write(`Wrote ${fixture.folder}\n`);
  }
} finally {
  server.stop();
}
