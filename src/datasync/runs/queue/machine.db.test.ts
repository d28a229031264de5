import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { actorCalled } from '../../../http/caller.ts';
import type { Database } from '../../../db/database.ts';
import { sql } from '../../../db/sql.ts';
import type { RunOutcome } from '../../../engine/run.ts';
import { AppError } from '../../../lib/errors.ts';
import { runStatement } from '../../../../test/support/commands.ts';
import type { Scope } from '../../../http/scopes.ts';
import { onBothEnginesWithRuns } from '../../../../test/support/run-driver.ts';
import { addSync, streamOf } from '../../../../test/support/sync-fixture.ts';
import { approveRun, cancelRun } from '../ask.ts';
import { beat } from './beat.ts';
import { type Claimed, claimRuns } from './claim.ts';
import { enqueueRun } from './enqueue.ts';
import { finishRuns } from './finish.ts';
import { fireChanged, fireDue } from './fire.ts';
import { listRuns } from '../rows/queries.ts';
import { recoverRuns } from './recover.ts';
import type { RunRow } from '../rows/run-row.ts';
import { allowedFrom, isActive, MAX_FAILURES, MAX_RETRIES, RUN_STATUSES } from '../rows/transitions.ts';

// Several who enqueue, claim, finish, cancel, approve and crash, one after the other and at the same time; what must hold whatever they
// do is looked up in the database after every step.

type Step =
  | { do: 'enqueue'; sync: number; mode: 'run' | 'full' | 'preview' }
  | { do: 'due' | 'changed' | 'resume'; sync: number }
  | { do: 'claim'; most: number }
  | { do: 'finish'; which: number; status: RunOutcome['status']; kind: 'transient' | 'auth' }
  | { do: 'beat' | 'cancel' | 'approve' | 'crash'; which: number }
  | { do: 'recover' };

const which = fc.nat(5);
const syncs = fc.nat(2);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('enqueue' as const), sync: syncs, mode: fc.constantFrom('run', 'full', 'preview') }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('due', 'changed', 'resume'), sync: syncs }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('claim' as const), most: fc.integer({ min: 1, max: 3 }) }) },
  {
    weight: 7,
    arbitrary: fc.record({
      do: fc.constant('finish' as const),
      which,
      status: fc.constantFrom('succeeded', 'partial', 'failed', 'failed', 'failed', 'cancelled', 'needs_approval', 'handed_over'),
      kind: fc.constantFrom('transient', 'auth'),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('beat', 'cancel', 'approve', 'crash'), which }) },
  { weight: 1, arbitrary: fc.constant({ do: 'recover' as const }) },
);

/** The shop is at no end: its scopes are not asked for. */
const NOBODYS = new Set<Scope>();

onBothEnginesWithRuns('the state machine', ({ db }) => {
  test('holds whatever is done to it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(step, fc.boolean()), { minLength: 5, maxLength: 50 }), async (steps) => {
        const world = await newWorld(db);
        for (let at = 0; at < steps.length; ) {
          // Some steps are taken at the same time as the one before.
          const together = [steps[at]?.[0] as Step];
          while (steps[++at]?.[1]) together.push(steps[at]?.[0] as Step);
          await Promise.all(together.map((one) => world.take(one)));
          await world.check();
        }
        await world.remove();
      }),
      { numRuns: 15, interruptAfterTimeLimit: 10_000 },
    );
  });
});

