import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { platform } from 'node:os';
import { test } from 'node:test';
import { countKeys } from '../../test/support/commands.ts';
import { createPlace } from '../../test/support/databases.ts';
import { startProcess } from '../../test/support/process.ts';
import { until } from '../../test/support/until.ts';
import { createLog } from '../lib/log.ts';
import { openSqliteDatabase } from './sqlite.ts';
import { sqliteFile } from './open.ts';
import { sql } from './sql.ts';

// What only the embedded database does.

const log = createLog('silent');

test('a second service on the same file is refused, and says why', async () => {
  const place = await createPlace('sqlite');
  const file = sqliteFile(place.dataDir);
  const first = await openSqliteDatabase(file, log);
  try {
    await assert.rejects(openSqliteDatabase(file, log), /Another Syncline is using this data directory.*SYNCLINE_DATA_DIR/);
    // The one that was refused has not taken the lock away from the first.
    await assert.rejects(openSqliteDatabase(file, log), /Another Syncline/);
    await assert.rejects(startProcess(place), /Another Syncline is using this data directory/);
    assert.deepEqual(await first.read.all(sql`select id from orders`), []);
  } finally {
    await first.close();
  }
  const next = await openSqliteDatabase(file, log);
  await next.close();
  await place.remove();
});

test('a service that was killed leaves no lock behind', async () => {
  const place = await createPlace('sqlite');
  const service = await startProcess(place);
  await assert.rejects(openSqliteDatabase(sqliteFile(place.dataDir), log), /Another Syncline/);
  await service.kill();
  const db = await openSqliteDatabase(sqliteFile(place.dataDir), log);
  assert.equal((await db.read.all(sql`select id from keys`)).length, 1);
  await db.close();
  await place.remove();
});

test('the thread of long reads ends when nobody asks it, and another one answers', { skip: platform() !== 'linux' }, async () => {
  const place = await createPlace('sqlite');
  const threads = (): number => readdirSync('/proc/self/task').length;
  const file = sqliteFile(place.dataDir);
  const db = await openSqliteDatabase(file, log, 200);
  try {
    assert.equal(await db.query(countKeys, undefined), 0);
    for (let round = 0; round < 3; round++) {
      const asked = threads();
      await until('one thread less', () => threads() < asked);
      // Several at once, while it has just gone.
      assert.deepEqual(await Promise.all([1, 2, 3].map(() => db.query(countKeys, undefined))), [0, 0, 0]);
    }
  } finally {
    await db.close();
  }
  // No reader is left that keeps the log from being taken into the file.
  assert.deepEqual(
    readdirSync(place.dataDir).filter((name) => /-(wal|shm)$/.test(name)),
    [],
  );
  await place.remove();
});
