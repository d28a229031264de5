import { AppError, unavailable } from '../../lib/errors.ts';

/** A holder of something: a key, and the network that it is used from. */
export interface Holder {
  readonly key: string;
  readonly network: string;
  readonly isAdmin: boolean;
}

interface Supply {
  /** How much there is in all. */
  most: number;
  /** The parts of it that one key and one address may hold. */
  perKey: number;
  perAddress: number;
  /** What to say to a key and to an address that hold their share, and when all is taken. `most` is how much that is. */
  words: { key(most: number): string; address(most: number): string; all(most: number): string };
}

/** Whatever the others hold, administrators find so much of everything: they have to be able to mend it. */
const RESERVE = 0.1;

/**
 * Something that there is only so much of. One key or one address can never hold all of it, and all of them together leave
 * something for administrators, who have no share of their own: they are bound by the whole only.
 */
export class Shares {
  /** How much is held by all. */
  used = 0;
  readonly #supply: Supply;
  readonly #common: number;
  readonly #perKey: number;
  readonly #perAddress: number;
  /** How much is held by those who are no administrators. */
  #usedInCommon = 0;
  readonly #keys = new Map<string, number>();
  readonly #networks = new Map<string, number>();

  constructor(supply: Supply) {
    this.#supply = supply;
    this.#common = supply.most - Math.floor(supply.most * RESERVE);
    this.#perKey = Math.max(1, Math.floor(supply.most * supply.perKey));
    this.#perAddress = Math.max(1, Math.floor(supply.most * supply.perAddress));
  }

  /** Takes so much, or throws what to tell the client. A holder of nothing gets the first, however much it is. */
  take(holder: Holder, amount = 1): void {
    this.demand(holder, amount);
    this.add(holder, amount);
  }

  /** Throws when so much more is too much. */
  demand(holder: Holder, amount = 1): void {
    const { most, words } = this.#supply;
    if (!holder.isAdmin) {
      if (isBeyond(this.#keys.get(holder.key), amount, this.#perKey)) throw tooMuch(words.key(this.#perKey), this.#perKey);
      if (isBeyond(this.#networks.get(holder.network), amount, this.#perAddress))
        throw tooMuch(words.address(this.#perAddress), this.#perAddress);
      if (this.#usedInCommon + amount > this.#common) throw unavailable(words.all(this.#common));
    }
    if (this.used + amount > most) throw unavailable(words.all(most));
  }

  /** Notes that so much more is held; less when it is negative. */
  add(holder: Holder, amount: number): void {
    this.used += amount;
    if (holder.isAdmin) return;
    this.#usedInCommon += amount;
    change(this.#keys, holder.key, amount);
    change(this.#networks, holder.network, amount);
  }

  give(holder: Holder, amount = 1): void {
    this.add(holder, -amount);
  }
}

/** A holder of nothing gets the first, however large it is. */
function isBeyond(held: number | undefined, amount: number, share: number): boolean {
  return held !== undefined && held + amount > share;
}

function change(held: Map<string, number>, name: string, amount: number): void {
  const now = (held.get(name) ?? 0) + amount;
  if (now === 0) held.delete(name);
  else held.set(name, now);
}

function tooMuch(message: string, share: number): AppError {
  return new AppError(
    'RATE_LIMITED',
    message,
    { reason: 'too much at the same time' },
    { 'retry-after': '1', ratelimit: '"at-once";r=0;t=1', 'ratelimit-policy': `"at-once";q=${share}` },
  );
}
