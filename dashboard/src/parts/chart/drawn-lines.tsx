import { AreaChart, LineChart } from '@mantine/charts';
import type { DrawnChartProps } from './chart-props.ts';
import { DrawnFigure, drawingOf, UNFOCUSED } from './drawn-figure.tsx';

export function DrawnLines(props: DrawnChartProps) {
  return (
    <DrawnFigure {...props}>
      {props.kind === 'area' ? (
        <AreaChart
          {...drawingOf(props)}
          areaChartProps={UNFOCUSED}
          type={props.stacked ? 'stacked' : 'default'}
          withDots={false}
          connectNulls={false}
          curveType="monotone"
        />
      ) : (
        <LineChart {...drawingOf(props)} lineChartProps={UNFOCUSED} withDots={false} connectNulls={false} curveType="monotone" />
      )}
    </DrawnFigure>
  );
}
