interface Point {
  /** The label below the point. */
  at: string;
  /** Null where nothing is known: the line has a gap there. */
  [series: string]: string | number | null;
}

export interface TimeChartProps {
  kind: 'bar' | 'area';
  /** What the chart shows, in a sentence: for those who do not see it. */
  label: string;
  data: readonly Point[];
  series: readonly { name: string; label: string; color: string }[];
  stacked?: boolean;
  height?: number;
  format?: (value: number) => string;
  /** Where a bar leads to, by its place. */
  href?: (place: number) => string;
  /** What to say in place of a chart that would be empty. */
  empty: { title: string; about?: string };
}

/** What is left to say once it is known that there is something to draw. */
export type DrawnChartProps = Omit<TimeChartProps, 'empty' | 'height' | 'format'> & { height: number; format: (value: number) => string };

/** A colour of the theme, such as `indigo.5`, as style sheets call it. */
export function colorOf(color: string): string {
  return `var(--mantine-color-${color.replace('.', '-')})`;
}
