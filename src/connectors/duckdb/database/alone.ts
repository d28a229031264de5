import { locks } from 'node:worker_threads';

const nameOf = (file: string): string => `duckdb:${file}`;

/**
 * Waits until no other thread of this process has the file open, and answers how it is let go of again. The lock of the operating system keeps other
 * processes out, but not other threads: two that wrote to one file at the same time damaged it. A thread that ends lets go of it, too.
 */
export async function holdAlone(file: string, patience: number): Promise<() => void> {
  const enough = new AbortController();
  // Only a timer keeps the thread from its end while it waits.
  const timer = setTimeout(() => enough.abort(), patience);
  const held = Promise.withResolvers<() => void>();
  const hold = (): Promise<void> => new Promise((release) => held.resolve(release));
  locks.request(nameOf(file), { signal: enough.signal }, hold).catch(held.reject);
  return held.promise.finally(() => clearTimeout(timer));
}

/** Whether another thread waits for the file. */
export async function isAwaited(file: string): Promise<boolean> {
  return ((await locks.query()).pending ?? []).some(({ name }) => name === nameOf(file));
}
