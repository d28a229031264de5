import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { newReport } from '../../../engine/progress.ts';
import type { ErrorKind } from '../../../outside/errors.ts';
import type { RunError, RunMode, RunOutcome, StreamReport, StreamStatus } from '../../../engine/run.ts';
import {
  actionsFrom,
  afterCrash,
  type CrashedRun,
  MAX_CRASHES,
  afterOutcome as afterReports,
  allowedFrom,
  closeReports,
  isActive,
  MAX_RETRIES,
  mergeReports,
  retryDelay,
  RUN_STATUSES,
  type RunState,
} from './transitions.ts';

const KINDS: readonly ErrorKind[] = ['config', 'auth', 'transient', 'data', 'gap', 'fenced', 'bug'];
const MODES: readonly RunMode[] = ['run', 'full', 'preview', 'rejects'];

const error = (kind: ErrorKind, retryAfter?: number): RunError => ({
  kind,
  code: 'X',
  message: 'It failed.',
  hint: null,
  ...(retryAfter !== undefined && { retry_after: retryAfter }),
});

const report = (target: string, status: StreamStatus, of: RunError | null = null): StreamReport => ({
  ...newReport({ source: target, target }),
  status,
  error: of,
});

const outcome = (status: RunOutcome['status'], streams: StreamReport[] = [], of: RunError | null = null): RunOutcome => ({
  status,
  streams: streams.map((one, index) => ({ index, report: one })),
  error: of,
});

const running = (more: Partial<RunState> = {}): RunState => ({
  status: 'running',
  mode: 'run',
  attempt: 1,
  retries: 0,
  headway: 0,
  cancelled: false,
  live: false,
  goesOn: true,
  beside: false,
  worked: 0,
  ...more,
});

const afterOutcome = (run: RunState, ended: RunOutcome) =>
  afterReports(
    run,
    ended,
    ended.streams.map((stream) => stream.report),
  );

