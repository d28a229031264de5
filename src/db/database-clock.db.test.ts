import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines, openTestDatabase } from '../../test/support/databases.ts';
import { createLog } from '../lib/log.ts';
import { openDatabaseClock } from './database-clock.ts';
import { databaseTime } from './database-time.ts';

onBothEngines('the clock that nodes share', (engine) => {
  test('is the clock of the database, whatever the clock of the machine says; one that is given is taken as it is', async () => {
    const db = await openTestDatabase(engine);
    const { now } = Date;
    try {
      const given = await openDatabaseClock(db, createLog('silent'), () => 42);
      assert.equal(given.clock(), 42);
      const shared = await openDatabaseClock(db, createLog('silent'));
      Date.now = () => now() - 600_000;
      const expected = await databaseTime(db.read, Date.now());
      assert.ok(Math.abs(shared.clock() - expected) < 1000, `${shared.clock()} and ${expected}`);
      assert.ok(Number.isInteger(shared.clock()));
      shared.close();
    } finally {
      Date.now = now;
      await db.close();
    }
  });
});
