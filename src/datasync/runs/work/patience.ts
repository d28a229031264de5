import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../../lib/errors.ts';

/** A database that is away for a moment, such as for a restart, fails no run. */
export const PATIENCE = 10_000;
const PAUSE = 500;

/** Tries again while our own database is away, for so many milliseconds. The work must be the same when it is done twice. */
export async function patiently<Result>(limit: () => number, work: () => Promise<Result>): Promise<Result> {
  const started = performance.now();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isAway = error instanceof AppError && error.code === 'UNAVAILABLE';
      if (!isAway || performance.now() - started >= limit()) throw error;
      await sleep(PAUSE);
    }
  }
}
