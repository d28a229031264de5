import type { Logger } from '../lib/log.ts';

/** Work that is done again and again, never twice at the same time. */
export interface Pulse {
  /** Does it now; when it is under way, once more right after. */
  readonly wake: () => void;
  /** Resolves when the work that is under way is done; there will be no more. */
  readonly stop: () => Promise<void>;
}

export interface PulseOptions {
  /** In words, for the log. */
  name: string;
  /** Does the work; may answer in how many milliseconds it wants to be done again, when that is sooner than usual. */
  work: () => Promise<number | void>;
  /** Milliseconds between two times, at most. */
  interval: number;
  log: Logger;
}

/** After a failure it is left alone for a moment, as what failed is mostly the database. */
const AFTER_FAILURE = 1000;

/** Starts at once. A failure is told of when it begins and when it is over, and stops nothing. */
export function startPulse({ name, work, interval, log }: PulseOptions): Pulse {
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<void> | undefined;
  let again = false;
  let stopped = false;
  let failing = false;

  const beat = async (): Promise<void> => {
    let delay: number;
    try {
      again = false;
      delay = Math.min(interval, (await work()) ?? interval);
      if (failing) log.info({ work: name }, 'works again');
      failing = false;
    } catch (error) {
      if (!failing) log.warn({ work: name, err: error }, 'failed; it is tried again until it works');
      failing = true;
      again = false;
      delay = Math.max(interval, AFTER_FAILURE);
    }
    underWay = undefined;
    if (!stopped) timer = setTimeout(start, again ? 0 : Math.max(0, delay)).unref();
  };
  const start = (): void => {
    clearTimeout(timer);
    underWay = beat();
  };
  start();
  return {
    wake: () => {
      again = true;
      if (!stopped && !underWay) start();
    },
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await underWay;
    },
  };
}
