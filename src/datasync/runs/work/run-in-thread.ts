import { findManifest } from '../../../connectors/registry.ts';
import type { RunOrder, RunOutcome, StopReason, StreamReport } from '../../../engine/run.ts';
import type { Logger } from '../../../lib/log.ts';
import { startThreadInProcess } from '../../../lib/process-thread.ts';
import { startThread } from '../../../lib/thread.ts';
import { heapLimit, watchMemory } from '../../../lib/thread-memory.ts';
import { ThreadPool } from '../../../lib/thread-pool.ts';
import { deathOf, OutOfMemory, outcomeWithout } from './run-death.ts';
import type { RunListener, RunService, RunThreadSettings, ToRun } from './run-messages.ts';
import { talkTo } from './run-talk.ts';

// Loading the drivers takes longer than many a run: those that come every minute find a thread that is warm.
const IDLE_TIME = 90_000;
/** A process costs more memory than a thread, and is given back sooner. */
const IDLE_PROCESS_TIME = 10_000;
/** How long a run waits for a thread. */
const PATIENCE = 2_000;
/** Megabytes for what is soon forgotten. With more a run is no faster: rows are hardly ever objects. */
const YOUNG = 12;

/** A run in a thread. */
export interface RunUnderWay {
  /** Never rejects: whatever happens to the thread is in the outcome. */
  readonly outcome: Promise<RunOutcome>;
  /** Tells it to stop at the next opportunity; when it does not within this time, the thread is ended. */
  stop(reason: StopReason, patience: number): void;
}

export interface RunThreads {
  start(order: RunOrder, service: RunService, listener: RunListener): RunUnderWay;
  close(): Promise<void>;
}

export interface RunThreadsOptions extends RunThreadSettings {
  /** How many runs may be under way at the same time. */
  most: number;
  /** Megabytes that one run may use: beyond it the run ends, and not the process. */
  memory: number;
  log: Logger;
}

/** Threads for runs: started when needed, one run at a time each, kept warm for a moment. */
export function createRunThreads({ most, memory, log, ...settings }: RunThreadsOptions): RunThreads {
  const poolOf = (start: typeof startThreadInProcess, idleTime: number): ThreadPool =>
    new ThreadPool({
      start: () =>
        start(import.meta.url, 'run-thread', {
          workerData: settings,
          resourceLimits: { maxOldGenerationSizeMb: heapLimit(memory), maxYoungGenerationSizeMb: YOUNG },
        }),
      most,
      idleTime,
    });
  const inThreads = poolOf(startThread, IDLE_TIME);
  const inProcesses = poolOf(startThreadInProcess, IDLE_PROCESS_TIME);
  return {
    start: (order, service, listener) => {
      const threads = findManifest(order.source.type)?.endsOnlyByKill ? inProcesses : inThreads;
      return startRun(threads, order, service, listener, { memory, log });
    },
    close: async () => void (await Promise.all([inThreads.close(), inProcesses.close()])),
  };
}

function startRun(
  threads: ThreadPool,
  order: RunOrder,
  service: RunService,
  listener: RunListener,
  { memory, log }: Pick<RunThreadsOptions, 'memory' | 'log'>,
): RunUnderWay {
  const latest = new Map<number, StreamReport>();
  let stopped: StopReason | undefined;
  let tellThread = (_message: ToRun): void => {};
  let end = (): void => {};
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;

  const work = async (): Promise<RunOutcome> => {
    // Runs are claimed a little ahead. When those before them take longer than was thought, another node may be free.
    const worker = await threads.take(performance.now() + PATIENCE);
    if (!worker || stopped !== undefined) {
      stopped ??= 'handed_over';
      if (worker) threads.giveBack(worker);
      throw new Error('The run was stopped before it began.');
    }
    end = () => threads.end(worker);
    const talk = talkTo(worker, order, service, {
      ...listener,
      progress: (index, report) => {
        latest.set(index, report);
        listener.progress(index, report);
      },
    });
    const stopWatching = watchMemory(worker, memory, () => talk.giveUp(new OutOfMemory(memory)));
    try {
      tellThread = (message) => talk.tell(message);
      if (stopped) talk.tell({ stop: stopped });
      return await talk.outcome;
    } catch (error) {
      threads.end(worker);
      throw error;
    } finally {
      stopWatching();
      // The thread is another run's from here on: a late stop of this one must not stop that.
      tellThread = () => {};
      end = () => {};
      threads.giveBack(worker);
    }
  };

  const afterDeath = (error: unknown): RunOutcome => {
    if (stopped === undefined) log.error({ err: error, run_id: order.id }, 'the thread of a run has ended before the run');
    return outcomeWithout(order, latest, stopped, deathOf(error, memory));
  };
  return {
    outcome: work()
      .catch(afterDeath)
      .finally(() => {
        isOver = true;
        clearTimeout(timer);
      }),
    stop: (reason, patience) => {
      // A clock for a run that is over would keep the process from its end.
      if (isOver) return;
      stopped ??= reason;
      tellThread({ stop: stopped });
      timer ??= setTimeout(() => end(), patience);
    },
  };
}
