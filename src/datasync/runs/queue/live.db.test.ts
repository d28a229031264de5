import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Lag } from '../../../engine/run.ts';
import type { Scope } from '../../../http/scopes.ts';
import { actorCalled } from '../../../http/caller.ts';
import { ended, failure, onBothEnginesWithRuns, refused, report } from '../../../../test/support/run-driver.ts';
import { runStatement } from '../../../../test/support/commands.ts';
import { addSource, addSync, streamOf } from '../../../../test/support/sync-fixture.ts';
import { pauseSync, resetSync, resumeSync } from '../../syncs/commands.ts';
import { cancelRun } from '../ask.ts';
import { readLag } from '../rows/lag.ts';
import { reportsOf } from '../rows/run-row.ts';
import { readAgenda, readWanted, stoppingRuns } from './agenda.ts';
import { beat } from './beat.ts';
import type { Claimed } from './claim.ts';
import { fireDue, fireWanted } from './fire.ts';
import { recoverRuns } from './recover.ts';

const NOBODYS = new Set<Scope>();
const LAG: Lag = { seconds: 2, bytes: 1000, bytes_per_second: 10, at: '2026-11-01T09:00:00.000Z' };

onBothEnginesWithRuns('live runs', ({ db, runs }) => {
  const live = (target: string) => ({ ...streamOf(target), mode: 'cdc' as const });
  const addLive = (...targets: string[]): Promise<string> =>
    addSync(db, { streams: (targets.length > 0 ? targets : ['t']).map(live), schedule: { type: 'on_change' } });
  const by = (id: string) => ({ actor: actorCalled('key_1'), scopes: NOBODYS, now: runs.now, id });
  /** What every node does all the time: one that is live and has no run gets one. */
  const keep = async (syncId: string): Promise<boolean> => {
    const wanted = await readWanted(db.read, 100);
    return wanted.includes(syncId) && (await db.write(fireWanted, { now: runs.now, syncIds: [syncId] })).includes(syncId);
  };
  const begin = async (syncId: string): Promise<Claimed> => {
    await keep(syncId);
    const claimed = (await runs.claimLive({ most: 100 })).find(({ sync }) => sync.id === syncId);
    assert.ok(claimed, 'it is claimed');
    return claimed;
  };
  const followed = (target = 't') => [report(target, 'running', { live: 'live', read: 3 })];

  test('there is one at all times, in places of its own', async () => {
    const syncId = await addLive('a', 'b');
    assert.equal(await keep(syncId), true);
    assert.equal(await keep(syncId), false, 'there is one');
    assert.equal((await readAgenda(db.read, 'n1', runs.now)).waiting, null, 'it is not among the others');
    assert.deepEqual(await runs.claim({ perSource: 0, overdue: true, crowded: true }), []);
    const { run, states } = await begin(syncId);
    assert.deepEqual([run.live, run.trigger, run.mode, states.length], [1, 'change', 'run', 2]);
    await assert.rejects(runs.enqueue(syncId), refused('CONFLICT', /is live: its run .* There is nothing to start/));
    const other = await addSync(db, { source: (await runs.sync(syncId))['source_id'] as string });
    await runs.enqueue(other);
    assert.equal((await runs.claim({ perSource: 1 })).length, 1, 'it takes no place at its source');
  });

  test('it is rolled, and the next one goes on with its lag', async () => {
    const syncId = await addLive();
    const first = await begin(syncId);
    const news = { id: first.run.id, token: first.sync.token, leaseMs: 7_000, report: followed(), lag: LAG };
    assert.deepEqual(await db.write(beat, { now: runs.now, runs: [news] }), [{ id: first.run.id, stop: null }]);
    assert.deepEqual(readLag((await runs.row(first.run.id)).lag), LAG);
    const over = await runs.finish(first, { ...ended('succeeded', [report('t', 'succeeded', { live: 'live' })]), rolled: true });
    assert.deepEqual([over?.status, over?.rolled], ['succeeded', 1]);
    const second = await begin(syncId);
    assert.notEqual(second.run.id, first.run.id);
    assert.ok(second.sync.token > first.sync.token);
    assert.deepEqual(readLag(second.run.lag), LAG);
  });

  test('one that has nothing new to tell keeps its lease, and what it has told', async () => {
    const syncId = await addLive();
    const { run, sync } = await begin(syncId);
    const still = { id: run.id, token: sync.token, leaseMs: 7_000 };
    await db.write(beat, { now: runs.now, runs: [{ ...still, report: followed(), lag: LAG }] });
    const told = await runs.row(run.id);
    runs.now += 3_000;
    assert.deepEqual(await db.write(beat, { now: runs.now, runs: [{ ...still, leaseMs: 60_000 }] }), [{ id: run.id, stop: null }]);
    const quiet = await runs.row(run.id);
    assert.ok(Date.parse(quiet.lease_until ?? '') - Date.parse(told.lease_until ?? '') > 50_000, 'it is renewed');
    assert.deepEqual({ ...quiet, lease_until: '' }, { ...told, lease_until: '' });
    await db.write(beat, { now: runs.now, runs: [{ ...still, report: followed(), lag: LAG }] });
    const again = await runs.row(run.id);
    assert.equal(Date.parse(again.not_before) - Date.parse(told.not_before), (again.duration_ms ?? 0) - (told.duration_ms ?? 0));
    assert.deepEqual(await db.write(beat, { now: runs.now, runs: [{ ...still, token: sync.token - 1 }] }), [
      { id: run.id, stop: 'fenced' },
    ]);
    await db.write(cancelRun, by(run.id));
    assert.deepEqual(await db.write(beat, { now: runs.now, runs: [still] }), [{ id: run.id, stop: 'cancelled' }]);
  });

  test('what may heal is tried again for as long as it takes, a minute apart at most', async () => {
    const syncId = await addLive();
    let claimed = await begin(syncId);
    const waits: number[] = [];
    for (let i = 0; i < 12; i++) {
      const over = await runs.finish(claimed, failure('transient'));
      assert.equal(over?.status, 'retrying');
      waits.push(Math.round((Date.parse(over?.not_before ?? '') - Date.parse(claimed.run.not_before)) / 10_000));
      await runs.letBegin(claimed.run.id);
      claimed = await begin(syncId);
    }
    assert.deepEqual(waits.slice(0, 4), [1, 3, 6, 6]);
    assert.equal(Math.max(...waits), 6);
    assert.equal((await runs.sync(syncId))['status'], 'active');
  });

  test('what does not heal is tried again with growing waits, and paused in the end', async () => {
    const syncId = await addLive();
    for (let i = 1; i <= 10; i++) {
      const claimed = await begin(syncId);
      const over = await runs.finish(claimed, failure('auth'));
      assert.equal(over?.status, 'failed');
      const { status, next_run_at } = await runs.sync(syncId);
      if (i === 10) {
        assert.deepEqual([status, next_run_at], ['paused', null]);
        assert.match(over?.paused ?? '', /after 10 failed runs/);
        break;
      }
      assert.equal(await keep(syncId), false, 'it waits');
      runs.now += 60_000;
      const due = { syncId, due: next_run_at as string, next: null };
      assert.equal((await db.write(fireDue, { now: runs.now, due: [due] })).queued, 1);
    }
  });

  test('where changes are lost and a person is to decide, it is paused at once', async () => {
    const syncId = await addLive();
    const over = await runs.finish(await begin(syncId), failure('gap'));
    assert.equal(over?.status, 'failed');
    assert.match(over?.paused ?? '', /changes of the source are lost.*reset.*resume/);
    assert.equal((await runs.sync(syncId))['status'], 'paused');
  });

  test('a pause ends it at a checkpoint, and the next begins when it is resumed', async () => {
    const syncId = await addLive();
    const claimed = await begin(syncId);
    await db.write(pauseSync, by(syncId));
    assert.deepEqual(await stoppingRuns(db.read, 'n1').then((found) => found.filter(({ id }) => id === claimed.run.id)), [
      { id: claimed.run.id, reason: 'handed_over' },
    ]);
    assert.equal(await runs.beat(claimed), 'handed_over');
    const over = await runs.finish(claimed, ended('handed_over', [report('t', 'pending', { live: 'live' })]));
    assert.equal(over?.status, 'succeeded');
    assert.equal(over && reportsOf(over)[0]?.status, 'succeeded');
    assert.equal(await keep(syncId), false);
    await db.write(resumeSync, by(syncId));
    assert.notEqual((await begin(syncId)).run.id, claimed.run.id);
  });

  test('one that waits is cancelled by a pause', async () => {
    const syncId = await addLive();
    const claimed = await begin(syncId);
    await runs.finish(claimed, failure('transient'));
    await db.write(pauseSync, by(syncId));
    assert.equal((await runs.row(claimed.run.id)).status, 'cancelled');
  });

  test('to cancel it pauses its synchronization', async () => {
    const syncId = await addLive();
    const claimed = await begin(syncId);
    await db.write(cancelRun, by(claimed.run.id));
    assert.equal(await runs.beat(claimed), 'cancelled');
    assert.equal((await runs.finish(claimed, ended('cancelled', [])))?.status, 'cancelled');
    assert.equal((await runs.sync(syncId))['status'], 'paused');
    assert.match(String((await runs.sync(syncId))['pause_reason']), /its live run was cancelled/);
    assert.equal(await keep(syncId), false);
  });

  test('a reset and a full run have it begin anew, with another generation', async () => {
    const syncId = await addLive('a', 'b');
    const first = await begin(syncId);
    await db.write(resetSync, { ...by(syncId), streams: ['a'] });
    assert.equal((await runs.finish(first, ended('handed_over', [])))?.status, 'queued');
    const second = await begin(syncId);
    assert.equal(second.run.id, first.run.id);
    assert.deepEqual(
      second.states.map(({ generation }) => generation),
      [2, 1],
    );
    const answered = await runs.enqueue(syncId, { mode: 'full' });
    assert.deepEqual([answered.id, answered.yields], [first.run.id, 1]);
    await runs.finish(second, ended('handed_over', []));
    assert.deepEqual(
      (await begin(syncId)).states.map(({ generation }) => generation),
      [3, 2],
    );
  });

  test('it stands aside while rejects are tried again, and not for a preview', async () => {
    const syncId = await addLive();
    const first = await begin(syncId);
    const preview = await runs.enqueue(syncId, { mode: 'preview' });
    const [looking] = await runs.claim();
    assert.equal(looking?.run.id, preview.id);
    assert.equal((await runs.row(first.run.id)).yields, 0);
    await runs.finish(looking, ended('succeeded', []));

    const retry = await runs.enqueue(syncId, { mode: 'rejects', streams: ['t'] });
    assert.deepEqual(await runs.claim({ overdue: true }), [], 'the live run is still at work');
    await runs.finish(first, ended('handed_over', []));
    assert.deepEqual(await runs.claimLive(), [], 'the rejects go first');
    const [trying] = await runs.claim({ overdue: true });
    assert.equal(trying?.run.id, retry.id);
    assert.deepEqual(await runs.claimLive(), [], 'they are being tried');
    const over = await runs.finish(trying, failure('transient'));
    assert.equal(over?.status, 'failed', 'the live run does not wait for another try');
    assert.equal((await runs.sync(syncId))['failures'], 0);
    assert.equal((await begin(syncId)).run.id, first.run.id);
  });

  test('one that crashes time after time has got on when it was at work for a minute', async () => {
    const syncId = await addLive();
    for (let i = 0; i < 12; i++) {
      const { run } = await begin(syncId);
      await db.write(runStatement, `update runs set duration_ms = ${(i + 1) * 60_000} where id = '${run.id}'`);
      await runs.letLeaseEnd(run.id);
      const recovered = await db.write(recoverRuns, { now: runs.now, node: 'n2' });
      assert.equal(recovered.find(({ id }) => id === run.id)?.status, 'retrying');
    }
  });

  test('one of a source that is used by others has no share of it', async () => {
    const source = await addSource(db);
    const many = await Promise.all(
      Array.from({ length: 6 }, () => addSync(db, { source, streams: [live('t')], schedule: { type: 'on_change' } })),
    );
    for (const id of many) await keep(id);
    const claimed = await runs.claimLive({ most: 100 });
    assert.equal(claimed.filter(({ sync }) => many.includes(sync.id)).length, 6);
  });
});
