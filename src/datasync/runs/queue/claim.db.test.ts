import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actorCalled } from '../../../http/caller.ts';
import { sql } from '../../../db/sql.ts';
import type { RunError } from '../../../engine/run.ts';
import { runStatement } from '../../../../test/support/commands.ts';
import { ended, failed, onBothEnginesWithRuns, report } from '../../../../test/support/run-driver.ts';
import { addSource, addSync, streamOf } from '../../../../test/support/sync-fixture.ts';
import { cancelRun } from '../ask.ts';
import { recoverRuns } from './recover.ts';
import type { Claimed } from './claim.ts';
import { reportsOf, type RunRow } from '../rows/run-row.ts';
import { MAX_CRASHES } from '../rows/transitions.ts';

onBothEnginesWithRuns('claims', ({ engine, db, runs }) => {
  test('a node that stops hands its run over; one that is gone loses it, and what it says later is not heard', async () => {
    const syncId = await addSync(db);
    const { id } = await runs.enqueue(syncId);
    const first = await runs.claimOne();
    assert.partialDeepStrictEqual(await runs.finish(first, ended('handed_over', [report('orders', 'running', { read: 3 })])), {
      status: 'queued',
      attempt: 1,
      rows_read: 3,
      finished_at: null,
      error: null,
    });
    const second = await runs.claimOne();
    assert.equal((await db.write(recoverRuns, { now: runs.now, node: 'n2' })).length, 0);
    await runs.letLeaseEnd(id);
    assert.equal((await db.write(recoverRuns, { now: runs.now, node: 'n2' })).length, 1);
    assert.partialDeepStrictEqual(await runs.row(id), { status: 'retrying', attempt: 2, retries: 0, node: null, rows_read: 3 });
    const third = await runs.claimOne();
    assert.ok(third.sync.token > second.sync.token && second.sync.token > first.sync.token, 'each claim raises the token');
    assert.equal(await runs.beat(second), 'fenced');
    assert.equal(await runs.beat(third), null);
    assert.equal(await runs.finish(second, ended('succeeded')), null);
    // Without a node: nobody else can be running anything.
    assert.equal((await db.write(recoverRuns, { now: runs.now, node: null })).length, 1);
    await runs.claimOne().then(({ run }) => db.write(cancelRun, { now: runs.now, actor: actorCalled('k'), id: run.id }));
    assert.equal((await db.write(recoverRuns, { now: runs.now, node: null })).length, 1);
    assert.equal((await runs.row(id)).status, 'cancelled');
  });

  test('a run that kills its node time after time at the same place is given up, and counts as failed', async () => {
    const syncId = await addSync(db, { streams: [streamOf('a'), streamOf('b')] });
    const { id } = await runs.enqueue(syncId);
    const crash = async (read: number): Promise<RunRow> => {
      await runs.beat(await runs.claimOne(), [report('a', 'running', { read })]);
      await runs.letLeaseEnd(id);
      const [row] = await db.write(recoverRuns, { now: runs.now, node: 'n2' });
      return row as RunRow;
    };
    for (let n = 1; n <= 15; n++) assert.partialDeepStrictEqual(await crash(n), { status: 'retrying', attempt: n + 1, crashes: 1 });
    for (let n = 2; n < MAX_CRASHES; n++) assert.partialDeepStrictEqual(await crash(15), { status: 'retrying', crashes: n });
    const given = await crash(15);
    assert.equal(given.status, 'failed');
    assert.ok(given.finished_at);
    const error = JSON.parse(given.error ?? '') as RunError;
    assert.partialDeepStrictEqual(error, { kind: 'bug', code: 'CRASHED' });
    assert.match(error.message, /died 10 times in a row/);
    assert.deepEqual(
      reportsOf(given).map(({ status }) => status),
      ['failed', 'pending'],
    );
    assert.partialDeepStrictEqual(await runs.sync(syncId), { status: 'active', failures: 1 });
    assert.equal((await runs.eventsOf(id)).at(-1), 'run.failed');
  });

  test('a try that ends in order begins the count of crashes anew', async () => {
    const { id } = await runs.enqueue(await addSync(db));
    await runs.claimOne();
    await runs.letLeaseEnd(id);
    assert.equal((await db.write(recoverRuns, { now: runs.now, node: 'n2' }))[0]?.crashes, 1);
    const handed = await runs.finish(await runs.claimOne(), ended('handed_over'));
    assert.partialDeepStrictEqual(handed, { status: 'queued', crashes: 0 });
    await runs.finish(await runs.claimOne(), ended('succeeded'));
  });

  test('a beat holds the lease and stores how far the run is', async () => {
    const syncId = await addSync(db);
    await runs.enqueue(syncId);
    const claimed = await runs.claimOne();
    runs.now += 5_000;
    const reports = [report('orders', 'running', { read: 10, inserted: 4, bytes: 1000 })];
    assert.equal(await runs.beat(claimed, reports, 60_000), null);
    const held = await runs.row(claimed.run.id);
    assert.partialDeepStrictEqual(held, { rows_read: 10, inserted: 4, bytes: 1000 });
    assert.ok((held.lease_until ?? '') > (claimed.run.lease_until ?? ''));
    if (engine === 'sqlite') assert.equal(held.duration_ms, 5_000);
    runs.now += 2_000;
    const done = await runs.finish(claimed, ended('succeeded', reports));
    if (engine === 'sqlite') assert.equal(done?.duration_ms, 7_000);
  });

  test('a source has no more runs at a time than it may have, whichever end it is', async () => {
    const [shared, other] = [await addSource(db), await addSource(db)];
    const syncs = [
      await addSync(db, { source: shared }),
      await addSync(db, { target: shared }),
      await addSync(db, { source: shared, target: shared }),
      await addSync(db, { source: other }),
    ];
    for (const id of syncs) await runs.enqueue(id);
    const claimed = await runs.claim({ perSource: 2, most: 3 });
    assert.deepEqual(
      claimed.map(({ sync }) => sync.id),
      [syncs[0], syncs[1], syncs[3]],
    );
    assert.deepEqual(await runs.claim({ perSource: 2 }), []);
    await runs.finish(claimed[0] as Claimed, ended('succeeded'));
    const [last] = await runs.claim({ perSource: 2 });
    assert.equal(last?.sync.id, syncs[2]);
    for (const one of [...claimed.slice(1), last as Claimed]) await runs.finish(one, ended('succeeded'));
  });

  test('claimed by many at the same moment, each run has one worker', async () => {
    const shared = await addSource(db);
    const syncs = await Promise.all(Array.from({ length: 12 }, () => addSync(db)));
    const limited = await Promise.all(Array.from({ length: 6 }, () => addSync(db, { source: shared })));
    for (const id of [...syncs, ...limited]) await runs.enqueue(id);
    const claims = await Promise.all(Array.from({ length: 8 }, (_, n) => runs.claim({ node: `n${n}`, most: 3, perSource: 2 })));
    const claimed = claims.flat();
    assert.equal(new Set(claimed.map(({ run }) => run.id)).size, claimed.length);
    assert.equal(claimed.filter(({ sync }) => sync.source_id === shared).length, 2);
    assert.equal(claimed.length, 14);
    for (const one of claimed) await runs.finish(one, ended('succeeded'));
    for (let rest = await runs.claim({ perSource: 6 }); rest.length > 0; rest = await runs.claim())
      for (const one of rest) await runs.finish(one, ended('succeeded'));
  });

  test('a definition that changes while the run waits is the one that runs', async () => {
    const syncId = await addSync(db, { streams: [streamOf('a'), streamOf('b')] });
    const { id } = await runs.enqueue(syncId);
    const first = await runs.claimOne();
    await runs.finish(first, ended('failed', [report('a', 'succeeded'), failed('b', 'transient')], 'transient'));
    const [sync] = await db.read.all<{ definition: string }>(sql`select definition from syncs where id = ${syncId}`);
    const definition = JSON.parse(sync?.definition ?? '') as { streams: unknown[] };
    definition.streams = [streamOf('c'), streamOf('a')];
    await db.write(runStatement, `update syncs set definition = '${JSON.stringify(definition)}' where id = '${syncId}'`);
    await runs.letBegin(id);
    const again = await runs.claimOne();
    assert.deepEqual(
      again.states.map(({ index, target, generation }) => [index, target, generation]),
      [[0, 'c', 1]],
    );
    assert.deepEqual(
      reportsOf(again.run).map(({ target, status }) => [target, status]),
      [
        ['c', 'pending'],
        ['a', 'succeeded'],
      ],
    );
    await runs.finish(again, ended('succeeded'));
  });
});
