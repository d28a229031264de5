import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from '../../contract.ts';
import { aborted } from '../../../outside/errors.ts';

const MAX_ATTEMPTS = 5;
/** Seconds. Who says that we ask too often gets more time than who stumbles. */
const FIRST_WAIT = { throttled: 1, failed: 0.2 } as const;
const GROWTH = { throttled: 2, failed: 3 } as const;
/** After so many seconds, a person who looks at a run wants to know why it stands still. */
const WORTH_TELLING = 5;

/** How often and how long one request is tried again. */
export class Patience {
  readonly #most: number;
  readonly #signal: AbortSignal;
  readonly #tell: Context['tell'];
  readonly #started = performance.now();
  #attempts = 1;

  /** `most`: seconds in all, those included in which the API let us wait in vain. */
  constructor(most: number, signal: AbortSignal, tell?: Context['tell']) {
    this.#most = most;
    this.#signal = signal;
    this.#tell = tell;
  }

  /** Whether it may be tried once more, after the wait that the API asks for or, where it asks for none, one of our own. */
  allows(wanted: number | undefined, isThrottled: boolean): boolean {
    const gone = (performance.now() - this.#started) / 1000;
    return this.#most > 0 && this.#attempts < MAX_ATTEMPTS && gone + (wanted ?? this.#own(isThrottled)) <= this.#most;
  }

  async wait(wanted: number | undefined, isThrottled: boolean, why = 'the API asks for it'): Promise<void> {
    // Many who failed at the same moment do not come back at the same moment.
    const seconds = wanted ?? this.#own(isThrottled) * (0.5 + Math.random() / 2);
    this.#attempts++;
    if (seconds >= WORTH_TELLING) this.#tell?.('info', `Waits ${Math.ceil(seconds)} s and asks again: ${why}`);
    await sleep(seconds * 1000, this.#signal);
  }

  #own(isThrottled: boolean): number {
    const kind = isThrottled ? 'throttled' : 'failed';
    return FIRST_WAIT[kind] * GROWTH[kind] ** (this.#attempts - 1);
  }
}

/** Waits, unless it is all over. */
export async function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await pause(milliseconds, undefined, { signal });
  } catch {
    throw aborted();
  }
}
