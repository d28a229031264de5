/** From here on the API comes first, and from there on deliveries go at their slowest. */
const BUSY = 0.4;
const VERY_BUSY = 0.6;
/** A second. */
const SLOWEST = 50;
const QUICKEST = 4_000;
/** What may go at once after a pause, in seconds of the pace. */
const BURST = 0.05;

/** How many deliveries may begin in a second while the main thread is so busy (0 to 1): any number when it has time. */
export function paceAt(busy: number): number {
  if (busy <= BUSY) return Number.POSITIVE_INFINITY;
  const share = Math.min(1, (busy - BUSY) / (VERY_BUSY - BUSY));
  return QUICKEST * (SLOWEST / QUICKEST) ** share;
}

/** Lets deliveries begin at a pace that leaves the processors to the API when it needs them. What waits meanwhile follows afterwards. */
export class Pace {
  readonly #busy: () => number;
  readonly #now: () => number;
  #left = 0;
  #at = 0;

  constructor(busy: () => number, now: () => number = () => performance.now()) {
    this.#busy = busy;
    this.#now = now;
  }

  /** Whether one more may begin now. */
  allows(): boolean {
    const pace = paceAt(this.#busy());
    const now = this.#now();
    const passed = now - this.#at;
    this.#at = now;
    if (pace === Number.POSITIVE_INFINITY) {
      this.#left = 1;
      return true;
    }
    this.#left = Math.min(1 + pace * BURST, this.#left + (passed * pace) / 1000);
    return this.#left >= 1;
  }

  /** One has begun. */
  begin(): void {
    this.#left--;
  }
}
