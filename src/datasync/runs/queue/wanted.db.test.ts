import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { actorCalled } from '../../../http/caller.ts';
import type { Database } from '../../../db/database.ts';
import { sql } from '../../../db/sql.ts';
import type { RunOutcome } from '../../../engine/run.ts';
import type { Scope } from '../../../http/scopes.ts';
import { AppError } from '../../../lib/errors.ts';
import { runStatement, wantRuns } from '../../../../test/support/commands.ts';
import { ended, failure, onBothEnginesWithRuns, type RunDriver } from '../../../../test/support/run-driver.ts';
import { addSync } from '../../../../test/support/sync-fixture.ts';
import { pauseSync, resumeSync } from '../../syncs/commands.ts';
import { approveRun, cancelRun } from '../ask.ts';
import { readAgenda, readWanted } from './agenda.ts';
import type { Claimed } from './claim.ts';
import { fireDue, fireWanted } from './fire.ts';
import { createWantedWatch } from './wanted.ts';

const NOBODYS = new Set<Scope>();

onBothEnginesWithRuns('what is wanted', ({ db, runs }) => {
  const want = (...syncIds: string[]) => db.write(wantRuns, syncIds);
  const fire = (...syncIds: string[]) => db.write(fireWanted, { now: runs.now, syncIds });
  const change = (id: string) => ({ actor: actorCalled('k'), scopes: NOBODYS, now: runs.now, id });

  test('is started once however many nodes notice it, and once more when it was wanted while it ran', async () => {
    const syncId = await addSync(db);
    assert.equal((await readAgenda(db.read, 'n', runs.now)).wanted, 0);
    await Promise.all([want(syncId), want(syncId), want(syncId)]);
    assert.equal((await readAgenda(db.read, 'n', runs.now)).wanted, 1);
    const fired = await Promise.all([fire(syncId), fire(syncId), fire(syncId)]);
    assert.deepEqual(fired.flat(), [syncId]);
    const first = await runs.claimOne();
    assert.equal(first.run.trigger, 'change');
    await want(syncId);
    // While it runs there is nothing to start.
    assert.deepEqual([(await readAgenda(db.read, 'n', runs.now)).wanted, await fire(syncId)], [0, []]);
    const over = await runs.finish(first, ended('succeeded'));
    assert.equal(over?.isAwaited, true);
    assert.deepEqual(await readWanted(db.read, 10), [syncId]);
    assert.deepEqual(await fire(syncId), [syncId]);
    const last = await runs.finish(await runs.claimOne(), ended('succeeded'));
    assert.equal(last?.isAwaited, undefined);
    assert.deepEqual(await readWanted(db.read, 10), []);
  });

  test('any whole run sees it; a preview, or a run of some streams, does not', async () => {
    const syncId = await addSync(db);
    await want(syncId);
    for (const more of [{ mode: 'preview' as const }, { streams: ['orders'] }]) {
      await runs.enqueue(syncId, more);
      await runs.finish(await runs.claimOne(), ended('succeeded'));
      assert.deepEqual(await readWanted(db.read, 10), [syncId]);
    }
    await runs.enqueue(syncId);
    await runs.finish(await runs.claimOne(), ended('succeeded'));
    assert.deepEqual(await readWanted(db.read, 10), []);
  });

  test('waits while a run waits for approval, and while it is paused', async () => {
    const syncId = await addSync(db);
    await runs.enqueue(syncId);
    const held = await runs.finish(await runs.claimOne(), ended('needs_approval'));
    await want(syncId);
    assert.deepEqual(await fire(syncId), []);
    await db.write(cancelRun, { ...change(held?.id ?? ''), actor: actorCalled('k') });
    await db.write(pauseSync, change(syncId));
    assert.deepEqual([await fire(syncId), await readWanted(db.read, 10)], [[], []]);
    await db.write(resumeSync, change(syncId));
    assert.deepEqual(await fire(syncId), [syncId]);
    await runs.finish(await runs.claimOne(), ended('succeeded'));
  });

  test('is tried again when it failed: after five minutes where no schedule does, and when a pause after failures is over', async () => {
    const syncId = await addSync(db);
    await want(syncId);
    await fire(syncId);
    const failed = await runs.finish(await runs.claimOne(), failure('auth'));
    const due = String((await runs.sync(syncId))['next_run_at']);
    assert.equal(Date.parse(due) - Date.parse(failed?.finished_at ?? ''), 5 * 60_000);
    assert.deepEqual(await db.write(fireDue, { now: runs.now, due: [{ syncId, due, next: null }] }), { queued: 1, skipped: 0 });
    const retry = await runs.claimOne();
    assert.equal(retry.run.trigger, 'retry');
    await runs.finish(retry, ended('succeeded'));
    assert.equal((await runs.sync(syncId))['next_run_at'], null);
    // What a person starts is for that person to start again.
    await runs.enqueue(syncId);
    await runs.finish(await runs.claimOne(), failure('auth'));
    assert.equal((await runs.sync(syncId))['next_run_at'], null);
    await db.write(runStatement, `update sync_state set failures = 9 where sync_id = '${syncId}'`);
    await want(syncId);
    await fire(syncId);
    await runs.finish(await runs.claimOne(), failure('auth'));
    assert.equal((await runs.sync(syncId))['status'], 'paused');
    await db.write(resumeSync, change(syncId));
    assert.deepEqual(await fire(syncId), [syncId]);
    await runs.finish(await runs.claimOne(), ended('succeeded'));
  });

  test('goes together: a node starts the same one no sooner than after a short while', async () => {
    const syncId = await addSync(db);
    const watch = createWantedWatch({ db, clock: () => runs.now });
    const look = async () => watch.look(await readAgenda(db.read, 'n', runs.now));
    assert.equal(await look(), undefined);
    await want(syncId);
    assert.notEqual(await look(), undefined);
    await runs.finish(await runs.claimOne(), ended('succeeded'));
    await want(syncId);
    assert.notEqual(await look(), undefined);
    assert.deepEqual(await runs.claim(), [], 'it rests');
    const deadline = performance.now() + 5_000;
    let claimed: Claimed[] = [];
    while (claimed.length === 0 && performance.now() < deadline) {
      await look();
      claimed = await runs.claim();
    }
    await runs.finish(claimed[0] as Claimed, ended('succeeded'));
  });

  test('is never missed and never done twice at a time, whatever happens meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(STEP, fc.boolean()), { minLength: 5, maxLength: 40 }), async (steps) => {
        await playAll(db, runs, steps);
      }),
      { numRuns: 15, interruptAfterTimeLimit: 10_000 },
    );
  });
});

