import type { Pace } from './pace.ts';

/** One attempt that is under way. */
export interface Slot {
  readonly isTrusted: boolean;
  isSlow: boolean;
}

interface SlotLimits {
  /** Attempts that have begun within the last second. */
  quick: number;
  /** Those to endpoints that have not answered well yet, or only fail. */
  untrusted: number;
  all: number;
}

const LIMITS: SlotLimits = { quick: 256, untrusted: 128, all: 4096 };

/**
 * How many attempts may be under way in all. Endpoints that hang must not take the places of those that answer: who is not trusted has few places, and
 * what takes long is counted apart.
 */
export class Slots {
  readonly #limits: SlotLimits;
  #quick = 0;
  #untrusted = 0;
  #all = 0;

  readonly #pace: Pace;

  constructor(pace: Pace, limits: SlotLimits = LIMITS) {
    this.#pace = pace;
    this.#limits = limits;
  }

  get taken(): number {
    return this.#all;
  }

  hasRoom(isTrusted: boolean): boolean {
    const { quick, untrusted, all } = this.#limits;
    return this.#all < all && (isTrusted ? this.#quick < quick : this.#untrusted < untrusted) && this.#pace.allows();
  }

  /** A place for an attempt; undefined when there is none now. */
  take(isTrusted: boolean, hasSlow: boolean): Slot | undefined {
    // When it gets narrow, an endpoint that hangs takes no more.
    if (!this.hasRoom(isTrusted) || (hasSlow && this.#all >= this.#limits.all / 2)) return undefined;
    this.#pace.begin();
    this.#all++;
    if (isTrusted) this.#quick++;
    else this.#untrusted++;
    return { isTrusted, isSlow: false };
  }

  /** It takes long. */
  becomesSlow(slot: Slot): void {
    if (slot.isSlow) return;
    slot.isSlow = true;
    if (slot.isTrusted) this.#quick--;
  }

  giveBack(slot: Slot): void {
    this.#all--;
    if (!slot.isTrusted) this.#untrusted--;
    else if (!slot.isSlow) this.#quick--;
  }
}
