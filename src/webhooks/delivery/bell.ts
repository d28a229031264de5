import type { Hints, HintTopic } from '../../jobs/hints.ts';

/** Waits for hints without missing one. */
export interface Bell {
  /** How often it was rung. */
  rung(): number;
  /** Resolves at the next hint, or at once when there was one since, or after so many milliseconds, or when the signal fires. */
  heard(milliseconds: number, signal: AbortSignal, since?: number): Promise<void>;
  close(): void;
}

export function createBell(hints: Hints, topics: readonly HintTopic[]): Bell {
  let rung = 0;
  const waiting = new Set<() => void>();
  const ring = (): void => {
    rung++;
    for (const wake of waiting) wake();
  };
  const endings = topics.map((topic) => hints.listen(topic, ring));
  return {
    rung: () => rung,
    heard: (milliseconds, signal, since = rung) =>
      new Promise((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          waiting.delete(done);
          signal.removeEventListener('abort', done);
          resolve();
        };
        const timer = setTimeout(done, rung === since && !signal.aborted ? milliseconds : 0);
        waiting.add(done);
        signal.addEventListener('abort', done);
      }),
    close: () => {
      for (const end of endings) end();
    },
  };
}
