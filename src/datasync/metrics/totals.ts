import { command } from '../../db/database.ts';
import { raw, sql } from '../../db/sql.ts';
import { writesSomething } from '../runs/rows/run-modes.ts';
import { DURATION_BOUNDS, SUMMED } from '../runs/rows/totals.ts';
import { ACTIVE_STATUSES } from '../runs/rows/transitions.ts';
import { ENDED } from './figures.ts';
import { family, histogram, type HistogramSample, type Labels, type MetricSample } from './text-format.ts';

interface SyncTotals {
  id: string;
  name: string;
  totals: Record<string, number>;
}

/** What each synchronization has ever done; runs that are under way are in it as far as they have come. */
export const totalsOfSyncs = command(import.meta.url, 'totalsOfSyncs', async (db): Promise<SyncTotals[]> => {
  // In one statement: a run that ends in between would be in both, or in none.
  const underWay = SUMMED.map((name) => `select sync_id, '${name}' as name, ${name} as n from active where ${name} > 0`).join(
    ' union all ',
  );
  const rows = await db.all<{ id: string; sync: string; name: string | null; n: number }>(sql`
    with active as (
      select sync_id, ${raw(SUMMED.join(', '))} from runs
      where status in (${raw(ACTIVE_STATUSES.map((status) => `'${status}'`).join(', '))}) and ${writesSomething()}),
    totals as (select sync_id, name, n from sync_totals union all ${raw(underWay)})
    select s.id, s.name as sync, t.name, t.n from syncs s left join totals t on t.sync_id = s.id order by s.id`);
  const bySync = new Map<string, SyncTotals>();
  for (const { id, sync, name, n } of rows) {
    const { totals } = bySync.getOrInsertComputed(id, () => ({ id, name: sync, totals: {} }));
    if (name !== null) totals[name] = (totals[name] ?? 0) + n;
  }
  return [...bySync.values()];
});

/** Counters, so that `rate()` and `increase()` work. They begin with 0 when a synchronization is made, not with its first run: else Prometheus would miss that one. */
export function totalFamilies(syncs: readonly SyncTotals[]): string {
  const each = (pick: (of: (name: string) => number, labels: Labels) => MetricSample[]): MetricSample[] =>
    syncs.flatMap(({ id, name, totals }) => pick((total) => totals[total] ?? 0, { sync_id: id, sync: name }));
  const durations = syncs.map(
    ({ id, name, totals }): HistogramSample => ({
      labels: { sync_id: id, sync: name },
      counts: [...DURATION_BOUNDS, 0].map((bound) => totals[`worked_${bound}`] ?? 0),
      sum: (totals['worked_ms'] ?? 0) / 1000,
    }),
  );
  return [
    family(
      'syncline_runs_total',
      'counter',
      'Runs that have ended, by status.',
      each((of, labels) => ENDED.map((status) => ({ labels: { ...labels, status }, value: of(`runs_${status}`) }))),
    ),
    family(
      'syncline_rows_total',
      'counter',
      'Rows of all runs, by what became of them; those under way count as far as they have come.',
      each((of, labels) =>
        SUMMED.filter((name) => name !== 'bytes').map((name) => ({
          labels: { ...labels, kind: name === 'rows_read' ? 'read' : name },
          value: of(name),
        })),
      ),
    ),
    family(
      'syncline_read_bytes_total',
      'counter',
      'Bytes that all runs have read.',
      each((of, labels) => [{ labels, value: of('bytes') }]),
    ),
    histogram('syncline_run_duration_seconds', 'How long runs were at work, live ones aside.', DURATION_BOUNDS, durations),
  ].join('');
}
