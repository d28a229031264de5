import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '../lib/log.ts';
import { OutsideError } from '../outside/errors.ts';
import { readText } from '../outside/http/body.ts';
import { createHttpClient } from '../outside/http/client.ts';
import { explainWith } from '../outside/http/words.ts';
import { reachOf } from '../outside/reach.ts';
import { otlpOf } from './otlp.ts';
import { retryAfterOf } from './retry-after.ts';
import type { TracedSpan, SpanAttributes } from './span.ts';

/** Spans that wait; what comes beyond is dropped. As the standard has it. */
const MOST_WAITING = 2048;
const BATCH = 512;
const INTERVAL = 5_000;
/** Milliseconds for one answer of the collector. */
const TIMEOUT = 10_000;
const MOST_ANSWERED = 64 * 1024;
const ATTEMPTS = 3;
/** Milliseconds before another attempt, and the longest that a collector may ask for. */
const RETRY = 1_000;
const LONGEST_RETRY = 30_000;
/** When the service stops, so long is left for the last ones. */
const LAST_MOMENT = 2_000;
/** What passes by itself. */
const PASSING = new Set([429, 502, 503, 504]);

export interface ExporterOptions {
  url: string;
  headers: Readonly<Record<string, string>>;
  resource: SpanAttributes;
  version: string;
  log: Logger;
}

export interface Exporter {
  add(span: TracedSpan): void;
  /** Spans since the start, by what became of them. */
  readonly figures: { sent: number; dropped: number };
  close(): Promise<void>;
}

/**
 * Hands spans to a collector, some at a time, by OTLP over HTTP in JSON. Nobody waits for it: what the collector does not take in time is dropped and
 * counted, whatever is wrong with it.
 */
export function createExporter({ url, headers, resource, version, log }: ExporterOptions): Exporter {
  const address = new URL(url);
  const figures = { sent: 0, dropped: 0 };
  const closing = new AbortController();
  let waiting: TracedSpan[] = [];
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;
  let isFailing = false;
  // The operator chose the collector, so SYNCLINE_NETWORKS, which is for connectors, does not narrow where it may be.
  const client = createHttpClient({
    reach: reachOf('any'),
    keepsConnections: { most: 1 },
    unpacks: true,
    bounds: { timeout: TIMEOUT, total: TIMEOUT, bytes: MOST_ANSWERED, bytesPerSecond: 0, pace: 'so far' },
    explain: explainWith({
      who: 'The collector of traces',
      address: 'OTEL_EXPORTER_OTLP_ENDPOINT',
      addressInWords: 'the address of the collector',
      authority: 'NODE_EXTRA_CA_CERTS',
      slowHint: 'Check that the collector is well.',
      large: { field: 'OTEL_EXPORTER_OTLP_ENDPOINT', hint: 'Check the address of the collector.' },
    }),
  });

  /** Sends them once; answers how long to wait before another attempt, or undefined when there is to be none. */
  async function send(body: Buffer, count: number): Promise<number | undefined> {
    const signal = AbortSignal.any([AbortSignal.timeout(TIMEOUT), closing.signal]);
    try {
      const answer = await client.send(
        { method: 'POST', url: address, headers: { ...headers, 'content-type': 'application/json' }, body },
        signal,
      );
      // The status has been given: what goes wrong with the rest changes nothing.
      const text = await readText(answer, MOST_ANSWERED).catch(() => '');
      const isTaken = answer.status >= 200 && answer.status < 300;
      if (isTaken) {
        const refused = Math.min(count, refusedIn(text));
        figures.sent += count - refused;
        figures.dropped += refused;
        tellOf(undefined);
        return undefined;
      }
      tellOf(`The collector of traces answered ${answer.status}.`);
      if (PASSING.has(answer.status))
        return Math.min(LONGEST_RETRY, Math.max(RETRY, retryAfterOf(answer.headers['retry-after'], Date.now())));
    } catch (error) {
      // Where we gave up, the error tells of that, and not of the collector.
      const isKnown = error instanceof OutsideError && !signal.aborted;
      tellOf(isKnown ? error.message : 'The collector of traces did not answer in time.');
      if (!closing.signal.aborted) return RETRY;
    }
    figures.dropped += count;
    return undefined;
  }

  async function sendAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, BATCH);
      const body = Buffer.from(otlpOf(batch, resource, version));
      for (let attempt = 1; ; attempt++) {
        const wait = await send(body, batch.length);
        if (wait === undefined) break;
        if (attempt === ATTEMPTS) {
          figures.dropped += batch.length;
          break;
        }
        await pause(wait, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
      }
    }
  }

  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    return (sending ??= sendAll().finally(() => {
      sending = undefined;
    }));
  };

  /** Once when it begins to fail, and once when it is well again. */
  function tellOf(problem: string | undefined): void {
    if ((problem !== undefined) === isFailing) return;
    isFailing = problem !== undefined;
    if (problem === undefined) log.info('traces are taken by the collector again');
    else log.warn({ problem }, 'traces cannot be handed over; they are dropped until the collector takes them');
  }

  return {
    figures,
    add: (span) => {
      if (waiting.length >= MOST_WAITING) {
        figures.dropped++;
        return;
      }
      waiting.push(span);
      if (waiting.length >= BATCH && !sending) void flush();
      else timer ??= setTimeout(() => void flush(), INTERVAL).unref();
    },
    close: async () => {
      const last = setTimeout(() => {
        figures.dropped += waiting.length;
        waiting = [];
        closing.abort();
      }, LAST_MOMENT);
      await flush();
      clearTimeout(last);
      client.close();
    },
  };
}

/** How many spans a collector says that it has refused. */
function refusedIn(text: string): number {
  try {
    const { partialSuccess } = JSON.parse(text) as { partialSuccess?: { rejectedSpans?: number | string } };
    const refused = Number(partialSuccess?.rejectedSpans ?? 0);
    return Number.isSafeInteger(refused) && refused > 0 ? refused : 0;
  } catch {
    return 0;
  }
}
