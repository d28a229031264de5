import { setTimeout as sleep } from 'node:timers/promises';
import type { Position } from '../../connectors/batch.ts';
import type { ChangeLog } from '../../connectors/changes.ts';
import { at } from '../failure.ts';
import { sourceOf, type StreamWork } from '../stream-work.ts';

/** What was under way has arrived within this time, or is not waited for any longer. */
const PATIENCE = 60_000;
/** When nothing changes at its source, a live run does not tell how far it is. After so long it is made to. */
const NUDGE_AFTER = 3_000;
const LOOK_EVERY = 300;
/** Between two looks of a stream that is not live: a transaction at the source that was under way is over by then. */
const PAUSES = [50, 100, 200, 400, 800];

/** Waits, between two looks at rows that differ, until what was under way has arrived. */
export interface Arrival {
  /** The place in the log that the rows at the source are of, as they were read last; null where there is no log. */
  readonly position: Position | null;
  /** Notes where the source is: what it has now is to be at the target when `arrived` answers true. */
  note(): Promise<void>;
  /** False when it has not arrived, and nothing can be said of it. */
  arrived(look: number): Promise<boolean>;
}

export function arrivalOf(work: StreamWork): Arrival {
  const { log } = work.source;
  return work.plan.definition.mode === 'cdc' && log ? new LiveArrival(work, log) : new NothingUnderWay(work);
}

/** No run is beside this one, so nothing is under way but what is being written at the source. */
class NothingUnderWay implements Arrival {
  readonly position = null;
  readonly #work: StreamWork;

  constructor(work: StreamWork) {
    this.#work = work;
  }

  async note(): Promise<void> {}

  async arrived(look: number): Promise<boolean> {
    await pause(PAUSES[look] ?? 0, this.#work.signal);
    return true;
  }
}

class LiveArrival implements Arrival {
  readonly #work: StreamWork;
  readonly #log: ChangeLog;
  position: Position | null = null;

  constructor(work: StreamWork, log: ChangeLog) {
    this.#work = work;
    this.#log = log;
  }

  async note(): Promise<void> {
    this.position = await at(sourceOf(this.#work), () => this.#log.end());
  }

  async arrived(): Promise<boolean> {
    const { ports, plan, signal, order } = this.#work;
    // A repair has the live run stand aside: what is under way does not arrive before it is over.
    if (order.mode === 'repair') return true;
    const began = performance.now();
    for (let isNudged = false; performance.now() - began < PATIENCE; ) {
      const { isFollowing, position } = await ports.liveFront(plan.index);
      if (isFollowing && position !== null && this.position !== null && !this.#log.isBefore(position, this.position)) return true;
      if (!isNudged && performance.now() - began > NUDGE_AFTER) {
        isNudged = true;
        await ports.nudgeLive();
      }
      await pause(LOOK_EVERY, signal);
    }
    return false;
  }
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => {});
  signal.throwIfAborted();
}
