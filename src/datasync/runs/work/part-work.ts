import type { Dispatcher } from '../../../jobs/dispatcher.ts';
import { startPulse } from '../../../jobs/pulse.ts';
import { PartAtWork, type PartAtWorkOptions } from './part-at-work.ts';
import { beatParts, claimParts } from '../queue/parts.ts';

/** Word of parts may be lost, and a lease may end; the node that has the run does not wait for us. */
const TAKE_INTERVAL = 15_000;
/** So soon a node hears that nobody wants its part any more. */
const BEAT_INTERVAL = 1_000;
const STOP_PATIENCE = 5_000;
const DRAIN_PATIENCE = 15_000;

export interface PartWorkOptions extends PartAtWorkOptions {
  node: string;
  dispatcher: Dispatcher;
  leaseMs: number;
  runsPerSource: number;
  /** How much this node can do at the same time, parts and all. */
  room: () => number;
  /** Called when there is room again. */
  ended: () => void;
}

/** Helps with large runs, of this node and of others, while there is nothing else to do. */
export interface PartWork {
  /** How many parts are at work. */
  readonly size: () => number;
  /** There may be something to do. */
  readonly wake: () => void;
  /** There is room again; it asks for something to do only when it may have missed something. */
  readonly hasRoom: () => void;
  /** Takes nothing more on, lets parts reach a checkpoint, and hands them over. */
  readonly close: () => Promise<void>;
}

export function startPartWork(options: PartWorkOptions): PartWork {
  const { node, db, clock, log, dispatcher, leaseMs, runsPerSource, room, ended } = options;
  const atWork = new Set<PartAtWork>();
  /** Whether there was no room when there may have been something to do. */
  let isMissing = false;
  const stopListening = dispatcher.hints.listen('runs', () => atWork.size > 0 && heart.wake());

  const worker = dispatcher.work('parts', {
    name: 'taking parts of runs',
    interval: TAKE_INTERVAL,
    room: () => {
      const left = room() - atWork.size;
      isMissing = left <= 0;
      return left;
    },
    take: async (most) => {
      const claimed = await db.write(claimParts, { now: clock(), node, most, leaseMs, perSource: runsPerSource });
      for (const one of claimed) {
        const part = new PartAtWork(one, options);
        atWork.add(part);
        void part.done.then(() => {
          atWork.delete(part);
          ended();
          worker.wake();
        });
      }
    },
  });
  const heart = startPulse({
    name: 'telling that parts of runs are at work',
    interval: BEAT_INTERVAL,
    log,
    work: async () => {
      const parts = [...atWork];
      if (parts.length === 0) return;
      const ours = await db.write(beatParts, { now: clock(), leaseMs, parts: parts.map(({ key }) => key) });
      for (const [i, part] of parts.entries()) if (!ours[i]) part.stop('cancelled', STOP_PATIENCE);
    },
  });

  return {
    size: () => atWork.size,
    wake: worker.wake,
    hasRoom: () => {
      if (isMissing) worker.wake();
    },
    close: async () => {
      stopListening();
      await worker.stop();
      for (const part of atWork) part.stop('handed_over', DRAIN_PATIENCE);
      await Promise.all([...atWork].map((part) => part.done));
      await heart.stop();
    },
  };
}
