import { BarChart } from '@mantine/charts';
import type { DrawnChartProps } from './chart-props.ts';
import { DrawnFigure, drawingOf, UNFOCUSED } from './drawn-figure.tsx';

export function DrawnBars(props: DrawnChartProps) {
  return (
    <DrawnFigure {...props}>
      <BarChart {...drawingOf(props)} type={props.stacked ? 'stacked' : 'default'} maxBarWidth={24} barChartProps={UNFOCUSED} />
    </DrawnFigure>
  );
}
