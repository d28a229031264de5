import { type Pulse, startPulse } from '../../../jobs/pulse.ts';
import type { StopReason } from '../../../engine/run.ts';
import type { RunNews } from '../queue/beat.ts';
import { claimLiveRuns, endsOfLate } from '../queue/claim-live.ts';
import { createPace } from '../queue/pace.ts';
import type { LiveThreads } from './live-threads.ts';
import type { Recovery } from './recovery.ts';
import { RunAtWork, type RunAtWorkOptions } from './run-at-work.ts';
import { RunsHere } from './runs-here.ts';

/** So many a node follows at the same time. */
const MOST = 500;
/** Nobody tells of live runs but the agenda, which may be late when hints are lost. */
const LOOK_INTERVAL = 15_000;
/**
 * A node that has not been heard of for so long has lost its live runs. It is shorter than that of other runs, as everybody waits for a live run:
 * with the beats every 2 seconds, another node has it 3 to 5 seconds after the last sign of life.
 */
const LIVE_LEASE = 5_000;
/** A lease that has no more left than this was not renewed in its time: its node may be gone, and another one makes ready. */
export const LATE_LEASE = 2_500;

interface LiveWorkOptions extends RunAtWorkOptions {
  node: string;
  /** A node that does no runs follows nothing either. */
  maxRuns: number;
  threads: LiveThreads;
  recovery: Recovery;
  /** Called when a run is over: another one goes on. */
  ended: () => void;
}

/** Follows the sources of live synchronizations. */
export interface LiveWork {
  readonly isAny: () => boolean;
  /** How far they are. */
  readonly progress: () => RunNews[];
  readonly stop: (id: string, reason: StopReason) => void;
  /** There may be one to begin. */
  readonly wake: () => void;
  /** A lease is late: this node may soon have to go on with what another one follows. */
  readonly makeReady: () => Promise<void>;
  /** Takes nothing more on, lets all of them reach a checkpoint, and hands them over. */
  readonly close: () => Promise<void>;
}

export function startLiveWork(options: LiveWorkOptions): LiveWork {
  const { node, db, clock, log, threads, recovery, ended, maxRuns } = options;
  const here = new RunsHere(maxRuns === 0 ? 0 : MOST, createPace());
  const claiming: Pulse = startPulse({
    name: 'taking live runs',
    interval: LOOK_INTERVAL,
    log,
    work: async () => {
      const most = here.roomWhenWritten();
      if (!recovery.hasBegun || most <= 0) return;
      const claimed = await db.write(claimLiveRuns, { now: clock(), node, most, leaseMs: LIVE_LEASE });
      for (const one of claimed) here.add(new RunAtWork(one, options), { worked: () => {}, done: ended });
    },
  });
  return {
    isAny: () => here.isAny,
    progress: () => here.progress(LIVE_LEASE),
    stop: (id, reason) => here.stop(id, reason),
    wake: claiming.wake,
    makeReady: async () => {
      if (maxRuns === 0 || threads.isWarm()) return;
      const ends = await endsOfLate(db.read, clock(), LATE_LEASE);
      if (ends.length > 0) threads.warm(ends);
    },
    close: async () => {
      await claiming.stop();
      await here.handOver();
    },
  };
}
