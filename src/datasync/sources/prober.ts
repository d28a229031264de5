import { once } from 'node:events';
import { CHECK_TIMEOUT } from '../../connectors/contract.ts';
import { ConnectorError } from '../../connectors/errors.ts';
import { unpackError } from '../../connectors/packed-error.ts';
import { reachOf } from '../../connectors/reach.ts';
import { rootsOf, type RootsOptions } from '../../connectors/roots.ts';
import type { ShopPort } from '../../connectors/shop-port.ts';
import type { Logger } from '../../lib/log.ts';
import { startThread } from '../../lib/thread.ts';
import { ThreadPool } from '../../lib/thread-pool.ts';
import { type Answers, probe, type Question } from './probe.ts';
import type { ProbeAnswer, ProbeRequest } from './probe-thread.ts';

/** Asks systems on behalf of the API, each question bounded in time. */
export interface Prober {
  ask<Ask extends Question>(type: string, config: unknown, question: Ask): Promise<Answers[Ask['ask']]>;
  close(): Promise<void>;
}

export interface ProberOptions {
  networks: string;
  roots: RootsOptions;
  /** Our own shop. It lives in this thread, and so does the connector that reads it. */
  shop: ShopPort;
  log: Logger;
}

const TIME_LIMIT: Readonly<Record<Question['ask'], number>> = { check: CHECK_TIMEOUT, streams: 30_000, sample: 30_000, mapped: 30_000 };
// A thread costs memory; four systems that hang at once keep a fifth person waiting, no more.
const MAX_THREADS = 4;
const IDLE_TIME = 10_000;

export function createProber({ networks, roots, shop, log }: ProberOptions): Prober {
  const threads = new ThreadPool({ start: () => startThread(import.meta.url, 'probe-thread'), most: MAX_THREADS, idleTime: IDLE_TIME });
  return {
    ask: async <Ask extends Question>(type: string, config: unknown, question: Ask): Promise<Answers[Ask['ask']]> => {
      if (type === 'hub') {
        const context = { reach: reachOf(networks), roots: rootsOf(roots), shop, signal: AbortSignal.timeout(TIME_LIMIT[question.ask]) };
        return probe(type, config, context, question);
      }
      const answer = await askThread(threads, { type, config, question, networks, roots }, TIME_LIMIT[question.ask]);
      if ('output' in answer) return answer.output as Answers[Ask['ask']];
      if (answer.error.kind !== 'bug') throw unpackError(answer.error);
      log.error({ type, ask: question.ask, trace: answer.error.trace }, 'a connector failed by a fault of its own');
      throw new ConnectorError('bug', answer.error.code, `The connector ${type} failed by a fault of its own.`, {
        hint: 'The log of Syncline tells more. Please report it.',
      });
    },
    close: () => threads.close(),
  };
}

async function askThread(threads: ThreadPool, request: ProbeRequest, timeLimit: number): Promise<ProbeAnswer> {
  const deadline = performance.now() + timeLimit;
  // Waits for a thread, but not so long that no time is left to ask.
  const worker = await threads.take(deadline - timeLimit / 2);
  if (!worker)
    throw new ConnectorError('transient', 'BUSY', 'Too many systems are being asked at the same time.', { hint: 'Try again in a moment.' });
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(tooSlow(timeLimit)), deadline - performance.now());
  const ended = (): void => over.abort(new ConnectorError('bug', 'BUG', 'The thread that asked the system has ended.'));
  worker.once('exit', ended);
  try {
    worker.postMessage(request);
    const [answer] = await once(worker, 'message', { signal: over.signal });
    return answer as ProbeAnswer;
  } catch (error) {
    threads.end(worker);
    throw over.signal.aborted ? over.signal.reason : error;
  } finally {
    clearTimeout(timer);
    worker.off('exit', ended);
    threads.giveBack(worker);
  }
}

function tooSlow(limit: number): ConnectorError {
  return new ConnectorError('transient', 'TIMEOUT', `The system did not answer within ${limit / 1000} seconds.`, {
    hint: 'Check the address, whether a firewall stands between, and whether the system is overloaded.',
  });
}
