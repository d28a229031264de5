export const WINDOWS = ['1h', '24h', '7d', '30d'] as const;
export type MetricsWindow = (typeof WINDOWS)[number];

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** How many points the series of a window has, and how long each is. */
const SHAPES: Record<MetricsWindow, { points: number; step: number }> = {
  '1h': { points: 60, step: MINUTE },
  '24h': { points: 48, step: HOUR / 2 },
  '7d': { points: 84, step: 2 * HOUR },
  '30d': { points: 60, step: 12 * HOUR },
};

/** From when to when, in milliseconds, and where each point of the series begins. */
export interface Span {
  from: number;
  to: number;
  points: number[];
  step: number;
}

/** The window that ends now. It begins at a whole minute, half-hour and so on; its last point is still under way. */
export function spanOf(window: MetricsWindow, now: number): Span {
  const { points, step } = SHAPES[window];
  const from = Math.floor(now / step) * step - (points - 1) * step;
  return { from, to: now, step, points: Array.from({ length: points }, (_, index) => from + index * step) };
}
