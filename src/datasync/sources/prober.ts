import { CHECK_TIMEOUT, type Field } from '../../connectors/contract.ts';
import { OutsideError } from '../../outside/errors.ts';
import { unpackError } from '../../connectors/packed-error.ts';
import { findManifest } from '../../connectors/registry.ts';
import type { RootsOptions } from '../../outside/roots.ts';
import type { HookPort } from '../../connectors/hook-port.ts';
import type { ShopPort } from '../../connectors/shop-port.ts';
import type { PlannedStreams, StreamsToPlan } from '../../engine/plan/streams.ts';
import type { Logger } from '../../lib/log.ts';
import { startThreadInProcess } from '../../lib/process-thread.ts';
import { startThread, type Thread } from '../../lib/thread.ts';
import { heapLimit, hitHeapLimit, watchMemory } from '../../lib/thread-memory.ts';
import { ThreadPool } from '../../lib/thread-pool.ts';
import type { Answers, Question } from './probe.ts';
import type { FromProbe, ProbeAnswer, ProbeRequest } from './probe-thread.ts';
import { answerCall } from './thread-calls.ts';
import type { SourceSecrets } from './kept-secrets.ts';

/** Asks systems on behalf of the API, and understands what users wrote, each bounded in time and memory and in a thread of its own. */
export interface Prober {
  ask<Ask extends Question>(type: string, config: unknown, question: Ask, source?: string): Promise<Answers[Ask['ask']]>;
  /** How streams are read and written; expressions are compiled for it. */
  plan(streams: StreamsToPlan): Promise<PlannedStreams>;
  /** What is wrong with a condition over these fields, if anything is. */
  conditionFault(condition: string, fields: readonly Field[]): Promise<string | undefined>;
  /** Systems of these types will be asked soon: what that takes is loaded meanwhile, and kept for a while. */
  makeReady(types: readonly string[]): Promise<void>;
  /** The service stops: what is under way gets a moment more, and no more is asked. */
  stop(): void;
  close(): Promise<void>;
}

export interface ProberOptions {
  networks: string;
  roots: RootsOptions;
  /** Our own shop. It lives in this thread; the connector that reads it calls it from another. */
  shop: ShopPort;
  /** Our own hooks, likewise. */
  hooks: HookPort;
  secrets: SourceSecrets;
  /** Megabytes that one question may use. */
  memory: number;
  log: Logger;
  /** Milliseconds that any question may take, where it is not the usual. */
  timeLimit?: number;
}

const TIME_LIMIT: Readonly<Record<Question['ask'] | 'plan', number>> = {
  check: CHECK_TIMEOUT,
  outline: CHECK_TIMEOUT,
  streams: 30_000,
  sample: 30_000,
  mapped: 30_000,
  release: 30_000,
  identity: 30_000,
  bound: 30_000,
  // A run may have changed a million rows.
  undo: 600_000,
  forget: 120_000,
  plan: 30_000,
};
// A thread costs memory; four systems that hang at once keep a fifth person waiting, no more.
export const MAX_THREADS = 4;
const IDLE_TIME = 10_000;
/** So long a person may take to choose the source that is asked. */
const READY_TIME = 60_000;
/** A system that hangs must not hold up the end of the service for as long as it may hold up an answer. */
const LAST_MOMENT = 5_000;

export function createProber({ networks, roots, shop, hooks, secrets, memory, log, timeLimit }: ProberOptions): Prober {
  const poolOf = (start: typeof startThreadInProcess): ThreadPool =>
    new ThreadPool({
      start: () => start(import.meta.url, 'probe-thread', { resourceLimits: { maxOldGenerationSizeMb: heapLimit(memory) } }),
      most: MAX_THREADS,
      idleTime: IDLE_TIME,
    });
  const stopping = new AbortController();
  const inThreads = poolOf(startThread);
  const inProcesses = poolOf(startThreadInProcess);
  const ask = async (threads: ThreadPool, what: string, request: ProbeRequest, usualLimit: number): Promise<unknown> => {
    const keptFor = 'load' in request ? READY_TIME : IDLE_TIME;
    const limits = { timeLimit: timeLimit ?? usualLimit, memory, service: { shop, hooks, secrets }, stopping: stopping.signal, keptFor };
    const answer = await askThread(threads, request, limits);
    if ('output' in answer) return answer.output;
    if (answer.error.kind !== 'bug') throw unpackError(answer.error);
    log.error({ what, trace: answer.error.trace }, 'a question failed by a fault of our own');
    throw new OutsideError('bug', answer.error.code, `${what} failed by a fault of its own.`, {
      hint: 'The log of Syncline tells more. Please report it.',
    });
  };
  const poolFor = (type: string): ThreadPool => (findManifest(type)?.endsOnlyByKill ? inProcesses : inThreads);
  const load = async (types: readonly string[]): Promise<void> => {
    const groups = Map.groupBy(new Set(types), poolFor);
    // Who asks later finds out by itself what is wrong.
    await Promise.allSettled([...groups].map(([pool, load]) => ask(pool, 'The loading of connectors', { load }, TIME_LIMIT.plan)));
  };
  // However many ask for it, one thread of each kind is taken.
  let loading: Promise<void> | undefined;
  return {
    ask: async <Ask extends Question>(type: string, config: unknown, question: Ask, source?: string) => {
      const request = { type, config, question, networks, roots, source };
      return (await ask(poolFor(type), `The connector ${type}`, request, TIME_LIMIT[question.ask])) as Answers[Ask['ask']];
    },
    plan: async (streams) => (await ask(inThreads, 'The planning of streams', { plan: streams }, TIME_LIMIT.plan)) as PlannedStreams,
    conditionFault: async (condition, fields) =>
      (await ask(inThreads, 'The look at a condition', { condition, fields }, TIME_LIMIT.plan)) as string | undefined,
    makeReady: async (types) => {
      loading ??= load(types).finally(() => {
        loading = undefined;
      });
      await loading;
    },
    stop: () => stopping.abort(),
    close: async () => void (await Promise.all([inThreads.close(), inProcesses.close()])),
  };
}

