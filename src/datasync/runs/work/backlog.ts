/** A run that has been due for so long waits for room, or its job was lost. */
const OVERDUE = 1_000;

/** Runs that wait although their time has come, as far as this node knows. */
export class Backlog {
  #crowded = false;
  #overdue = true;

  /** Whether some were left out for want of room at their source. No job tells of them again, and they come before others. */
  get crowded(): boolean {
    return this.#crowded;
  }

  /** Whether some wait for longer than it takes to begin one. At the start there may be some that no job tells of. */
  get overdue(): boolean {
    return this.#overdue;
  }

  /** Runs that wait go first: a large one that is shared would otherwise keep all the others out. */
  get goesFirst(): boolean {
    return this.#crowded || this.#overdue;
  }

  leftOut(): void {
    this.#crowded = true;
  }

  /** How many milliseconds the first run in the queue has been due; undefined when none is. */
  look(dueFor: number | undefined): void {
    this.#overdue = dueFor !== undefined && dueFor >= OVERDUE;
    if (dueFor === undefined) this.#crowded = false;
  }
}