describe('the states of a run', () => {
  test('those that are over lead nowhere and take nothing; the others can all be cancelled', () => {
    for (const status of RUN_STATUSES) {
      assert.equal(isActive(status), allowedFrom(status).length > 0);
      assert.equal(isActive(status), actionsFrom(status).includes('cancel'));
      assert.equal(isActive(status), allowedFrom(status).includes('cancelled'));
      assert.equal(actionsFrom(status).includes('approve'), status === 'needs_approval');
    }
  });

  test('an error that may heal is tried again 5 times, later each time', () => {
    let run = running();
    const delays: number[] = [];
    for (;;) {
      const next = afterOutcome(run, outcome('failed', [report('a', 'failed', error('transient'))]));
      if (next.status === 'failed') break;
      assert.equal(next.status, 'retrying');
      assert.equal(next.attempt, run.attempt + 1);
      delays.push(next.delay);
      run = running(next);
    }
    assert.deepEqual(delays, [10_000, 30_000, 90_000, 270_000, 810_000]);
    assert.equal(run.retries, MAX_RETRIES);
    assert.equal(run.attempt, 6);
  });

  test('one that gets on is tried again for ever, and counted anew from where it got on', () => {
    const failedAt = (read: number): RunOutcome => outcome('failed', [{ ...report('a', 'failed', error('transient')), read }]);
    let run = running();
    for (let read = 1; read <= 100; read++) {
      const next = afterOutcome(run, failedAt(read));
      assert.deepEqual([next.status, next.retries, next.delay], ['retrying', 1, 10_000]);
      run = running(next);
    }
    // From here on it gets no further; what begins anew below that is no headway either.
    for (const [tries, read] of [100, 40, 99, 100].entries()) {
      const next = afterOutcome(run, failedAt(read));
      assert.deepEqual([next.status, next.retries], ['retrying', tries + 2]);
      run = running(next);
    }
    assert.equal(afterOutcome(run, failedAt(100)).status, 'failed');
    assert.equal(afterOutcome(run, failedAt(101)).status, 'retrying');
    const crashed = afterCrash({ ...run, crashes: 0, reports: [{ ...report('a', 'running'), read: 101 }] });
    assert.deepEqual([crashed.retries, crashed.headway], [0, 101]);
  });

  test('the wait is never over half an hour by itself; a system that asks for longer gets it, up to a day', () => {
    assert.equal(retryDelay(30), 30 * 60_000);
    assert.equal(retryDelay(0, 7200), 2 * 60 * 60_000);
    assert.equal(retryDelay(0, 1), 10_000);
    assert.equal(retryDelay(0, 1e9), 24 * 60 * 60_000);
    const wishes = [report('a', 'failed', error('transient', 60)), report('b', 'failed', error('transient', 45))];
    assert.equal(afterOutcome(running(), outcome('failed', wishes)).delay, 60_000);
  });

  test('one stream that cannot heal keeps the run from being tried again; what never came to streams goes by its own error', () => {
    const mixed = [report('a', 'failed', error('transient')), report('b', 'failed', error('auth'))];
    assert.equal(afterOutcome(running(), outcome('failed', mixed)).status, 'failed');
    const beside = [report('a', 'failed', error('transient')), report('b', 'succeeded'), report('c', 'partial')];
    assert.equal(afterOutcome(running(), outcome('failed', beside)).status, 'retrying');
    assert.equal(afterOutcome(running(), outcome('failed', [], error('transient'))).status, 'retrying');
    assert.equal(afterOutcome(running(), outcome('failed', [], error('config'))).status, 'failed');
    assert.equal(afterOutcome(running(), outcome('failed')).status, 'failed');
  });

  test('a preview is not tried again', () => {
    const failed = outcome('failed', [report('a', 'failed', error('transient'))]);
    assert.equal(afterOutcome(running({ mode: 'preview' }), failed).status, 'failed');
  });

  test('whatever comes, a run goes only where it may, its attempt never falls, and who cancels is heard unless it was done', () => {
    const anyOutcome = fc.record({
      status: fc.constantFrom('succeeded', 'partial', 'failed', 'cancelled', 'needs_approval', 'handed_over'),
      kind: fc.constantFrom(...KINDS),
      streams: fc.array(fc.constantFrom<StreamStatus>('succeeded', 'partial', 'failed', 'cancelled', 'needs_approval'), { maxLength: 3 }),
    });
    const anyRun = fc.record({
      mode: fc.constantFrom(...MODES),
      attempt: fc.integer({ min: 1, max: 20 }),
      retries: fc.nat(MAX_RETRIES),
      headway: fc.nat(5),
      cancelled: fc.boolean(),
    });
    fc.assert(
      fc.property(anyRun, anyOutcome, fc.nat(MAX_CRASHES), (of, { status, kind, streams }, crashes) => {
        const run = running(of);
        const reports = streams.map((one, at) => report(`t${at}`, one, one === 'failed' ? error(kind) : null));
        for (const next of [afterOutcome(run, outcome(status, reports, error(kind))), afterCrash({ ...run, crashes, reports })]) {
          assert.ok(allowedFrom('running').includes(next.status), next.status);
          assert.ok(next.attempt >= run.attempt && next.retries <= MAX_RETRIES && next.headway >= run.headway);
          // Only one that got on is counted anew.
          assert.ok(next.retries >= run.retries || next.headway > run.headway);
          assert.equal(next.status === 'retrying', next.attempt > run.attempt);
          if (run.cancelled) assert.ok(['succeeded', 'partial', 'cancelled'].includes(next.status), next.status);
        }
      }),
    );
  });

  test('newer reports take the place of older ones of the same stream', () => {
    const merged = mergeReports([report('a', 'pending'), report('b', 'pending')], [report('b', 'running'), report('c', 'running')]);
    assert.deepEqual(
      merged.map(({ target, status }) => [target, status]),
      [
        ['a', 'pending'],
        ['b', 'running'],
        ['c', 'running'],
      ],
    );
  });

  test('what a cancelled run has not done is cancelled, what it has done stays done', () => {
    const closed = closeReports(
      [
        report('a', 'succeeded'),
        report('b', 'running'),
        report('c', 'failed', error('auth')),
        report('d', 'pending'),
        report('e', 'needs_approval', error('data')),
      ],
      'cancelled',
    );
    assert.deepEqual(
      closed.map(({ status }) => status),
      ['succeeded', 'cancelled', 'failed', 'cancelled', 'cancelled'],
    );
    // What was to be approved cannot be any more.
    assert.deepEqual(
      closed.map((one) => one.error?.kind ?? null),
      [null, null, 'auth', null, null],
    );
  });

  test('only crashes in a row without headway count, and ten of them are enough', () => {
    let run: CrashedRun = { ...running({}), crashes: 0, headway: 0, reports: [] };
    const crash = (read: number): string => {
      const { status, attempt, crashes, headway } = afterCrash({ ...run, reports: [{ ...report('a', 'running'), read }] });
      run = { ...run, attempt, crashes, headway };
      return status;
    };
    for (let read = 0; read < 50; read++) assert.equal(crash(read), 'retrying');
    // It begins anew, and does not get as far as before.
    for (const read of [0, 30, 49, 10, 49, 0, 3, 7]) assert.equal(crash(read), 'retrying');
    assert.equal(crash(50), 'retrying');
    for (let n = 1; n < MAX_CRASHES - 1; n++) assert.equal(crash(50), 'retrying');
    assert.equal(crash(50), 'failed');
  });
});
