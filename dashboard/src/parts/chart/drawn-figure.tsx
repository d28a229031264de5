import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { DrawnChartProps } from './chart-props.ts';

/** The drawing is for the eye alone: who goes by the keyboard or hears the page has the table. */
export const UNFOCUSED = { accessibilityLayer: false };

/** What all kinds of charts have in common. */
export function drawingOf({ data, series, height, format, stacked = false }: DrawnChartProps) {
  return {
    h: height,
    data: data as { at: string }[],
    dataKey: 'at',
    series: series.map((one) => ({ ...one })),
    valueFormatter: format,
    yAxisProps: { width: axisWidth({ data, series, format, stacked }), allowDecimals: false },
    xAxisProps: { minTickGap: 32 },
    strokeDasharray: '2 4',
    tickLine: 'none' as const,
  };
}

const CHARACTER_WIDTH = 7;

/** The end of an axis lies somewhat above the largest value. */
const AXIS_END = 1.25;

/** Room for what is written at the axis. */
function axisWidth({ data, series, format, stacked }: Pick<DrawnChartProps, 'data' | 'series' | 'format' | 'stacked'>): number {
  const heights = data.map((point) => {
    const values = series.map(({ name }) => Number(point[name] ?? 0));
    return stacked ? values.reduce((sum, value) => sum + value, 0) : Math.max(...values);
  });
  const lengths = heights.flatMap((height) => [format(height).length, format(height * AXIS_END).length]);
  return Math.max(52, CHARACTER_WIDTH * (1 + Math.max(...lengths)));
}

/** A chart, and the same as a table for screen readers: an image of lines says nothing to them. */
export function DrawnFigure({ data, series, format, label, children }: DrawnChartProps & { children: ReactNode }) {
  return (
    <>
      <div aria-hidden="true">
        {children}
        {series.length > 1 && <Legend series={series} />}
      </div>
      <div className="only-heard">
        <table>
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
                  <td key={name}>{point[name] == null ? 'not known' : format(Number(point[name]))}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** Our own: that of the library keeps a fixed height, and what needs a second line on a phone would hang out of the card. */
function Legend({ series }: Pick<DrawnChartProps, 'series'>) {
  return (
    <Group gap="md" justify="center" mt="xs" style={{ rowGap: 4 }}>
      {series.map(({ name, label, color }) => (
        <Group key={name} gap={6} wrap="nowrap">
          <span className="status-dot" style={{ color: `var(--mantine-color-${color.replace('.', '-')})` }} />
          <Text size="xs">{label}</Text>
        </Group>
      ))}
    </Group>
  );
}
