import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextRun } from '../../../jobs/schedule.ts';
import { isoTime } from '../../../lib/clock.ts';
import { idAt } from '../../../lib/ids.ts';
import { runStatement } from '../../../../test/support/commands.ts';
import { ended, failure, onBothEnginesWithRuns, RunDriver } from '../../../../test/support/run-driver.ts';
import { addSync } from '../../../../test/support/sync-fixture.ts';
import { fireDue } from './fire.ts';
import { readFarOff, setRight } from './set-right.ts';

const MINUTE = 60_000;
const LEASE = 15_000;

// The clock was two hours ahead and is right again: what was put down by it is brought to where it can be.
onBothEnginesWithRuns('a clock that is set back', ({ db, runs }) => {
  const ahead = (): string => isoTime(runs.now + 120 * MINUTE);
  const set = (statement: string) => db.write(runStatement, statement);
  const mend = async () => {
    const farOff = await readFarOff(db.read, isoTime(runs.now));
    return { farOff, done: await db.write(setRight, { now: runs.now, leaseMs: LEASE, farOff }) };
  };
  const nextOf = async (id: string): Promise<string | null> => (await runs.sync(id))['next_run_at'] as string | null;

  test('brings schedules back to their next slot, and leaves those alone that are right', async () => {
    const quarter = { type: 'interval', every: '15m' } as const;
    const daily = { type: 'cron', expression: '0 6 * * *', timezone: 'Europe/Berlin' } as const;
    const far = [
      await addSync(db, { schedule: quarter, nextRunAt: ahead() }),
      await addSync(db, { schedule: { type: 'cron', expression: '*/5 * * * *', timezone: 'UTC' }, nextRunAt: ahead() }),
      await addSync(db, { schedule: { type: 'on_change' }, nextRunAt: ahead() }),
    ];
    const right = new Map<string, string | null>();
    for (const schedule of [quarter, daily]) {
      const next = isoTime(nextRun(schedule, runs.now) ?? 0);
      right.set(await addSync(db, { schedule, nextRunAt: next }), next);
    }
    const overdue = isoTime(runs.now - 60 * MINUTE);
    right.set(await addSync(db, { schedule: quarter, nextRunAt: overdue }), overdue);
    right.set(await addSync(db), null);
    const { farOff, done } = await mend();
    assert.deepEqual(farOff.schedules.map(({ syncId }) => syncId).sort(), far.toSorted());
    assert.equal(done.schedules, far.length);
    for (const [at, longest] of [15 * MINUTE, 5 * MINUTE, 5 * MINUTE].entries()) {
      const wait = Date.parse((await nextOf(far[at] ?? '')) ?? '') - runs.now;
      assert.ok(wait > 0 && wait <= longest + MINUTE, `${wait}`);
    }
    for (const [id, next] of right) assert.equal(await nextOf(id), next);
    assert.deepEqual((await mend()).done, { schedules: 0, runs: 0, leases: 0 });
    for (const id of [...far, ...right.keys()]) await set(`update sync_state set next_run_at = null where sync_id = '${id}'`);
  });

  test('gives slots back that have not come yet; one of this minute stays fired', async () => {
    const [soon, later] = [runs.now + 30_000, runs.now + 90 * MINUTE].map(isoTime) as [string, string];
    const syncId = await addSync(db, { schedule: { type: 'interval', every: '30s' }, nextRunAt: soon });
    const fire = async (due: string) => {
      await set(`update sync_state set next_run_at = '${due}' where sync_id = '${syncId}'`);
      return db.write(fireDue, { now: runs.now, due: [{ syncId, due, next: null }] });
    };
    for (const due of [soon, later]) {
      assert.deepEqual(await fire(due), { queued: 1, skipped: 0 });
      await runs.finish(await runs.claimOne(), ended('succeeded'));
    }
    assert.deepEqual((await mend()).farOff.slots, [syncId]);
    assert.deepEqual(await fire(soon), { queued: 0, skipped: 0 }, 'it does not fire twice');
    assert.deepEqual(await fire(later), { queued: 1, skipped: 0 });
    await runs.finish(await runs.claimOne(), ended('succeeded'));
    assert.deepEqual(await fire(later), { queued: 0, skipped: 0 });
  });

  test('lets a run that waits wait no longer than it was told to', async () => {
    const waits = async (outcome: Parameters<RunDriver['finish']>[1]): Promise<string> => {
      const { id } = await runs.enqueue(await addSync(db));
      await runs.finish(await runs.claimOne(), outcome);
      await set(`update runs set not_before = '${ahead()}' where id = '${id}'`);
      return id;
    };
    const retrying = await waits(failure('transient'));
    const wish = failure('transient');
    const asked = await waits({ ...wish, error: wish.error && { ...wish.error, retry_after: 3600 } });
    const queued = (await runs.enqueue(await addSync(db))).id;
    await set(`update runs set not_before = '${ahead()}' where id = '${queued}'`);
    assert.equal((await mend()).done.runs, 3);
    const waitOf = async (id: string): Promise<number> => Date.parse((await runs.row(id)).not_before) - runs.now;
    assert.ok((await waitOf(retrying)) <= 10_000 + MINUTE);
    const long = await waitOf(asked);
    assert.ok(long > 59 * MINUTE && long <= 61 * MINUTE, `${long}`);
    assert.ok((await waitOf(queued)) <= MINUTE);
    assert.equal((await runs.claimOne()).run.id, queued, 'and begins');
    for (const id of [retrying, asked]) await runs.letBegin(id);
    assert.equal((await mend()).done.runs, 0, 'what is due stays due');
    for (const claimed of await runs.claim({ overdue: true })) await runs.finish(claimed, ended('succeeded'));
  });

  test('takes a lease back that would outlive its node by hours', async () => {
    const { id } = await runs.enqueue(await addSync(db));
    const claimed = await runs.claimOne();
    await set(`update runs set lease_until = '${ahead()}' where id = '${id}'`);
    assert.equal((await mend()).done.leases, 1);
    const left = Date.parse((await runs.row(id)).lease_until ?? '') - runs.now;
    assert.ok(left <= LEASE + MINUTE, `${left}`);
    assert.equal(await runs.beat(claimed), null, 'a node that is alive keeps it');
    await runs.finish(claimed, ended('succeeded'));
  });

  test('lets the next run be the newest, though others were made at a later time', async () => {
    const syncId = await addSync(db);
    const { id: first } = await runs.enqueue(syncId);
    await runs.finish(await runs.claimOne(), ended('succeeded'));
    const future = idAt('run', runs.now + 120 * MINUTE);
    await set(`update runs set id = '${future}', created_at = '${ahead()}' where id = '${first}'`);
    await mend();
    assert.ok((await runs.enqueue(syncId)).id > future);
  });
});
