import type { RenderedRun, RunRow } from '../runs/rows/run-row.ts';
import type { RunStatus } from '../runs/rows/transitions.ts';

type Counts = RenderedRun['totals'];

/** What metrics need to know of a run that is over. */
export interface EndedRun extends Pick<RunRow, 'sync_id' | 'status' | 'duration_ms' | 'rows_read' | Exclude<keyof Counts, 'read'>> {
  finished_at: string;
}

/** What some runs add up to. */
export interface Sums extends Counts {
  runs: Partial<Record<RunStatus, number>>;
}

/** The runs of a stretch of time: by synchronization with their durations, and by bucket of the clock. */
export interface Summary {
  syncs: Map<string, { sums: Sums; durations: number[] }>;
  buckets: Map<number, Sums>;
}

const NUMBERS = ['read', 'inserted', 'updated', 'deleted', 'unchanged', 'rejected', 'bytes'] as const;

export function noSums(): Sums {
  return { runs: {}, read: 0, inserted: 0, updated: 0, deleted: 0, unchanged: 0, rejected: 0, bytes: 0 };
}

/** Adds runs to a summary; `bucket` is how long a bucket is, in milliseconds. */
export function summarize(summary: Summary, runs: readonly EndedRun[], bucket: number): void {
  for (const run of runs) {
    let sync = summary.syncs.get(run.sync_id);
    if (!sync) summary.syncs.set(run.sync_id, (sync = { sums: noSums(), durations: [] }));
    if (run.duration_ms !== null) sync.durations.push(run.duration_ms);
    const at = Math.floor(Date.parse(run.finished_at) / bucket) * bucket;
    let sums = summary.buckets.get(at);
    if (!sums) summary.buckets.set(at, (sums = noSums()));
    countRun(sync.sums, run);
    countRun(sums, run);
  }
}

export function addSums(to: Sums, from: Sums): void {
  for (const name of NUMBERS) to[name] += from[name];
  for (const status in from.runs)
    to.runs[status as RunStatus] = (to.runs[status as RunStatus] ?? 0) + (from.runs[status as RunStatus] ?? 0);
}

function countRun(sums: Sums, run: EndedRun): void {
  sums.runs[run.status] = (sums.runs[run.status] ?? 0) + 1;
  sums.read += run.rows_read;
  sums.inserted += run.inserted;
  sums.updated += run.updated;
  sums.deleted += run.deleted;
  sums.unchanged += run.unchanged;
  sums.rejected += run.rejected;
  sums.bytes += run.bytes;
}
