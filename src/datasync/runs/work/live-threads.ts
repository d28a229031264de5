import { availableParallelism } from 'node:os';
import type { RunOrder, RunOutcome, StopReason, StreamReport } from '../../../engine/run.ts';
import type { Logger } from '../../../lib/log.ts';
import { startThread, type Thread } from '../../../lib/thread.ts';
import { heapLimit, watchMemory } from '../../../lib/thread-memory.ts';
import { liveDeathOf, OutOfMemory, outcomeWithout } from './run-death.ts';
import type { RunThreads, RunUnderWay } from './run-in-thread.ts';
import type { RunListener, RunService, RunThreadSettings, ToRunThread } from './run-messages.ts';
import { type Talk, talkTo } from './run-talk.ts';

// Live runs mostly wait. A thread for each would cost ten megabytes for nothing, so they share a few.

const MOST_THREADS = Math.min(4, availableParallelism());
/** A thread that has nothing to do is kept for as long: the next live run finds it warm. */
const IDLE_TIME = 30_000;
/** Megabytes for what is soon forgotten: a set that is read and one that is written fit in. With twice as much it takes 40 more, and is no faster. */
const YOUNG = 24;

interface LiveThreadsOptions extends RunThreadSettings {
  /** Megabytes that the runs of one thread may use together: beyond it they end, and are taken up again. */
  memory: number;
  log: Logger;
}

export interface LiveThreads extends RunThreads {
  /** Whether there is a thread already. */
  readonly isWarm: () => boolean;
  /** Starts a thread, and has it load what the ends of these types take: on a busy machine that takes seconds. */
  readonly warm: (types: readonly string[]) => void;
}

/** Threads that many live runs share. */
export function createLiveThreads({ memory, log, ...settings }: LiveThreadsOptions): LiveThreads {
  const threads = new Set<SharedThread>();
  /** Also those that nobody may join any more. */
  const all = new Set<SharedThread>();
  const open = (): SharedThread => {
    const [least] = [...threads].toSorted((one, other) => one.size - other.size);
    if (least && (least.size === 0 || threads.size >= MOST_THREADS)) return least;
    const started = new SharedThread(
      startThread(import.meta.url, 'run-thread', {
        workerData: settings,
        resourceLimits: { maxOldGenerationSizeMb: heapLimit(memory), maxYoungGenerationSizeMb: YOUNG },
      }),
      memory,
      {
        closed: () => threads.delete(started),
        gone: () => {
          threads.delete(started);
          all.delete(started);
        },
      },
    );
    threads.add(started);
    all.add(started);
    return started;
  };
  return {
    start: (order, service, listener) => startLive(open(), order, service, listener, { memory, log }),
    isWarm: () => threads.size > 0,
    warm: (types) => open().warm(types),
    close: async () => void (await Promise.all([...all].map((thread) => thread.end()))),
  };
}

/** A thread with the live runs that are under way in it. */
class SharedThread {
  readonly #thread: Thread;
  readonly #talks = new Set<Talk>();
  readonly #told: { closed: () => void; gone: () => void };
  readonly #stopWatching: () => void;
  #idle: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(thread: Thread, memory: number, told: { closed: () => void; gone: () => void }) {
    this.#thread = thread;
    this.#told = told;
    this.#stopWatching = watchMemory(thread, memory, () => this.#die(new OutOfMemory(memory)));
    // Those whose runs are in it hear of it too; one that dies while idle must not take the process with it.
    thread.on('error', () => this.#gone());
    thread.on('exit', () => this.#gone());
  }

  get size(): number {
    return this.#talks.size;
  }

  begin(order: RunOrder, service: RunService, listener: RunListener): Talk {
    clearTimeout(this.#idle);
    if (this.#talks.size === 0) this.#thread.ref();
    const talk = talkTo(this.#thread, order, service, listener);
    this.#talks.add(talk);
    void talk.outcome
      .catch(() => undefined)
      .finally(() => {
        this.#talks.delete(talk);
        if (this.#talks.size === 0) this.#rest();
      });
    return talk;
  }

  warm(types: readonly string[]): void {
    this.#thread.postMessage({ warm: types } satisfies ToRunThread);
    if (this.#talks.size === 0) this.#rest();
  }

  /** A run in it does not stop. Nobody joins it any more; it ends when the others have left. */
  close(): void {
    this.#isClosed = true;
    this.#told.closed();
  }

  async end(): Promise<void> {
    this.#gone();
    await this.#thread.terminate();
  }

  #rest(): void {
    if (this.#isClosed) return void this.end();
    this.#thread.unref();
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.end(), IDLE_TIME).unref();
  }

  #die(error: Error): void {
    for (const talk of this.#talks) talk.giveUp(error);
    void this.end();
  }

  #gone(): void {
    clearTimeout(this.#idle);
    this.#stopWatching();
    this.#told.gone();
  }
}

function startLive(
  thread: SharedThread,
  order: RunOrder,
  service: RunService,
  listener: RunListener,
  { memory, log }: Pick<LiveThreadsOptions, 'memory' | 'log'>,
): RunUnderWay {
  const latest = new Map<number, StreamReport>();
  let stopped: StopReason | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const talk = thread.begin(order, service, {
    ...listener,
    progress: (index, report) => {
      latest.set(index, report);
      listener.progress(index, report);
    },
  });
  const afterDeath = (error: unknown): RunOutcome => {
    if (stopped === undefined) log.error({ err: error, run_id: order.id }, 'the thread of live runs has ended');
    return outcomeWithout(order, latest, stopped, liveDeathOf(error, memory));
  };
  return {
    outcome: talk.outcome.catch(afterDeath).finally(() => {
      isOver = true;
      clearTimeout(timer);
    }),
    stop: (reason, patience) => {
      if (isOver) return;
      stopped ??= reason;
      talk.tell({ stop: stopped });
      // The others in its thread go on. What this one still does there is refused by the target, as the next worker has a higher token.
      timer ??= setTimeout(() => {
        thread.close();
        talk.giveUp(new Error('The live run did not stop.'));
      }, patience);
    },
  };
}
