import type { ChangeSet, Following } from '../../connectors/changes.ts';
import { at } from '../failure.ts';

/** What the log tells, one set ahead: the next one is read while one is written. */
export async function* ahead(following: Following, source: { role: 'source'; name: string }): AsyncGenerator<ChangeSet> {
  const sets = following[Symbol.asyncIterator]();
  const read = (): Promise<IteratorResult<ChangeSet>> => {
    const next = at(source, () => sets.next());
    // It may fail while nobody waits for it yet.
    next.catch(() => {});
    return next;
  };
  let next = read();
  try {
    for (;;) {
      const { value, done } = await next;
      if (done) return;
      next = read();
      yield value;
    }
  } finally {
    void next.catch(() => {});
    void sets.return?.().catch(() => {});
  }
}

/** Waits until a signal has fired. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