/** What a thread that asks may call here. */
type ProbeService = Readonly<Record<'shop' | 'hooks' | 'secrets', object>>;

interface ProbeLimits {
  timeLimit: number;
  memory: number;
  service: ProbeService;
  stopping: AbortSignal;
  /** Milliseconds that the thread is kept when it is not needed again. */
  keptFor: number;
}

async function askThread(
  threads: ThreadPool,
  request: ProbeRequest,
  { timeLimit, memory, service, stopping, keptFor }: ProbeLimits,
): Promise<ProbeAnswer> {
  const deadline = performance.now() + timeLimit;
  // Waits for a thread, but not so long that no time is left to ask.
  const worker = await threads.take(deadline - timeLimit / 2);
  if (!worker)
    throw new OutsideError('transient', 'BUSY', 'Too many systems are being asked at the same time.', { hint: 'Try again in a moment.' });
  if (stopping.aborted) {
    threads.giveBack(worker);
    throw shuttingDown();
  }
  const { promise, resolve, reject } = Promise.withResolvers<ProbeAnswer>();
  const timers = [setTimeout(() => reject(tooSlow(timeLimit)), deadline - performance.now())];
  const hurry = (): void => void timers.push(setTimeout(() => reject(shuttingDown()), LAST_MOMENT));
  stopping.addEventListener('abort', hurry);
  const forget = listenTo(worker, service, resolve, reject);
  const stopWatching = watchMemory(worker, memory, () => reject(tooLarge(memory)));
  try {
    worker.postMessage(request);
    return await promise;
  } catch (error) {
    threads.end(worker);
    throw hitHeapLimit(error) ? tooLarge(memory) : error;
  } finally {
    timers.forEach(clearTimeout);
    stopping.removeEventListener('abort', hurry);
    stopWatching();
    forget();
    threads.giveBack(worker, keptFor);
  }
}

/** Waits for what the thread answers, and does what it calls for meanwhile. Answers how to stop listening. */
function listenTo(
  worker: Thread,
  service: ProbeService,
  resolve: (answer: ProbeAnswer) => void,
  reject: (error: unknown) => void,
): () => void {
  const heard = (message: FromProbe): void => {
    if ('call' in message) void answerCall(service, message, (reply) => worker.postMessage(reply));
    else resolve(message);
  };
  const ended = (): void => reject(new OutsideError('bug', 'BUG', 'The thread that asked the system has ended.'));
  worker.on('message', heard);
  worker.once('error', reject);
  worker.once('exit', ended);
  return () => {
    worker.off('message', heard);
    worker.off('error', reject);
    worker.off('exit', ended);
  };
}

function tooSlow(limit: number): OutsideError {
  return new OutsideError('transient', 'TIMEOUT', `The system did not answer within ${limit / 1000} seconds.`, {
    hint: 'Check the address, whether a firewall stands between, and whether the system is overloaded. Expressions that take long to compute do the same.',
  });
}

function shuttingDown(): OutsideError {
  return new OutsideError('transient', 'BUSY', 'The service is shutting down.', { hint: 'Try again in a moment.' });
}

function tooLarge(megabytes: number): OutsideError {
  return new OutsideError('config', 'OUT_OF_MEMORY', `It needed more than ${megabytes} MB of memory and was ended.`, {
    hint: 'Very large rows do that, and expressions that make large values.',
  });
}
