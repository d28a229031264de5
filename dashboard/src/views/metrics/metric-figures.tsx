import type { Metrics } from '../../api/resources.ts';
import { Figure } from '../../parts/page/figure.tsx';
import { formatBytes, formatCompact, formatCount, formatDuration, formatPart, formatRate } from '../../parts/words/format.ts';

/** The numbers of the whole window. */
export function MetricFigures({ metrics }: { metrics: Metrics }) {
  const { runs, rows, bytes, throughput, duration_ms, lag_seconds, success_rate } = metrics;
  const underWay = runs.running + runs.queued + runs.retrying;
  return (
    <>
      <Figure label="Runs" value={formatCount(runs.total)} note={`${formatCount(underWay)} in progress now`} />
      <Figure
        label="Success rate"
        value={success_rate === null ? '–' : formatPart(success_rate)}
        note={success_rate === null ? 'no run ended' : `${formatCount(runs.failed)} failed`}
        {...(runs.failed > 0 && { color: 'var(--status-bad)' })}
      />
      <Figure label="Rows read" value={formatCompact(rows.read)} note={formatBytes(bytes)} />
      <Figure
        label="Throughput"
        value={throughput.rows_per_second > 0 ? formatRate(throughput.rows_per_second).replace(' rows/s', '') : '–'}
        note="rows per second"
      />
      <Figure
        label="Median duration"
        value={duration_ms.p50 === null ? '–' : formatDuration(duration_ms.p50)}
        note={
          duration_ms.p95 === null || duration_ms.max === null
            ? 'no run ended'
            : `95% within ${formatDuration(duration_ms.p95)}, longest ${formatDuration(duration_ms.max)}`
        }
      />
      <Figure
        label="Longest lag"
        value={lag_seconds === null ? '–' : formatDuration(lag_seconds * 1000)}
        note={lag_seconds === null ? 'no active synchronization has succeeded yet' : 'since its last successful run started'}
      />
    </>
  );
}