const WHICH = fc.nat(1);
const STEP = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('want' as const), sync: WHICH }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('fire' as const) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('claim' as const) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('finish' as const),
      status: fc.constantFrom('succeeded', 'partial', 'failed', 'needs_approval', 'handed_over'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('start', 'pause', 'resume', 'approve'), sync: WHICH }) },
);
type Step = typeof STEP extends fc.Arbitrary<infer One> ? One : never;

/** Two of a chain: what is done of the first makes the second wanted too. After it all, each has begun a run since it was last wanted. */
async function playAll(db: Database, runs: RunDriver, steps: readonly (readonly [Step, boolean])[]): Promise<void> {
  const first = await addSync(db);
  const second = await addSync(db, { schedule: { type: 'after', sync_id: first } });
  await db.write(runStatement, `update syncs set after_id = '${first}' where id = '${second}'`);
  const ids = [first, second] as const;
  /** By a counter of our own: when each was last wanted, and when a run of it last began. */
  let moment = 0;
  const wanted = new Map<string, number>();
  const begun = new Map<string, number>();
  const atWork: Claimed[] = [];
  const by = (id: string) => ({ actor: actorCalled('k'), scopes: NOBODYS, now: runs.now, id });

  const finish = async (claimed: Claimed, status: RunOutcome['status']): Promise<void> => {
    const at = ++moment;
    const after = await runs.finish(claimed, status === 'failed' ? failure('auth') : ended(status));
    if ((after?.status === 'succeeded' || after?.status === 'partial') && after.sync_id === first) wanted.set(second, at);
  };
  const claim = async (): Promise<void> => {
    for (const claimed of await runs.claim()) {
      atWork.push(claimed);
      begun.set(claimed.sync.id, ++moment);
    }
  };
  const act = async (step: Step): Promise<unknown> => {
    switch (step.do) {
      case 'want':
        // Counted before it is done: what begins meanwhile may have seen it or not, and then there is another one.
        wanted.set(ids[step.sync] as string, ++moment);
        return db.write(wantRuns, [ids[step.sync] as string]);
      case 'fire':
        return db.write(fireWanted, { now: runs.now, syncIds: [...ids] });
      case 'claim':
        return claim();
      case 'finish': {
        const claimed = atWork.shift();
        return claimed && finish(claimed, step.status);
      }
      case 'start':
        return runs.enqueue(ids[step.sync] as string);
      case 'pause':
        return db.write(pauseSync, by(ids[step.sync] as string));
      case 'resume':
        return db.write(resumeSync, by(ids[step.sync] as string));
      default:
        return approveAll(ids[step.sync] as string);
    }
  };
  const approveAll = async (syncId: string): Promise<void> => {
    const held = await db.read.all<{ id: string }>(sql`select id from runs where sync_id = ${syncId} and status = 'needs_approval'`);
    for (const { id } of held) await db.write(approveRun, { ...by(id), scopes: NOBODYS });
  };

  for (let at = 0; at < steps.length; ) {
    const together = [steps[at]?.[0] as Step];
    while (steps[++at]?.[1]) together.push(steps[at]?.[0] as Step);
    await Promise.all(together.map((step) => act(step).catch(onlyConflicts)));
    for (const id of ids) {
      const [active] = await db.read.all<{ n: number }>(
        sql`select count(*) as n from runs where sync_id = ${id} and status in ('queued', 'running', 'retrying', 'needs_approval')`,
      );
      assert.ok((active?.n ?? 0) <= 1, `${active?.n} active runs`);
    }
  }
  // Then all goes well. The first one goes through, and with it the second.
  for (const id of ids) await db.write(resumeSync, by(id));
  for (let rounds = 0; ; rounds++) {
    assert.ok(rounds < 20, 'it comes to an end');
    for (const id of ids) await approveAll(id);
    const fired = await db.write(fireWanted, { now: runs.now, syncIds: [...ids] });
    await claim();
    const busy = atWork.splice(0);
    for (const claimed of busy) await finish(claimed, 'succeeded');
    if (fired.length + busy.length === 0) break;
  }
  for (const id of ids) {
    const last = wanted.get(id);
    if (last !== undefined) assert.ok((begun.get(id) ?? 0) > last, `${id} was wanted at ${last} and last begun at ${begun.get(id)}`);
  }
  assert.deepEqual(await readWanted(db.read, 10), []);
}

function onlyConflicts(error: unknown): void {
  if (!(error instanceof AppError) || !['CONFLICT', 'INVALID_TRANSITION', 'NOT_FOUND'].includes(error.code)) throw error;
}
