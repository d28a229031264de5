import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actorCalled } from '../../../http/caller.ts';
import { sql } from '../../../db/sql.ts';
import { runStatement } from '../../../../test/support/commands.ts';
import { ended, onBothEnginesWithRuns } from '../../../../test/support/run-driver.ts';
import { addSource, addSync } from '../../../../test/support/sync-fixture.ts';
import { cancelRun } from '../ask.ts';
import type { Claimed } from './claim.ts';
import { beatParts, claimParts, type ClaimedPart, endPart, offerParts, partKey, takePart } from './parts.ts';
import { isOurs } from '../rows/stream-memory.ts';

const LEASE = 15_000;

onBothEnginesWithRuns('parts of runs', ({ db, runs }) => {
  const begin = async (options: Parameters<typeof addSync>[1] = {}): Promise<Claimed> => {
    await runs.enqueue(await addSync(db, options));
    return runs.claimOne();
  };
  const speaker = ({ run, sync }: Claimed) => ({ runId: run.id, token: sync.token, target: 'orders' });
  const offer = (claimed: Claimed, count: number, more: { split?: string; done?: readonly number[] } = {}): Promise<boolean> =>
    db.write(offerParts, {
      ...speaker(claimed),
      split: more.split ?? 's',
      version: 1,
      parts: Array.from({ length: count }, (_, n) => ({
        range: { after: `a${n}`, upTo: `b${n}` },
        isDone: more.done?.includes(n) ?? false,
      })),
    });
  const take = (claimed: Claimed) => db.write(takePart, { ...speaker(claimed), now: runs.now });
  const help = (most = 1, more: Partial<{ node: string; perSource: number }> = {}): Promise<ClaimedPart[]> =>
    db
      .write(claimParts, { now: runs.now, node: 'n2', most, leaseMs: LEASE, perSource: 9, ...more })
      .then((parts) => parts.sort((a, b) => a.part.index - b.part.index));
  const keyOf = ({ claimed, target, part }: ClaimedPart) => ({ ...partKey(claimed.run.id, target, part), token: part.token });
  const end = (
    part: ClaimedPart,
    status: 'done' | 'waiting' | 'failed',
    error: ReturnType<typeof ended>['error'] = null,
  ): Promise<boolean> => db.write(endPart, { ...keyOf(part), status, error });
  const speaks = (part: ClaimedPart): Promise<boolean> => {
    const { token, ...key } = keyOf(part);
    return isOurs(db.read, { runId: key.runId, token, part: key });
  };
  const letLeasesEnd = (): Promise<unknown> =>
    db.write(runStatement, `update run_parts set lease_until = '2000' where lease_until is not null`);
  const finish = (claimed: Claimed): Promise<unknown> => runs.finish(claimed, ended('succeeded'));

  test('each is taken once, by any node; all are through when none is left', async () => {
    const claimed = await begin();
    assert.equal(await offer(claimed, 4, { done: [3] }), true);
    assert.deepEqual(await take(claimed), {
      taken: { split: 's', index: 0, range: { after: 'a0', upTo: 'b0' }, token: 1 },
      open: 3,
      error: null,
    });
    const [first, second] = (await help(5)) as [ClaimedPart, ClaimedPart];
    assert.deepEqual(
      [first, second].map(({ part }) => part.index),
      [1, 2],
    );
    assert.deepEqual([first.claimed.states.map(({ target }) => target), first.claimed.sync.id], [['orders'], claimed.sync.id]);
    assert.deepEqual(await help(5), []);
    assert.deepEqual(await take(claimed), { taken: null, open: 3, error: null });
    for (const part of [first, second]) assert.equal(await end(part, 'done'), true);
    assert.equal(await end(first, 'done'), false, 'what is through is nobody’s');
    await db.write(endPart, {
      ...partKey(claimed.run.id, 'orders', { split: 's', index: 0, range: {}, token: 1 }),
      token: 1,
      status: 'done',
      error: null,
    });
    assert.deepEqual(await take(claimed), { taken: null, open: 0, error: null });
    await offer(claimed, 0);
    await finish(claimed);
  });

  test('one whose node is gone is taken by another, and what that node says later is not heard', async () => {
    const claimed = await begin();
    await offer(claimed, 1);
    const [late] = (await help()) as [ClaimedPart];
    assert.equal(await speaks(late), true);
    assert.deepEqual(await db.write(beatParts, { now: runs.now, leaseMs: LEASE, parts: [keyOf(late)] }), [true]);
    await letLeasesEnd();
    const [next] = (await help(1, { node: 'n3' })) as [ClaimedPart];
    assert.equal(next.part.token, late.part.token + 1);
    assert.deepEqual(await db.write(beatParts, { now: runs.now, leaseMs: LEASE, parts: [keyOf(late), keyOf(next)] }), [false, true]);
    assert.deepEqual([await speaks(late), await end(late, 'done'), await speaks(next)], [false, false, true]);
    await letLeasesEnd();
    assert.equal((await take(claimed))?.taken?.token, next.part.token + 1, 'the node that has the run takes it too');
    await letLeasesEnd();
    assert.deepEqual(await help(), [], 'what that one works on has no lease of its own');
    await finish(claimed);
  });

  test('the node that takes the run over offers them anew; the old ones can be taken no more', async () => {
    const first = await begin();
    await offer(first, 2);
    await take(first);
    const [helped] = (await help()) as [ClaimedPart];
    await runs.finish(first, ended('handed_over'));
    assert.deepEqual(await help(), [], 'nobody begins with a part of a run that nobody has');
    assert.equal(await speaks(helped), true, 'but goes on with it');
    const second = await runs.claimOne();
    assert.equal(await offer(first, 2), false);
    assert.equal(await take(first), null);
    await offer(second, 2, { split: 's2' });
    assert.deepEqual([await speaks(helped), await end(helped, 'done')], [false, false]);
    const [again] = (await help()) as [ClaimedPart];
    assert.deepEqual([again.part.index, again.part.split, again.part.token], [0, 's2', 1]);
    await finish(second);
  });

  test('what went wrong is told to the run; what may go well elsewhere is tried there', async () => {
    const claimed = await begin();
    await offer(claimed, 2);
    const [first, second] = (await help(2)) as [ClaimedPart, ClaimedPart];
    await end(first, 'waiting');
    assert.deepEqual(
      (await help(2)).map(({ part }) => [part.index, part.token]),
      [[0, 2]],
    );
    const { error } = ended('failed', [], 'config');
    await end(second, 'failed', error);
    assert.deepEqual((await take(claimed))?.error, error);
    assert.deepEqual(await help(2), []);
    await finish(claimed);
  });

  test('nobody helps with a run that is to end, or by another version of its definition', async () => {
    const claimed = await begin();
    await offer(claimed, 3);
    const [part] = (await help()) as [ClaimedPart];
    await db.write(runStatement, `update syncs set version = 2 where id = '${claimed.sync.id}'`);
    assert.deepEqual(await help(), []);
    await db.write(runStatement, `update syncs set version = 1 where id = '${claimed.sync.id}'`);
    await db.write(cancelRun, { now: runs.now, actor: actorCalled('k'), id: claimed.run.id });
    assert.deepEqual(await help(), []);
    assert.deepEqual(await db.write(beatParts, { now: runs.now, leaseMs: LEASE, parts: [keyOf(part)] }), [false]);
    await runs.finish(claimed, ended('cancelled'));
    assert.deepEqual(await db.read.all(sql`select * from run_parts where run_id = ${claimed.run.id}`), []);
  });

  test('a node that helps uses a source like a run does', async () => {
    const [source, target] = [await addSource(db), await addSource(db)];
    const claimed = await begin({ source, target });
    await offer(claimed, 5);
    const helping = await help(5, { perSource: 3 });
    assert.equal(helping.length, 2, 'the run itself is the third');
    await runs.enqueue(await addSync(db, { source }));
    assert.deepEqual(await runs.claim({ perSource: 3 }), []);
    await end(helping[0] as ClaimedPart, 'done');
    const [other] = await runs.claim({ perSource: 3 });
    assert.ok(other);
    assert.deepEqual(await help(5, { perSource: 3 }), []);
    await Promise.all([finish(claimed), finish(other)]);
  });

  test('they go with their run', async () => {
    const claimed = await begin();
    await offer(claimed, 2);
    await finish(claimed);
    await db.write(runStatement, `delete from runs where id = '${claimed.run.id}'`);
    assert.deepEqual(await db.read.all(sql`select * from run_parts where run_id = ${claimed.run.id}`), []);
  });
});
