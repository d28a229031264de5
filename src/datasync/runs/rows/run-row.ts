import type { Counts, RunError, RunMode, StreamReport } from '../../../engine/run.ts';
import type { LeftRow } from '../../../connectors/undo.ts';
import { readLag, type ShownLag } from './lag.ts';
import type { RunStatus } from './transitions.ts';

export type Trigger = 'manual' | 'schedule' | 'change' | 'retry';

/** What a run was asked for by: a call of a hook, or the end of the run before it in a chain. */
export interface TriggeredBy {
  type: 'run' | 'hook';
  id: string;
}

/** That a run was undone, and what came of it. */
export interface UndoneRun {
  at: string;
  /** The id of the key, or who else it was. */
  by: string;
  restored: number;
  removed: number;
  left: number;
  rows_left: ListedRowLeft[];
}

/** A row that was left as it is, as others had changed it since. */
interface ListedRowLeft extends LeftRow {
  target: string;
}

/** A row of `runs`. Times are text, as everywhere; on PostgreSQL they are by the database's clock. */
export interface RunRow {
  id: string;
  sync_id: string;
  status: RunStatus;
  trigger: Trigger;
  /** JSON: a TriggeredBy. */
  triggered_by: string | null;
  mode: RunMode;
  /** 1, and one more with every try again. */
  attempt: number;
  /** Tries again after an error that may heal: there are so many, and no more. */
  retries: number;
  /** How often in a row its node died without it getting further than `headway`. */
  crashes: number;
  /** How far it was at the last crash that it had got on before. */
  headway: number;
  /** JSON: the streams of the source that were asked for; null for all. */
  streams: string | null;
  slot: string | null;
  created_at: string;
  /** When it may begin; of one that is running, up to when `duration_ms` has counted. */
  not_before: string;
  started_at: string | null;
  finished_at: string | null;
  /** How long it was at work, without the time between tries. */
  duration_ms: number | null;
  node: string | null;
  lease_until: string | null;
  token: number | null;
  /** The version of the synchronization that a person has approved; 0 for none. */
  approved: number;
  cancelled: number;
  /** JSON: a StreamReport for each stream. */
  report: string;
  rows_read: number;
  inserted: number;
  updated: number;
  deleted: number;
  unchanged: number;
  rejected: number;
  bytes: number;
  /** JSON: a RunError. */
  error: string | null;
  /** The rows of the shop that it may show; null when nobody has looked. */
  shop: string | null;
  /** Whether it follows the log of its source, until it is rolled; 0 when it does not. */
  live: number;
  /** Whether its worker is to hand it over at the next checkpoint. */
  yields: number;
  /** Of a live one: whether it was closed after its time, and another one went on. */
  rolled: number;
  /** JSON: the Lag that it told last; of one that has told nothing yet, that of the live run before it. */
  lag: string | null;
  /** JSON: an UndoneRun, once it was undone. */
  undone: string | null;
}

/** A run as every caller may see it: the answer of the API. `streams`, `error` and `undone` are JSON text. */
export interface RenderedRun {
  id: string;
  sync_id: string;
  status: RunStatus;
  trigger: Trigger;
  triggered_by: TriggeredBy | null;
  mode: RunMode;
  attempt: number;
  cancel_requested: boolean;
  created_at: string;
  next_attempt_at: string | null;
  started_at: string | null;
  finished_at: string | null;
  duration_ms: number | null;
  streams: string;
  totals: Counts;
  error: string | null;
  /** Of a live run alone. */
  live?: true;
  rolled?: boolean;
  /** While it is running, once it has told. */
  lag?: ShownLag;
  /** Once it was undone: JSON text, an UndoneRun. */
  undone?: string;
}

export function renderRun(row: RunRow): RenderedRun {
  return {
    id: row.id,
    sync_id: row.sync_id,
    status: row.status,
    trigger: row.trigger,
    triggered_by: row.triggered_by === null ? null : (JSON.parse(row.triggered_by) as TriggeredBy),
    mode: row.mode,
    attempt: row.attempt,
    cancel_requested: row.cancelled !== 0,
    created_at: row.created_at,
    next_attempt_at: row.status === 'retrying' ? row.not_before : null,
    started_at: row.started_at,
    finished_at: row.finished_at,
    duration_ms: row.duration_ms,
    streams: row.report,
    totals: totalsOf(row),
    error: row.error,
    ...(row.live !== 0 && { live: true as const, rolled: row.rolled !== 0, ...toldLag(row) }),
    ...(row.undone !== null && { undone: row.undone }),
  };
}

function toldLag({ status, lag }: RunRow): { lag?: ShownLag } {
  const told = status === 'running' ? readLag(lag) : null;
  return told ? { lag: { seconds: told.seconds, bytes: told.bytes, at: told.at } } : {};
}

/** The same as JSON text, for events and streams. */
export function runJson(row: RunRow): string {
  const { streams, error, undone, ...rest } = renderRun(row);
  const more = undone === undefined ? '' : `,"undone":${undone}`;
  return `${JSON.stringify(rest).slice(0, -1)},"streams":${streams},"error":${error}${more}}`;
}

function totalsOf({ rows_read, inserted, updated, deleted, unchanged, rejected, bytes }: RunRow): Counts {
  return { read: rows_read, inserted, updated, deleted, unchanged, rejected, bytes };
}

export function reportsOf(row: Pick<RunRow, 'report'>): StreamReport[] {
  return JSON.parse(row.report) as StreamReport[];
}

/** A row with these reports and their sums. */
export function withReports(row: RunRow, reports: readonly StreamReport[]): RunRow {
  const sum = (name: keyof Counts): number => reports.reduce((total, report) => total + report[name], 0);
  return {
    ...row,
    report: JSON.stringify(reports),
    rows_read: sum('read'),
    inserted: sum('inserted'),
    updated: sum('updated'),
    deleted: sum('deleted'),
    unchanged: sum('unchanged'),
    rejected: sum('rejected'),
    bytes: sum('bytes'),
  };
}

/** A run before it is stored. */
export function newRun(
  fields: Pick<RunRow, 'id' | 'sync_id' | 'status' | 'trigger' | 'mode' | 'created_at' | 'not_before' | 'shop'> &
    Partial<Pick<RunRow, 'triggered_by' | 'streams' | 'slot' | 'finished_at' | 'error' | 'live' | 'lag'>>,
  reports: readonly StreamReport[],
): RunRow {
  const empty = {
    triggered_by: null,
    streams: null,
    slot: null,
    finished_at: null,
    error: null,
    live: 0,
    yields: 0,
    rolled: 0,
    lag: null,
    undone: null,
  };
  const untouched = { started_at: null, duration_ms: null, node: null, lease_until: null, token: null, approved: 0, cancelled: 0 };
  const zero = { rows_read: 0, inserted: 0, updated: 0, deleted: 0, unchanged: 0, rejected: 0, bytes: 0 };
  return { ...empty, ...untouched, ...zero, ...fields, attempt: 1, retries: 0, crashes: 0, headway: 0, report: JSON.stringify(reports) };
}

/** An error of a run that no connector has told of. */
export function runError(code: string, message: string, hint: string | null = null, kind: RunError['kind'] = 'config'): RunError {
  return { kind, code, message, hint };
}
