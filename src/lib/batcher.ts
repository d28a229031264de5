import { AppError, unavailable } from './errors.ts';

export interface BatcherOptions<Item, Result> {
  /** Does the work for all items at once and answers one result an item, in their order. */
  run: (items: Item[]) => Promise<Result[]>;
  /** The most items in one run. */
  maxItems: number;
  /** How many runs may be under way at the same time. */
  concurrency: number;
  /** With so many waiting, a run starts at once, also beside another. */
  eager: number;
  /** So large a part of the most that was lately in here has to wait, too: with a half, two runs share a high load evenly. */
  eagerShare?: number;
  /** Milliseconds that the first item of a run waits for company; none when it is missing. */
  linger?: () => number;
  /** The most items that may wait; one more is refused as overload. */
  maxWaiting: number;
}

const FADING = 0.99;

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Joins what arrives at the same moment into one run (group commit): what comes while a run is under way waits for
 * the next one, so batches grow with the load and a lone item does not wait.
 */
export class Batcher<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>;
  #waiting: Waiting<Item, Result>[] = [];
  #running = 0;
  #itemsRunning = 0;
  /** The most items that were in here at the start of a run; fades when it is not reached again. */
  #peak = 0;
  #scheduled = false;

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options;
  }

  submit(item: Item): Promise<Result> {
    if (this.#waiting.length >= this.#options.maxWaiting) {
      return Promise.reject(unavailable('The service has more to do than it can take on. Try again in a moment.'));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#consider();
    });
  }

  /** Starts a run when it is worth it: at once for many, beside another run only for many, else at the end of this turn. */
  #consider(): void {
    const waiting = this.#waiting.length;
    const { eager, eagerShare = 0, concurrency } = this.#options;
    if (waiting >= Math.max(eager, eagerShare * this.#peak) && this.#running < concurrency) void this.#startNext();
    else if (waiting > 0 && this.#running === 0 && !this.#scheduled) this.#schedule();
  }

  #schedule(): void {
    this.#scheduled = true;
    const start = (): void => {
      this.#scheduled = false;
      // An eager run may have started meanwhile; when it ends, it goes on with what waits.
      if (this.#running === 0) void this.#startNext();
    };
    const patience = this.#options.linger?.() ?? 0;
    // After the sockets of this turn of the loop have been read, so that what came together goes together.
    if (patience === 0) setImmediate(start);
    else setTimeout(start, patience);
  }

  async #startNext(): Promise<void> {
    this.#peak = Math.max(this.#waiting.length + this.#itemsRunning, this.#peak * FADING);
    const batch = this.#waiting.splice(0, this.#options.maxItems);
    if (batch.length === 0) return;
    this.#running++;
    this.#itemsRunning += batch.length;
    this.#consider();
    await this.#settle(batch);
    this.#running--;
    this.#itemsRunning -= batch.length;
    this.#consider();
  }

  async #settle(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#options.run(batch.map((waiting) => waiting.item));
      batch.forEach((waiting, index) => waiting.resolve(results[index] as Result));
    } catch (error) {
      const lone = batch.length === 1;
      if (lone || (error instanceof AppError && error.code === 'UNAVAILABLE')) {
        for (const waiting of batch) waiting.reject(error);
        return;
      }
      // One poisonous item must not take its neighbours down: the run left no trace, so each tries alone.
      for (const waiting of batch) await this.#settle([waiting]);
    }
  }
}
