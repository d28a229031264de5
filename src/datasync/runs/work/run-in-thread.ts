import { findManifest } from '../../../connectors/registry.ts';
import { newReport } from '../../../engine/progress.ts';
import type { RunError, RunOrder, RunOutcome, StopReason, StreamReport } from '../../../engine/run.ts';
import type { Logger } from '../../../lib/log.ts';
import { startThreadInProcess } from '../../../lib/process-thread.ts';
import { startThread, type Thread } from '../../../lib/thread.ts';
import { heapLimit, hitHeapLimit, watchMemory } from '../../../lib/thread-memory.ts';
import { ThreadPool } from '../../../lib/thread-pool.ts';
import { answerCall } from '../../sources/thread-calls.ts';
import type { FromRunThread, LogLine, RunService, RunThreadSettings, ToRunThread } from './run-messages.ts';

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

/** What is told of a run as it goes on. */
export interface RunListener {
  progress(index: number, report: StreamReport): void;
  log(...line: LogLine): void;
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
  let tellThread = (_message: ToRunThread): void => {};
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
    tellThread = (message) => worker.postMessage(message);
    end = () => threads.end(worker);
    try {
      return await converse(worker, order, service, memory, {
        log: (...line) => listener.log(...line),
        progress: (index, report) => {
          latest.set(index, report);
          listener.progress(index, report);
        },
        begun: () => stopped && tellThread({ stop: stopped }),
      });
    } catch (error) {
      threads.end(worker);
      throw error;
    } finally {
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

/** Gives a thread its order and answers what it asks, until it tells the outcome. Rejects when the thread ends before. */
function converse(
  worker: Thread,
  order: RunOrder,
  service: RunService,
  memory: number,
  listener: RunListener & { begun: () => void },
): Promise<RunOutcome> {
  const { promise, resolve, reject } = Promise.withResolvers<RunOutcome>();
  const heard = (message: FromRunThread): void => {
    if ('outcome' in message) resolve(message.outcome);
    else if ('progress' in message) for (const [index, report] of message.progress) listener.progress(index, report);
    else if ('log' in message) listener.log(...message.log);
    else void answerCall({ ...service }, message, (reply) => worker.postMessage(reply));
  };
  const ended = (code: number): void => reject(new Error(`The thread has ended with code ${code}.`));
  const stopWatching = watchMemory(worker, memory, () => reject(new OutOfMemory(`The thread uses more than ${memory} MB.`)));
  worker.on('message', heard);
  worker.once('error', reject);
  worker.once('exit', ended);
  worker.postMessage({ order } satisfies ToRunThread);
  listener.begun();
  return promise.finally(() => {
    stopWatching();
    worker.off('message', heard);
    worker.off('error', reject);
    worker.off('exit', ended);
  });
}

class OutOfMemory extends Error {}

function deathOf(error: unknown, memory: number): RunError {
  if (error instanceof OutOfMemory || hitHeapLimit(error))
    return {
      kind: 'bug',
      code: 'OUT_OF_MEMORY',
      message: `The run needed more than ${memory} MB of memory and was ended.`,
      hint: 'Very large rows do that: leave out large fields, or give runs more with SYNCLINE_RUN_MEMORY.',
    };
  return {
    kind: 'bug',
    code: 'BUG',
    message: 'The run ended by a fault of Syncline itself.',
    hint: 'The log of the service tells more. Please report it.',
  };
}

/** The outcome of a run whose thread is gone: what it told last, and why it went no further. */
function outcomeWithout(
  order: RunOrder,
  latest: ReadonlyMap<number, StreamReport>,
  stopped: StopReason | undefined,
  error: RunError,
): RunOutcome {
  const cut: Pick<StreamReport, 'status' | 'error'> =
    stopped === 'cancelled' || stopped === 'handed_over'
      ? { status: stopped === 'cancelled' ? 'cancelled' : 'pending', error: null }
      : { status: 'failed', error };
  const streams = order.streams.flatMap(({ index }) => {
    const definition = order.definition.streams[index];
    const report = latest.get(index) ?? (definition && newReport(definition));
    if (!report) return [];
    const open = report.status === 'pending' || report.status === 'running';
    return [{ index, report: open ? { ...report, ...cut } : report }];
  });
  if (stopped === 'cancelled' || stopped === 'handed_over') return { status: stopped, streams, error: null };
  return { status: 'failed', streams, error };
}
