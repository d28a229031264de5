// Timers of their own would wake a thread for each of hundreds of things that wait, and waking up costs more than what is done then.

interface Ticks {
  readonly timer: NodeJS.Timeout;
  readonly works: Set<() => void>;
}

const byInterval = new Map<number, Ticks>();

/** Does something again and again, in the same moment as all else in this thread that is done as often. Answers how to stop. It keeps no process from its end. */
export function everyTick(interval: number, work: () => void): () => void {
  const { works, timer } = byInterval.getOrInsertComputed(interval, () => begin(interval));
  // The same function may be given twice.
  const own = (): void => work();
  works.add(own);
  return () => {
    works.delete(own);
    if (works.size > 0 || byInterval.get(interval)?.timer !== timer) return;
    clearInterval(timer);
    byInterval.delete(interval);
  };
}

function begin(interval: number): Ticks {
  const works = new Set<() => void>();
  const timer = setInterval(() => {
    for (const work of works) work();
  }, interval).unref();
  return { timer, works };
}
