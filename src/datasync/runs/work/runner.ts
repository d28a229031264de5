import type { RootsOptions } from '../../../outside/roots.ts';
import type { ShopPort } from '../../../connectors/shop-port.ts';
import type { Database } from '../../../db/database.ts';
import type { Dispatcher } from '../../../jobs/dispatcher.ts';
import { startPulse } from '../../../jobs/pulse.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Logger } from '../../../lib/log.ts';
import type { LogStore } from '../../logs/store.ts';
import type { SourceService } from '../../sources/service.ts';
import { type Agenda, cancelledRuns, readAgenda, readDue } from '../queue/agenda.ts';
import { beat } from '../queue/beat.ts';
import { createChangeWatch } from '../queue/changes.ts';
import { claimRuns } from '../queue/claim.ts';
import { fireDue } from '../queue/fire.ts';
import { recoverRuns } from '../queue/recover.ts';
import { createTimeKeeper } from '../queue/time-keeper.ts';
import { createPace } from '../queue/pace.ts';
import { startPartWork } from './part-work.ts';
import { createRunThreads } from './run-in-thread.ts';
import { RunAtWork } from './run-at-work.ts';
import { ended } from '../told/story.ts';
import type { RunWatch } from '../told/watch.ts';
import { writeTogether } from './written-together.ts';

/** While runs are at work they may be cancelled, and the person must not wait for it even if hints are lost. */
const LOOK_AT_WORK = 500;
/** An idle node asks the database as little as it can: rarely while it hears of all that is new. */
const LOOK_IDLE = 2_000;
const LOOK_UNHEARD = 1_000;
const TAKE_INTERVAL = 15_000;
const MOST_AHEAD = 50;
const BEAT_INTERVAL = 2_000;
/** A node that has not been heard of for so long has lost its runs. */
const LEASE = 15_000;
/** A run that has been due for so long waits for room, or nobody was told of it. */
const OVERDUE = 1_000;
/** How long a run may take to stop: at a checkpoint when the service stops; sooner when nobody wants its work any more. */
const STOP_PATIENCE = 5_000;
const DRAIN_PATIENCE = 15_000;
const DUE_AT_ONCE = 200;

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
}

/** Does the runs that this node can take: finds what is due, works on it in threads, and tells how far it is. */
export interface Runner {
  /** Takes nothing more on, lets runs reach a checkpoint, and hands them over. */
  readonly close: () => Promise<void>;
}

