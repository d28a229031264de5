import type { RunError, RunMode, RunOutcome, StreamReport, StreamStatus } from '../../../engine/run.ts';

/** The states of a run, each with those it may go to. */
const TRANSITIONS = {
  queued: ['running', 'skipped', 'cancelled'],
  // Back to queued: the node stops and hands the run over.
  running: ['succeeded', 'partial', 'failed', 'cancelled', 'needs_approval', 'retrying', 'queued'],
  retrying: ['running', 'cancelled'],
  needs_approval: ['queued', 'cancelled'],
  succeeded: [],
  partial: [],
  failed: [],
  cancelled: [],
  skipped: [],
} as const satisfies Record<string, readonly string[]>;

export type RunStatus = keyof typeof TRANSITIONS;

export const RUN_STATUSES = Object.keys(TRANSITIONS) as RunStatus[];

/** A synchronization has at most one run in one of these. */
export const ACTIVE_STATUSES = ['queued', 'running', 'retrying', 'needs_approval'] as const satisfies readonly RunStatus[];

export function allowedFrom(status: RunStatus): readonly RunStatus[] {
  return TRANSITIONS[status];
}

export function isActive(status: RunStatus): boolean {
  return TRANSITIONS[status].length > 0;
}

/** What a person can ask of a run in this state. */
export function actionsFrom(status: RunStatus): ('cancel' | 'approve')[] {
  if (status === 'needs_approval') return ['approve', 'cancel'];
  return isActive(status) ? ['cancel'] : [];
}

const FIRST_DELAY = 10_000;
const LONGEST_DELAY = 30 * 60_000;
/** However long a system asks us to wait. */
const LONGEST_WISH = 24 * 60 * 60_000;
export const MAX_RETRIES = 5;
/** So many failed runs in a row pause the synchronization. */
export const MAX_FAILURES = 10;
/** So many crashes in a row at the same place, and the run is taken for their cause. */
export const MAX_CRASHES = 10;

/** What is live is not to be behind for longer than this when its system is back. */
const LONGEST_LIVE_DELAY = 60_000;

/** 10 s, 30 s, 60 s, and so on: after a failure of a live run. */
export function liveDelay(failures: number): number {
  return Math.min(retryDelay(failures), LONGEST_LIVE_DELAY);
}

/** 10 s, 30 s, 90 s … 30 min; longer when the system asks for it. */
export function retryDelay(retries: number, retryAfter = 0): number {
  const own = Math.min(FIRST_DELAY * 3 ** retries, LONGEST_DELAY);
  return Math.max(own, Math.min(retryAfter * 1000, LONGEST_WISH));
}

/** What decides about the next state. */
export interface RunState {
  readonly status: RunStatus;
  readonly mode: RunMode;
  readonly attempt: number;
  readonly retries: number;
  /** How far it had come when it last failed or crashed. */
  readonly headway: number;
  /** Whether a person has cancelled it. */
  readonly cancelled: boolean;
  /** Whether it is live: then it is tried again for as long as it takes. */
  readonly live: boolean;
  /** Whether it goes on after it was handed over: its synchronization was neither paused nor made another one. */
  readonly goesOn: boolean;
  /** Whether it is beside a live run, which waits until it is over: then it is not tried again later. */
  readonly beside: boolean;
  /** Milliseconds that it was at work. */
  readonly worked: number;
}

/** A run whose node is gone. */
export interface CrashedRun extends RunState {
  readonly crashes: number;
  readonly reports: readonly StreamReport[];
}

export interface NextState {
  readonly status: RunStatus;
  readonly attempt: number;
  readonly retries: number;
  readonly headway: number;
  /** Milliseconds until it may begin again, for one that goes on later. */
  readonly delay: number;
}

/**
 * Where a run goes from `running` when a node tells how it ended. `reports` are those of all its streams. A run that has got on since
 * it last failed is counted from the beginning: however often an API stumbles, what moves comes to its end.
 */
export function afterOutcome(run: RunState, outcome: RunOutcome, reports: readonly StreamReport[]): NextState {
  const reached = reachedBy(run, reports);
  const headway = Math.max(reached, run.headway);
  const retries = reached > run.headway ? 0 : run.retries;
  const stay = { attempt: run.attempt, retries: run.retries, headway, delay: 0 };
  if (outcome.status === 'succeeded' || outcome.status === 'partial') return { ...stay, status: outcome.status };
  if (run.cancelled) return { ...stay, status: 'cancelled' };
  if (outcome.status === 'handed_over') return { ...stay, status: run.goesOn ? 'queued' : run.live ? 'succeeded' : 'cancelled' };
  if (outcome.status !== 'failed' || !mayHeal({ ...run, retries }, outcome)) return { ...stay, status: outcome.status };
  const delay = run.live ? liveDelay(retries) : retryDelay(retries, longestWish(outcome));
  return { status: 'retrying', attempt: run.attempt + 1, retries: retries + 1, headway, delay };
}

