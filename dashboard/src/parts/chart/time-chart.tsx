import { Skeleton } from '@mantine/core';
import { Suspense } from 'react';
import { EmptyState } from '../page/empty-state.tsx';
import { lazyPart } from '../lazy-part.ts';
import { formatCompact } from '../words/format.ts';
import type { TimeChartProps } from './chart-props.ts';

const Bars = lazyPart(async () => (await import('./drawn-bars.tsx')).DrawnBars);
const Lines = lazyPart(async () => (await import('./drawn-lines.tsx')).DrawnLines);

/** Figures over time. Where there is nothing to draw it says why. The library for charts is loaded when the first is shown. */
export function TimeChart({ height = 200, format = formatCompact, empty, ...chart }: TimeChartProps) {
  const hasSomething = chart.data.some((point) => chart.series.some(({ name }) => Number(point[name] ?? 0) !== 0));
  if (!hasSomething) return <EmptyState title={empty.title}>{empty.about}</EmptyState>;
  const Drawn = chart.kind === 'bar' ? Bars : Lines;
  return (
    <figure aria-label={chart.label} style={{ margin: 0, minHeight: height, position: 'relative' }}>
      <Suspense fallback={<Skeleton h={height} role="status" aria-label="Loading the chart" />}>
        <Drawn {...chart} height={height} format={format} />
      </Suspense>
    </figure>
  );
}
