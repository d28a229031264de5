import { type Clock, systemClock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import type { Database } from './database.ts';
import { databaseTime } from './database-time.ts';

/** Between two looks a node counts on by itself; clocks differ by less than a millisecond in so long. */
const LOOK_INTERVAL = 15_000;

export interface DatabaseClock {
  readonly clock: Clock;
  close(): void;
}

/**
 * The clock that all nodes share, so that a node whose own clock is wrong gives out the same times and the same order of ids as the
 * others: the database's, carried on between two looks by a clock that nobody can set. On SQLite there is one node, and its own clock.
 * One that is given is taken as it is.
 */
export async function openDatabaseClock(db: Database, log: Logger, given?: Clock): Promise<DatabaseClock> {
  if (given || db.read.engine === 'sqlite') return { clock: given ?? systemClock, close: () => {} };
  let offset = await look(db);
  const timer = setInterval(() => {
    look(db).then(
      (seen) => {
        offset = seen;
      },
      (error: unknown) => log.debug({ err: error }, 'could not look at the clock of the database; it is carried on'),
    );
  }, LOOK_INTERVAL).unref();
  return { clock: () => Math.floor(offset + performance.now()), close: () => clearInterval(timer) };
}

/** What the database's clock is ahead of the one that nobody can set. The answer was on its way for half of the time. */
async function look(db: Database): Promise<number> {
  const before = performance.now();
  const time = await databaseTime(db.read, systemClock());
  return time - (before + performance.now()) / 2;
}
