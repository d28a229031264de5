/** Steps (see `engine/expression/work.ts`) that the conditions of one owner have in a second: about a fifth of the thread's time. */
const PER_SECOND = 20_000_000;
/** What may be spent at once after a pause. All others wait meanwhile. */
const MOST = 20_000_000;
/** Who has nothing left goes on with so much, and not with each step anew: to begin again means to read a page of the feed. */
const ENOUGH = 4_000_000;

/** What the conditions of one owner may cost. Nothing is dropped when it is used up: what is to be computed is computed later. */
export class Account {
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

  #fill(): void {
    const now = this.#now();
    this.#left = Math.min(MOST, this.#left + ((now - this.#at) * PER_SECOND) / 1000);
    this.#at = now;
  }
}

/** The accounts of all owners that have an endpoint with a condition. */
export class Accounts {
  readonly #now: () => number;
  // Owners come and go; an account is kept as long as a condition spends from it.
  readonly #known = new Map<string, WeakRef<Account>>();
  readonly #gone = new FinalizationRegistry<string>((owner) => {
    if (!this.#known.get(owner)?.deref()) this.#known.delete(owner);
  });

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  of(owner: string): Account {
    const known = this.#known.get(owner)?.deref();
    if (known) return known;
    const account = new Account(this.#now);
    this.#known.set(owner, new WeakRef(account));
    this.#gone.register(account, owner);
    return account;
  }
}
