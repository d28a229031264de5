import type { Run } from '../../api/resources.ts';

/** Rows per second of all streams that are being read at this moment. */
export function rateOf({ streams }: Run): number {
  return streams.reduce((sum, { status, rows_per_second }) => sum + (status === 'running' ? rows_per_second : 0), 0);
}
