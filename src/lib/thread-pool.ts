import { setTimeout as sleep } from 'node:timers/promises';
import type { Thread } from './thread.ts';

export interface ThreadPoolOptions<OneThread extends Thread> {
  start(): OneThread;
  /** No more threads than this at the same time. */
  most: number;
  /** How long a thread without work is kept, in milliseconds. */
  idleTime: number;
  /** How long the end of the pool waits for threads that do not go, in milliseconds. */
  closePatience?: number;
}

const LONGEST_TIMER = 2 ** 31 - 1;
const CLOSE_PATIENCE = 2_000;

/** Threads that wait for work or do some. One piece of work at a time each, so that a thread can be ended with its work. */
export class ThreadPool<OneThread extends Thread = Thread> {
  readonly #options: ThreadPoolOptions<OneThread>;
  readonly #all = new Set<OneThread>();
  /** Ended, and not gone yet: a thread that is inside of native code, such as a statement of SQLite, goes when that is done. */
  readonly #leaving = new Set<OneThread>();
  readonly #idle: { worker: OneThread; timer: NodeJS.Timeout }[] = [];
  readonly #waiting = new Set<() => void>();

  constructor(options: ThreadPoolOptions<OneThread>) {
    this.#options = options;
  }

  /** A thread for one piece of work; undefined when none has come free until the deadline (of `performance.now()`). */
  async take(deadline: number): Promise<OneThread | undefined> {
    while (this.#idle.length === 0 && this.#isFull()) {
      const patience = deadline - performance.now();
      if (patience <= 0) return undefined;
      await this.#change(patience);
    }
    // The one that has just worked is the warmest; those that are not needed grow old and end.
    const idle = this.#idle.pop();
    if (!idle) return this.#start();
    clearTimeout(idle.timer);
    idle.worker.ref();
    return idle.worker;
  }

  /** Takes a thread back that has done its work; without more of it, it is kept for so long. */
  giveBack(worker: OneThread, keptFor = this.#options.idleTime): void {
    if (this.#all.has(worker)) {
      worker.unref();
      this.#idle.push({ worker, timer: setTimeout(() => this.end(worker), keptFor).unref() });
    }
    this.#tellNext();
  }

  /** Ends a thread, whatever it is doing. */
  end(worker: OneThread): void {
    if (this.#all.has(worker)) this.#leaving.add(worker);
    void this.#forget(worker).terminate();
  }

  /** Ends all threads. One that is inside of native code is not waited for longer than a moment. */
  async close(): Promise<void> {
    const gone = Promise.all([...this.#all].map((worker) => this.#forget(worker).terminate()));
    const patience = new AbortController();
    await Promise.race([
      gone,
      sleep(this.#options.closePatience ?? CLOSE_PATIENCE, undefined, { signal: patience.signal }).catch(() => undefined),
    ]);
    patience.abort();
  }

  #start(): OneThread {
    const worker = this.#options.start();
    this.#all.add(worker);
    // The caller that waits for its work hears of it too; a thread that dies while idle must not take the process with it.
    worker.on('error', () => this.#forget(worker));
    worker.on('exit', () => {
      this.#forget(worker);
      if (this.#leaving.delete(worker)) this.#tellNext();
    });
    return worker;
  }

  /** Those that do not go keep others from work only when they are as many again: they cost a processor each. */
  #isFull(): boolean {
    const { most } = this.#options;
    return this.#all.size >= most || this.#all.size + this.#leaving.size >= 2 * most;
  }

  #forget(worker: OneThread): OneThread {
    const place = this.#idle.findIndex((idle) => idle.worker === worker);
    if (place !== -1) clearTimeout(this.#idle.splice(place, 1)[0]?.timer);
    if (this.#all.delete(worker)) this.#tellNext();
    return worker;
  }

  /** Resolves when it is worth looking again, or when the time is over. */
  #change(patience: number): Promise<void> {
    return new Promise((resolve) => {
      const go = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(go);
        resolve();
      };
      const timer = setTimeout(go, Math.min(patience, LONGEST_TIMER));
      this.#waiting.add(go);
    });
  }

  #tellNext(): void {
    const [next] = this.#waiting;
    next?.();
  }
}