/**
 * Where a run goes whose node is gone: it is tried again at once, and that is not counted against it. Only one that got no further
 * time after time is given up, as it may be what kills its node, and everything else that runs there with it.
 */
export function afterCrash(run: CrashedRun): NextState & Pick<CrashedRun, 'crashes'> {
  const { attempt, cancelled } = run;
  const headway = reachedBy(run, run.reports);
  const hasGotOn = headway > run.headway;
  const crashes = hasGotOn ? 1 : run.crashes + 1;
  const retries = hasGotOn ? 0 : run.retries;
  const stay = { attempt, retries, delay: 0, crashes, headway: Math.max(headway, run.headway) };
  if (cancelled || !run.goesOn) return { ...stay, status: 'cancelled' };
  if (crashes >= MAX_CRASHES) return { ...stay, status: 'failed' };
  return { ...stay, status: 'retrying', attempt: attempt + 1 };
}

/** How far a run is, as a number that grows: what is written stays written, and is counted on by the next try. */
export function headwayOf(reports: readonly StreamReport[]): number {
  return reports.reduce((sum, { read, status }) => sum + read + (isDone(status) ? 1 : 0), 0);
}

const MINUTE = 60_000;

/** A live run also gets on when nothing changes at its source: a minute at work is as good as a row. */
function reachedBy({ live, worked }: Pick<RunState, 'live' | 'worked'>, reports: readonly StreamReport[]): number {
  return headwayOf(reports) + (live ? Math.floor(worked / MINUTE) : 0);
}

/** A preview is not tried again: a person waits for it, and had better be told at once. A verify beside a live run holds nobody up. */
function mayHeal({ mode, retries, live, goesOn, beside }: RunState, outcome: RunOutcome): boolean {
  const isPreview = mode === 'preview' || mode === 'repair_preview';
  if (isPreview || (beside && mode !== 'verify') || !goesOn || (retries >= MAX_RETRIES && !live)) return false;
  const errors = errorsOf(outcome);
  return errors.length > 0 && errors.every(({ kind }) => kind === 'transient');
}

function longestWish(outcome: RunOutcome): number {
  return Math.max(0, ...errorsOf(outcome).map((error) => error.retry_after ?? 0));
}

/** What went wrong in the streams; when it came to none of them, what kept the run from starting. */
function errorsOf({ streams, error }: RunOutcome): RunError[] {
  const failed = streams.flatMap(({ report }) => (report.status === 'failed' && report.error ? [report.error] : []));
  return failed.length > 0 || error === null ? failed : [error];
}

/** Whether a run that goes on has nothing more to do for a stream. */
export function isDone(status: StreamStatus): boolean {
  return status === 'succeeded' || status === 'partial';
}

/** The reports of a run with newer ones in the place of those of the same stream. */
export function mergeReports(known: readonly StreamReport[], newer: readonly StreamReport[]): StreamReport[] {
  const byTarget = new Map(newer.map((report) => [report.target, report]));
  const merged = known.map((report) => byTarget.get(report.target) ?? report);
  const targets = new Set(known.map(({ target }) => target));
  return [...merged, ...newer.filter(({ target }) => !targets.has(target))];
}

/** Streams that a run has not done when it ends, and will not do, end with it. Nobody is asked for approval any more. */
export function closeReports(reports: readonly StreamReport[], status: RunStatus): StreamReport[] {
  if (status === 'succeeded') return reports.map(closedLive);
  if (status !== 'cancelled') return [...reports];
  return reports.map((report) => {
    if (report.status === 'needs_approval') return { ...report, status: 'cancelled', error: null };
    return report.status === 'pending' || report.status === 'running' ? { ...report, status: 'cancelled' } : report;
  });
}

/** A stream of a live run is through when the run is closed, unless it was still being loaded. */
function closedLive(report: StreamReport): StreamReport {
  if (report.live === undefined || (report.status !== 'pending' && report.status !== 'running')) return report;
  return { ...report, status: report.live === 'live' ? 'succeeded' : 'cancelled' };
}
