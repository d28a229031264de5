import '@mantine/charts/styles.css';
import { AreaChart, BarChart, LineChart } from '@mantine/charts';
import type { TimeChartProps } from './time-chart.tsx';

type DrawnChartProps = Omit<TimeChartProps, 'empty' | 'height' | 'format'> & { height: number; format: (value: number) => string };

export function DrawnChart({ kind, data, series, stacked = false, height, format, label }: DrawnChartProps) {
  const common = {
    h: height,
    data: data as { at: string }[],
    dataKey: 'at',
    series: series.map((one) => ({ ...one })),
    valueFormatter: format,
    withLegend: series.length > 1,
    legendProps: { verticalAlign: 'bottom' as const, height: 32 },
    yAxisProps: { width: 52, allowDecimals: false },
    xAxisProps: { minTickGap: 32 },
    strokeDasharray: '2 4',
    tickLine: 'none' as const,
  };
  // The same for screen readers as a table: an image of lines says nothing to them.
  return (
    <>
      <div aria-hidden="true">
        {kind === 'bar' && <BarChart {...common} type={stacked ? 'stacked' : 'default'} maxBarWidth={24} />}
        {kind === 'line' && <LineChart {...common} withDots={false} curveType="monotone" />}
        {kind === 'area' && <AreaChart {...common} type={stacked ? 'stacked' : 'default'} withDots={false} curveType="monotone" />}
      </div>
      <table className="only-heard">
        <caption>{label}</caption>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {series.map(({ name, label: heading }) => (
              <th scope="col" key={name}>
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {data.map((point) => (
            <tr key={point.at}>
              <th scope="row">{point.at}</th>
              {series.map(({ name }) => (
                <td key={name}>{format(Number(point[name] ?? 0))}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
