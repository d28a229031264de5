import { useSyncExternalStore } from 'react';

const TICK = 20_000;
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

/** One clock for the whole page. It sends no request; it only makes "1 minute ago" become "2 minutes ago". */
function listen(listener: () => void): () => void {
  listeners.add(listener);
  // Nobody has listened for a while: it stands still and is put right first.
  if (timer === undefined) now = Date.now();
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, TICK);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The time, a few seconds exact. */
export function useNow(): number {
  return useSyncExternalStore(listen, () => now);
}
