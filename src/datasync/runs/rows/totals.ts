import { bulk } from '../../../db/bulk.ts';
import type { Connection } from '../../../db/database.ts';
import { sql } from '../../../db/sql.ts';
import { onlyReads } from './run-modes.ts';
import type { RunRow } from './run-row.ts';

// What a synchronization has ever done, as numbers that only go up: runs are deleted after some time, and these are not.

/** The bounds, in seconds, between which runs are counted by how long they were at work. */
export const DURATION_BOUNDS = [1, 5, 15, 60, 300, 900, 3600, 21_600] as const;

/** What is added up of the columns of a run. */
export const SUMMED = [
  'rows_read',
  'inserted',
  'updated',
  'deleted',
  'unchanged',
  'rejected',
  'bytes',
] as const satisfies readonly (keyof RunRow)[];

type Total = `runs_${RunRow['status']}` | (typeof SUMMED)[number] | 'worked_ms' | `worked_${number}`;

/** Adds the runs that end with these changes. */
export async function addToTotals(
  tx: Connection,
  changes: readonly { readonly before?: RunRow | undefined; readonly after: RunRow }[],
): Promise<void> {
  const totals = new Map<string, [sync: string, name: Total, n: number]>();
  for (const { before, after } of changes) {
    if (after.finished_at === null || (before && before.finished_at !== null) || onlyReads(after.mode)) continue;
    for (const [name, n] of totalsOf(after)) {
      const place = `${after.sync_id} ${name}`;
      totals.set(place, [after.sync_id, name, (totals.get(place)?.[2] ?? 0) + n]);
    }
  }
  if (totals.size === 0) return;
  // In one order, so that no two transactions wait for each other in a circle.
  const rows = [...totals].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
  await tx.all(sql`
    insert into sync_totals (sync_id, name, n)
    select sync_id, name, n from ${bulk({ sync_id: 'text', name: 'text', n: 'bigint' }, rows)} as input where true
    on conflict (sync_id, name) do update set n = sync_totals.n + excluded.n`);
}

function* totalsOf(run: RunRow): Generator<[Total, number]> {
  yield [`runs_${run.status}`, 1];
  for (const name of SUMMED) if (run[name] > 0) yield [name, run[name]];
  // A live run is over when the hour is: how long it took says nothing.
  if (run.duration_ms === null || run.live !== 0) return;
  yield ['worked_ms', run.duration_ms];
  yield [`worked_${boundOf(run.duration_ms)}`, 1];
}

/** The first bound that is not below; 0 stands for those above all. */
function boundOf(milliseconds: number): number {
  return DURATION_BOUNDS.find((bound) => milliseconds <= bound * 1000) ?? 0;
}
