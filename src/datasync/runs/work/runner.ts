import type { RootsOptions } from '../../../outside/roots.ts';
import type { HookPort } from '../../../connectors/hook-port.ts';
import type { ShopPort } from '../../../connectors/shop-port.ts';
import type { Database } from '../../../db/database.ts';
import type { Dispatcher } from '../../../jobs/dispatcher.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Logger } from '../../../lib/log.ts';
import type { LogStore } from '../../logs/store.ts';
import type { Spans } from '../../../traces/span.ts';
import type { SourceSecrets } from '../../sources/kept-secrets.ts';
import type { SourceService } from '../../sources/service.ts';
import { createChangeWatch } from '../queue/changes.ts';
import { createTimeKeeper } from '../queue/time-keeper.ts';
import { createWantedWatch } from '../queue/wanted.ts';
import { createPace } from '../queue/pace.ts';
import { Backlog } from './backlog.ts';
import { startBeating } from './beating.ts';
import { startClaiming } from './claiming.ts';
import { createLiveThreads } from './live-threads.ts';
import { startLiveWork } from './live-work.ts';
import { startLooking } from './looking.ts';
import { startPartWork } from './part-work.ts';
import { Recovery } from './recovery.ts';
import { createRunThreads } from './run-in-thread.ts';
import { RunsHere } from './runs-here.ts';
import type { RunWatch } from '../told/watch.ts';
import { writeTogether } from './written-together.ts';

/** A node that has not been heard of for so long has lost its runs. */
const LEASE = 15_000;

export interface RunnerOptions {
  /** The id of this node. */
  node: string;
  db: Database;
  dispatcher: Dispatcher;
  clock: Clock;
  log: Logger;
  logs: LogStore;
  sources: SourceService;
  shop: ShopPort;
  hooks: HookPort;
  secrets: SourceSecrets;
  watch: RunWatch;
  networks: string;
  roots: RootsOptions;
  maxRuns: number;
  runsPerSource: number;
  /** Of one key; undefined for half of all. */
  runsPerKey: number | undefined;
  streamsPerRun: number;
  /** Rows from which on a stream is copied in parts; 0 for never. */
  splitRows: () => Promise<number>;
  runMemory: number;
  /** Where runs are traced; nowhere unless given. */
  spans?: Spans | undefined;
}

/** Does the runs that this node can take: finds what is due, works on it in threads, and tells how far it is. */
export interface Runner {
  /** Takes nothing more on, lets runs reach a checkpoint, and hands them over. */
  readonly close: () => Promise<void>;
}

export function startRunner(options: RunnerOptions): Runner {
  const { db, dispatcher, clock, log, logs, networks, roots, maxRuns, runMemory } = options;
  const { hints } = dispatcher;
  const threads = createRunThreads({ networks, roots, most: maxRuns, memory: runMemory, log });
  const changes = createChangeWatch({ db, clock });
  const wanted = createWantedWatch({ db, clock });
  const timeKeeper = createTimeKeeper({ db, clock, log, logs, leaseMs: LEASE });
  const pace = createPace();
  const together = writeTogether({ db, clock, pace });
  const runsHere = new RunsHere(maxRuns, pace);
  const backlog = new Backlog();
  const recovery = new Recovery(options);
  const liveThreads = createLiveThreads({ networks, roots, memory: runMemory, log });
  const shared = { ...options, leaseMs: LEASE, hints, threads, together, runsHere, backlog, recovery };

  const parts = startPartWork({
    ...shared,
    room: () => (backlog.goesFirst ? 0 : runsHere.room()),
    ended: () => claiming.wake(),
  });
  const claiming = startClaiming({
    ...shared,
    parts,
    wake: () => looking.wake(),
    tell: () => beating.wake(),
    offered: parts.wake,
    ended: () => changes.hasFollowers() && looking.wake(),
  });
  const live = startLiveWork({
    ...shared,
    threads: liveThreads,
    wake: () => looking.wake(),
    tell: () => beating.wake(),
    offered: parts.wake,
    ended: () => looking.wake(),
  });
  const looking = startLooking({ ...shared, changes, wanted, timeKeeper, parts, live, claim: claiming.wake, lapsed: () => beating.wake() });
  const beating = startBeating({
    ...shared,
    live,
    claim: () => {
      claiming.wake();
      live.wake();
    },
  });
  const stopListening = [
    hints.listen('runs', looking.wake),
    hints.listen('syncs', looking.wake),
    hints.listen('shop', () => changes.hasFollowers() && looking.wake()),
  ];

  return {
    close: async () => {
      for (const stop of stopListening) stop();
      await Promise.all([looking.stop(), claiming.stop(), parts.close()]);
      await Promise.all([runsHere.handOver(), live.close()]);
      await beating.stop();
      await Promise.all([threads.close(), liveThreads.close()]);
    },
  };
}
