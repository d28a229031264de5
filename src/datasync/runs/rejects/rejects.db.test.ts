import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actorCalled } from '../../../http/caller.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Scope } from '../../../http/scopes.ts';
import { onBothEnginesWithRuns } from '../../../../test/support/run-driver.ts';
import { addSync, streamOf } from '../../../../test/support/sync-fixture.ts';
import type { Claimed } from '../queue/claim.ts';
import { enqueueRun } from '../queue/enqueue.ts';
import { finishRuns } from '../queue/finish.ts';
import { forgetRuns } from '../rows/forget.ts';
import { listRejects, type RejectPage } from '../rows/queries.ts';
import { keepRejects, type NewReject, openRejects, resolveRejects, retryRejects, retryRejectsOfSync } from './rejects.ts';

/** The shop is at no end: its scopes are not asked for. */
const NOBODYS = new Set<Scope>();

onBothEnginesWithRuns('rejects', ({ db, runs }) => {
  let now = Date.now();
  const begin = async (syncId: string): Promise<Claimed> => {
    now += 10;
    await db.write(enqueueRun, { now, syncId, trigger: 'manual', mode: 'run', streams: null });
    return claim();
  };
  const claim = async (): Promise<Claimed> => {
    const [claimed] = await runs.claim({ now, node: 'n', most: 1, leaseMs: 1000 });
    return claimed as Claimed;
  };
  const end = ({ run, sync }: Claimed) =>
    db.write(finishRuns, {
      now,
      finished: [{ id: run.id, token: sync.token, outcome: { status: 'succeeded', streams: [], error: null } }],
    });
  const speaker = ({ run, sync }: Claimed, target = 'a') => ({ now, runId: run.id, token: sync.token, syncId: sync.id, target });
  const keep = (claimed: Claimed, rejects: NewReject[], target = 'a') =>
    db.write(keepRejects, { ...speaker(claimed, target), stream: `source ${target}`, rejects });
  const resolve = (claimed: Claimed, which: string[] | 'unseen', target = 'a') =>
    db.write(resolveRejects, { ...speaker(claimed, target), which });
  const listed = (claimed: Claimed, more: Partial<RejectPage> = {}) =>
    db.query(listRejects, { syncId: claimed.sync.id, runId: claimed.run.id, limit: 50, offset: 0, after: undefined, ...more });
  const ids = async (claimed: Claimed, more: Partial<RejectPage> = {}): Promise<string[]> =>
    (await listed(claimed, more)).rows.map(({ row }) => (JSON.parse(row) as { id: string }).id);

  test('are kept once each, listed with every run that saw them, and resolved', async () => {
    const syncId = await addSync(db, { streams: [streamOf('a'), streamOf('b')] });
    const first = await begin(syncId);
    assert.equal(await keep(first, [reject('1'), reject('2'), reject('3')]), true);
    assert.equal(await keep(first, [reject('1')], 'b'), true);
    assert.deepEqual(await ids(first), ['1', '2', '3', '1']);
    assert.deepEqual(await ids(first, { stream: 'source b' }), ['1']);
    await end(first);

    const second = await begin(syncId);
    assert.deepEqual(
      second.states.map(({ openRejects: open }) => open),
      [3, 1],
    );
    assert.equal(await keep(second, [{ ...reject('2'), reason: 'is worse' }]), true);
    assert.equal(await resolve(second, ['identity 1']), true);
    assert.deepEqual(await ids(first), ['1', '2', '3', '1']);
    assert.deepEqual(await ids(first, { status: 'open' }), ['2', '3', '1']);
    assert.deepEqual(await ids(first, { status: 'resolved' }), ['1']);
    const { rows, total } = await listed(second);
    assert.equal(total, 1);
    assert.partialDeepStrictEqual(rows[0], { first_run_id: first.run.id, last_run_id: second.run.id, reason: 'is worse' });
    // What the second run has not seen of this stream is gone from the source.
    assert.equal(await resolve(second, 'unseen'), true);
    assert.deepEqual(await ids(first, { status: 'open' }), ['2', '1']);
    await end(second);

    // What was resolved and is refused again is open again.
    const third = await begin(syncId);
    await keep(third, [reject('1')]);
    assert.deepEqual(await ids(third), ['1']);
    assert.deepEqual(await ids(first, { status: 'open' }), ['1', '2', '1']);
    await end(third);
  });

  test('keep every digit, and whatever text a system may hold', async () => {
    const claimed = await begin(await addSync(db));
    const row = { id: '9007199254740993', n: '0.10000000000000000555', text: 'nul \0, half \ud800, "quotes", é 漢 😀' };
    const odd: NewReject = {
      ...reject('1'),
      row: JSON.stringify(row),
      field: 'te\0xt',
      reason: 'has \0 and \udfff in it',
      identity: 'i\0',
    };
    await keep(claimed, [odd, reject('2'), { ...reject('2'), reason: 'for another reason' }], 'orders');
    const { rows } = await listed(claimed);
    assert.deepEqual(JSON.parse(rows[0]?.row ?? ''), row);
    assert.equal(rows[0]?.field, 'te\\u0000xt');
    assert.equal(rows[0].reason, 'has \\u0000 and \ufffd in it');
    assert.equal(rows[1]?.reason, 'for another reason');
    const [back] = await openRejects(db.read, { syncId: claimed.sync.id, target: 'orders', after: undefined, limit: 10 });
    assert.deepEqual(back?.row, row);
    await resolve(claimed, ['i\0'], 'orders');
    assert.equal((await listed(claimed, { status: 'open' })).total, 1);
    await end(claimed);
  });

  test('come in pages, in the order of identities to be tried again, oldest first to be read', async () => {
    const claimed = await begin(await addSync(db));
    await keep(
      claimed,
      Array.from({ length: 25 }, (_, n) => reject(String(n).padStart(2, '0'))),
      'orders',
    );
    const seen: string[] = [];
    for (let at: string | undefined; ; ) {
      const page = await openRejects(db.read, { syncId: claimed.sync.id, target: 'orders', after: at, limit: 10 });
      seen.push(...page.map(({ identity }) => identity));
      at = page.at(-1)?.identity;
      if (at === undefined) break;
    }
    assert.equal(seen.length, 25);
    assert.deepEqual(seen, [...seen].sort());
    const page = await listed(claimed, { limit: 10, offset: 10 });
    assert.equal(page.total, 25);
    assert.equal(page.rows.length, 11);
    const rest = await listed(claimed, { after: page.rows[9]?.id });
    assert.equal(rest.rows.length, 5);
    await end(claimed);
  });

  test('are not heard from a run that was taken over', async () => {
    const claimed = await begin(await addSync(db));
    const late = { ...claimed, sync: { ...claimed.sync, token: claimed.sync.token - 1 } };
    assert.equal(await keep(late, [reject('1')], 'orders'), false);
    assert.equal(await resolve(late, 'unseen', 'orders'), false);
    await end(claimed);
    assert.equal(await keep(claimed, [reject('1')], 'orders'), false);
    assert.equal((await listed(claimed)).total, 0);
  });

  test('are tried again by a run of their own, for the streams that have some', async () => {
    const syncId = await addSync(db, { streams: [streamOf('a'), streamOf('b'), streamOf('c')] });
    const first = await begin(syncId);
    await keep(first, [reject('1')], 'a');
    await keep(first, [reject('1')], 'c');
    await end(first);
    const run = await db.write(retryRejects, { now, actor: actorCalled('key_1'), scopes: NOBODYS, id: first.run.id });
    assert.partialDeepStrictEqual(run, { mode: 'rejects', trigger: 'retry', status: 'queued', streams: '["a","c"]' });
    const second = await claim();
    assert.deepEqual(
      second.states.map(({ target, openRejects: open }) => [target, open]),
      [
        ['a', 1],
        ['c', 1],
      ],
    );
    for (const target of ['a', 'c']) await resolve(second, ['identity 1'], target);
    await end(second);
    await assert.rejects(
      db.write(retryRejects, { now, actor: actorCalled('key_1'), scopes: NOBODYS, id: first.run.id }),
      (error: AppError) => error.code === 'CONFLICT' && /no open rejects: there is nothing to try again/.test(error.message),
    );
    await assert.rejects(
      db.write(retryRejects, { now, actor: actorCalled('key_1'), scopes: NOBODYS, id: 'run_none' }),
      (error: AppError) => error.code === 'NOT_FOUND',
    );
  });

  test('of a run that later runs did not look at wait for the synchronization, and outlive the run', async () => {
    const syncId = await addSync(db, { streams: [streamOf('a'), streamOf('b')] });
    const first = await begin(syncId);
    await keep(first, [reject('1')], 'a');
    await end(first);
    const second = await begin(syncId);
    await end(second);
    const ofSync = (more: Partial<RejectPage> = {}) =>
      db.query(listRejects, { syncId, limit: 50, offset: 0, after: undefined, status: 'open', ...more });
    assert.equal((await ofSync()).total, 1);
    assert.equal((await ofSync({ stream: 'source b' })).total, 0);
    // The list of the first run shows it, so it can be tried again from there; that of the second does not, and says where to ask.
    await assert.rejects(
      db.write(retryRejects, { now, actor: actorCalled('key_1'), scopes: NOBODYS, id: second.run.id }),
      (error: AppError) => error.code === 'CONFLICT' && error.message.includes(`POST /api/v1/datasync/sync/${syncId}/rejects/retry`),
    );
    const again = await db.write(retryRejects, { now, actor: actorCalled('key_1'), scopes: NOBODYS, id: first.run.id });
    assert.partialDeepStrictEqual(again, { mode: 'rejects', trigger: 'retry', streams: '["a"]' });
    await end(await claim());
    // However old its run is.
    assert.ok((await db.write(forgetRuns, { before: now + 1e9, most: 100 })) > 0);
    await assert.rejects(
      db.write(retryRejects, { now, actor: actorCalled('key_1'), scopes: NOBODYS, id: first.run.id }),
      (error: AppError) => error.code === 'NOT_FOUND',
    );
    assert.equal((await ofSync()).total, 1);
    const last = await db.write(retryRejectsOfSync, { now, actor: actorCalled('key_1'), scopes: NOBODYS, id: syncId });
    assert.partialDeepStrictEqual(last, { mode: 'rejects', trigger: 'retry', streams: '["a"]' });
    const claimed = await claim();
    await resolve(claimed, ['identity 1']);
    await end(claimed);
    assert.deepEqual([(await ofSync()).total, (await ofSync({ status: 'resolved' })).total], [0, 1]);
    await assert.rejects(
      db.write(retryRejectsOfSync, { now, actor: actorCalled('key_1'), scopes: NOBODYS, id: syncId }),
      (error: AppError) => error.code === 'CONFLICT' && /"nightly[^"]*" has no open rejects/.test(error.message),
    );
  });
});

function reject(id: string): NewReject {
  return {
    identity: `identity ${id}`,
    key: JSON.stringify([id]),
    row: JSON.stringify({ id, age: 'unknown' }),
    field: 'age',
    reason: 'is no number',
    unreadable: false,
  };
}
