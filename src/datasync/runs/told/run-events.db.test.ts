import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actorCalled } from '../../../http/caller.ts';
import { newReport } from '../../../engine/progress.ts';
import type { ServerEvent } from '../../../http/event-stream.ts';
import { runStatement } from '../../../../test/support/commands.ts';
import { onBothEnginesWithRuns } from '../../../../test/support/run-driver.ts';
import { addSync, streamOf } from '../../../../test/support/sync-fixture.ts';
import { cancelRun } from '../ask.ts';
import type { Claimed } from '../queue/claim.ts';
import { enqueueRun } from '../queue/enqueue.ts';
import { finishRuns } from '../queue/finish.ts';
import { runEvents } from './run-events.ts';
import type { RunRow } from '../rows/run-row.ts';
import { createRunWatch } from './watch.ts';

/** For a caller that may see everything. */
const whole = (row: RunRow): RunRow => row;

onBothEnginesWithRuns('the events of a run', ({ db, runs }) => {
  const watch = createRunWatch();
  const now = Date.now();
  const enqueue = async (): Promise<RunRow> =>
    db.write(enqueueRun, { now, syncId: await addSync(db), trigger: 'manual', mode: 'run', streams: null });
  const claim = async (): Promise<Claimed> => {
    const [claimed] = await runs.claim({ now, node: 'n', most: 1, leaseMs: 1e6 });
    return claimed as Claimed;
  };
  const reportOf = (read: number) => ({ ...newReport(streamOf('orders')), status: 'running' as const, read });
  const next = async (events: AsyncGenerator<ServerEvent>) => {
    const { value, done } = await events.next();
    if (done) return undefined;
    // oxlint-disable-next-line no-unsafe-assignment -- the tests look into bodies of every shape
    return { event: value.event, data: JSON.parse(value.data) };
  };

  test('tell the whole run at once, then how far it is, and end with it', async () => {
    const run = await enqueue();
    const events = runEvents(db.read, watch, run, new AbortController().signal, whole);
    assert.partialDeepStrictEqual(await next(events), { event: 'run', data: { id: run.id, status: 'queued', totals: { read: 0 } } });
    const claimed = await claim();
    watch.changed(run.id);
    assert.partialDeepStrictEqual(await next(events), { event: 'run', data: { status: 'running' } });

    // Of what is told in a hurry, the last counts.
    const told = performance.now();
    for (let read = 1; read <= 5; read++) watch.publish(run.id, { streams: [reportOf(read)] });
    watch.publish('run_other', { streams: [reportOf(99)] });
    assert.partialDeepStrictEqual(await next(events), { event: 'run', data: { totals: { read: 5 }, streams: [{ read: 5 }] } });
    assert.ok(performance.now() - told > 200);

    const outcome = { status: 'succeeded', streams: [{ index: 0, report: { ...reportOf(6), status: 'succeeded' } }], error: null } as const;
    await db.write(finishRuns, { now, finished: [{ id: run.id, token: claimed.sync.token, outcome }] });
    watch.changed(run.id);
    assert.partialDeepStrictEqual(await next(events), { event: 'run', data: { status: 'succeeded', totals: { read: 6 } } });
    assert.deepEqual(await next(events), { event: 'end', data: { id: run.id, status: 'succeeded' } });
    assert.equal(await next(events), undefined);
  });

  test('of a run on another node come from its row', async () => {
    const run = await enqueue();
    const events = runEvents(db.read, watch, run, new AbortController().signal, whole);
    await next(events);
    const cancelled = next(events);
    await db.write(cancelRun, { now, actor: actorCalled('k'), id: run.id });
    assert.partialDeepStrictEqual(await cancelled, { event: 'run', data: { status: 'cancelled' } });
    assert.equal((await next(events))?.event, 'end');
  });

  test('of a run that is over are two; of one that is deleted, no more come', async () => {
    const run = await enqueue();
    const over = await db.write(cancelRun, { now, actor: actorCalled('k'), id: run.id });
    const all = await Array.fromAsync(runEvents(db.read, watch, over, new AbortController().signal, whole));
    assert.deepEqual(
      all.map(({ event }) => event),
      ['run', 'end'],
    );
    const doomed = await enqueue();
    const events = runEvents(db.read, watch, doomed, new AbortController().signal, whole);
    await next(events);
    await db.write(runStatement, `delete from syncs where id = '${doomed.sync_id}'`);
    assert.equal(await next(events), undefined);
  });

  test('stop at once when nobody listens any more', async () => {
    const run = await enqueue();
    const reader = new AbortController();
    const events = runEvents(db.read, watch, run, reader.signal, whole);
    await next(events);
    const pending = next(events);
    reader.abort();
    const told = performance.now();
    assert.equal(await pending, undefined);
    assert.ok(performance.now() - told < 200);
  });
});
