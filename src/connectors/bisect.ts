import { OutsideError } from '../outside/errors.ts';

export interface BadRow {
  index: number;
  error: OutsideError;
}

/**
 * Writes rows of which the target may refuse some. It takes all or nothing of a slice; when it refuses a slice for its data,
 * the slice is halved until the bad rows stand alone. `n` rows with `k` bad ones cost about `k log n` attempts, and none
 * more when all are good.
 */
export async function bisect<T>(rows: readonly T[], write: (slice: readonly T[]) => Promise<void>): Promise<BadRow[]> {
  const bad: BadRow[] = [];
  const attempt = async (from: number, to: number): Promise<void> => {
    try {
      await write(from === 0 && to === rows.length ? rows : rows.slice(from, to));
    } catch (error) {
      if (!(error instanceof OutsideError) || error.kind !== 'data') throw error;
      if (to - from === 1) {
        bad.push({ index: from, error });
        return;
      }
      const middle = (from + to) >> 1;
      await attempt(from, middle);
      await attempt(middle, to);
    }
  };
  if (rows.length > 0) await attempt(0, rows.length);
  return bad;
}
