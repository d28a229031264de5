import type { IncomingHttpHeaders } from 'node:http';
import { scalarText } from '../../../lib/exact-json.ts';
import { at } from '../answer/paths.ts';
import type { Context } from '../../contract.ts';
import { aborted } from '../../../outside/errors.ts';
import { sleep } from './patience.ts';

interface BudgetOptions {
  perSecond: number | undefined;
  parallel: number | undefined;
  /** The longest wait, in seconds, that is spent before a request rather than left to the schedule. */
  longest: number;
  tell: Context['tell'];
}

/** What the API says about itself: so much is left, and that comes back. */
interface Account {
  left: number;
  most: number;
  /** What comes back in a second. */
  rate: number;
  /** What a request costs, as the last one did. */
  price: number;
  /** When it was told, by our own clock. */
  told: number;
}

/** A day: a time that lies further ahead is a mistake of the API's. */
const MAX_RESET = 86_400;
/** From here on a number is a time rather than a number of seconds. */
const TIMES = 1e9;
/** After so many seconds, a person who looks at a run wants to know why it stands still. */
const WORTH_TELLING = 5;

/** How often and how much at once the API is asked: what is declared, and what the API says about itself. */
export class Budget {
  readonly #options: BudgetOptions;
  #next = 0;
  #free: number;
  readonly #waiting: (() => void)[] = [];
  /** Until then the API wants to hear nothing. */
  #closedUntil = 0;
  #account: Account | undefined;

  constructor(options: BudgetOptions) {
    this.#options = options;
    this.#free = options.parallel ?? Number.POSITIVE_INFINITY;
  }

  /** Does a piece of work in its turn. */
  async run<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    await this.#take(signal);
    try {
      await this.#wait(signal);
      return await work();
    } finally {
      this.#free++;
      this.#waiting.shift()?.();
    }
  }

  /** What the headers of an answer say about how much is left. */
  learn(headers: IncomingHttpHeaders): void {
    const { left, reset } = limitOf(headers);
    if (left === undefined || left > 0 || reset === undefined) return;
    this.#closedUntil = Math.max(this.#closedUntil, performance.now() + Math.min(reset, MAX_RESET) * 1000);
  }

  /** What an answer says about what queries cost (`extensions.cost`). */
  learnCost(answer: unknown): void {
    const numberAt = (...path: string[]): number => Number(scalarText(at(answer, ['extensions', 'cost', ...path])) ?? Number.NaN);
    const left = numberAt('throttleStatus', 'currentlyAvailable');
    const [most, rate] = [numberAt('throttleStatus', 'maximumAvailable'), numberAt('throttleStatus', 'restoreRate')];
    const price = numberAt('requestedQueryCost');
    if (![left, most, rate, price].every(Number.isFinite) || rate <= 0) return;
    this.#account = { left, most, rate, price: Math.min(price, most), told: performance.now() };
  }

  async #take(signal: AbortSignal): Promise<void> {
    while (this.#free <= 0) {
      if (signal.aborted) throw aborted();
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.push(resolve);
      const stop = (): void => resolve();
      signal.addEventListener('abort', stop, { once: true });
      await promise;
      signal.removeEventListener('abort', stop);
      const at = this.#waiting.indexOf(resolve);
      if (at !== -1) this.#waiting.splice(at, 1);
    }
    this.#free--;
  }

  async #wait(signal: AbortSignal): Promise<void> {
    const { perSecond, longest, tell } = this.#options;
    const now = performance.now();
    const turn = perSecond === undefined ? now : Math.max(now, this.#next);
    if (perSecond !== undefined) this.#next = turn + 1000 / perSecond;
    const [closed, poor] = [this.#closedUntil - now, this.#missing(now) * 1000];
    const asked = Math.max(closed, poor);
    // A wait that is longer than a run may wait is told by the refusal that we then get.
    const wait = Math.max(turn - now, asked / 1000 > longest ? 0 : asked);
    if (wait <= 0) return;
    if (wait / 1000 >= WORTH_TELLING)
      tell?.(
        'info',
        `Waits ${Math.ceil(wait / 1000)} s: ${asked < wait ? 'no more requests a second are allowed by `requests_per_second`' : 'the API says that no more requests are left until then'}`,
      );
    await sleep(wait, signal);
  }

  /** Seconds until the account has what a request costs; it is taken off at once, so that others wait for theirs. */
  #missing(now: number): number {
    const account = this.#account;
    if (!account) return 0;
    account.left = Math.min(account.most, account.left + (account.rate * (now - account.told)) / 1000);
    account.told = now;
    account.left -= account.price;
    return account.left >= 0 ? 0 : -account.left / account.rate;
  }
}

/** How many requests are left and in how many seconds there are more, by the usual headers. */
function limitOf(headers: IncomingHttpHeaders): { left: number | undefined; reset: number | undefined } {
  const one = (name: string): string | undefined => {
    const value = headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  // `RateLimit: limit=100, remaining=0, reset=5`, and the newer `"default";r=0;t=5`.
  const together = one('ratelimit') ?? '';
  const left =
    /(?:\bremaining=|;\s*r=)(\d+)/.exec(together)?.[1] ??
    one('ratelimit-remaining') ??
    one('x-ratelimit-remaining') ??
    one('x-rate-limit-remaining');
  const reset =
    /(?:\breset=|;\s*t=)(\d+)/.exec(together)?.[1] ?? one('ratelimit-reset') ?? one('x-ratelimit-reset') ?? one('x-rate-limit-reset');
  return { left: numberOf(left), reset: secondsOf(reset) };
}

function numberOf(text: string | undefined): number | undefined {
  const number = Number(text?.split(/[,;]/)[0]?.trim() || Number.NaN);
  return Number.isFinite(number) ? number : undefined;
}

/** Some say in how many seconds, others at which second or millisecond since 1970, and some write a date. */
function secondsOf(text: string | undefined): number | undefined {
  const number = numberOf(text);
  if (number === undefined) {
    const time = Date.parse(text ?? '');
    return Number.isNaN(time) ? undefined : Math.max((time - Date.now()) / 1000, 0);
  }
  if (number < TIMES) return number;
  return Math.max((number < TIMES * 1000 ? number : number / 1000) - Date.now() / 1000, 0);
}
