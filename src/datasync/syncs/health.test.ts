import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StreamReport } from '../../engine/run.ts';
import { type Health, healthOf, MANY_REJECTS, type Signs } from './health.ts';

const RUN = {
  id: 'run_1',
  status: 'succeeded',
  mode: 'run',
  started_at: '2026-11-01T09:00:00.000Z',
  finished_at: '2026-11-01T09:01:00.000Z',
  not_before: '2026-11-01T09:00:00.000Z',
  error: null,
  live: 0,
  report: '[]',
} as const;
const error = JSON.stringify({ kind: 'auth', code: 'X', message: 'The password is wrong.', hint: 'Change it.' });
const ACTIVE: Signs = {
  id: 'syn_1',
  status: 'active',
  pauseReason: null,
  nextRunAt: null,
  now: '2026-11-01T09:30:00.000Z',
  current: undefined,
  last: undefined,
  openRejects: 0,
  lag: null,
  verified: null,
};
const DIFFERS = {
  result: 'differs',
  missing: 1,
  extra: 2,
  different: 3,
  at: '2026-11-01T09:05:00.000Z',
  run_id: 'run_2',
  since: null,
} as const;
const AT = '2026-11-01T09:29:59.000Z';
/** A live run with streams in these states. */
const live = (...states: (StreamReport['live'] | undefined)[]) => ({
  ...RUN,
  status: 'running' as const,
  live: 1,
  report: JSON.stringify(states.map((state, at) => ({ name: `t${at}`, target: `t${at}`, error: null, ...(state && { live: state }) }))),
});
const RETRY = 'See why at GET /api/v1/datasync/sync/syn_1/rejects, correct it, and retry: POST /api/v1/datasync/sync/syn_1/rejects/retry.';

