import { setTimeout as pause } from 'node:timers/promises';
import { aborted } from '../../../outside/errors.ts';

/** The time, and waiting: a test has another. */
export interface WaitingClock {
  /** Milliseconds since 1970. */
  now(): number;
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export const realClock: WaitingClock = {
  now: () => Date.now(),
  sleep: async (milliseconds, signal) => {
    try {
      await pause(milliseconds, undefined, { signal });
    } catch {
      throw aborted();
    }
  },
};
