import { Group, Text } from '@mantine/core';
import { colorOf, type DrawnChartProps } from './chart-props.ts';

/** The same as a table, for screen readers: an image of bars says nothing to them. */
export function ChartTable({ data, series, format, label }: Pick<DrawnChartProps, 'data' | 'series' | 'format' | 'label'>) {
  return (
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
                <td key={name}>{valueWords(point[name], format)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function valueWords(value: string | number | null | undefined, format: (value: number) => string): string {
  return value == null ? 'not known' : format(Number(value));
}

/** Which colour is what. */
export function Legend({ series }: Pick<DrawnChartProps, 'series'>) {
  return (
    <Group gap="md" justify="center" mt={4} style={{ rowGap: 4 }} aria-hidden="true">
      {series.map(({ name, label, color }) => (
        <Group key={name} gap={6} wrap="nowrap">
          <span className="chart-swatch" style={{ background: colorOf(color) }} />
          <Text size="xs">{label}</Text>
        </Group>
      ))}
    </Group>
  );
}

interface ChartNoteProps extends Pick<DrawnChartProps, 'data' | 'series' | 'format'> {
  place: number;
  /** In pixels; the note stands beside it, on the side that has room. */
  x: number;
  width: number;
  /** What a click does. */
  leads: boolean;
}

/** What the point says that is pointed at. */
export function ChartNote({ data, series, format, place, x, width, leads }: ChartNoteProps) {
  const point = data[place];
  if (!point) return null;
  return (
    <div className="chart-note surface" aria-hidden="true" style={x > width / 2 ? { right: width - x + 12 } : { left: x + 12 }}>
      <Text size="xs" c="dimmed">
        {point.at}
      </Text>
      {series.map(({ name, label, color }) => (
        <Group key={name} gap={6} wrap="nowrap">
          <span className="chart-swatch" style={{ background: colorOf(color) }} />
          <Text size="xs">{label}</Text>
          <Text size="xs" fw={600} ml="auto" pl="sm" className="number">
            {valueWords(point[name], format)}
          </Text>
        </Group>
      ))}
      {leads && (
        <Text size="xs" c="dimmed" mt={2}>
          Click to see them
        </Text>
      )}
    </div>
  );
}
