import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as after } from 'node:timers/promises';
import type { Session } from '../../src/connectors/session.ts';
import { preparedPlace } from '../support/databases.ts';
import { openDuckdb } from '../support/duckdb-session.ts';
import { openFiles } from '../support/files-session.ts';
import { newDatabase } from '../support/postgres-database.ts';
import { startProcess } from '../support/process.ts';
import { makeBucket } from '../support/s3-bucket.ts';
import { startS3 } from '../support/s3-server.ts';
import { loginAt } from '../support/sftp-folder.ts';
import { startSsh } from '../support/ssh-server.ts';
import { withSeed } from './random.ts';
import { isLarge } from './sizes.ts';
import { checkSyncBooks, postgresTables, sessionTables } from './sync-books.ts';
import { type End, SyncDriver } from './sync-driver.ts';
import { TABLES, Workload, type WorkMode } from './sync-workload.ts';

// They are slow ends, and what a kill leaves in them is seen at every one.
const KILLS = Number(process.env['PLACE_CRASHES'] ?? 2);
const LONGEST_LIFE = 4_000;
const GLANCE = 50;
const MODES: readonly WorkMode[] = ['mirror', 'append'];

/** Where a service writes to and reads from, and a way around it to what is there. */
interface Tried {
  readonly end: End;
  open(): Promise<Session>;
  /** The bytes of a file that others see; undefined where there are none yet. */
  seen?(table: string): Promise<string | undefined>;
  close(): Promise<void>;
}

const CSV = { format: 'csv' };

const PLACES: Readonly<Record<string, (folder: string) => Promise<Tried>>> = {
  s3: async () => {
    const server = await startS3();
    const bucket = await makeBucket(server);
    const config = { path: 'out/', ...CSV, place: bucket.place };
    return {
      end: { type: 'files', config },
      open: () => openFiles(config),
      seen: async (table) => (await bucket.get(`out/${table}.csv`))?.toString(),
      close: async () => {
        assert.equal(await bucket.uploads(), 0, 'an upload was neither completed nor given up');
        bucket.client.close();
        server.stop();
      },
    };
  },
  sftp: async () => {
    const server = await startSsh();
    const config = { path: 'out/', ...CSV, place: loginAt(server) };
    return {
      end: { type: 'files', config },
      open: () => openFiles(config),
      seen: async (table) => readIfThere(join(server.folder, 'out', `${table}.csv`)),
      close: async () => server.stop(),
    };
  },
  duckdb: async (folder) => {
    const config = { path: join(folder, 'target.duckdb') };
    return { end: { type: 'duckdb', config }, open: () => openDuckdb(config, folder), close: async () => {} };
  },
};

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Looks again and again at what others see: never half a file. */
async function watch(tried: Tried, enough: AbortSignal): Promise<number> {
  let looks = 0;
  while (!enough.aborted && tried.seen) {
    for (const mode of MODES) {
      const text = await tried.seen(TABLES[mode]);
      if (text === undefined) continue;
      looks++;
      const header = text.slice(0, text.indexOf('\n'));
      assert.equal(header.split(',')[0], 'id', `${TABLES[mode]} begins with ${header.slice(0, 100)}`);
      assert.ok(text.endsWith('\n'), `${TABLES[mode]} ends with ${JSON.stringify(text.slice(-100))}`);
    }
    await after(GLANCE);
  }
  return looks;
}

for (const [name, start] of Object.entries(PLACES)) {
  test(`kill -9, ${KILLS} times while runs write to ${name}, and ${KILLS} times while they read from it`, { skip: !isLarge }, () =>
    withSeed(async (random) => {
      const place = await preparedPlace('sqlite');
      const source = await newDatabase();
      const other = await newDatabase();
      const folder = join(place.dataDir, 'files');
      mkdirSync(folder);
      const tried = await start(folder);
      const workload = new Workload(random, source.url, MODES);
      await workload.prepare();
      let service = await startProcess(place);
      const enough = new AbortController();
      const watching = watch(tried, enough.signal);
      const killed = async (driver: SyncDriver): Promise<void> => {
        for (let kill = 1; kill <= KILLS; kill++) {
          const busy = driver.run(service);
          await Promise.race([busy, after(random() * LONGEST_LIFE)]);
          assert.deepEqual(await service.kill(), { code: null, signal: 'SIGKILL' }, service.logs());
          await busy;
          service = await startProcess(place);
        }
      };
      const read = sessionTables(() => tried.open());
      try {
        const into = new SyncDriver(random);
        await into.create(service, { type: 'postgres', config: source.config }, tried.end, (table) => table, MODES);
        workload.start();
        await killed(into);
        await workload.stop();
        await into.finish(service);
        enough.abort();
        assert.ok((await watching) > 0 || !tried.seen, 'nobody has seen a file');
        await checkSyncBooks(service, into, workload, { source: postgresTables(source.url), target: read, modes: MODES });

        const out = new SyncDriver(random);
        const target = { type: 'postgres', config: other.config };
        await out.create(
          service,
          tried.end,
          target,
          (table) => `public.${table}`,
          ['mirror'],
          (table) => table,
        );
        await killed(out);
        await out.finish(service);
        await checkSyncBooks(service, out, workload, { source: read, target: postgresTables(other.url), modes: ['mirror'] });
      } finally {
        enough.abort();
        await workload.stop();
        await service.kill();
        await tried.close();
        await source.close();
        await other.close();
        await place.remove();
      }
    }),
  );
}
