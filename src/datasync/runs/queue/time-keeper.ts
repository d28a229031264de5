import type { Database } from '../../../db/database.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Logger } from '../../../lib/log.ts';
import type { LogStore } from '../../logs/store.ts';
import { readFarOff, setRight } from './set-right.ts';
import { rescheduled } from '../told/story.ts';

/** Less than this is no more than a wait of a moment. */
const NOTICED = 1_000;

interface TimeKeeperOptions {
  db: Database;
  clock: Clock;
  log: Logger;
  logs: LogStore;
  leaseMs: number;
}

/** Notices that the clock that all nodes share was set back, and sets right what was put down before. */
export interface TimeKeeper {
  /** Hears what time it is; answers whether something was changed. At the start it looks in any case: the clock may have been set back meanwhile. */
  look(now: string): Promise<boolean>;
}

export function createTimeKeeper({ db, clock, log, logs, leaseMs }: TimeKeeperOptions): TimeKeeper {
  let latest = 0;
  let isRight = false;
  return {
    look: async (now) => {
      const time = Date.parse(now);
      const isSetBack = time < latest - NOTICED;
      if (isSetBack) log.warn({ by_ms: latest - time }, 'the clock was set back; schedules and retries go by what it says now');
      isRight &&= !isSetBack;
      latest = time;
      if (isRight) return false;
      const farOff = await readFarOff(db.read, now);
      const done = await db.write(setRight, { now: clock(), leaseMs, farOff });
      isRight = true;
      const isAnything = done.schedules + done.runs + done.leases > 0;
      if (isAnything) log.warn(done, 'the clock was ahead: what waited for a time that is too far off waits no longer');
      for (const change of farOff.schedules) logs.add(rescheduled(change));
      return isAnything;
    },
  };
}