async function newWorld(db: Database) {
  const ids = await Promise.all([0, 1, 2].map(() => addSync(db, { streams: [streamOf('a'), streamOf('b')] })));
  /** Every claim that was ever made, the dead ones too: they may come back at any time. */
  const claims: Claimed[] = [];
  const seen = new Map<string, RunRow>();
  const tokens = new Map<string, number>();
  let clock = Date.now();
  let slots = 0;

  const runsOf = async (): Promise<RunRow[]> => {
    const lists = ids.map((sync_id) => db.query(listRuns, { filter: { sync_id }, limit: 1000, offset: 0, after: undefined }));
    return (await Promise.all(lists)).flatMap(({ rows }) => rows);
  };
  const at = <Item>(items: readonly Item[], place: number): Item | undefined =>
    items[items.length - 1 - (place % Math.max(1, items.length))];
  const anyRun = async (place: number): Promise<string> => at(await runsOf(), place)?.id ?? 'run_none';
  const setSync = (assignment: string, place: number) =>
    db.write(runStatement, `update sync_state set ${assignment} where sync_id = '${ids[place]}'`);

  async function act(one: Step): Promise<unknown> {
    const now = (clock += 1_000);
    switch (one.do) {
      case 'enqueue':
        return db.write(enqueueRun, { now, syncId: ids[one.sync] ?? '', trigger: 'manual', mode: one.mode, streams: null });
      case 'due': {
        const due = `2030-01-01T00:00:00.${String(slots++).padStart(3, '0')}Z`;
        await setSync(`next_run_at = '${due}'`, one.sync);
        return db.write(fireDue, { now, due: [{ syncId: ids[one.sync] ?? '', due, next: null }] });
      }
      case 'changed':
        return db.write(fireChanged, { now, changed: [{ syncId: ids[one.sync] ?? '', seen: ++slots }] });
      case 'resume':
        return setSync(`status = 'active', failures = 0`, one.sync);
      case 'claim': {
        // What waits for its next try is let go.
        await db.write(runStatement, `update runs set not_before = '2000-01-01T00:00:00.000Z' where status = 'retrying'`);
        const { claimed } = await db.write(claimRuns, {
          now,
          node: 'n',
          most: one.most,
          leaseMs: 1e6,
          perSource: 1,
          perKey: 10,
          ofKeys: 10,
          crowded: false,
          overdue: false,
        });
        claims.push(...claimed);
        return claimed;
      }
      case 'finish': {
        const claim = at(claims, one.which);
        const error = one.status === 'failed' ? { kind: one.kind, code: 'X', message: 'x', hint: null } : null;
        const outcome: RunOutcome = { status: one.status, streams: [], error };
        return claim && db.write(finishRuns, { now, finished: [{ id: claim.run.id, token: claim.sync.token, outcome }] });
      }
      case 'beat': {
        const claim = at(claims, one.which);
        return claim && db.write(beat, { now, runs: [{ id: claim.run.id, token: claim.sync.token, leaseMs: 1e6, report: [] }] });
      }
      case 'cancel':
        return db.write(cancelRun, { now, actor: actorCalled('k'), id: await anyRun(one.which) });
      case 'approve':
        return db.write(approveRun, { now, actor: actorCalled('k'), scopes: NOBODYS, id: await anyRun(one.which) });
      case 'crash':
        return db.write(
          runStatement,
          `update runs set lease_until = '2000-01-01T00:00:00.000Z' where status = 'running' and id = '${at(claims, one.which)?.run.id}'`,
        );
      default:
        return db.write(recoverRuns, { now, node: 'm' });
    }
  }

  return {
    take: async (one: Step): Promise<void> => {
      try {
        await act(one);
      } catch (error) {
        // A person is told that something is not possible now; nothing else may go wrong.
        if (!(error instanceof AppError) || !['CONFLICT', 'INVALID_TRANSITION', 'NOT_FOUND'].includes(error.code)) throw error;
      }
    },

    check: async (): Promise<void> => {
      const runs = await runsOf();
      for (const syncId of ids) {
        const active = runs.filter((run) => run.sync_id === syncId && isActive(run.status));
        assert.ok(active.length <= 1, `${active.length} active runs`);
        const [sync] = await db.read.all<{ token: number; failures: number; status: string }>(
          sql`select token, failures, status from sync_state where sync_id = ${syncId}`,
        );
        assert.ok(sync && sync.token >= (tokens.get(syncId) ?? 0), 'the token fell');
        tokens.set(syncId, sync.token);
        for (const run of runs) if (run.sync_id === syncId && run.token !== null) assert.ok(run.token <= sync.token);
        if (sync.failures >= MAX_FAILURES) assert.equal(sync.status, 'paused');
      }
      for (const run of runs) {
        const known = seen.get(run.id);
        if (known) {
          assert.ok(isReachable(known.status, run.status), `${known.status} → ${run.status}`);
          assert.ok(run.attempt >= known.attempt && run.retries >= known.retries);
          if (!isActive(known.status)) assert.deepEqual(run, known);
        }
        assert.ok(run.retries <= MAX_RETRIES);
        assert.equal(run.finished_at !== null, !isActive(run.status), run.status);
        assert.equal(run.lease_until !== null && run.node !== null, run.status === 'running', run.status);
        seen.set(run.id, run);
      }
      for (const status of [undefined, ...RUN_STATUSES]) {
        const { total } = await db.query(listRuns, { filter: { status }, limit: 1, offset: 0, after: undefined });
        const [counted] = await db.read.all<{ n: number }>(
          sql`select count(*) as n from runs where ${status === undefined ? sql`true` : sql`status = ${status}`}`,
        );
        assert.equal(total, counted?.n, `the total of ${status}`);
      }
    },

    remove: async (): Promise<void> => {
      for (const run of await runsOf()) {
        const events = await db.read.all<{ type: string }>(sql`select type from events where object_id = ${run.id} order by seq`);
        const states = events.map(({ type }) => type.slice('run.'.length) as RunRow['status']);
        assert.equal(states.at(-1), run.status);
        for (let n = 1; n < states.length; n++) {
          assert.ok(allowedFrom(states[n - 1] as RunRow['status']).includes(states[n] as RunRow['status']), states.join(' → '));
        }
        // Nothing of this world is left for the next one to claim.
        if (isActive(run.status)) await db.write(cancelRun, { now: ++clock, actor: actorCalled('k'), id: run.id });
      }
      await db.write(runStatement, `update runs set lease_until = '2000-01-01T00:00:00.000Z' where status = 'running'`);
      await db.write(recoverRuns, { now: ++clock, node: 'm' });
    },
  };
}

/** Whether a run may have gone from one state to another while several things happened at once. */
function isReachable(from: RunRow['status'], to: RunRow['status']): boolean {
  if (from === to) return true;
  const reached = new Set<RunRow['status']>([from]);
  for (const status of reached) for (const next of allowedFrom(status)) reached.add(next);
  return reached.has(to);
}
