import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { CHECK_TIMEOUT } from '../../connectors/contract.ts';
import { ConnectorError } from '../../connectors/errors.ts';
import { reachOf } from '../../connectors/reach.ts';
import { rootsOf, type RootsOptions } from '../../connectors/roots.ts';
import type { ShopPort } from '../../connectors/shop-port.ts';
import type { Logger } from '../../lib/log.ts';
import { startThread } from '../../lib/thread.ts';
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

const TIME_LIMIT: Readonly<Record<Question['ask'], number>> = { check: CHECK_TIMEOUT, streams: 30_000, sample: 30_000 };
// A thread costs memory; four systems that hang at once keep a fifth person waiting, no more.
const MAX_THREADS = 4;
const IDLE_TIME = 10_000;

export function createProber({ networks, roots, shop, log }: ProberOptions): Prober {
  const threads = new ThreadPool();
  return {
    ask: async <Ask extends Question>(type: string, config: unknown, question: Ask): Promise<Answers[Ask['ask']]> => {
      if (type === 'hub') {
        const context = { reach: reachOf(networks), roots: rootsOf(roots), shop, signal: AbortSignal.timeout(TIME_LIMIT[question.ask]) };
        return probe(type, config, context, question);
      }
      const answer = await threads.ask({ type, config, question, networks, roots }, TIME_LIMIT[question.ask]);
      if ('output' in answer) return answer.output as Answers[Ask['ask']];
      const { kind, code, message, hint, field, stack } = answer.error;
      if (kind !== 'bug') throw new ConnectorError(kind, code, message, { ...(hint && { hint }), ...(field && { field }) });
      log.error({ type, ask: question.ask, stack }, 'a connector failed by a fault of its own');
      throw new ConnectorError('bug', code, `The connector ${type} failed by a fault of its own.`, {
        hint: 'The log of Syncline tells more. Please report it.',
      });
    },
    close: () => threads.close(),
  };
}

/** Threads that wait for a question or answer one. One question at a time each, so that a thread can be ended with its question. */
class ThreadPool {
  readonly #all = new Set<Worker>();
  readonly #idle: { worker: Worker; timer: NodeJS.Timeout }[] = [];
  readonly #waiting: (() => void)[] = [];

  async ask(request: ProbeRequest, timeLimit: number): Promise<ProbeAnswer> {
    const deadline = Date.now() + timeLimit;
    const worker = await this.#take(deadline - timeLimit / 2);
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(tooSlow(timeLimit)), deadline - Date.now());
    const ended = (): void => over.abort(new ConnectorError('bug', 'BUG', 'The thread that asked the system has ended.'));
    worker.once('exit', ended);
    try {
      worker.postMessage(request);
      const [answer] = await once(worker, 'message', { signal: over.signal });
      return answer as ProbeAnswer;
    } catch (error) {
      this.#drop(worker);
      throw over.signal.aborted ? over.signal.reason : error;
    } finally {
      clearTimeout(timer);
      worker.off('exit', ended);
      this.#giveBack(worker);
    }
  }

  async close(): Promise<void> {
    const all = [...this.#all];
    this.#all.clear();
    for (const { timer } of this.#idle) clearTimeout(timer);
    await Promise.all(all.map((worker) => worker.terminate()));
  }

  /** Waits for a thread, but not so long that no time is left to ask. */
  async #take(deadline: number): Promise<Worker> {
    while (this.#idle.length === 0 && this.#all.size >= MAX_THREADS) {
      if (Date.now() >= deadline)
        throw new ConnectorError('transient', 'BUSY', 'Too many systems are being asked at the same time.', {
          hint: 'Try again in a moment.',
        });
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, deadline - Date.now());
        this.#waiting.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
    const idle = this.#idle.pop();
    if (!idle) return this.#start();
    clearTimeout(idle.timer);
    idle.worker.ref();
    return idle.worker;
  }

  #start(): Worker {
    const worker = startThread(import.meta.url, 'probe-thread');
    this.#all.add(worker);
    // Whoever waits for an answer hears of it too; a thread that dies while idle must not take the process with it.
    worker.on('error', () => this.#drop(worker));
    worker.on('exit', () => this.#drop(worker));
    return worker;
  }

  #giveBack(worker: Worker): void {
    if (this.#all.has(worker)) {
      worker.unref();
      this.#idle.push({ worker, timer: setTimeout(() => this.#drop(worker), IDLE_TIME).unref() });
    }
    this.#waiting.shift()?.();
  }

  #drop(worker: Worker): void {
    this.#all.delete(worker);
    const place = this.#idle.findIndex((idle) => idle.worker === worker);
    if (place !== -1) this.#idle.splice(place, 1);
    void worker.terminate();
  }
}

function tooSlow(limit: number): ConnectorError {
  return new ConnectorError('transient', 'TIMEOUT', `The system did not answer within ${limit / 1000} seconds.`, {
    hint: 'Check the address, whether a firewall stands between, and whether the system is overloaded.',
  });
}
