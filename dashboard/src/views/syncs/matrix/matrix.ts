import type { Run, Stream } from '../../../api/resources.ts';

const WEEK = 7 * 24 * 3_600_000;
/** Those that only look, and change nothing at the target. */
const LOOKING: ReadonlySet<string> = new Set(['preview', 'verify', 'repair_preview']);
/** The worst first. */
const RANKS: readonly string[] = ['failed', 'needs_approval', 'partial', 'running', 'pending', 'cancelled', 'succeeded'];

/** A stream through the runs. */
export interface MatrixRow {
  readonly target: string;
  readonly name: string;
  /** Of each run what became of it there; none where it was no part of the run. */
  readonly cells: readonly (Stream | undefined)[];
}

export interface Matrix {
  /** The oldest first. */
  readonly runs: readonly Run[];
  /** Those that failed last come first. */
  readonly rows: readonly MatrixRow[];
}

/** What became of each stream in the runs of the last week. */
export function matrixOf(runs: readonly Run[], now: number): Matrix {
  const week = runs.filter(({ mode, created_at }) => !LOOKING.has(mode) && now - Date.parse(created_at) < WEEK).toReversed();
  const byRun = week.map(({ streams }) => new Map(streams.map((stream) => [stream.target, stream])));
  const names = new Map(week.flatMap(({ streams }) => streams.map(({ target, name }) => [target, name])));
  const rows = [...names].map(([target, name]) => ({ target, name, cells: byRun.map((streams) => streams.get(target)) }));
  return { runs: week, rows: rows.sort((one, other) => rankOf(one) - rankOf(other)) };
}

/** The lower, the worse: what the last run left behind counts first, then how often it failed. */
function rankOf({ cells }: MatrixRow): number {
  const last = cells.findLast((cell) => cell !== undefined);
  const failures = cells.filter((cell) => cell?.status === 'failed').length;
  return RANKS.indexOf(last?.status ?? 'succeeded') * 1000 - failures;
}

/** Runs that follow each other on one day, in the time of the browser, with how many they are. */
export function daysOf(runs: readonly Run[], dayOf: (time: string) => string): { day: string; count: number }[] {
  const days: { day: string; count: number }[] = [];
  for (const { created_at } of runs) {
    const [day, last] = [dayOf(created_at), days.at(-1)];
    if (last?.day === day) last.count++;
    else days.push({ day, count: 1 });
  }
  return days;
}
