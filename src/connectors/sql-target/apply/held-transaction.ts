import type { Transact } from '../transact.ts';

/** It was ended by us, not by a fault. */
const GIVEN_UP = Symbol('given up');

/** A transaction that stays open between calls, made of one that lasts as long as its work. */
export class HeldTransaction {
  readonly #transact: Transact;
  #held: { readonly end: (error?: unknown) => void; readonly over: Promise<void> } | undefined;

  constructor(transact: Transact) {
    this.#transact = transact;
  }

  async begin(): Promise<void> {
    const started = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    // Nobody may be waiting for it when it fails.
    ended.promise.catch(() => {});
    const over = this.#transact(() => {
      started.resolve();
      return ended.promise;
    });
    over.catch(() => {});
    this.#held = { over, end: (error) => (error === undefined ? ended.resolve() : ended.reject(error)) };
    await Promise.race([started.promise, over]);
  }

  async commit(): Promise<void> {
    const held = this.#held;
    this.#held = undefined;
    held?.end();
    await held?.over;
  }

  async rollback(): Promise<void> {
    const held = this.#held;
    this.#held = undefined;
    held?.end(GIVEN_UP);
    await held?.over.catch(() => {});
  }
}
