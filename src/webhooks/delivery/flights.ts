import type { Receiver } from './receiver.ts';
import type { Slot, SlotKind, Slots } from './slots.ts';

/** An attempt that takes so long, in milliseconds, does not hold up others any more. */
const SLOW = 1_000;
/** While others wait for its place, it takes long sooner: after so many times of what answers take just now, and not before this. */
const TIMES_USUAL = 4;
const SOONEST = 100;
/** By what each answer moves what is usual: up when it took longer, down when not. So the median is followed, and a few that are slow change nothing. */
const STEP = 1.05;
/**
 * When others wait for a place and no answer came between so many looks in a row, those that have the places wait for something that is not our doing: others begin
 * meanwhile. Looks are counted, not time: answers may have come that we had no time to take.
 */
const LOOKS_IN_VAIN = 2;

/** An attempt that is under way. */
export interface Flight {
  readonly receiver: Receiver;
  readonly slot: Slot;
  readonly since: number;
}

/** What places depend on. */
type Fares = Pick<Receiver, 'slow'> & { lane: Pick<Receiver['lane'], 'standing'> };

/** Which place an attempt of this endpoint takes. */
export function kindOf({ lane: { standing }, slow }: Fares): SlotKind {
  if (standing === 'good') return slow > 0 ? 'late' : 'quick';
  return standing;
}

/** The attempts that are under way. Those that take long give their places up, the sooner when others wait for them. */
export class Flights {
  readonly #slots: Slots;
  readonly #steady: () => number;
  /** Those that have their places, and those that gave them up and do not take long yet; the oldest first. There are few, however many hang. */
  readonly #placed = new Set<Flight>();
  readonly #parked = new Set<Flight>();
  /** Milliseconds until an answer. */
  #usual = SOONEST / TIMES_USUAL;
  #looks = 0;
  #size = 0;

  constructor(slots: Slots, steady: () => number) {
    this.#slots = slots;
    this.#steady = steady;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Whether it has answered nothing for so long that it must be expected to hang: nothing more is begun until what is under way is over. An endpoint that always takes
   * its time is given more of it.
   */
  isMute({ slow, quietSince, answerTime }: Pick<Receiver, 'slow' | 'quietSince' | 'answerTime'>): boolean {
    return slow > 0 && this.#steady() - quietSince > Math.max(SLOW, TIMES_USUAL * answerTime);
  }

  /** Undefined when there is no place for it now. */
  begin(receiver: Receiver): Flight | undefined {
    const slot = this.#slots.take(kindOf(receiver));
    if (!slot) return undefined;
    const flight = { receiver, slot, since: this.#steady() };
    if (receiver.underWay++ === 0) receiver.quietSince = flight.since;
    this.#placed.add(flight);
    this.#size++;
    return flight;
  }

  /** It is over. With `isAnswered`, it tells what is usual. */
  end(flight: Flight, isAnswered: boolean): void {
    const { receiver, slot, since } = flight;
    const now = this.#steady();
    this.#size--;
    this.#slots.giveBack(slot);
    if (!this.#placed.delete(flight) && !this.#parked.delete(flight)) receiver.slow--;
    receiver.underWay--;
    receiver.quietSince = now;
    if (!isAnswered) return;
    this.#looks = 0;
    receiver.answerTime = now - since;
    this.#usual = Math.min(SLOW, Math.max(1, now - since > this.#usual ? this.#usual * STEP : this.#usual / STEP));
  }

  /** The places were looked at while others waited for them, in a turn of the loop of its own. */
  look(): void {
    this.#looks++;
  }

  /** Lets those that take long by now give their places up. */
  giveUpPlaces(areOthersWaiting: boolean): void {
    const patience = areOthersWaiting ? Math.min(SLOW, Math.max(SOONEST, TIMES_USUAL * this.#usual)) : SLOW;
    const now = this.#steady();
    for (const flight of this.#parked) {
      if (now - flight.since < patience) break;
      this.#parked.delete(flight);
      flight.receiver.slow++;
    }
    const isStalled = areOthersWaiting && this.#looks >= LOOKS_IN_VAIN;
    if (isStalled) this.#looks = 0;
    for (const flight of this.#placed) {
      const isSlow = now - flight.since >= patience;
      if (!isSlow && !isStalled) return;
      if (!isSlow && flight.slot.kind !== 'quick') continue;
      this.#placed.delete(flight);
      this.#slots.becomesSlow(flight.slot);
      if (isSlow) flight.receiver.slow++;
      else this.#parked.add(flight);
    }
  }
}
