import type { Pace } from './pace.ts';

/**
 * Who may take a place: `quick` is for endpoints that answer, `doubtful` for those that have an attempt under way that takes long, `untrusted` for those that have
 * not answered well yet, or only fail.
 */
export type SlotKind = 'quick' | 'doubtful' | 'untrusted';

/** One attempt that is under way. */
export interface Slot {
  kind: SlotKind | 'slow';
}

interface SlotLimits {
  quick: number;
  /** Few, as what hangs needs a connection of its own: hundreds at once are more than a receiver takes, and those of others would wait for theirs. */
  doubtful: number;
  untrusted: number;
  all: number;
}

const LIMITS: SlotLimits = { quick: 256, doubtful: 64, untrusted: 128, all: 4096 };

/**
 * How many attempts may be under way in all. Endpoints that hang must not take the places of those that answer: who is not trusted has few places, and
 * what takes long is counted apart.
 */
export class Slots {
  readonly #pace: Pace;
  readonly #limits: SlotLimits;
  readonly #taken: Record<Slot['kind'], number> = { quick: 0, doubtful: 0, untrusted: 0, slow: 0 };

  constructor(pace: Pace, limits: SlotLimits = LIMITS) {
    this.#pace = pace;
    this.#limits = limits;
  }

  get taken(): number {
    const { quick, doubtful, untrusted, slow } = this.#taken;
    return quick + doubtful + untrusted + slow;
  }

  hasRoom(kind: SlotKind): boolean {
    // When it gets narrow, an endpoint that hangs takes no more.
    const most = kind === 'doubtful' ? this.#limits.all / 2 : this.#limits.all;
    return this.taken < most && this.#taken[kind] < this.#limits[kind] && this.#pace.allows();
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
    if (slot.kind === 'untrusted') return;
    this.#taken[slot.kind]--;
    this.#taken.slow++;
    slot.kind = 'slow';
  }

  giveBack({ kind }: Slot): void {
    this.#taken[kind]--;
  }
}
