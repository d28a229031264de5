import type { Pace } from './pace.ts';

/** Whose place it is: `quick` of endpoints that answer, `slow` of those that have an attempt under way that takes long, `untrusted` of those that have not answered well yet, or only fail. */
export type SlotKind = 'quick' | 'slow' | 'untrusted';

/** One attempt that is under way. */
export interface Slot {
  kind: SlotKind;
}

interface SlotLimits {
  quick: number;
  /** An endpoint that hangs takes no more when so many are under way in all. */
  slow: number;
  untrusted: number;
  all: number;
}

const LIMITS: SlotLimits = { quick: 256, slow: 2048, untrusted: 128, all: 4096 };

/**
 * How many attempts may be under way in all. Endpoints that hang must not take the places of those that answer: who is not trusted has few places, and
 * what takes long is counted apart.
 */
export class Slots {
  readonly #pace: Pace;
  readonly #limits: SlotLimits;
  readonly #taken: Record<SlotKind, number> = { quick: 0, slow: 0, untrusted: 0 };

  constructor(pace: Pace, limits: SlotLimits = LIMITS) {
    this.#pace = pace;
    this.#limits = limits;
  }

  get taken(): number {
    const { quick, slow, untrusted } = this.#taken;
    return quick + slow + untrusted;
  }

  hasRoom(kind: SlotKind): boolean {
    const { taken } = this;
    return taken < this.#limits.all && (kind === 'slow' ? taken : this.#taken[kind]) < this.#limits[kind] && this.#pace.allows();
  }

  /** A place for an attempt; undefined when there is none now. */
  take(kind: SlotKind): Slot | undefined {
    if (!this.hasRoom(kind)) return undefined;
    this.#pace.begin();
    this.#taken[kind]++;
    return { kind };
  }

  /** It takes long, and leaves its place to another. Those who are not trusted keep theirs. */
  becomesSlow(slot: Slot): void {
    if (slot.kind !== 'quick') return;
    this.#taken.quick--;
    this.#taken.slow++;
    slot.kind = 'slow';
  }

  giveBack({ kind }: Slot): void {
    this.#taken[kind]--;
  }
}
