import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ended, onBothEnginesWithRuns, report } from '../../../../test/support/run-driver.ts';
import { addSync, streamOf } from '../../../../test/support/sync-fixture.ts';
import { NO_COUNTS } from '../../../engine/progress.ts';
import { recountRun } from './recount.ts';

onBothEnginesWithRuns('what the target tells of an earlier run', ({ db, runs }) => {
  test('corrects its counts and their sums, once, and is an event', async () => {
    const syncId = await addSync(db, { streams: [streamOf('a'), streamOf('b')] });
    const { id } = await runs.enqueue(syncId);
    await runs.finish(
      await runs.claimOne(),
      ended('cancelled', [report('a', 'cancelled', { read: 5, inserted: 5 }), report('b', 'succeeded', { read: 1, inserted: 1 })]),
    );
    const before = await runs.eventsOf(id);
    await runs.enqueue(syncId);
    const { run, sync } = await runs.claimOne();
    const told = { now: runs.now, runId: run.id, token: sync.token, syncId, target: 'a', earlier: id };
    const counts = { ...NO_COUNTS, read: 8, inserted: 8 };
    for (let i = 0; i < 2; i++) assert.equal(await db.write(recountRun, { ...told, counts }), true);
    assert.partialDeepStrictEqual(await runs.row(id), { status: 'cancelled', rows_read: 9, inserted: 9 });
    assert.deepEqual(await runs.eventsOf(id), [...before, 'run.cancelled']);
    assert.equal(await db.write(recountRun, { ...told, token: sync.token - 1, counts: NO_COUNTS }), false, 'not by one that was overtaken');
    assert.equal(await db.write(recountRun, { ...told, earlier: 'run_forgotten', counts }), true, 'a run that is forgotten already');
    assert.equal((await runs.row(id)).inserted, 9);
  });
});
