import type { Database } from '../../../db/database.ts';
import type { Dispatcher, Worker } from '../../../jobs/dispatcher.ts';
import type { Clock } from '../../../lib/clock.ts';
import { claimRuns } from '../queue/claim.ts';
import type { Backlog } from './backlog.ts';
import type { PartWork } from './part-work.ts';
import type { Recovery } from './recovery.ts';
import { RunAtWork, type RunAtWorkOptions } from './run-at-work.ts';
import type { RunsHere } from './runs-here.ts';

const TAKE_INTERVAL = 15_000;

export interface ClaimingOptions extends RunAtWorkOptions {
  node: string;
  db: Database;
  dispatcher: Dispatcher;
  clock: Clock;
  leaseMs: number;
  maxRuns: number;
  runsPerSource: number;
  /** Of one key; undefined for half of all. */
  runsPerKey: number | undefined;
  runsHere: RunsHere;
  backlog: Backlog;
  recovery: Recovery;
  parts: PartWork;
  /** Called when a run is over: what follows changes may be behind again. */
  ended: () => void;
}

/** Claims runs that are due while there is room, and begins them. */
export function startClaiming(options: ClaimingOptions): Worker {
  const { node, db, dispatcher, clock, leaseMs, maxRuns, runsPerSource, runsPerKey, runsHere, backlog, recovery, parts } = options;
  const worker = dispatcher.work('runs', {
    name: 'taking runs that are due',
    interval: TAKE_INTERVAL,
    room: () => {
      // Where sources are the limit, an end leaves room when it is written down, and the oldest that waits for it goes first.
      return backlog.crowded ? runsHere.roomWhenWritten() - parts.size() : runsHere.roomAhead(parts.size());
    },
    take: async (most) => {
      if (!recovery.hasBegun) return;
      const { claimed, hasLeftOut } = await db.write(claimRuns, {
        now: clock(),
        node,
        most,
        leaseMs,
        perSource: runsPerSource,
        perKey: runsPerKey ?? Math.max(1, Math.floor(maxRuns / 2)),
        // One place is left for those that count for no key's share.
        ofKeys: Math.max(1, maxRuns - 1),
        crowded: backlog.crowded,
        overdue: backlog.overdue,
      });
      if (hasLeftOut) backlog.leftOut();
      for (const one of claimed) runsHere.add(new RunAtWork(one, options), { worked, done });
    },
  });
  const worked = (): void => {
    worker.wake();
    parts.hasRoom();
  };
  const done = (): void => {
    // It leaves room at its source.
    if (backlog.crowded) worker.wake();
    options.ended();
  };
  return worker;
}