export function startRunner(options: RunnerOptions): Runner {
  const { node, db, dispatcher, clock, log, logs, networks, roots, maxRuns, runsPerSource, runMemory } = options;
  const { hints } = dispatcher;
  const threads = createRunThreads({ networks, roots, most: maxRuns, memory: runMemory, log });
  const changes = createChangeWatch({ db, clock });
  const atWork = new Map<string, RunAtWork>();
  const pace = createPace();
  const timeKeeper = createTimeKeeper({ db, clock, log, logs, leaseMs: LEASE });
  const together = writeTogether({ db, clock, pace });
  /** How many of the runs here have not done their work yet; the others are being written down. */
  let underWay = 0;
  let isRecovered = false;
  /** Whether a lease was over when this node looked last. */
  let isLapsed = false;
  /** Whether runs were left out for want of room at their source. Nobody tells of them again, and they come before others. */
  let isCrowded = false;
  /** Whether runs wait for longer than it takes to begin one. At the start there may be some that nobody tells of. */
  let isOverdue = true;

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
  const claim = async (most: number): Promise<void> => {
    if (!isRecovered) return;
    const { claimed, hasLeftOut } = await db.write(claimRuns, {
      now: clock(),
      node,
      most,
      leaseMs: LEASE,
      perSource: runsPerSource,
      perKey: options.runsPerKey ?? Math.max(1, Math.floor(maxRuns / 2)),
      // One place is left for those that count for no key's share.
      ofKeys: Math.max(1, maxRuns - 1),
      crowded: isCrowded,
      overdue: isOverdue,
    });
    isCrowded ||= hasLeftOut;
    for (const one of claimed) {
      const run = new RunAtWork(one, { ...options, threads, together, wake: look.wake, tell: () => heart.wake(), offered: parts.wake });
      atWork.set(run.id, run);
      underWay++;
      void run.worked.then(() => {
        underWay--;
        pace.count();
        worker.wake();
        parts.hasRoom();
      });
      void run.done.then(() => {
        atWork.delete(run.id);
        // It leaves room at its source; and what follows changes may be behind again.
        if (isCrowded) worker.wake();
        if (changes.hasFollowers()) look.wake();
      });
    }
  };

  // Runs that wait go first: a large one would otherwise keep all the others out.
  const roomForParts = (): number => (isCrowded || isOverdue ? 0 : maxRuns - underWay);
  const parts = startPartWork({ ...options, threads, together, leaseMs: LEASE, room: roomForParts, ended: () => worker.wake() });
  const worker = dispatcher.work('runs', {
    name: 'taking runs that are due',
    interval: TAKE_INTERVAL,
    room: () => {
      // Where sources are the limit, an end leaves room when it is written down, and the oldest that waits for it goes first.
      if (isCrowded) return maxRuns - atWork.size - parts.size();
      // Small runs are over sooner than the next is claimed: as many as end in half a second are claimed ahead, half of them at a time.
      const ahead = Math.min(MOST_AHEAD, pace.lately());
      const free = maxRuns - underWay - parts.size();
      return free > 0 || free + ahead > ahead / 2 ? free + ahead : 0;
    },
    take: claim,
  });
  const look = startPulse({
    name: 'looking for what is due',
    interval: LOOK_IDLE,
    log,
    work: async () => {
      if (!isRecovered) await recover();
      let agenda = await readAgenda(db.read, node, clock());
      if (await timeKeeper.look(agenda.now)) agenda = await readAgenda(db.read, node, clock());
      const isPast = (time: string | null, since = 0): boolean => time !== null && Date.parse(time) + since <= Date.parse(agenda.now);
      if (agenda.cancelled > 0) {
        for (const id of await cancelledRuns(db.read, node)) atWork.get(id)?.stop('cancelled', STOP_PATIENCE);
      }
      const fired = isPast(agenda.due) ? await fire(agenda.now) : 0;
      const again = await changes.look(agenda);
      isOverdue = isPast(agenda.waiting, OVERDUE);
      isCrowded &&= isPast(agenda.waiting);
      parts.hasRoom();
      if (fired > 0 || again !== undefined || isPast(agenda.waiting)) worker.wake();
      isLapsed = isPast(agenda.lease);
      if (isLapsed) heart.wake();
      const interval = atWork.size > 0 ? LOOK_AT_WORK : hints.areHeard() ? LOOK_IDLE : LOOK_UNHEARD;
      return Math.min(interval, again ?? interval, untilNext(agenda));
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
      // Ours have just been renewed, so what is over has no worker.
      if (isLapsed && (await recover()) > 0) worker.wake();
      isLapsed = false;
    },
  });
  const stopListening = [
    hints.listen('runs', look.wake),
    hints.listen('syncs', look.wake),
    hints.listen('shop', () => changes.hasFollowers() && look.wake()),
  ];

  return {
    close: async () => {
      for (const stop of stopListening) stop();
      await Promise.all([look.stop(), worker.stop(), parts.close()]);
      for (const run of atWork.values()) run.stop('handed_over', DRAIN_PATIENCE);
      await Promise.all([...atWork.values()].map((run) => run.done));
      await heart.stop();
      await threads.close();
    },
  };
}

/** Milliseconds until the next thing on the agenda that is not due yet; what is due already waits for room. */
function untilNext({ now, waiting, due }: Agenda): number {
  return Math.min(...[waiting, due].map((time) => (time !== null && time > now ? Date.parse(time) - Date.parse(now) : LOOK_IDLE)));
}
