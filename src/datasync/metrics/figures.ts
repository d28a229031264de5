import type { RunStatus } from '../runs/rows/transitions.ts';
import type { Sums } from './summary.ts';

export const ENDED = ['succeeded', 'partial', 'failed', 'cancelled', 'skipped'] as const satisfies readonly RunStatus[];
export const UNDER_WAY = ['queued', 'running', 'retrying', 'needs_approval'] as const satisfies readonly RunStatus[];

type CountsOf<Name extends string> = Record<Name, number>;
type RowCounts = Pick<Sums, 'read' | 'inserted' | 'updated' | 'deleted' | 'unchanged' | 'rejected'>;

/** What ended within a time. */
export interface Ended {
  runs: CountsOf<(typeof ENDED)[number] | 'total'>;
  rows: RowCounts;
  bytes: number;
}

export interface Figures extends Ended {
  /** Those under way are counted at this moment, and are not in the total. */
  runs: Ended['runs'] & CountsOf<(typeof UNDER_WAY)[number]>;
  throughput: { rows_per_second: number; bytes_per_second: number };
  duration_ms: { p50: number | null; p95: number | null; max: number | null };
  lag_seconds: number | null;
  success_rate: number | null;
}

export type UnderWay = Partial<Record<RunStatus, number>>;

export function endedOf(sums: Sums): Ended {
  const runs = Object.fromEntries(ENDED.map((status) => [status, sums.runs[status] ?? 0])) as CountsOf<(typeof ENDED)[number]>;
  const total = ENDED.reduce((sum, status) => sum + runs[status], 0);
  const { read, inserted, updated, deleted, unchanged, rejected, bytes } = sums;
  return { runs: { total, ...runs }, rows: { read, inserted, updated, deleted, unchanged, rejected }, bytes };
}

/** `durations` are those of the runs that were at work, in milliseconds and in any order. */
export function figuresOf(sums: Sums, durations: Iterable<number>, underWay: UnderWay, lag_seconds: number | null): Figures {
  const { runs, rows, bytes } = endedOf(sums);
  const sorted = Float64Array.from(durations).sort();
  const seconds = sorted.reduce((sum, duration) => sum + duration, 0) / 1000;
  const good = runs.succeeded + runs.partial;
  const active = Object.fromEntries(UNDER_WAY.map((status) => [status, underWay[status] ?? 0])) as CountsOf<(typeof UNDER_WAY)[number]>;
  return {
    runs: { ...runs, ...active },
    rows,
    bytes,
    throughput: { rows_per_second: rate(rows.read, seconds), bytes_per_second: rate(bytes, seconds) },
    duration_ms: { p50: percentile(sorted, 50), p95: percentile(sorted, 95), max: sorted.at(-1) ?? null },
    lag_seconds,
    success_rate: good + runs.failed === 0 ? null : successRate(good, runs.failed),
  };
}

/** All or nothing is said only where it was. */
export function successRate(good: number, failed: number): number {
  const rate = round(good / (good + failed), 4);
  return failed > 0 && good > 0 ? Math.min(0.9999, Math.max(0.0001, rate)) : rate;
}

/** The nearest rank: a value that occurred. */
function percentile(sorted: Float64Array, percent: number): number | null {
  return sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? null;
}

function rate(amount: number, seconds: number): number {
  return seconds === 0 ? 0 : round(amount / seconds, 1);
}

function round(value: number, decimals: number): number {
  return Number(value.toFixed(decimals));
}
