import { OutsideError } from '../../outside/errors.ts';
import { AppError } from '../../lib/errors.ts';

/** To a run our own database is one more system that may be away for a moment, and a source may have been deleted. */
export function asOutsideError(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  const isAway = error.code === 'UNAVAILABLE';
  return new OutsideError(isAway ? 'transient' : 'config', error.code, isAway ? `Syncline itself: ${error.message}` : error.message, {
    cause: error,
  });
}
