import { AreaChart, LineChart } from '@mantine/charts';
import { type DrawnChartProps, DrawnFigure, drawingOf } from './drawn-figure.tsx';

export function DrawnLines(props: DrawnChartProps) {
  return (
    <DrawnFigure {...props}>
      {props.kind === 'area' ? (
        <AreaChart {...drawingOf(props)} type={props.stacked ? 'stacked' : 'default'} withDots={false} curveType="monotone" />
      ) : (
        <LineChart {...drawingOf(props)} withDots={false} curveType="monotone" />
      )}
    </DrawnFigure>
  );
}
