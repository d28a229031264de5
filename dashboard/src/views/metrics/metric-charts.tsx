import type { Metrics } from '../../api/resources.ts';
import { ChartCard } from '../../parts/chart/chart-card.tsx';
import { formatBytes, formatCount, formatRows, plural } from '../../parts/words/format.ts';
import type { TimeChartProps } from '../../parts/chart/chart-props.ts';
import { pointLabel, runsOfPoint } from '../../parts/chart/metric-points.ts';
import { WINDOW_WORDS } from '../../parts/filter/window-choice.tsx';

type Moment = Metrics['series'][number];

interface Chart {
  title: string;
  about: string;
  /** What the title says, for the sentence below an empty chart and for those who do not see it. */
  empty: string;
  values: (point: Moment) => Record<string, number>;
  series: TimeChartProps['series'];
  format?: (value: number) => string;
  /** Of twelve columns. */
  span?: number;
}

const LEAD_ON = 'Choose a longer time, or run a synchronization. A run counts when it has ended.';

/** The window over time. A bar leads to the runs that it counts. */
export function MetricCharts({ metrics, sync }: { metrics: Metrics; sync: string }) {
  const { window, series } = metrics;
  return chartsOf(metrics).map(({ empty, values, ...chart }) => (
    <ChartCard
      key={chart.title}
      kind="bar"
      stacked
      label={`${chart.title} in ${WINDOW_WORDS[window]}`}
      data={series.map((point) => ({ at: pointLabel(metrics, point.at), ...values(point) }))}
      href={(place) => runsOfPoint(metrics, place, sync)}
      empty={{ title: empty, about: LEAD_ON }}
      {...chart}
    />
  ));
}

function chartsOf({ window, rows, runs, bytes }: Metrics): Chart[] {
  const time = WINDOW_WORDS[window];
  return [
    {
      title: 'Runs by status',
      about: `${plural(runs.total, 'run')} in ${time}`,
      empty: `No run ended in ${time}.`,
      values: ({ runs: { succeeded, partial, failed, cancelled, skipped } }) => ({
        succeeded,
        partial,
        failed,
        other: cancelled + skipped,
      }),
      series: [
        { name: 'succeeded', label: 'Succeeded', color: 'teal.6' },
        { name: 'partial', label: 'With rejects', color: 'orange.5' },
        { name: 'failed', label: 'Failed', color: 'red.7' },
        { name: 'other', label: 'Cancelled or skipped', color: 'gray.5' },
      ],
      format: formatCount,
      span: 12,
    },
    {
      title: 'Rows read',
      about: `${formatRows(rows.read)} in ${time}`,
      empty: `No rows were read in ${time}.`,
      values: (point) => ({ read: point.rows.read }),
      series: [{ name: 'read', label: 'Rows read', color: 'indigo.5' }],
    },
    {
      title: 'Bytes read',
      about: `${formatBytes(bytes)} in ${time}`,
      empty: `Nothing was read in ${time}.`,
      values: (point) => ({ bytes: point.bytes }),
      series: [{ name: 'bytes', label: 'Bytes', color: 'indigo.5' }],
      // On one line: the axis would break it at the space.
      format: (value) => formatBytes(value).replace(' ', '\u00a0'),
    },
    {
      title: 'Rows written',
      about: `${formatRows(rows.inserted + rows.updated + rows.deleted)} in ${time}`,
      empty: `No rows were written in ${time}.`,
      values: ({ rows: { inserted, updated, deleted } }) => ({ inserted, updated, deleted }),
      series: [
        { name: 'inserted', label: 'Inserted', color: 'teal.6' },
        { name: 'updated', label: 'Updated', color: 'indigo.5' },
        { name: 'deleted', label: 'Deleted', color: 'red.7' },
      ],
    },
    {
      title: 'Rejected rows',
      about: `${formatRows(rows.rejected)} in ${time}`,
      empty: `No row was rejected in ${time}.`,
      values: (point) => ({ rejected: point.rows.rejected }),
      series: [{ name: 'rejected', label: 'Rejected', color: 'orange.5' }],
      format: formatCount,
    },
  ];
}
