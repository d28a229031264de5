import { OutsideError } from '../../../../outside/errors.ts';

/** What was given to us to be sent with requests. */
export interface Grant {
  readonly token: string;
  /** Seconds that it lives; undefined when only a refusal tells that it is over. */
  readonly seconds: number | undefined;
}

// A token is not used in its last moments: it has to live until the request arrives.
const MARGIN = 30;

/** Gets a token when there is none, once for all who wait, and keeps it until it is about to end. */
export class TokenKeeper {
  readonly #ask: () => Promise<Grant>;
  #pending: Promise<void> | undefined;
  #ends = 0;
  #refusal: OutsideError | undefined;
  current: string | undefined;
  /** Counts the tokens that were given to us. */
  stamp = 0;

  constructor(ask: () => Promise<Grant>) {
    this.#ask = ask;
  }

  async get(): Promise<string> {
    if (this.current !== undefined && performance.now() < this.#ends) return this.current;
    // A secret that was refused is not tried again and again: that locks accounts.
    if (this.#refusal) throw this.#refusal;
    this.#pending ??= this.#renew().finally(() => {
      this.#pending = undefined;
    });
    await this.#pending;
    return this.current as unknown as string;
  }

  /** The token of this stamp was refused. True when there is another by now, or one can be had. */
  forget(stamp: number): boolean {
    if (this.current === undefined) return false;
    // Requests that were under way with the old token are refused after the new one was given.
    if (stamp === this.stamp) this.#ends = 0;
    return true;
  }

  async #renew(): Promise<void> {
    try {
      const { token, seconds } = await this.#ask();
      this.current = token;
      this.stamp++;
      const life = seconds === undefined || Number.isNaN(seconds) ? Number.POSITIVE_INFINITY : Math.max(seconds - MARGIN, seconds / 2, 1);
      this.#ends = performance.now() + life * 1000;
    } catch (error) {
      if (error instanceof OutsideError && (error.kind === 'auth' || error.kind === 'config')) this.#refusal = error;
      throw error;
    }
  }
}
