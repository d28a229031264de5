import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import type { Principal } from '../scopes.ts';

interface Bucket {
  tokens: number;
  filledAt: number;
}

// More callers than this and those that came first are forgotten, which only ever favours them.
const MAX_BUCKETS = 10_000;
const BURST_SECONDS = 2;

/** A token bucket for each caller on this node: so many requests a second, twice as many in a burst. */
export class RateLimiter {
  readonly #buckets = new Map<string, Bucket>();
  readonly #perSecond: number;
  readonly #clock: Clock;

  constructor(perSecond: number, clock: Clock = () => performance.now()) {
    this.#perSecond = perSecond;
    this.#clock = clock;
  }

  /** Counts a request; throws RATE_LIMITED when there have been too many. */
  take(principal: Principal): void {
    const rate = principal.rateLimit ?? this.#perSecond;
    if (rate === 0) return;
    const now = this.#clock();
    const bucket = this.#bucketOf(principal.id, rate, now);
    bucket.tokens = Math.min(rate * BURST_SECONDS, bucket.tokens + ((now - bucket.filledAt) / 1000) * rate);
    bucket.filledAt = now;
    if (bucket.tokens < 1) throw tooMany(rate, (1 - bucket.tokens) / rate);
    bucket.tokens--;
  }

  #bucketOf(id: string, rate: number, now: number): Bucket {
    const known = this.#buckets.get(id);
    if (known) return known;
    if (this.#buckets.size >= MAX_BUCKETS) this.#buckets.delete(this.#buckets.keys().next().value as string);
    const bucket = { tokens: rate * BURST_SECONDS, filledAt: now };
    this.#buckets.set(id, bucket);
    return bucket;
  }
}

function tooMany(rate: number, wait: number): AppError {
  const seconds = String(Math.max(1, Math.ceil(wait)));
  return new AppError(
    'RATE_LIMITED',
    `This key may send ${rate} requests a second. Wait ${seconds} s and go on more slowly.`,
    {
      reason: `more than ${rate} requests a second`,
    },
    {
      'retry-after': seconds,
      ratelimit: `"default";r=0;t=${seconds}`,
      'ratelimit-policy': `"default";q=${rate * BURST_SECONDS};w=${BURST_SECONDS}`,
    },
  );
}
