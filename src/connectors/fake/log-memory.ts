import type { Row } from '../canonical.ts';
import type { Field } from '../contract.ts';
import { OutsideError } from '../../outside/errors.ts';

/** A change of a table, with the fields that it had then. */
export interface FakeChange {
  readonly op: 'insert' | 'update' | 'delete' | 'truncate';
  readonly table: string;
  readonly fields: readonly Field[];
  readonly row: Row;
  /** The row as it was, of an update. */
  readonly before?: Row;
}

export interface FakeTransaction {
  readonly number: number;
  readonly at: number;
  readonly changes: readonly FakeChange[];
}

/** What is kept for an owner. */
interface FakeHold {
  /** What lies behind it is kept. */
  safe: number;
  /** Since when each stream is told. */
  readonly since: Map<string, number>;
}

/** What all sessions of one name have done, one transaction after the other. It is kept as long as a synchronization holds it. */
export class LogMemory {
  readonly holds = new Map<string, FakeHold>();
  /** Who follows for an owner: the last one counts. */
  readonly followers = new Map<string, object>();
  /** The number of the last transaction. */
  last = 0;
  #transactions: FakeTransaction[] = [];
  #open: FakeChange[] | undefined;
  readonly #waiting = new Set<() => void>();

  /** Everything that the work changes is one transaction. */
  transact<Result>(work: () => Result): Result {
    if (this.#open) return work();
    this.#open = [];
    try {
      return work();
    } finally {
      const changes = this.#open;
      this.#open = undefined;
      if (changes.length > 0) this.#commit(changes);
    }
  }

  add(table: { readonly name: string; readonly fields: readonly Field[] }, op: FakeChange['op'], row: Row, before?: Row): void {
    this.transact(() => this.#open?.push({ op, table: table.name, fields: table.fields, row, ...(before && { before }) }));
  }

  /** Everything from now on is kept for the owner, of these tables. */
  hold(owner: string, tables: readonly string[]): void {
    this.holds.set(owner, { safe: this.last, since: new Map(tables.map((table) => [table, this.last])) });
  }

  release(owner: string): void {
    this.holds.delete(owner);
    this.#forget();
    this.wake();
  }

  acknowledge(owner: string, number: number): void {
    const hold = this.held(owner);
    hold.safe = Math.max(hold.safe, number);
    this.#forget();
  }

  /** The hold of an owner; a gap when there is none. */
  held(owner: string): FakeHold {
    const hold = this.holds.get(owner);
    if (!hold) throw new OutsideError('gap', 'LOG_GONE', 'The fake keeps no log for this owner any more.');
    return hold;
  }

  /** The transactions behind a number. */
  behind(number: number): readonly FakeTransaction[] {
    return this.#transactions.filter((transaction) => transaction.number > number);
  }

  /** Resolves when something may have happened. */
  news(): Promise<void> {
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  #commit(changes: readonly FakeChange[]): void {
    this.last++;
    if (this.holds.size > 0) this.#transactions.push({ number: this.last, at: Date.now(), changes });
    this.wake();
  }

  #forget(): void {
    const safe = Math.min(this.last, ...[...this.holds.values()].map((hold) => hold.safe));
    this.#transactions = this.behind(this.holds.size > 0 ? safe : this.last) as FakeTransaction[];
  }
}
