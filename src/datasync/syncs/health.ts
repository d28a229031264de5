import type { RunError, StreamReport } from '../../engine/run.ts';
import type { ShownLag } from '../runs/rows/lag.ts';
import type { Verified } from '../runs/rows/verified.ts';
import { onlyReads } from '../runs/rows/run-modes.ts';
import { reportsOf, type RunRow } from '../runs/rows/run-row.ts';

export const HEALTHS = ['running', 'loading', 'queued', 'paused', 'needs_approval', 'failing', 'pending', 'degraded', 'synced'] as const;

/** Why it is as it is, for programs: some healths have several reasons, which different things help. */
export const HEALTH_CODES = [
  'running',
  'loading',
  'queued',
  'paused',
  'paused_after_failures',
  'needs_approval',
  'run_failed',
  'retrying',
  'never_ran',
  'rows_rejected',
  'run_cancelled',
  'streams_stopped',
  'behind',
  'overdue',
  'differs',
  'synced',
] as const;

/** More than these are not counted for a list of synchronizations. */
export const MANY_REJECTS = 1_000;

export type Health = (typeof HEALTHS)[number];

/** What the health of a synchronization is told from. */
export interface Signs {
  readonly id: string;
  readonly status: 'active' | 'paused';
  readonly pauseReason: string | null;
  readonly nextRunAt: string | null;
  /** What time it is, by the clock that all nodes share. */
  readonly now: string;
  /** The run that is under way or waits. */
  readonly current: RunSigns | undefined;
  /** The run that ended last, previews and skipped ones aside. */
  readonly last: RunSigns | undefined;
  /** Rows that are rejected and wait, whichever run it was; `MANY_REJECTS` stands for that many and more. */
  readonly openRejects: number;
  /** Of a live one, how far it is behind; null when it is not known, or not live. */
  readonly lag: ShownLag | null;
  /** What was found when both ends were compared last. */
  readonly verified: Pick<Verified, 'result' | 'missing' | 'extra' | 'different' | 'at' | 'run_id' | 'since'> | null;
}

type RunSigns = Pick<RunRow, 'id' | 'status' | 'mode' | 'started_at' | 'finished_at' | 'not_before' | 'error' | 'live' | 'report'>;

/** Seconds from which on something live is too far behind to be called in sync. */
const MUCH_BEHIND = 300;

/** A run that is due begins within seconds; one that has not by then waits for a node that would begin it. */
const LATE_AFTER = 2 * 60_000;

interface Diagnosis {
  readonly health: Health;
  readonly code: (typeof HEALTH_CODES)[number];
  readonly reason: string;
}

/** How a synchronization is, in a word, in a code for programs, and in a sentence that says what to do. What goes on now is told before what was. */
export function healthOf(signs: Signs): Diagnosis {
  const told =
    ofLive(signs) ??
    ofCurrent(signs.current) ??
    (signs.status === 'paused' ? ofPause(signs.pauseReason) : ofSchedule(signs, ofLast(signs)));
  return told.health === 'synced' ? ofProof(signs, told) : told;
}

/** Only Syncline gives a reason when it pauses one. */
function ofPause(reason: string | null): Diagnosis {
  if (reason !== null) return { health: 'paused', code: 'paused_after_failures', reason };
  return { health: 'paused', code: 'paused', reason: 'It is paused: nothing runs by itself until it is resumed.' };
}

/** However well the runs went: what was seen to differ is not in sync, until a later run has written. */
function ofProof({ id, verified }: Signs, told: Diagnosis): Diagnosis {
  if (verified?.result !== 'differs') return told;
  const { missing, extra, different, at, run_id, since } = verified;
  if (since !== null)
    return {
      ...told,
      reason: `${told.reason} When both ends were compared at ${at}, they differed; the run ${since.run_id} ${since.by === 'undo' ? 'was undone' : 'has written'} since, so it is not known whether they still do. They are compared again by themselves within the hour; to know it now: POST /api/v1/datasync/sync/${id}/runs with {"mode": "verify"}.`,
    };
  const repair = `POST /api/v1/datasync/sync/${id}/runs with {"mode": "repair"}`;
  return {
    health: 'degraded',
    code: 'differs',
    reason: `When both ends were compared at ${at}, they differed: ${missing} missing, ${extra} extra, ${different} different. See the run ${run_id}, and write what differs: ${repair}.`,
  };
}

/** However well the last run went: when the next one is due and does not begin, the target falls behind. */
function ofSchedule({ nextRunAt, now }: Signs, otherwise: Diagnosis): Diagnosis {
  const isWell = otherwise.health === 'synced' || otherwise.health === 'pending';
  if (!isWell || nextRunAt === null || Date.parse(nextRunAt) + LATE_AFTER > Date.parse(now)) return otherwise;
  const advice = 'No node that runs synchronizations is at work: start one, and look at its log.';
  return { health: 'degraded', code: 'overdue', reason: `A run was due at ${nextRunAt} and has not begun. ${advice}` };
}

