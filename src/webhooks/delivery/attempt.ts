import { isoTime } from '../../lib/clock.ts';
import { OutsideError } from '../../outside/errors.ts';
import { createHttpClient, type HttpClient } from '../../outside/http/client.ts';
import type { Answer } from '../../outside/http/exchange.ts';
import { explainWith } from '../../outside/http/words.ts';
import { reachOf } from '../../outside/reach.ts';
import { VERSION } from '../../version.ts';
import type { Endpoint } from '../endpoint.ts';
import { signatureHeaders } from '../signature.ts';
import type { Outcome } from './parcel.ts';
import { retryAfterOf, TIMING } from './schedule.ts';

/** What is sent: `webhook-id` and the body as it is signed. */
export interface Message {
  readonly id: string;
  readonly body: string;
}

export interface AttemptOptions {
  /** The time, in milliseconds. */
  now: () => number;
  /** Milliseconds for the attempt in all. */
  timeout?: number;
  /** Ends it without an outcome. */
  signal: AbortSignal;
}

/** Of an answer so much is read, and so much is kept. */
const MOST_READ = 64 * 1024;
const MOST_KEPT = 1024;
/** A connection that was kept may have been closed by the receiver just now. That is no failure: another one is made. */
const MOST_STALE = 3;
/** What takes longer than this was no connection that had just been closed. */
const JUST_NOW = 1_000;

/**
 * As many as one endpoint may have in flight are kept for the next messages; what is under way has no bound here, as endpoints at the same
 * host would wait for each other: `Slots` and `max_in_flight` bound it. What nothing is sent on is let go: there may be thousands of endpoints.
 */
const MOST_UNUSED = 64;
const IDLE_TIME = 20_000;

const explain = explainWith({
  who: 'The receiver',
  address: 'url',
  addressInWords: 'the address of the endpoint',
  authority: 'NODE_EXTRA_CA_CERTS',
  slowHint: 'Answer first, and do the work afterwards.',
  large: { field: 'url', hint: '' },
});

/** The way out for deliveries. Every connection is judged by `networks`, and kept for the next message. */
export function createDeliveryClient(networks: string, timeout = TIMING.timeout): HttpClient {
  return createHttpClient({
    reach: reachOf(networks),
    keepsConnections: { mostUnused: MOST_UNUSED, idle: IDLE_TIME },
    bounds: { timeout, bytesPerSecond: 0, pace: 'so far' },
    unpacks: false,
    explain,
  });
}

/** Sends a message once. Redirects are not followed; what counts is the status. Undefined when it was ended by its signal. */
export async function attempt(
  client: HttpClient,
  endpoint: Pick<Endpoint, 'url' | 'headers' | 'secrets' | 'problem'>,
  message: Message,
  { now, timeout = TIMING.timeout, signal }: AttemptOptions,
): Promise<Outcome | undefined> {
  const at = now();
  const began = performance.now();
  const outcome = (status: number | null, body: string | null, error: string | null, retryAfter = 0): Outcome => ({
    isDelivered: error === null,
    isGone: status === 410,
    retryAfter,
    holdsAll: status === 429 || status === 503,
    entry: {
      at: isoTime(at),
      duration_ms: Math.round(performance.now() - began),
      response_status: status,
      response_body: body,
      error,
    },
  });
  if (endpoint.problem !== null) return outcome(null, null, endpoint.problem);
  try {
    const answer = await sent(client, endpoint, message, at, signal);
    const body = await readSome(answer, timeout - (performance.now() - began));
    return outcome(answer.status, body, faultOf(answer), retryAfterOf(answer.headers['retry-after'], at));
  } catch (error) {
    if (signal.aborted) return undefined;
    if (!(error instanceof OutsideError)) throw error;
    const hint = error.code === 'ADDRESS_REFUSED' ? ` ${error.hint ?? ''}` : '';
    return outcome(null, null, `${error.message}${hint}`);
  }
}

async function sent(
  client: HttpClient,
  endpoint: Pick<Endpoint, 'url' | 'headers' | 'secrets'>,
  { id, body }: Message,
  at: number,
  signal: AbortSignal,
): Promise<Answer> {
  const headers = {
    'user-agent': `Syncline/${VERSION}`,
    ...endpoint.headers,
    'content-type': 'application/json',
    ...signatureHeaders(endpoint, id, Math.floor(at / 1000), body),
  };
  const outgoing = { method: 'POST', url: new URL(endpoint.url), headers, body: Buffer.from(body) };
  for (let stale = 0; ; stale++) {
    const began = performance.now();
    try {
      return await client.send(outgoing, signal);
    } catch (error) {
      const isStale = error instanceof OutsideError && error.code === 'CONNECTION_STALE';
      if (!isStale || stale >= MOST_STALE || performance.now() - began > JUST_NOW) throw error;
    }
  }
}

/** The beginning of an answer. Its status has been given, so what goes wrong from here on changes nothing. */
async function readSome(answer: Answer, timeLeft: number): Promise<string | null> {
  if (answer.headers['content-length'] === '0' || answer.status === 204) {
    // Read to its end, the connection can be used again.
    for await (const _ of answer.body);
    return null;
  }
  const kept: Buffer[] = [];
  let [bytes, keptBytes] = [0, 0];
  const timer = setTimeout(() => answer.discard(), Math.max(1, timeLeft));
  try {
    for await (const chunk of answer.body) {
      bytes += chunk.length;
      if (keptBytes < MOST_KEPT) kept.push(chunk.subarray(0, MOST_KEPT - keptBytes));
      keptBytes = Math.min(MOST_KEPT, keptBytes + chunk.length);
      if (bytes > MOST_READ) break;
    }
  } catch (error) {
    if (!(error instanceof OutsideError)) throw error;
  } finally {
    clearTimeout(timer);
  }
  // NUL cannot be stored everywhere.
  const text = Buffer.concat(kept).toString('utf8').replaceAll('\0', '\ufffd');
  return text === '' ? null : text;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Why an answer is no success; null when it is one. */
function faultOf({ status, headers }: Answer): string | null {
  if (status >= 200 && status < 300) return null;
  if (REDIRECTS.has(status)) {
    const to = headers.location === undefined ? '' : ` to ${whereTo(headers.location)}`;
    return `The receiver redirects (${status})${to}. Redirects are not followed: give the endpoint the address that it really has.`;
  }
  if (status === 410) return 'The receiver answered 410 Gone: it wants nothing more.';
  return `The receiver answered ${status}.`;
}

/** Without a query, which may hold a key. */
function whereTo(location: string): string {
  return (location.split(/[?#]/)[0] ?? '').slice(0, 200).replace(/[^\x21-\x7e]/g, '');
}

/** What is wrong with us must not stop deliveries to others. */
export function ownFault(error: unknown, now: number): Outcome {
  const why = `The attempt failed by a fault of Syncline's own: ${error instanceof Error ? error.message : String(error)}`;
  const entry = { at: isoTime(now), duration_ms: 0, response_status: null, response_body: null, error: why };
  return { isDelivered: false, isGone: false, retryAfter: 0, holdsAll: false, entry };
}
