export interface FairQueueOptions {
  /** How many may have a place at the same time. */
  places: number;
  /** How many of them one owner may have. */
  perOwner: number;
  /** How many of them are left for those with privileges. */
  reserved: number;
  /** How many of one owner may wait; one more is refused at once. */
  waiting: number;
}

/** Who wants a place: with privileges all of them, and before all others. */
export interface Claimant {
  readonly owner: string;
  readonly isPrivileged: boolean;
}

interface Waiting extends Claimant {
  readonly admit: () => void;
}

const LONGEST_TIMER = 2 ** 31 - 1;

/** Places that owners share, so that nobody can have them all. Of those who wait, whose owner has the fewest goes first. */
export class FairQueue {
  readonly #options: FairQueueOptions;
  readonly #held = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();
  #taken = 0;
  /** Of those without privileges. */
  #common = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  /** A place; the answer gives it back. Undefined when none has come free until the deadline (of `performance.now()`), or too many wait already. */
  async take(claimant: Claimant, deadline: number): Promise<(() => void) | undefined> {
    if (this.#isFree(claimant)) return this.#hold(claimant);
    const patience = deadline - performance.now();
    if (patience <= 0 || (!claimant.isPrivileged && this.#waitingOf(claimant.owner) >= this.#options.waiting)) return undefined;
    return new Promise((resolve) => {
      const waiting: Waiting = {
        ...claimant,
        admit: () => {
          clearTimeout(timer);
          this.#waiting.delete(waiting);
          resolve(this.#hold(claimant));
        },
      };
      const giveUp = (): void => {
        this.#waiting.delete(waiting);
        resolve(undefined);
      };
      const timer = setTimeout(giveUp, Math.min(patience, LONGEST_TIMER));
      this.#waiting.add(waiting);
    });
  }

  #isFree({ owner, isPrivileged }: Claimant): boolean {
    const { places, perOwner, reserved } = this.#options;
    if (this.#taken >= places) return false;
    return isPrivileged || (this.#common < places - reserved && this.#heldBy(owner) < perOwner);
  }

  #hold({ owner, isPrivileged }: Claimant): () => void {
    const count = (by: number): void => {
      this.#taken += by;
      if (!isPrivileged) this.#common += by;
      const held = this.#heldBy(owner) + by;
      if (held > 0) this.#held.set(owner, held);
      else this.#held.delete(owner);
    };
    count(1);
    return () => {
      count(-1);
      this.#admitNext();
    };
  }

  #admitNext(): void {
    let next: Waiting | undefined;
    for (const one of this.#waiting) if (this.#isFree(one) && (!next || this.#comesBefore(one, next))) next = one;
    next?.admit();
  }

  #comesBefore(one: Claimant, other: Claimant): boolean {
    if (one.isPrivileged !== other.isPrivileged) return one.isPrivileged;
    return this.#heldBy(one.owner) < this.#heldBy(other.owner);
  }

  #heldBy(owner: string): number {
    return this.#held.get(owner) ?? 0;
  }

  #waitingOf(owner: string): number {
    let count = 0;
    for (const one of this.#waiting) if (one.owner === owner) count++;
    return count;
  }
}
