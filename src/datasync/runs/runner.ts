import type { RootsOptions } from '../../connectors/roots.ts';
import type { ShopPort } from '../../connectors/shop-port.ts';
import type { Database } from '../../db/database.ts';
import { startPulse } from '../../jobs/pulse.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import type { LogStore } from '../logs/store.ts';
import type { SourceService } from '../sources/service.ts';
import { type Agenda, cancelledRuns, readAgenda, readDue } from './agenda.ts';
import { beat } from './beat.ts';
import { createChangeWatch } from './changes.ts';
import { claimRuns } from './claim.ts';
import { fireDue } from './fire.ts';
import { recoverRuns } from './recover.ts';
import { createRunThreads } from './run-in-thread.ts';
import { RunAtWork } from './run-at-work.ts';
import { ended } from './story.ts';
import type { RunWatch } from './watch.ts';

/** The longest that something due waits to be noticed; mostly somebody says so. */
const LOOK_INTERVAL = 500;
const CHANGES_INTERVAL = 200;
const BEAT_INTERVAL = 2_000;
/** A node that has not been heard of for so long has lost its runs. */
const LEASE = 15_000;
/** How long a run may take to stop: at a checkpoint when the service stops; sooner when nobody wants its work any more. */
const STOP_PATIENCE = 5_000;
const DRAIN_PATIENCE = 15_000;
const DUE_AT_ONCE = 200;

export interface RunnerOptions {
  /** The id of this node. */
  node: string;
  db: Database;
  clock: Clock;
  log: Logger;
  logs: LogStore;
  sources: SourceService;
  shop: ShopPort;
  watch: RunWatch;
  networks: string;
  roots: RootsOptions;
  maxRuns: number;
  runsPerSource: number;
  streamsPerRun: number;
  runMemory: number;
}

/** Does the runs that this node can take: finds what is due, works on it in threads, and tells how far it is. */
export interface Runner {
  /** Something may be due: look at once. */
  readonly wake: () => void;
  /** Takes nothing more on, lets runs reach a checkpoint, and hands them over. */
  readonly close: () => Promise<void>;
}

export function startRunner(options: RunnerOptions): Runner {
  const { node, db, clock, log, logs, networks, roots, maxRuns, runsPerSource, runMemory } = options;
  const threads = createRunThreads({ networks, roots, most: maxRuns, memory: runMemory, log });
  const changes = createChangeWatch({ db, clock });
  const atWork = new Map<string, RunAtWork>();
  let isRecovered = false;

  /** Runs whose node is gone go on. The only node of an SQLite database knows at its start that nobody else runs anything. */
  const recover = async (): Promise<number> => {
    const isAlone = !isRecovered && db.read.engine === 'sqlite';
    const recovered = await db.write(recoverRuns, { now: clock(), node: isAlone ? null : node });
    isRecovered = true;
    if (recovered.length > 0) log.info({ runs: recovered.length }, 'runs that were cut off go on');
    for (const run of recovered) if (run.status === 'failed') logs.add(ended(run));
    return recovered.length;
  };
  const fire = async (now: string): Promise<number> => {
    let queued = 0;
    for (let due = await readDue(db.read, now, DUE_AT_ONCE); due.length > 0; due = await readDue(db.read, now, DUE_AT_ONCE)) {
      queued += (await db.write(fireDue, { now: clock(), due })).queued;
    }
    return queued;
  };
  const claim = async (): Promise<void> => {
    const most = maxRuns - atWork.size;
    const claimed = await db.write(claimRuns, { now: clock(), node, most, leaseMs: LEASE, perSource: runsPerSource });
    for (const one of claimed) {
      const run = new RunAtWork(one, { ...options, threads, wake: look.wake, tell: () => heart.wake() });
      atWork.set(run.id, run);
      void run.done.then(() => {
        atWork.delete(run.id);
        look.wake();
      });
    }
  };
  const stopCancelled = async (): Promise<void> => {
    if (atWork.size === 0) return;
    for (const id of await cancelledRuns(db.read, node)) atWork.get(id)?.stop('cancelled', STOP_PATIENCE);
  };

  const look = startPulse({
    name: 'looking for runs that are due',
    interval: LOOK_INTERVAL,
    log,
    work: async () => {
      if (!isRecovered) await recover();
      const agenda = await readAgenda(db.read, clock());
      const isDue = (time: string | null): boolean => time !== null && time <= agenda.now;
      const fired = isDue(agenda.due) ? await fire(agenda.now) : 0;
      await stopCancelled();
      if (atWork.size < maxRuns && (fired > 0 || isDue(agenda.waiting))) await claim();
      return untilNext(agenda);
    },
  });
  const lookAtChanges = startPulse({
    name: 'looking for changes of the shop',
    interval: CHANGES_INTERVAL,
    log,
    work: async () => {
      if ((await changes.look()) > 0) look.wake();
    },
  });
  const heart = startPulse({
    name: 'telling how far runs are',
    interval: BEAT_INTERVAL,
    log,
    work: async () => {
      if (atWork.size > 0) {
        const runs = [...atWork.values()].map((run) => ({ id: run.id, token: run.token, report: run.reports }));
        const pulses = await db.write(beat, { now: clock(), leaseMs: LEASE, runs });
        for (const { id, stop } of pulses) if (stop) atWork.get(id)?.stop(stop, STOP_PATIENCE);
      }
      // Ours have just been renewed, so what is over is nobody's.
      const { lease, now } = await readAgenda(db.read, clock());
      if (isRecovered && lease !== null && lease < now && (await recover()) > 0) look.wake();
    },
  });

  return {
    wake: look.wake,
    close: async () => {
      await Promise.all([look.stop(), lookAtChanges.stop()]);
      for (const run of atWork.values()) run.stop('handed_over', DRAIN_PATIENCE);
      await Promise.all([...atWork.values()].map((run) => run.done));
      await heart.stop();
      await threads.close();
    },
  };
}

/** Milliseconds until the next thing on the agenda that is not due yet; what is due already waits for room. */
function untilNext({ now, waiting, due }: Agenda): number {
  const ahead = [waiting, due].flatMap((time) => (time !== null && time > now ? [Date.parse(time) - Date.parse(now)] : []));
  return Math.min(LOOK_INTERVAL, ...ahead);
}
