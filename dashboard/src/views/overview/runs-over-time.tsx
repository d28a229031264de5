import { Grid } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Metrics } from '../../api/resources.ts';
import { formatBytes, formatCount, formatRate, formatRows, plural } from '../../parts/words/format.ts';
import { ChartCard } from '../../parts/chart/chart-card.tsx';
import { pointLabel, runsOfPoint } from '../../parts/chart/metric-points.ts';
import { WINDOW_WORDS } from '../../parts/filter/window-choice.tsx';

const LEAD_ON = 'Choose a longer time, or run a synchronization.';

/** How much was moved and what failed, over time. A bar leads to the runs behind it. */
export function RunsOverTime({ metrics, choice }: { metrics: Metrics; choice: ReactNode }) {
  const { window, series, rows, bytes, throughput, runs } = metrics;
  const label = (at: string): string => pointLabel(metrics, at);
  const href = (place: number): string => runsOfPoint(metrics, place);
  const words = WINDOW_WORDS[window];
  return (
    <Grid gap="md">
      <ChartCard
        span={7}
        title="Throughput"
        about={`${formatRows(rows.read)} and ${formatBytes(bytes)} read in ${words}, at ${formatRate(throughput.rows_per_second)}`}
        actions={choice}
        kind="bar"
        label={`Rows read in ${words}`}
        data={series.map((point) => ({ at: label(point.at), read: point.rows.read }))}
        series={[{ name: 'read', label: 'Rows read', color: 'indigo.5' }]}
        href={href}
        empty={{ title: `No rows were read in ${words}.`, about: LEAD_ON }}
      />
      <ChartCard
        span={5}
        title="Runs"
        about={`${plural(runs.total, 'run')} ended in ${words}, ${formatCount(runs.failed)} of them failed`}
        kind="bar"
        stacked
        label={`Runs that ended in ${words}`}
        data={series.map((point) => ({
          at: label(point.at),
          succeeded: point.runs.succeeded,
          partial: point.runs.partial,
          failed: point.runs.failed,
        }))}
        series={[
          { name: 'succeeded', label: 'Succeeded', color: 'teal.6' },
          { name: 'partial', label: 'With rejects', color: 'orange.5' },
          { name: 'failed', label: 'Failed', color: 'red.7' },
        ]}
        format={formatCount}
        href={href}
        empty={{ title: `No run ended in ${words}.`, about: LEAD_ON }}
      />
    </Grid>
  );
}