describe('the health of a synchronization', () => {
  // The health, and the code where it is another word.
  const cases: [string, Partial<Signs>, Health | `${Health} ${string}`, string][] = [
    ['never ran', {}, 'pending never_ran', 'It has not run yet.'],
    [
      'is about to run',
      { nextRunAt: '2026-11-01T10:00:00.000Z' },
      'pending never_ran',
      'It has not run yet; the first run is due at 2026-11-01T10:00:00.000Z.',
    ],
    ['went well', { last: RUN }, 'synced', 'The last run succeeded at 2026-11-01T09:01:00.000Z.'],
    [
      'is due this minute',
      { last: RUN, nextRunAt: '2026-11-01T09:29:00.000Z' },
      'synced',
      'The last run succeeded at 2026-11-01T09:01:00.000Z.',
    ],
    [
      'was due and has not begun',
      { last: RUN, nextRunAt: '2026-11-01T09:28:00.000Z' },
      'degraded overdue',
      'A run was due at 2026-11-01T09:28:00.000Z and has not begun. No node that runs synchronizations is at work: start one, and look at its log.',
    ],
    [
      'was due and has not begun after a failure',
      { last: { ...RUN, status: 'failed', error }, nextRunAt: '2026-11-01T09:00:00.000Z' },
      'failing run_failed',
      'The last run failed: The password is wrong. Change it.',
    ],
    [
      'failed',
      { last: { ...RUN, status: 'failed', error } },
      'failing run_failed',
      'The last run failed: The password is wrong. Change it.',
    ],
    ['reject rows', { last: { ...RUN, status: 'partial' }, openRejects: 2 }, 'degraded rows_rejected', `2 rows are rejected. ${RETRY}`],
    [
      'reject a row before the last run, which went well',
      { last: RUN, openRejects: 1 },
      'degraded rows_rejected',
      `1 row is rejected. ${RETRY}`,
    ],
    ['reject very many', { last: RUN, openRejects: MANY_REJECTS }, 'degraded rows_rejected', `1000 or more rows are rejected. ${RETRY}`],
    [
      'has nothing rejected any more',
      { last: { ...RUN, status: 'partial' } },
      'synced',
      'The last run rejected rows, and none of them is open any more.',
    ],
    [
      'was cancelled with rows rejected',
      { last: { ...RUN, status: 'cancelled' }, openRejects: 1 },
      'degraded run_cancelled',
      `The last run was cancelled, so the target may be behind. 1 row is rejected. ${RETRY}`,
    ],
    [
      'failed with rows rejected',
      { last: { ...RUN, status: 'failed', error }, openRejects: 1 },
      'failing run_failed',
      'The last run failed: The password is wrong. Change it.',
    ],
    [
      'was cancelled',
      { last: { ...RUN, status: 'cancelled' } },
      'degraded run_cancelled',
      'The last run was cancelled, so the target may be behind.',
    ],
    ['begins to follow', { current: live(undefined) }, 'running', 'A run has been going on since 2026-11-01T09:00:00.000Z.'],
    ['is loaded', { current: live('live', 'loading') }, 'loading', '"t1" is being loaded; then it follows every change.'],
    ['is live', { current: live('live', 'live') }, 'synced', 'It is live: every change of the source is at the target within a moment.'],
    ['is live in part', { current: live('live', 'stopped') }, 'degraded streams_stopped', '"t1" has stopped, and the other streams go on.'],
    ['is live with rows rejected', { current: live('live'), openRejects: 1 }, 'degraded rows_rejected', `1 row is rejected. ${RETRY}`],
    [
      'is live and far behind',
      { current: live('live'), lag: { seconds: 301.2, bytes: null, at: AT } },
      'degraded behind',
      'It is live and 301 seconds behind its source.',
    ],
    ['waits for its turn', { current: { ...RUN, status: 'queued' }, last: RUN }, 'queued', 'A run waits for its turn.'],
    [
      'is at it',
      { current: { ...RUN, status: 'running' }, last: { ...RUN, status: 'failed' } },
      'running',
      'A run has been going on since 2026-11-01T09:00:00.000Z.',
    ],
    [
      'tries again',
      { current: { ...RUN, status: 'retrying', error }, last: RUN },
      'failing retrying',
      'The last try failed: The password is wrong. Change it. The next is at 2026-11-01T09:00:00.000Z.',
    ],
    [
      'asks a person',
      {
        current: {
          ...RUN,
          status: 'needs_approval',
          error: JSON.stringify({ message: 'It would delete 3 of 4 rows.', hint: 'Approve it or cancel it.' }),
        },
      },
      'needs_approval',
      'It would delete 3 of 4 rows. Approve the run run_1 if that is right, or cancel it and correct the source or the definition.',
    ],
    ['is paused', { status: 'paused', last: RUN }, 'paused', 'It is paused: nothing runs by itself until it is resumed.'],
    ['was paused', { status: 'paused', pauseReason: 'Ten failed.', last: RUN }, 'paused paused_after_failures', 'Ten failed.'],
    [
      'is paused with a run under way',
      { status: 'paused', current: { ...RUN, status: 'running' } },
      'running',
      'A run has been going on since 2026-11-01T09:00:00.000Z.',
    ],
    [
      'is looked at by a preview',
      { current: { ...RUN, status: 'running', mode: 'preview' }, last: RUN },
      'synced',
      'The last run succeeded at 2026-11-01T09:01:00.000Z.',
    ],
    [
      'was seen to differ',
      { last: RUN, verified: DIFFERS },
      'degraded differs',
      'When both ends were compared at 2026-11-01T09:05:00.000Z, they differed: 1 missing, 2 extra, 3 different. See the run run_2, and write what differs: POST /api/v1/datasync/sync/syn_1/runs with {"mode": "repair"}.',
    ],
    [
      'was seen to differ, and a run has written since',
      { last: RUN, verified: { ...DIFFERS, since: { at: AT, by: 'run', run_id: 'run_3' } } },
      'synced',
      'The last run succeeded at 2026-11-01T09:01:00.000Z. When both ends were compared at 2026-11-01T09:05:00.000Z, they differed; the run run_3 has written since, so it is not known whether they still do. They are compared again by themselves within the hour; to know it now: POST /api/v1/datasync/sync/syn_1/runs with {"mode": "verify"}.',
    ],
    [
      'fails, whatever was seen',
      { last: { ...RUN, status: 'failed', error }, verified: DIFFERS },
      'failing run_failed',
      'The last run failed: The password is wrong. Change it.',
    ],
  ];
  for (const [name, signs, told, reason] of cases) {
    const [health, code = health] = told.split(' ');
    test(`${told} when it ${name}`, () => assert.deepEqual(healthOf({ ...ACTIVE, ...signs }), { health, code, reason }));
  }
});
