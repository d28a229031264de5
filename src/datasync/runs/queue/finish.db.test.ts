import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actorCalled } from '../../../http/caller.ts';
import { sql } from '../../../db/sql.ts';
import type { RunOutcome } from '../../../engine/run.ts';
import type { AppError } from '../../../lib/errors.ts';
import { runStatement } from '../../../../test/support/commands.ts';
import type { Scope } from '../../../http/scopes.ts';
import { ended, failed, failure, onBothEnginesWithRuns, refused, report } from '../../../../test/support/run-driver.ts';
import { addSync, streamOf } from '../../../../test/support/sync-fixture.ts';
import { approveRun, cancelRun } from '../ask.ts';
import type { Claimed } from './claim.ts';
import type { FinishedAttempt } from './finish.ts';
import { reportsOf, type RunRow } from '../rows/run-row.ts';
import { keepMemories } from '../rows/stream-memory.ts';

/** The shop is at no end: its scopes are not asked for. */
const NOBODYS = new Set<Scope>();

onBothEnginesWithRuns('runs', ({ db, runs }) => {
  test('from the queue to the end, each step an event and a count', async () => {
    const syncId = await addSync(db, { streams: [streamOf('a'), streamOf('b')] });
    const queued = await runs.enqueue(syncId, { actor: actorCalled('key_1') });
    assert.equal(queued.status, 'queued');
    assert.deepEqual(await runs.row(queued.id), queued);
    assert.deepEqual(
      reportsOf(queued).map(({ name, status }) => [name, status]),
      [
        ['a', 'pending'],
        ['b', 'pending'],
      ],
    );
    const claimed = await runs.claimOne();
    assert.ok(claimed.sync.token > Date.parse('2020-01-01'), 'a time, so that no older database hands it out again');
    assert.equal(claimed.run.token, claimed.sync.token);
    assert.equal(claimed.approved, false);
    assert.deepEqual(
      claimed.states.map(({ index, target, generation, openRejects }) => [index, target, generation, openRejects]),
      [
        [0, 'a', 1, 0],
        [1, 'b', 1, 0],
      ],
    );
    assert.deepEqual(await runs.row(queued.id), claimed.run);
    assert.ok(claimed.run.started_at && claimed.run.lease_until && claimed.run.lease_until > claimed.run.started_at);
    assert.deepEqual(await runs.claim(), []);

    const done = await runs.finish(
      claimed,
      ended('succeeded', [report('a', 'succeeded', { read: 3, inserted: 2 }), report('b', 'succeeded', { read: 4 })]),
    );
    assert.partialDeepStrictEqual(done, { status: 'succeeded', rows_read: 7, inserted: 2, node: null, lease_until: null, error: null });
    assert.ok(done?.finished_at);
    assert.ok((done.duration_ms ?? -1) >= 0);
    assert.deepEqual(await runs.row(queued.id), done);
    assert.deepEqual(await runs.eventsOf(queued.id), ['run.queued', 'run.running', 'run.succeeded']);
    const audit = await db.read.all<{ action: string }>(sql`select action from audit where object_id = ${queued.id}`);
    assert.deepEqual(audit, [{ action: 'run.started' }]);
    assert.equal(await runs.finish(claimed, ended('failed')), null);
  });

  test('one run at a time; a paused synchronization takes previews only; names of streams are checked', async () => {
    const syncId = await addSync(db, { streams: [streamOf('a', 'x'), streamOf('a', 'y'), streamOf('b')] });
    await assert.rejects(runs.enqueue('syn_none'), refused('NOT_FOUND', /no synchronization syn_none/));
    await assert.rejects(runs.enqueue(syncId, { streams: ['b', 'c'] }), (error: AppError) => {
      assert.deepEqual([error.code, error.details.field], ['INVALID_PARAMS', 'streams[1]']);
      return true;
    });
    const first = await runs.enqueue(syncId, { streams: ['a'] });
    assert.deepEqual(
      reportsOf(first).map(({ target }) => target),
      ['x', 'y'],
    );
    await assert.rejects(runs.enqueue(syncId), refused('CONFLICT', new RegExp(`${first.id}.*still waiting to begin`)));
    await db.write(cancelRun, { now: runs.now, actor: actorCalled('k'), id: first.id });

    await db.write(runStatement, `update sync_state set status = 'paused' where sync_id = '${syncId}'`);
    await assert.rejects(runs.enqueue(syncId), refused('CONFLICT', /paused. Resume it first/));
    const preview = await runs.enqueue(syncId, { mode: 'preview' });
    const claimed = await runs.claimOne();
    assert.equal((await runs.finish(claimed, failure('config')))?.status, 'failed');
    assert.equal((await runs.sync(syncId))['failures'], 0);
    assert.deepEqual(await runs.eventsOf(preview.id), ['run.queued', 'run.running', 'run.failed']);
  });

  test('a full run begins another generation of the streams that were asked for', async () => {
    const syncId = await addSync(db, { streams: [streamOf('a'), streamOf('b')] });
    await runs.enqueue(syncId);
    const first = await runs.claimOne();
    const { run, sync, states } = first;
    assert.deepEqual(generations(states), [1, 1]);
    const of = { runId: run.id, token: sync.token, syncId, target: 'a', generation: 1 };
    const memories = [
      { ...of, position: '17', note: '{"n":1}' },
      { ...of, target: 'b', position: '4' },
      { ...of, token: sync.token - 1, position: '18' },
    ];
    assert.deepEqual(await db.write(keepMemories, memories), [true, true, false], 'of a run that was taken over nothing is kept');
    assert.deepEqual(await db.write(keepMemories, [{ ...of, rows: 5 }]), [true]);
    assert.deepEqual(await db.write(keepMemories, [{ ...of, fields: [{ name: 'id', type: 'int64', nullable: false }] }]), [true]);
    // As if a person had changed the definition meanwhile, and this run did not know.
    await db.write(keepMemories, [{ ...of, generation: 0, position: '19' }]);
    await runs.finish(first, ended('succeeded'));

    await runs.enqueue(syncId);
    const again = await runs.claimOne();
    const known = { position: '17', note: '{"n":1}', rows: 5, fields: [{ name: 'id', type: 'int64', nullable: false }] };
    assert.deepEqual(again.states[0], { index: 0, target: 'a', generation: 1, openRejects: 0, ...known });
    await runs.finish(again, ended('succeeded'));

    await runs.enqueue(syncId, { mode: 'full', streams: ['a'] });
    const full = await runs.claimOne();
    assert.deepEqual(full.states, [{ index: 0, target: 'a', generation: 2, openRejects: 0, ...known, position: null, note: null }]);
    await runs.finish(full, ended('succeeded'));
    await runs.enqueue(syncId, { mode: 'full' });
    const both = await runs.claimOne();
    assert.deepEqual(generations(both.states), [3, 2]);
    await runs.finish(both, ended('succeeded'));
  });

  test('what may heal is tried again later, and only the streams that are not done', async () => {
    const syncId = await addSync(db, { streams: [streamOf('a'), streamOf('b')] });
    const { id } = await runs.enqueue(syncId);
    const first = await runs.claimOne();
    const waiting = await runs.finish(
      first,
      ended('failed', [report('a', 'succeeded', { read: 5 }), failed('b', 'transient')], 'transient'),
    );
    assert.partialDeepStrictEqual(waiting, { status: 'retrying', attempt: 2, retries: 1, finished_at: null });
    assert.ok(Date.parse(waiting?.not_before ?? '') - Date.parse(first.run.started_at ?? '') >= 10_000);
    assert.match(waiting?.error ?? '', /transient/);
    assert.deepEqual(await runs.claim(), []);
    await runs.letBegin(id);
    const second = await runs.claimOne();
    assert.ok(second.sync.token > first.sync.token);
    assert.equal(second.run.error, null);
    assert.deepEqual(
      second.states.map(({ target }) => target),
      ['b'],
    );
    const done = await runs.finish(second, ended('partial', [report('b', 'partial', { read: 2, rejected: 1 })]));
    assert.partialDeepStrictEqual(done, { status: 'partial', rows_read: 7, rejected: 1 });
    assert.equal((await runs.sync(syncId))['failures'], 0);
    assert.equal(await runs.finish(first, ended('succeeded')), null);
  });

  test('ten failed runs in a row pause the synchronization, and it says why; a good one in between begins anew', async () => {
    const syncId = await addSync(db);
    const runOnce = async (outcome: RunOutcome): Promise<FinishedAttempt | null> => {
      await runs.enqueue(syncId);
      return runs.finish(await runs.claimOne(), outcome);
    };
    for (let n = 0; n < 9; n++) await runOnce(failure('auth'));
    assert.partialDeepStrictEqual(await runs.sync(syncId), { status: 'active', failures: 9 });
    await runOnce(ended('succeeded'));
    assert.partialDeepStrictEqual(await runs.sync(syncId), { status: 'active', failures: 0 });
    for (let n = 0; n < 9; n++) assert.equal((await runOnce(failure('auth')))?.paused, undefined);
    const last = await runOnce(failure('auth'));
    assert.match(last?.paused ?? '', /^Paused after 10 failed runs in a row/);
    const paused = await runs.sync(syncId);
    assert.partialDeepStrictEqual(paused, { status: 'paused', failures: 10, next_run_at: null });
    assert.match(String(paused['pause_reason']), /10 failed runs in a row/);
    assert.deepEqual(await runs.eventsOf(syncId), ['sync.paused']);
    const [event] = await db.read.all<{ data: string }>(sql`select data from events where object_id = ${syncId}`);
    assert.partialDeepStrictEqual(JSON.parse(event?.data ?? ''), { id: syncId, status: 'paused', on_reject: 'quarantine' });
  });

  test('cancelled at once while it waits; told to stop while it runs; refused when it is over', async () => {
    const syncId = await addSync(db);
    const cancel = (id: string): Promise<RunRow> => db.write(cancelRun, { now: runs.now, actor: actorCalled('key_1'), id });
    const waiting = await runs.enqueue(syncId);
    const cancelled = await cancel(waiting.id);
    assert.partialDeepStrictEqual(cancelled, { status: 'cancelled', cancelled: 1 });
    assert.ok(cancelled.finished_at);
    assert.deepEqual(
      reportsOf(cancelled).map(({ status }) => status),
      ['cancelled'],
    );
    await assert.rejects(cancel(waiting.id), refused('INVALID_TRANSITION', /is cancelled and cannot be cancelled. It is over/));
    await assert.rejects(cancel('run_none'), refused('NOT_FOUND', /no run/));

    await runs.enqueue(syncId);
    const claimed = await runs.claimOne();
    const asked = await cancel(claimed.run.id);
    assert.partialDeepStrictEqual(asked, { status: 'running', cancelled: 1, finished_at: null });
    assert.deepEqual(await cancel(claimed.run.id), asked);
    assert.equal(await runs.beat(claimed), 'cancelled');
    // It failed in a way that heals, but nobody wants it any more.
    assert.equal((await runs.finish(claimed, failure('transient')))?.status, 'cancelled');

    await runs.enqueue(syncId);
    const retrying = await runs.claimOne();
    assert.equal((await runs.finish(retrying, failure('transient')))?.status, 'retrying');
    assert.equal((await cancel(retrying.run.id)).status, 'cancelled');
    const actions = await db.read.all<{ action: string }>(sql`select action from audit where object_id = ${claimed.run.id}`);
    assert.deepEqual(actions, [{ action: 'run.cancelled' }]);
  });

  test('what needs approval waits for it, and begins again with it unless the definition has changed', async () => {
    const syncId = await addSync(db, { streams: [streamOf('a'), streamOf('b')] });
    const approve = (id: string): Promise<RunRow> =>
      db.write(approveRun, { now: runs.now, actor: actorCalled('key_1'), scopes: NOBODYS, id });
    const { id } = await runs.enqueue(syncId);
    await assert.rejects(approve(id), refused('INVALID_TRANSITION', /is queued and cannot be approved. Possible is: cancel/));
    const stopped = ended('needs_approval', [report('a', 'succeeded'), report('b', 'needs_approval')]);
    assert.partialDeepStrictEqual(await runs.finish(await runs.claimOne(), stopped), { status: 'needs_approval', finished_at: null });
    assert.deepEqual(await runs.claim(), []);
    await assert.rejects(runs.enqueue(syncId), refused('CONFLICT', /waiting for approval. Approve or cancel it first/));
    assert.partialDeepStrictEqual(await approve(id), { status: 'queued', approved: 1 });
    const again = await runs.claimOne();
    assert.equal(again.run.id, id);
    assert.equal(again.approved, true);
    assert.deepEqual(
      again.states.map(({ target }) => target),
      ['b'],
    );
    await runs.finish(again, stopped);
    await approve(id);
    await db.write(runStatement, `update syncs set version = version + 1 where id = '${syncId}'`);
    const changed = await runs.claimOne();
    assert.equal(changed.approved, false);
    await runs.finish(changed, stopped);
    assert.equal((await db.write(cancelRun, { now: runs.now, actor: actorCalled('k'), id })).status, 'cancelled');
  });
});

function generations(states: Claimed['states']): number[] {
  return states.map(({ generation }) => generation);
}
