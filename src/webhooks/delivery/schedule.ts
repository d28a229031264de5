const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** When deliveries are tried, and when we stop. Milliseconds. Tests turn it faster. */
export interface Timing {
  /** How long after an attempt that failed the next one comes. There is one attempt more than there are entries. */
  readonly delays: readonly number[];
  /** For one attempt in all. */
  readonly timeout: number;
  /** How long an endpoint that only fails is left alone between two probes: at first, and at most. */
  readonly probe: { readonly first: number; readonly most: number };
  /** An endpoint that has failed for so long without a success is paused. */
  readonly pauseAfter: number;
  /** How long a receiver may ask us to wait. */
  readonly mostRetryAfter: number;
  /** How long a node that is not heard of keeps the duty; without, the usual. */
  readonly lease?: number;
}

/** As Standard Webhooks has it: ten attempts, at once and then over 75 hours. */
export const TIMING: Timing = {
  delays: [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR],
  timeout: 15 * SECOND,
  probe: { first: 5 * SECOND, most: 5 * MINUTE },
  pauseAfter: 5 * 24 * HOUR,
  mostRetryAfter: 24 * HOUR,
};

/** So many failures in a row, and the endpoint is only probed. */
export const FAILURES_THAT_OPEN = 5;

const JITTER = 0.1;
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d\d:\d\d:\d\d/;

/** Times that are not the same for all, so that what failed together does not come back together. `chance` is 0 to 1. */
function spread(delay: number, chance: number): number {
  return Math.round(delay * (1 - JITTER + 2 * JITTER * chance));
}

/** When to try again after this many attempts; undefined when that was the last. Never before the receiver wants it, as long as that is within reason. */
export function nextAttemptAt(timing: Timing, attempts: number, now: number, retryAfter: number, chance: number): number | undefined {
  const delay = timing.delays[attempts - 1];
  if (delay === undefined) return undefined;
  return now + Math.max(spread(delay, chance), boundedRetryAfter(timing, retryAfter));
}

/** When an endpoint that has failed so many times in a row may be probed; undefined when it is not that bad. */
export function nextProbeAt(timing: Timing, failures: number, now: number, chance: number): number | undefined {
  if (failures < FAILURES_THAT_OPEN) return undefined;
  const { first, most } = timing.probe;
  return now + spread(Math.min(most, first * 2 ** Math.min(30, failures - FAILURES_THAT_OPEN)), chance);
}

export function boundedRetryAfter(timing: Timing, retryAfter: number): number {
  return Math.min(Math.max(0, retryAfter), timing.mostRetryAfter);
}

/** What a Retry-After header asks for, in milliseconds from now: seconds or a date. 0 when there is none that can be understood. */
export function retryAfterOf(header: string | undefined, now: number): number {
  if (header === undefined) return 0;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Math.min(Number(text), Number.MAX_SAFE_INTEGER / SECOND) * SECOND;
  // Other words would be taken for a date, too: "try in May 2030".
  const at = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? 0 : Math.max(0, at - now);
}