/** What is live is as well as its streams are; that its run goes on is no news. */
function ofLive({ id, current, openRejects, lag }: Signs): Diagnosis | undefined {
  if (current?.status !== 'running' || current.live === 0) return undefined;
  const reports = reportsOf(current);
  const named = (state: StreamReport['live']): string[] => reports.filter(({ live }) => live === state).map(({ name }) => `"${name}"`);
  const [stopped, loading] = [named('stopped'), named('loading')];
  const why = reports.find(({ live, error }) => live === 'stopped' && error)?.error;
  if (stopped.length > 0)
    return {
      health: 'degraded',
      code: 'streams_stopped',
      reason: [
        `${shortList(stopped)} ${stopped.length === 1 ? 'has' : 'have'} stopped, and the other streams go on.`,
        why?.message,
        why?.hint,
      ]
        .filter(Boolean)
        .join(' '),
    };
  if (loading.length > 0)
    return {
      health: 'loading',
      code: 'loading',
      reason: `${shortList(loading)} ${loading.length === 1 ? 'is' : 'are'} being loaded; then it follows every change.`,
    };
  if (reports.some(({ live }) => live === undefined)) return undefined;
  if (lag && lag.seconds > MUCH_BEHIND)
    return { health: 'degraded', code: 'behind', reason: `It is live and ${Math.round(lag.seconds)} seconds behind its source.` };
  if (openRejects > 0) return { health: 'degraded', code: 'rows_rejected', reason: rejectsReason(id, openRejects) };
  return { health: 'synced', code: 'synced', reason: 'It is live: every change of the source is at the target within a moment.' };
}

function shortList(names: readonly string[]): string {
  return names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ');
}

function ofCurrent(run: RunSigns | undefined): Diagnosis | undefined {
  // What changes nothing says nothing.
  if (!run || onlyReads(run.mode)) return undefined;
  switch (run.status) {
    case 'running':
      return { health: 'running', code: 'running', reason: `A run has been going on since ${run.started_at ?? run.not_before}.` };
    case 'needs_approval':
      return {
        health: 'needs_approval',
        code: 'needs_approval',
        // What the hint of the error says is said here, with the run.
        reason: `${errorOf(run)?.message ?? 'A run would change much.'} Approve the run ${run.id} if that is right, or cancel it and correct the source or the definition.`,
      };
    case 'retrying':
      return {
        health: 'failing',
        code: 'retrying',
        reason: `The last try failed: ${whyOf(run) ?? 'it was cut off.'} The next is at ${run.not_before}.`,
      };
    default:
      return { health: 'queued', code: 'queued', reason: 'A run waits for its turn.' };
  }
}

function ofLast({ id, last, nextRunAt, openRejects }: Signs): Diagnosis {
  const rejected = openRejects > 0 ? rejectsReason(id, openRejects) : undefined;
  switch (last?.status) {
    case undefined:
      return {
        health: 'pending',
        code: 'never_ran',
        reason: nextRunAt === null ? 'It has not run yet.' : `It has not run yet; the first run is due at ${nextRunAt}.`,
      };
    case 'failed':
      return { health: 'failing', code: 'run_failed', reason: `The last run failed: ${whyOf(last) ?? 'see its streams.'}` };
    case 'cancelled':
      return {
        health: 'degraded',
        code: 'run_cancelled',
        reason: ['The last run was cancelled, so the target may be behind.', rejected].filter(Boolean).join(' '),
      };
    default:
      // However well the last run went: a row that an earlier one has rejected is still not at the target.
      if (rejected !== undefined) return { health: 'degraded', code: 'rows_rejected', reason: rejected };
      return {
        health: 'synced',
        code: 'synced',
        reason:
          last?.status === 'partial'
            ? 'The last run rejected rows, and none of them is open any more.'
            : `The last run succeeded at ${last?.finished_at}.`,
      };
  }
}

function rejectsReason(id: string, openRejects: number): string {
  const rows = openRejects === 1 ? '1 row is' : `${openRejects < MANY_REJECTS ? openRejects : `${MANY_REJECTS} or more`} rows are`;
  const path = `/api/v1/datasync/sync/${id}/rejects`;
  return `${rows} rejected. See why at GET ${path}, correct it, and retry: POST ${path}/retry.`;
}

function whyOf(run: RunSigns): string | undefined {
  const error = errorOf(run);
  return error?.hint ? `${error.message} ${error.hint}` : error?.message;
}

function errorOf({ error }: RunSigns): RunError | undefined {
  return error === null ? undefined : (JSON.parse(error) as RunError);
}
