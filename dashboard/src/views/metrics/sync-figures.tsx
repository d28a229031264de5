import { useMemo, useState } from 'react';
import type { Metrics } from '../../api/resources.ts';
import { type Column, DataTable } from '../../parts/table/data-table.tsx';
import { EmptyState } from '../../parts/page/empty-state.tsx';
import { formatCount, formatDuration, formatPart, formatRate } from '../../parts/words/format.ts';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { Section } from '../../parts/page/section.tsx';

type SyncMetrics = Metrics['syncs'][number];

const COLUMNS: readonly Column<SyncMetrics>[] = [
  { header: 'Synchronization', cell: ({ name }) => <OutsideText>{name}</OutsideText> },
  { header: 'Runs', cell: ({ runs }) => formatCount(runs.total), numeric: true, width: 80 },
  {
    header: 'Success rate',
    cell: ({ success_rate }) => (success_rate === null ? '–' : formatPart(success_rate)),
    numeric: true,
    width: 125,
  },
  { header: 'Rows read', cell: ({ rows }) => formatCount(rows.read), numeric: true, width: 120 },
  { header: 'Rejected', cell: ({ rows }) => formatCount(rows.rejected), numeric: true, width: 100 },
  {
    header: 'Throughput',
    cell: ({ throughput }) => (throughput.rows_per_second > 0 ? formatRate(throughput.rows_per_second) : '–'),
    numeric: true,
    width: 140,
  },
  {
    header: '95% of runs within',
    cell: ({ duration_ms }) => (duration_ms.p95 === null ? '–' : formatDuration(duration_ms.p95)),
    numeric: true,
    width: 150,
  },
  {
    header: 'Lag',
    cell: ({ lag_seconds }) => (lag_seconds === null ? '–' : formatDuration(lag_seconds * 1000)),
    numeric: true,
    width: 120,
  },
];

/** A thousand rows took a second to draw, and as long to leave. */
const SIZE = 50;

/** The same for each synchronization, the busiest first; each leads to its own charts. */
export function SyncFigures({ metrics: { syncs, window } }: { metrics: Metrics }) {
  const sorted = useMemo(() => syncs.toSorted((a, b) => b.rows.read - a.rows.read || b.runs.total - a.runs.total), [syncs]);
  const [wanted, setPage] = useState(0);
  const last = Math.max(0, Math.ceil(sorted.length / SIZE) - 1);
  const page = Math.min(wanted, last);
  const rows = useMemo(() => sorted.slice(page * SIZE, (page + 1) * SIZE), [sorted, page]);
  const paging = {
    total: sorted.length,
    page,
    size: SIZE,
    next: page < last ? () => setPage(page + 1) : undefined,
    previous: page > 0 ? () => setPage(page - 1) : undefined,
  };
  return (
    <Section title="By synchronization" about="The busiest first. A name leads to its charts." flush>
      <DataTable
        label="Figures by synchronization"
        columns={COLUMNS}
        rows={rows}
        {...(last > 0 && { paging })}
        rowKey={({ sync_id }) => sync_id}
        href={({ sync_id }) => `/metrics?window=${window}&sync_id=${sync_id}`}
        empty={<EmptyState title="There is no synchronization yet.">Its figures are shown here as soon as it has run.</EmptyState>}
      />
    </Section>
  );
}
