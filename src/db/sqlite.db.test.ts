import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPlace } from '../../test/support/databases.ts';
import { startProcess } from '../../test/support/process.ts';
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
