import type { Database } from '../../db/database.ts';
import type { Logger } from '../../lib/log.ts';
import { newestLog } from './queries.ts';
import type { LogStore } from './store.ts';

/** Other nodes write too: so often we look, whatever this node hears. */
const LOOK_EVERY = 1_000;

/** Tells all who wait when there is something new in the log. */
export interface LogNews {
  /** Calls the listener at every piece of news. Answers how to stop. */
  listen(listener: () => void): () => void;
}

/** One look for all who listen, and none while nobody does: what a follower costs does not depend on how many there are. */
export function createLogNews({ db, logs, log }: { db: Database; logs: LogStore; log: Logger }): LogNews {
  const listeners = new Set<() => void>();
  let stop: (() => void) | undefined;
  let known: number | undefined;
  const tellAll = (): void => {
    for (const listener of listeners) listener();
  };
  const look = async (): Promise<void> => {
    const newest = await newestLog(db.read);
    if (newest !== known) tellAll();
    known = newest;
  };
  const start = (): (() => void) => {
    known = undefined;
    const stopWatching = logs.watch(tellAll);
    let isLooking = false;
    const timer = setInterval(() => {
      // A database that does not answer is not asked again.
      if (isLooking) return;
      isLooking = true;
      look()
        .catch((error: unknown) => log.debug({ err: error }, 'could not look for new log entries'))
        .finally(() => {
          isLooking = false;
        });
    }, LOOK_EVERY).unref();
    return () => {
      stopWatching();
      clearInterval(timer);
    };
  };
  return {
    listen: (listener) => {
      listeners.add(listener);
      stop ??= start();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        stop?.();
        stop = undefined;
      };
    },
  };
}
