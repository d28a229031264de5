import type { Metrics } from '../../api/resources.ts';
import { formatClock, formatDay } from '../words/format.ts';

/** What stands below a point of the series. */
export function pointLabel({ window }: Pick<Metrics, 'window'>, at: string): string {
  return window === '1h' || window === '24h' ? formatClock(at) : `${formatDay(at)} ${formatClock(at)}`;
}

/** The list of the runs that a point of the series counts. The last point is still under way. */
export function runsOfPoint({ series }: Pick<Metrics, 'series'>, place: number, sync = ''): string {
  const [from, to] = [series[place]?.at, series[place + 1]?.at];
  const filters = { writing: 'true', sync_id: sync, ended_from: from ?? '', ended_to: to ?? '' };
  return `/runs?${new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== ''))}`;
}
