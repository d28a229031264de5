import type { Database } from '../../db/database.ts';
import type { Logger } from '../../lib/log.ts';
import { type LogFilter, type LogRow, listNewLogs } from './queries.ts';
import type { LogStore } from './store.ts';

/** Other nodes write too: so often we look, whatever this node hears. */
const LOOK_EVERY = 1_000;
/** So often something is sent, as a connection without traffic is closed. */
const SIGN_OF_LIFE = 15_000;
const MOST_AT_ONCE = 500;

export interface LogFollower {
  /** Entries that match and come after the number, oldest first, as they come; an empty list now and then is a sign of life. */
  follow(filter: LogFilter, after: number): AsyncGenerator<LogRow[], void>;
  /** Ends all that follow. */
  close(): void;
}

export function createFollower({ db, logs, log }: { db: Database; logs: LogStore; log: Logger }): LogFollower {
  const ending = new AbortController();
  const { signal } = ending;

  async function* follow(filter: LogFilter, after: number): AsyncGenerator<LogRow[], void> {
    const bell = createBell(signal);
    const stopWatching = logs.watch(bell.ring);
    let place = after;
    let lastSent = performance.now();
    try {
      while (!signal.aborted) {
        const found = await db.query(listNewLogs, { filter, after: place, most: MOST_AT_ONCE }).catch((error: unknown) => {
          log.debug({ err: error }, 'could not look for new log entries');
          return undefined;
        });
        if (found) place = found.newest;
        if ((found && found.rows.length > 0) || performance.now() - lastSent > SIGN_OF_LIFE) {
          lastSent = performance.now();
          yield found?.rows ?? [];
        }
        if (found?.rows.length !== MOST_AT_ONCE) await bell.wait(LOOK_EVERY);
      }
    } finally {
      stopWatching();
      bell.close();
    }
  }

  return { follow, close: () => ending.abort() };
}

/** Waits until it rings, also if it rang while nobody was waiting. */
function createBell(signal: AbortSignal) {
  let rung = false;
  let wake: (() => void) | undefined;
  const ring = (): void => {
    rung = true;
    wake?.();
  };
  signal.addEventListener('abort', ring);
  return {
    ring,
    wait: async (most: number): Promise<void> => {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, most);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      wake = undefined;
      rung = false;
    },
    close: () => signal.removeEventListener('abort', ring),
  };
}
