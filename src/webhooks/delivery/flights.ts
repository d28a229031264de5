import type { Receiver } from './receiver.ts';
import type { Slot, SlotKind, Slots } from './slots.ts';

/** An attempt that takes so long, in milliseconds, does not hold up others any more. */
const SLOW = 1_000;
/** While others wait for its place, it takes long sooner: after so many times of what answers take just now, and not before this. */
const TIMES_USUAL = 4;
const SOONEST = 100;
/** By what each answer moves what is usual: up when it took longer, down when not. So the median is followed, and a few that are slow change nothing. */
const STEP = 1.05;

/** An attempt that is under way. */
export interface Flight {
  readonly receiver: Receiver;
  readonly slot: Slot;
  readonly since: number;
}

/** Which place an attempt of this endpoint takes. */
export function kindOf({ lane, slow }: Pick<Receiver, 'slow'> & { lane: Pick<Receiver['lane'], 'isTrusted'> }): SlotKind {
  if (!lane.isTrusted) return 'untrusted';
  return slow > 0 ? 'doubtful' : 'quick';
}

/** The attempts that are under way. Those that take long give their places up, the sooner when others wait for them. */
export class Flights {
  readonly #slots: Slots;
  readonly #steady: () => number;
  /** Those that do not take long yet, the oldest first: there are few, however many hang. */
  readonly #young = new Set<Flight>();
  /** Milliseconds until an answer. */
  #usual = SOONEST / TIMES_USUAL;
  #size = 0;

  constructor(slots: Slots, steady: () => number) {
    this.#slots = slots;
    this.#steady = steady;
  }

  get size(): number {
    return this.#size;
  }

  /** Undefined when there is no place for it now. */
  begin(receiver: Receiver): Flight | undefined {
    const slot = this.#slots.take(kindOf(receiver));
    if (!slot) return undefined;
    const flight = { receiver, slot, since: this.#steady() };
    this.#young.add(flight);
    this.#size++;
    return flight;
  }

  /** It is over. With `isAnswered`, it tells what is usual. */
  end(flight: Flight, isAnswered: boolean): void {
    this.#size--;
    this.#slots.giveBack(flight.slot);
    if (!this.#young.delete(flight)) flight.receiver.slow--;
    if (!isAnswered) return;
    const isLonger = this.#steady() - flight.since > this.#usual;
    this.#usual = Math.min(SLOW, Math.max(1, isLonger ? this.#usual * STEP : this.#usual / STEP));
  }

  /** Lets those that take long by now give their places up. */
  giveUpPlaces(areOthersWaiting: boolean): void {
    const patience = areOthersWaiting ? Math.min(SLOW, Math.max(SOONEST, TIMES_USUAL * this.#usual)) : SLOW;
    const now = this.#steady();
    for (const flight of this.#young) {
      if (now - flight.since < patience) return;
      this.#young.delete(flight);
      this.#slots.becomesSlow(flight.slot);
      flight.receiver.slow++;
    }
  }
}
