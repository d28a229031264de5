import type { Batch } from '../connectors/batch.ts';
import type { WriteResult } from '../connectors/contract.ts';
import type { StreamDefinition } from './definition.ts';
import type { Counts, StreamReport } from './run.ts';

export const NO_COUNTS: Readonly<Counts> = { read: 0, inserted: 0, updated: 0, deleted: 0, unchanged: 0, rejected: 0, bytes: 0 };

export function newReport({ source, target }: Pick<StreamDefinition, 'source' | 'target'>): StreamReport {
  return {
    name: source,
    target,
    status: 'pending',
    ...NO_COUNTS,
    rows_per_second: 0,
    estimated_total: null,
    checkpoint: null,
    error: null,
  };
}

/** The counts after something more has been done. */
export function added(counts: Counts, more: Partial<Counts>): Counts {
  return {
    read: counts.read + (more.read ?? 0),
    inserted: counts.inserted + (more.inserted ?? 0),
    updated: counts.updated + (more.updated ?? 0),
    deleted: counts.deleted + (more.deleted ?? 0),
    unchanged: counts.unchanged + (more.unchanged ?? 0),
    rejected: counts.rejected + (more.rejected ?? 0),
    bytes: counts.bytes + (more.bytes ?? 0),
  };
}

export function changesOf({ inserted, updated, deleted, unchanged }: WriteResult): Partial<Counts> {
  return { inserted, updated, deleted, unchanged };
}

/** About how much was moved: exactly as bytes, or the characters of the values. */
export function bytesOf(batch: Batch): number {
  if (batch.hasLines) return batch.lines.length;
  let bytes = 0;
  for (const row of batch.rows) for (const value of row) bytes += (value?.length ?? 2) + 1;
  return bytes;
}

/** Rows a second since a moment (of `performance.now()`), and never a division by nothing. */
export function rateSince(started: number, rows: number): number {
  return Math.round((rows * 1000) / Math.max(1, performance.now() - started));
}
