import { type Flights, kindOf } from './flights.ts';
import type { Receiver } from './receiver.ts';
import type { SlotKind, Slots } from './slots.ts';

/** Those that found no place look again after so long, whatever happens. */
const LOOK_AGAIN = 20;

/** Endpoints that have something to send and found no place for an attempt. */
export class WaitingRoom {
  readonly #slots: Slots;
  readonly #flights: Flights;
  readonly #pump: (receiver: Receiver) => void;
  /** By the place that they wait for, those that answer first. */
  readonly #waiting: Record<SlotKind, Set<Receiver>> = {
    quick: new Set(),
    fresh: new Set(),
    late: new Set(),
    doubtful: new Set(),
    failing: new Set(),
  };
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(slots: Slots, flights: Flights, pump: (receiver: Receiver) => void) {
    this.#slots = slots;
    this.#flights = flights;
    this.#pump = pump;
  }

  add(receiver: Receiver): void {
    this.#waiting[kindOf(receiver)].add(receiver);
    this.#slots.areQuickWaiting = this.#waiting.quick.size > 0;
    this.#wind();
  }

  delete(receiver: Receiver): void {
    for (const waiting of Object.values(this.#waiting)) waiting.delete(receiver);
  }

  /** Gives places that have come free to those that found none. */
  callIn(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { quick, fresh, late, doubtful, failing } = this.#waiting;
    if (quick.size + late.size + doubtful.size > 0) this.#flights.giveUpPlaces(true);
    this.#callIn(quick, 'quick');
    this.#slots.areQuickWaiting = quick.size > 0;
    this.#callIn(fresh, 'fresh');
    this.#callIn(late, 'late');
    this.#callIn(doubtful, 'doubtful');
    this.#callIn(failing, 'failing');
    if (quick.size + fresh.size + late.size + doubtful.size + failing.size > 0) this.#wind();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #wind(): void {
    if (this.#isClosed) return;
    this.#timer ??= setTimeout(() => {
      this.#flights.look();
      this.callIn();
    }, LOOK_AGAIN);
  }

  #callIn(waiting: Set<Receiver>, kind: SlotKind): void {
    for (let left = waiting.size; left > 0 && this.#slots.hasRoom(kind); left--) {
      const [next] = waiting;
      if (!next) return;
      waiting.delete(next);
      this.#pump(next);
    }
  }
}
