import type { Outcome } from './parcel.ts';
import { boundedRetryAfter, FAILURES_THAT_OPEN, nextProbeAt, type Timing } from './schedule.ts';

/** What is kept of how an endpoint fares. Times are milliseconds; 0 for none. */
export interface CircuitState {
  /** Attempts in a row that failed. */
  failures: number;
  failingSince: number;
  /** Nothing is sent before. */
  tryAt: number;
  lastDeliveredAt: number;
}

/** Why nothing more is sent to an endpoint until a person resumes it. */
export interface Turn {
  readonly status: 'paused' | 'disabled';
  readonly reason: string;
}

/** `fresh`: it was never tried. `doubtful`: it has answered well, and the last attempt failed. `failing`: it never answered well, or only fails. */
export type Standing = 'fresh' | 'good' | 'doubtful' | 'failing';

/** How an endpoint fares: whether it answers, only fails and is probed, or has asked for time. It is pure, like the lane that asks it. */
export class Circuit {
  readonly #state: CircuitState;
  readonly #timing: Timing;
  readonly #random: () => number;
  /** Until when the receiver wants nothing. A success of an attempt that was under way when it said so changes nothing. */
  #askedUntil = 0;

  constructor({ failures, failingSince, tryAt, lastDeliveredAt }: CircuitState, timing: Timing, random: () => number) {
    this.#state = { failures, failingSince, tryAt, lastDeliveredAt };
    this.#timing = timing;
    this.#random = random;
  }

  get state(): CircuitState {
    return { ...this.#state };
  }
  get tryAt(): number {
    return this.#state.tryAt;
  }
  /** Whether it only fails, and is probed by one message at a time. */
  get isOpen(): boolean {
    return this.#state.failures >= FAILURES_THAT_OPEN;
  }
  /** Whether it has answered well, and not only failed since. */
  get isTrusted(): boolean {
    return !this.isOpen && this.#state.lastDeliveredAt > 0;
  }

  get standing(): Standing {
    const { failures, lastDeliveredAt } = this.#state;
    if (failures === 0) return lastDeliveredAt > 0 ? 'good' : 'fresh';
    return this.isTrusted ? 'doubtful' : 'failing';
  }

  /** A person wants it to be tried now, whatever the receiver has asked for. */
  hurry(): void {
    this.#state.tryAt = 0;
    this.#askedUntil = 0;
  }

  succeeded(now: number): void {
    const tryAt = this.#askedUntil > now ? this.#askedUntil : 0;
    Object.assign(this.#state, { failures: 0, failingSince: 0, tryAt, lastDeliveredAt: now });
  }

  /** Answers why nothing more is to be sent, when that is so from now on. */
  failed(isProbe: boolean, outcome: Outcome, now: number): Turn | undefined {
    const state = this.#state;
    state.failingSince ||= now;
    // What was sent before the endpoint was known to be bad says nothing new.
    if (!this.isOpen || isProbe) state.failures++;
    const asked = outcome.holdsAll ? now + boundedRetryAfter(this.#timing, outcome.retryAfter) : 0;
    this.#askedUntil = Math.max(this.#askedUntil, asked);
    state.tryAt = Math.max(state.tryAt, asked, nextProbeAt(this.#timing, state.failures, now, this.#random()) ?? 0);
    if (outcome.isGone) return { status: 'disabled', reason: 'The receiver answered 410 Gone: it wants nothing more.' };
    if (now - state.failingSince < this.#timing.pauseAfter) return undefined;
    const since = new Date(state.failingSince).toISOString();
    return { status: 'paused', reason: `Every attempt has failed since ${since}. The last one: ${outcome.entry.error}` };
  }
}
