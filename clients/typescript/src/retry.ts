import { ApiError, ConnectionError, UnexpectedAnswerError } from './errors.ts';

const FIRST_WAIT = 250;
const LONGEST_WAIT = 10_000;

/** What is asked may be asked again: reading changes nothing, and what has a key, or says all of a thing, is done once. */
export interface Attempt {
  /** How many attempts there were before. */
  before: number;
  repeatable: boolean;
}

/** Milliseconds after which it is worth another try; undefined when it is not. */
export function waitFor(error: unknown, { before, repeatable }: Attempt, mostSeconds: number): number | undefined {
  const backoff = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** before) * (0.5 + Math.random() / 2);
  if (error instanceof ApiError) {
    // 429 is said before anything was done; after any other, that is not known.
    const isLater = error.status === 429 || (repeatable && error.status === 503);
    if (!isLater) return undefined;
    if (error.retryAfter === undefined) return backoff;
    return error.retryAfter <= mostSeconds ? error.retryAfter * 1000 : undefined;
  }
  if (!repeatable) return undefined;
  if (error instanceof ConnectionError) return backoff;
  return error instanceof UnexpectedAnswerError && [502, 503, 504].includes(error.status) ? backoff : undefined;
}

/** Waits, unless the signal says that nobody waits any more. */
export function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
