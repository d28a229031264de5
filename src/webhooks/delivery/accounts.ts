/** Steps (see `engine/expression/work.ts`) that the conditions of one owner have in a second: about a fifth of the thread's time. */
const PER_SECOND = 20_000_000;
/** What may be spent at once after a pause. All others wait meanwhile. */
const MOST = 20_000_000;
/** Who has nothing left goes on with so much, and not with each step anew: to begin again means to read a page of the feed. */
const ENOUGH = 4_000_000;

/** What the conditions of one owner may cost. Nothing is dropped when it is used up: what is to be computed is computed later. */
class Account {
  readonly #now: () => number;
  #left = MOST;
  #at: number;
  #isResting = false;

  constructor(now: () => number) {
    this.#now = now;
    this.#at = now();
  }

  spend(steps: number): void {
    this.#fill();
    this.#left -= steps;
    if (this.#left < 0) this.#isResting = true;
  }

  /** Milliseconds until there is enough again; 0 for now. */
  rest(): number {
    if (!this.#isResting) return 0;
    this.#fill();
    if (this.#left >= ENOUGH) this.#isResting = false;
    return this.#isResting ? Math.ceil(((ENOUGH - this.#left) * 1000) / PER_SECOND) : 0;
  }

  isFull(): boolean {
    this.#fill();
    return this.#left >= MOST;
  }

  #fill(): void {
    const now = this.#now();
    this.#left = Math.min(MOST, this.#left + ((now - this.#at) * PER_SECOND) / 1000);
    this.#at = now;
  }
}

/** When so many are known, those that are full are forgotten: it is as if they had never been used. */
const MANY = 1_000;

/** The accounts of all owners of conditions. */
export class Accounts {
  readonly #now: () => number;
  readonly #known = new Map<string, Account>();
  #tidyAt = MANY;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get size(): number {
    return this.#known.size;
  }

  spend(owner: string, steps: number): void {
    let account = this.#known.get(owner);
    if (!account) {
      if (this.#known.size >= this.#tidyAt) this.#tidy();
      this.#known.set(owner, (account = new Account(this.#now)));
    }
    account.spend(steps);
  }

  /** Milliseconds until the owner has enough again; 0 for now. */
  rest(owner: string): number {
    return this.#known.get(owner)?.rest() ?? 0;
  }

  #tidy(): void {
    for (const [owner, account] of this.#known) if (account.isFull()) this.#known.delete(owner);
    this.#tidyAt = Math.max(MANY, 2 * this.#known.size);
  }
}
