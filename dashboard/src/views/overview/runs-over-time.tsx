import { Grid } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Metrics } from '../../api/resources.ts';
import { formatBytes, formatCount, formatRate, formatRows, plural } from '../../parts/words/format.ts';
import { Section } from '../../parts/page/section.tsx';
import { pointLabel, runsOfPoint } from '../../parts/chart/metric-points.ts';
import { TimeChart } from '../../parts/chart/time-chart.tsx';
import { WINDOW_WORDS } from '../../parts/filter/window-choice.tsx';

/** How much was moved and what failed, over time. A bar leads to the runs behind it. */
export function RunsOverTime({ metrics, choice }: { metrics: Metrics; choice: ReactNode }) {
  const { window, series, rows, bytes, throughput, runs } = metrics;
  const label = (at: string): string => pointLabel(metrics, at);
  const href = (place: number): string => runsOfPoint(metrics, place);
  const words = WINDOW_WORDS[window];
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, md: 7 }}>
        <div className="level">
          <Section
            title="Throughput"
            about={`${formatRows(rows.read)} and ${formatBytes(bytes)} read in ${words}, at ${formatRate(throughput.rows_per_second)}`}
            actions={choice}
          >
            <TimeChart
              kind="bar"
              label={`Rows read in ${words}`}
              data={series.map((point) => ({ at: label(point.at), read: point.rows.read }))}
              series={[{ name: 'read', label: 'Rows read', color: 'indigo.5' }]}
              href={href}
              empty={{ title: `No rows were read in ${words}.`, about: 'Choose a longer time, or run a synchronization.' }}
            />
          </Section>
        </div>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5 }}>
        <div className="level">
          <Section title="Runs" about={`${plural(runs.total, 'run')} ended in ${words}, ${formatCount(runs.failed)} of them failed`}>
            <TimeChart
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
              empty={{ title: `No run ended in ${words}.`, about: 'Choose a longer time, or run a synchronization.' }}
            />
          </Section>
        </div>
      </Grid.Col>
    </Grid>
  );
}
