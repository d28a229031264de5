import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { actorCalled } from '../../../http/caller.ts';
import { openTestDatabase } from '../../../../test/support/databases.ts';
import { putTestJobs, takeTestJobs } from '../../../../test/support/job-commands.ts';
import { ended, failure, RunDriver } from '../../../../test/support/run-driver.ts';
import { addSource, addSync } from '../../../../test/support/sync-fixture.ts';
import type { Database } from '../../../db/database.ts';
import { sql } from '../../../db/sql.ts';
import type { Dispatcher } from '../../../jobs/dispatcher.ts';
import { openDispatcher } from '../../../jobs/open.ts';
import { createLog } from '../../../lib/log.ts';
import { cancelRun } from '../ask.ts';
import { claimRuns } from './claim.ts';
import { fireDue } from './fire.ts';
import { recoverRuns } from './recover.ts';

const DUE = '2026-11-01T00:00:00.000Z';

describe('jobs of runs', () => {
  let db: Database;
  let dispatcher: Dispatcher;
  let runs: RunDriver;
  before(async () => {
    db = await openTestDatabase('postgres');
    dispatcher = await openDispatcher(db, createLog('silent'));
    runs = new RunDriver(db);
  });
  after(async () => {
    await dispatcher.close();
    await db.close();
  });
  beforeEach(async () => {
    for (const one of (await claim({ overdue: true, most: 1000 })).claimed) await runs.finish(one, ended('succeeded'));
    await jobs();
  });

  const jobs = async (): Promise<string[]> => (await db.write(takeTestJobs, { most: 1000 })) ?? [];
  const claim = (more: { most?: number; perSource?: number; crowded?: boolean; overdue?: boolean }) =>
    db.write(claimRuns, {
      now: runs.now,
      node: 'n1',
      most: 10,
      leaseMs: 15_000,
      perSource: 4,
      perKey: 10,
      ofKeys: 10,
      crowded: false,
      overdue: false,
      ...more,
    });
  const idsOf = ({ claimed }: Awaited<ReturnType<typeof claim>>): string[] => claimed.map(({ run }) => run.id);

  test('a run that is put in the queue has one, whatever asks for it', async () => {
    const asked = await runs.enqueue(await addSync(db));
    assert.deepEqual(await jobs(), [asked.id]);
    const syncId = await addSync(db, { nextRunAt: DUE, schedule: { type: 'interval', every: '1d' } });
    await db.write(fireDue, { now: runs.now, due: [{ syncId, due: DUE, next: null }] });
    const [due] = await db.read.all<{ id: string }>(sql`select id from runs where sync_id = ${syncId}`);
    assert.deepEqual(await jobs(), [due?.id]);
  });

  test('a claim takes the run with its job, and nobody is told of it any more', async () => {
    const { id } = await runs.enqueue(await addSync(db));
    assert.deepEqual(idsOf(await claim({})), [id]);
    assert.deepEqual(await jobs(), []);
    assert.deepEqual(idsOf(await claim({})), []);
  });

  test('a run that is handed over, or whose node is gone, has one at once; one that is tried again later, then', async () => {
    const { id } = await runs.enqueue(await addSync(db));
    await runs.finish(await runs.claimOne(), ended('handed_over'));
    assert.equal((await runs.claimOne()).run.id, id);
    await runs.letLeaseEnd(id);
    await db.write(recoverRuns, { now: runs.now, node: 'n2' });
    const again = await runs.claimOne();
    assert.equal(again.run.id, id);
    assert.equal((await runs.finish(again, failure('transient')))?.status, 'retrying');
    assert.deepEqual(await jobs(), [], 'not before its time');
    const [waiting] = await db.read.all<{ n: number }>(sql`select count(*) as n from syncline_jobs.job where start_after > now()`);
    assert.equal(waiting?.n, 1);
    await db.write(cancelRun, { now: runs.now, actor: actorCalled('k'), id });
    const [left] = await db.read.all<{ n: number }>(sql`select count(*) as n from syncline_jobs.job`);
    assert.equal(left?.n, 0, 'one that is cancelled goes with its job');
  });

  test('one that comes twice, or late, claims nothing', async () => {
    const syncId = await addSync(db);
    const { id } = await runs.enqueue(syncId);
    await db.write(cancelRun, { now: runs.now, actor: actorCalled('k'), id });
    await db.write(putTestJobs, { jobs: [{ key: id }] });
    const other = await runs.enqueue(await addSync(db));
    assert.deepEqual(idsOf(await claim({})), [other.id]);
  });

  test('a run without one is found when it is overdue', async () => {
    const { id } = await runs.enqueue(await addSync(db));
    assert.deepEqual(await jobs(), [id], 'lost');
    assert.deepEqual(idsOf(await claim({})), []);
    assert.deepEqual(idsOf(await claim({ overdue: true })), [id]);
  });

  test('who waited for room at a source goes before those who came later', async () => {
    const source = await addSource(db);
    const first = await runs.enqueue(await addSync(db, { source }));
    const second = await runs.enqueue(await addSync(db, { source }));
    const one = await claim({ perSource: 1 });
    assert.deepEqual({ ids: idsOf(one), hasLeftOut: one.hasLeftOut }, { ids: [first.id], hasLeftOut: true });
    const third = await runs.enqueue(await addSync(db));
    for (const claimed of one.claimed) await runs.finish(claimed, ended('succeeded'));
    const two = await claim({ most: 1, crowded: true, perSource: 1 });
    assert.deepEqual(idsOf(two), [second.id]);
    assert.deepEqual(idsOf(await claim({})), [third.id]);
  });
});
