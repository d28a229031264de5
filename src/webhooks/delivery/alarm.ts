import { Heap } from './heap.ts';

/** Something that is to be looked at at a time. */
export interface Sleeper {
  /** When it is looked at next; infinite when it sleeps. */
  wakeAt: number;
}

/** A timer may be wrong after a while, as the clock is set. */
const LONGEST = 60_000;

/** One timer for many that sleep. */
export class Alarm<One extends Sleeper> {
  readonly #times = new Heap<One>();
  readonly #now: () => number;
  readonly #wake: (one: One) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(now: () => number, wake: (one: One) => void) {
    this.#now = now;
    this.#wake = wake;
  }

  set(one: One, at: number): void {
    const now = this.#now();
    // It is woken before then anyway.
    if (one.wakeAt <= at && one.wakeAt > now) return;
    one.wakeAt = at;
    this.#times.push(at, one);
    if (this.#times.peek()?.thing === one) this.#wind(now);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#times.clear();
  }

  #wind(now: number): void {
    clearTimeout(this.#timer);
    const next = this.#times.peek();
    if (next) this.#timer = setTimeout(() => this.#ring(), Math.min(Math.max(0, next.at - now), LONGEST));
  }

  #ring(): void {
    const now = this.#now();
    for (let next = this.#times.peek(); next && next.at <= now; next = this.#times.peek()) {
      this.#times.pop();
      const { thing: one } = next;
      if (one.wakeAt !== next.at) continue;
      one.wakeAt = Number.POSITIVE_INFINITY;
      this.#wake(one);
    }
    this.#wind(now);
  }
}
