import type { Pace } from './pace.ts';

/**
 * Who may take a place: `quick` is for endpoints that answer, `fresh` for those that were never tried, `late` for those that answer and have an attempt under way
 * that takes long, `doubtful` for those whose last attempt failed, `failing` for those that only fail.
 */
export type SlotKind = 'quick' | 'fresh' | 'late' | 'doubtful' | 'failing';

/** One attempt that is under way. */
export interface Slot {
  kind: SlotKind | 'slow';
}

interface SlotLimits {
  quick: number;
  fresh: number;
  /** Few, as what hangs needs a connection of its own: hundreds at once are more than a receiver takes, and those of others would wait for theirs. */
  late: number;
  doubtful: number;
  failing: number;
  all: number;
}

const LIMITS: SlotLimits = { quick: 256, fresh: 128, late: 64, doubtful: 64, failing: 128, all: 4096 };
/**
 * While endpoints that answer wait for a place, others may begin one attempt for so many of theirs. A failure takes the processor several times as long as an answer
 * over a connection that is there already.
 */
const SHARES = { late: 16, doubtful: 64, failing: 64 } as const;
type Suspect = keyof typeof SHARES;
const SUSPECTS = Object.keys(SHARES) as Suspect[];
/** What each kind has to its credit at most, in attempts of those that answer. */
const MOST_CREDIT = 256;

/**
 * How many attempts may be under way in all. Endpoints that fail or hang must not take the places, nor the processor, of those that answer: they have few places of
 * their own and a small share of what is begun, and what takes long is counted apart.
 */
export class Slots {
  readonly #pace: Pace;
  readonly #limits: SlotLimits;
  readonly #taken: Record<Slot['kind'], number> = { quick: 0, fresh: 0, late: 0, doubtful: 0, failing: 0, slow: 0 };
  readonly #credit: Record<Suspect, number> = { late: MOST_CREDIT, doubtful: MOST_CREDIT, failing: MOST_CREDIT };
  /** Whether endpoints that answer wait for a place. */
  areQuickWaiting = false;

  constructor(pace: Pace, limits: SlotLimits = LIMITS) {
    this.#pace = pace;
    this.#limits = limits;
  }

  get taken(): number {
    const { quick, fresh, late, doubtful, failing, slow } = this.#taken;
    return quick + fresh + late + doubtful + failing + slow;
  }

  hasRoom(kind: SlotKind): boolean {
    // When it gets narrow, an endpoint that hangs takes no more.
    const most = kind === 'late' || kind === 'doubtful' ? this.#limits.all / 2 : this.#limits.all;
    if (this.areQuickWaiting && isSuspect(kind) && this.#credit[kind] < SHARES[kind]) return false;
    return this.#taken[kind] < this.#limits[kind] && this.taken < most && this.#pace.allows();
  }

  /** A place for an attempt; undefined when there is none now. */
  take(kind: SlotKind): Slot | undefined {
    if (!this.hasRoom(kind)) return undefined;
    this.#pace.begin();
    this.#taken[kind]++;
    if (!isSuspect(kind)) for (const one of SUSPECTS) this.#credit[one] = Math.min(MOST_CREDIT, this.#credit[one] + 1);
    else if (this.areQuickWaiting) this.#credit[kind] -= SHARES[kind];
    return { kind };
  }

  /** It takes long, and leaves its place to another. Those that were never tried or only fail keep theirs: so there are never many of them. */
  becomesSlow(slot: Slot): void {
    if (slot.kind === 'fresh' || slot.kind === 'failing') return;
    this.#taken[slot.kind]--;
    this.#taken.slow++;
    slot.kind = 'slow';
  }

  giveBack({ kind }: Slot): void {
    this.#taken[kind]--;
  }
}

function isSuspect(kind: SlotKind): kind is Suspect {
  return kind in SHARES;
}
