import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claimLiveAfter, runStatement } from '../../../../test/support/commands.ts';
import { onBothEnginesWithRuns } from '../../../../test/support/run-driver.ts';
import { addSync, streamOf } from '../../../../test/support/sync-fixture.ts';
import { isoTime } from '../../../lib/clock.ts';
import { fireWanted } from './fire.ts';

onBothEnginesWithRuns('live runs and several nodes', ({ engine, db, runs }) => {
  const join = (id: string, role: string, maxRuns: number, seenAt = isoTime(Date.now())): Promise<unknown> =>
    db.write(
      runStatement,
      `insert into nodes (id, host, pid, role, version, schema_version, max_runs, started_at, seen_at, clock_ahead_ms, secret_marks, admin_marks)
       values ('${id}', 'host', 1, '${role}', '0', 1, ${maxRuns}, '${seenAt}', '${seenAt}', 0, '[]', '[]')`,
    );
  const fire = async (many: number): Promise<void> => {
    const streams = [{ ...streamOf('t'), mode: 'cdc' as const }];
    const syncIds = await Promise.all(Array.from({ length: many }, () => addSync(db, { streams, schedule: { type: 'on_change' } })));
    assert.equal((await db.write(fireWanted, { now: runs.now, syncIds })).length, many);
  };
  const taken = async (node: string, ago: number, most = 100): Promise<number> =>
    (await db.write(claimLiveAfter, { now: runs.now, node, most, leaseMs: 60_000, ago })).length;

  test('each node that works takes its share of those that have just become due, and what is left over a moment later', async () => {
    await Promise.all([join('a', 'all', 4), join('b', 'worker', 4), join('door', 'api', 4), join('idle', 'all', 0)]);
    await join('gone', 'worker', 4, '2020-01-01T00:00:00.000Z');
    await fire(7);
    // SQLite has one node, and it takes all.
    if (engine === 'sqlite') return assert.deepEqual([await taken('a', 0), await taken('b', 0)], [7, 0]);
    assert.equal(await taken('a', 0), 4, 'half of seven, rounded up');
    assert.equal(await taken('a', 0), 0, 'it has its share');
    assert.equal(await taken('a', 900, 1), 1, 'nobody has come for it');
    assert.equal(await taken('b', 0), 2, 'what is left');
    await fire(3);
    // Ten in all: five each. The first has five already.
    assert.deepEqual([await taken('a', 0), await taken('b', 0)], [0, 3]);
  });
});
