import { EmptyState } from '../page/empty-state.tsx';
import { formatCompact } from '../words/format.ts';
import type { TimeChartProps } from './chart-props.ts';
import { DrawnChart } from './drawn-chart.tsx';

/** Figures over time. Where there is nothing to draw it says why. */
export function TimeChart({ height = 200, format = formatCompact, empty, ...chart }: TimeChartProps) {
  const hasSomething = chart.data.some((point) => chart.series.some(({ name }) => Number(point[name] ?? 0) !== 0));
  if (!hasSomething) return <EmptyState title={empty.title}>{empty.about}</EmptyState>;
  return (
    <figure aria-label={chart.label} style={{ margin: 0 }}>
      <DrawnChart {...chart} height={height} format={format} />
    </figure>
  );
}
