import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isoTime } from '../../../lib/clock.ts';
import { runStatement } from '../../../../test/support/commands.ts';
import { ended, failure, onBothEnginesWithRuns } from '../../../../test/support/run-driver.ts';
import { addSync } from '../../../../test/support/sync-fixture.ts';
import { fireChanged, fireDue } from './fire.ts';
import { listRuns } from '../rows/queries.ts';

onBothEnginesWithRuns('schedules and changes', ({ db, runs }) => {
  test('a slot runs once however many notice it, and is skipped while a run is under way', async () => {
    const [t1, t2, t3] = [0, 60_000, 120_000].map((later) => isoTime(runs.now + later)) as [string, string, string];
    const syncId = await addSync(db, { nextRunAt: t1, schedule: { type: 'interval', every: '1m' } });
    const fire = (due: string, next: string | null) => db.write(fireDue, { now: runs.now, due: [{ syncId, due, next }] });
    const fired = await Promise.all([fire(t1, t2), fire(t1, t2), fire(t1, t2)]);
    assert.equal(
      fired.reduce((sum, { queued }) => sum + queued, 0),
      1,
    );
    assert.equal((await runs.sync(syncId))['next_run_at'], t2);
    assert.deepEqual(await fire(t2, t3), { queued: 0, skipped: 1 });
    const { rows } = await db.query(listRuns, { filter: { sync_id: syncId }, limit: 10, offset: 0, after: undefined });
    assert.deepEqual(
      rows.map(({ status, trigger, slot }) => [status, trigger, slot]),
      [
        ['skipped', 'schedule', t2],
        ['queued', 'schedule', t1],
      ],
    );
    assert.partialDeepStrictEqual(JSON.parse(rows[0]?.error ?? ''), { code: 'SKIPPED', kind: 'config' });
    assert.deepEqual(await runs.eventsOf(rows[0]?.id ?? ''), ['run.skipped']);
    await runs.finish(await runs.claimOne(), ended('succeeded'));
    // Set back to a slot that has run: it does not run again.
    await db.write(runStatement, `update sync_state set next_run_at = '${t1}' where sync_id = '${syncId}'`);
    assert.deepEqual(await fire(t1, t3), { queued: 0, skipped: 0 });
    await db.write(runStatement, `update sync_state set status = 'paused' where sync_id = '${syncId}'`);
    assert.deepEqual(await fire(t3, null), { queued: 0, skipped: 0 });
  });

  test('a change starts a run when none is under way, and is remembered', async () => {
    const syncId = await addSync(db);
    const fire = (seen: number) => db.write(fireChanged, { now: runs.now, changed: [{ syncId, seen }] });
    assert.equal(await fire(5), 1);
    assert.equal((await runs.sync(syncId))['seen'], 5);
    assert.equal(await fire(7), 0);
    assert.equal((await runs.sync(syncId))['seen'], 5);
    const claimed = await runs.claimOne();
    assert.equal(claimed.run.trigger, 'change');
    await runs.finish(claimed, ended('succeeded'));
    assert.equal(await fire(5), 0);
    assert.equal(await fire(7), 1);
    await runs.finish(await runs.claimOne(), ended('succeeded'));
  });

  test('a change that could not be followed is tried again after five minutes, until it is', async () => {
    const syncId = await addSync(db, { schedule: { type: 'on_change' } });
    const changed = (seen: number) => db.write(fireChanged, { now: runs.now, changed: [{ syncId, seen }] });
    const dueAt = async (): Promise<string> => String((await runs.sync(syncId))['next_run_at']);
    const fire = (due: string) => db.write(fireDue, { now: runs.now, due: [{ syncId, due, next: null }] });
    await changed(1);
    const failed = await runs.finish(await runs.claimOne(), failure('auth'));
    const due = await dueAt();
    assert.equal(Date.parse(due) - Date.parse(failed?.finished_at ?? ''), 5 * 60_000);
    // Meanwhile there is another change: its run stands for both, and none is told to have been skipped.
    await changed(2);
    assert.deepEqual(await fire(due), { queued: 0, skipped: 0 });
    assert.equal((await runs.sync(syncId))['next_run_at'], null);
    await runs.finish(await runs.claimOne(), failure('auth'));
    assert.deepEqual(await fire(await dueAt()), { queued: 1, skipped: 0 });
    const retry = await runs.claimOne();
    assert.deepEqual([retry.run.trigger, retry.run.mode], ['retry', 'run']);
    await runs.finish(retry, failure('auth'));
    // A run of some of its streams is not all that was missed; a whole one is.
    await runs.enqueue(syncId, { streams: ['orders'] });
    await runs.finish(await runs.claimOne(), ended('succeeded'));
    assert.notEqual((await runs.sync(syncId))['next_run_at'], null);
    await db.write(runStatement, `update sync_state set failures = 1 where sync_id = '${syncId}'`);
    await runs.enqueue(syncId);
    await runs.finish(await runs.claimOne(), ended('succeeded'));
    assert.partialDeepStrictEqual(await runs.sync(syncId), { next_run_at: null, failures: 0, seen: 2 });
    // Given up: when it is resumed it looks at once.
    for (let n = 0; n < 10; n++) {
      await runs.enqueue(syncId);
      await runs.finish(await runs.claimOne(), failure('auth'));
    }
    assert.partialDeepStrictEqual(await runs.sync(syncId), { status: 'paused', next_run_at: null, seen: 0 });
  });
});
