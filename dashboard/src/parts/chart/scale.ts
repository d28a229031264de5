import type { DrawnChartProps } from './chart-props.ts';

/** About so many lines lie above the base line. */
const LINES = 4;

/** Whole, round numbers from nothing up to at least the largest value: 0, 50, 100, 150. */
export function ticksTo(largest: number): number[] {
  const rough = Math.max(largest, 1) / LINES;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10));
  return Array.from({ length: Math.ceil(Math.max(largest, 1) / step) + 1 }, (_, line) => line * step);
}

/** How high each point reaches: its largest value, or all of them on top of each other. */
export function heightsOf({ data, series, stacked = false }: Pick<DrawnChartProps, 'data' | 'series' | 'stacked'>): number[] {
  return data.map((point) => {
    const values = series.map(({ name }) => Number(point[name] ?? 0));
    return stacked ? values.reduce((sum, value) => sum + value, 0) : Math.max(...values);
  });
}

/** What is written at an axis is about so wide, in pixels a character. */
export const CHARACTER_WIDTH = 6.5;
const LABEL_GAP = 28;

/** Every how many points there is room for a label. */
export function labelEvery(labels: readonly string[], band: number): number {
  const longest = Math.max(...labels.map(({ length }) => length));
  return Math.max(1, Math.ceil((longest * CHARACTER_WIDTH + LABEL_GAP) / band));
}

export interface Plot {
  /** Where the drawing begins, right of what is written at the axis. */
  left: number;
  top: number;
  width: number;
  height: number;
  /** How wide the place of one point is. */
  band: number;
  ticks: readonly number[];
  /** How far above the base line a value lies, in pixels. */
  rise: (value: number) => number;
}

const BELOW = 26;
const TOP = 8;

/** Where everything lies in a chart of this size. */
export function plotOf(chart: DrawnChartProps, width: number): Plot {
  const ticks = ticksTo(Math.max(...heightsOf(chart)));
  const left = Math.ceil(8 + CHARACTER_WIDTH * Math.max(...ticks.map((tick) => chart.format(tick).length)));
  const room = { width: Math.max(1, width - left - 8), height: chart.height - BELOW - TOP };
  const largest = ticks.at(-1) ?? 1;
  return { left, top: TOP, ...room, band: room.width / chart.data.length, ticks, rise: (value) => (value / largest) * room.height };
}
