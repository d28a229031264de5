/** From here on the API comes first, and from there on deliveries go at their slowest. */
const BUSY = 0.4;
const VERY_BUSY = 0.6;
/** A second. */
const SLOWEST = 50;
const QUICKEST = 4_000;
/** What may go at once after a pause, in seconds of the pace. */
const BURST = 0.05;
/** The API may be busy for hours: in so many seconds of it the pace doubles, so that what waits does not wait for its end. */
const DOUBLES_IN = 10;
/** In milliseconds. When nothing asked for so long, nothing waited. */
const NOBODY_WAITED = 1_000;

/** Whether the API needs what deliveries would take. */
export function isBusy(busy: number): boolean {
  return busy > BUSY;
}

/**
 * How many deliveries may begin in a second while the main thread is so busy (0 to 1), and when some were held back for so many seconds: any
 * number when it has time.
 */
export function paceAt(busy: number, seconds = 0): number {
  if (!isBusy(busy)) return Number.POSITIVE_INFINITY;
  const share = Math.min(1, (busy - BUSY) / (VERY_BUSY - BUSY));
  return Math.min(QUICKEST, QUICKEST * (SLOWEST / QUICKEST) ** share * 2 ** (seconds / DOUBLES_IN));
}

/** Lets deliveries begin at a pace that leaves the processors to the API when it needs them. What waits meanwhile follows afterwards. */
export class Pace {
  readonly #busy: () => number;
  readonly #now: () => number;
  #left = 0;
  #at = 0;
  #heldBackSince: number;

  constructor(busy: () => number, now: () => number = () => performance.now()) {
    this.#busy = busy;
    this.#now = now;
    this.#heldBackSince = now();
  }

  /** Whether one more may begin now. */
  allows(): boolean {
    const now = this.#now();
    const passed = now - this.#at;
    this.#at = now;
    if (passed > NOBODY_WAITED) this.#heldBackSince = now;
    const pace = paceAt(this.#busy(), (now - this.#heldBackSince) / 1000);
    if (pace === Number.POSITIVE_INFINITY) {
      this.#left = 1;
      this.#heldBackSince = now;
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
