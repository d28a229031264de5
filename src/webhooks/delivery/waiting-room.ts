import type { Receiver } from './receiver.ts';
import type { Slots } from './slots.ts';

/** Those that found no place look again after so long, whatever happens. */
const LOOK_AGAIN = 20;

/** Endpoints that have something to send and found no place for an attempt. */
export class WaitingRoom {
  readonly #slots: Slots;
  readonly #pump: (receiver: Receiver) => void;
  readonly #trusted = new Set<Receiver>();
  readonly #others = new Set<Receiver>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(slots: Slots, pump: (receiver: Receiver) => void) {
    this.#slots = slots;
    this.#pump = pump;
  }

  add(receiver: Receiver): void {
    (receiver.lane.isTrusted ? this.#trusted : this.#others).add(receiver);
    this.#wind();
  }

  delete(receiver: Receiver): void {
    this.#trusted.delete(receiver);
    this.#others.delete(receiver);
  }

  /** Gives places that have come free to those that found none. */
  callIn(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#callIn(this.#trusted, true);
    this.#callIn(this.#others, false);
    if (this.#trusted.size + this.#others.size > 0) this.#wind();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #wind(): void {
    if (!this.#isClosed) this.#timer ??= setTimeout(() => this.callIn(), LOOK_AGAIN);
  }

  #callIn(waiting: Set<Receiver>, areTrusted: boolean): void {
    for (let left = waiting.size; left > 0 && this.#slots.hasRoom(areTrusted); left--) {
      const [next] = waiting;
      if (!next) return;
      waiting.delete(next);
      this.#pump(next);
    }
  }
}
