import type { Database } from '../../db/database.ts';
import type { Logger } from '../../lib/log.ts';
import { createLogNews } from './log-news.ts';
import { type LogFilter, type LogRow, listNewLogs } from './queries.ts';
import type { LogStore } from './store.ts';

/** So often something is sent, as a connection without traffic is closed. */
const SIGN_OF_LIFE = 15_000;
/** After a look that failed. */
const TRY_AGAIN = 1_000;
const MOST_AT_ONCE = 500;

/** Entries, and how far that goes. */
interface NewEntries {
  rows: LogRow[];
  newest: number;
}

export interface LogFollower {
  /** Entries that match and come after the number, oldest first, as they come; an empty list now and then is a sign of life. */
  follow(filter: LogFilter, after: number): AsyncGenerator<LogRow[], void>;
  /** Ends all that follow. */
  close(): void;
}

export function createFollower({ db, logs, log }: { db: Database; logs: LogStore; log: Logger }): LogFollower {
  const ending = new AbortController();
  const { signal } = ending;
  const news = createLogNews({ db, logs, log });

  async function* follow(filter: LogFilter, after: number): AsyncGenerator<LogRow[], void> {
    const bell = createBell(signal);
    const stopListening = news.listen(bell.ring);
    let place = after;
    let lastSent = performance.now();
    // What came between the page before and now.
    let hasNews = true;
    try {
      while (!signal.aborted) {
        const found: NewEntries | undefined = hasNews ? await look(filter, place) : { rows: [], newest: place };
        if (found) place = found.newest;
        const rows: LogRow[] = found?.rows ?? [];
        if (rows.length > 0 || performance.now() - lastSent > SIGN_OF_LIFE) {
          lastSent = performance.now();
          yield rows;
        }
        hasNews = rows.length === MOST_AT_ONCE || (await bell.wait(found ? SIGN_OF_LIFE : TRY_AGAIN)) || !found;
      }
    } finally {
      stopListening();
      bell.close();
    }
  }
  const look = (filter: LogFilter, after: number): Promise<NewEntries | undefined> =>
    db.query(listNewLogs, { filter, after, most: MOST_AT_ONCE }).catch((error: unknown) => {
      log.debug({ err: error }, 'could not read new log entries');
      return undefined;
    });

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
    /** Whether it rang in time. */
    wait: async (most: number): Promise<boolean> => {
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
      const hasRung = rung;
      rung = false;
      return hasRung;
    },
    close: () => signal.removeEventListener('abort', ring),
  };
}
