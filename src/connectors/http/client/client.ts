import { printable } from '../../../lib/check.ts';
import { aborted, OutsideError } from '../../../outside/errors.ts';
import type { Context } from '../../contract.ts';
import { createHttpClient } from '../../../outside/http/client.ts';
import { readText } from '../../../outside/http/body.ts';
import type { Answer } from '../../../outside/http/exchange.ts';
import { follow, MAX_REDIRECTS, type Refusal } from '../../../outside/http/redirects.ts';
import { explainWith } from '../../../outside/http/words.ts';
import { createCredentials } from './auth/credentials.ts';
import type { HttpConfig } from '../config/config.ts';
import { Budget } from './budget.ts';
import { Patience } from './patience.ts';
import { apiMessage, refusal, refusalInBody, retryAfterOf } from './refusals.ts';
import type { Complaint } from '../answer/verdict.ts';

export interface Call {
  method: string;
  url: URL;
  headers?: Readonly<Record<string, string>>;
  /** JSON text. */
  body?: string | undefined;
  signal: AbortSignal;
  /** The answer is to come now or never. */
  impatient?: boolean;
  /** It is asked because of an answer that is still being looked at, which has its place among those under way. */
  isAside?: boolean;
}

/** The API, with everything that has to do with talking to it rather than with what is said. */
export interface Client {
  /** The address of a path below the base URL. */
  urlOf(path: string): URL;
  /**
   * Asks, follows where the API leads, and has something made of the answer, whatever its status is. What may heal, in the asking or in
   * the making, is tried again: the same request, byte for byte, after the wait that the API wants or one that grows. `isAgain` tells
   * that an attempt went before, of which nobody knows what it did.
   */
  ask<Result>(call: Call, use: (answer: Answer, isAgain: boolean) => Promise<Result>): Promise<Result>;
  /** The same where the answer itself is wanted. */
  send(call: Call): Promise<Answer>;
  /** What a refusal means, with what the API says about it. */
  refusalOf(answer: Answer, method: string): Promise<OutsideError>;
  /** What an answer means that complains with the status of a success. */
  refusalInBody(complaint: Complaint, answer: Answer, method: string): OutsideError;
  /** The API's own words in a body, fit to be shown. */
  wordsOf(text: string): string;
  /** Other words of the API, fit to be shown. */
  shown(words: string): string;
  /** Takes notice of what an answer says about what requests cost. */
  heed(answer: unknown): void;
  /** An address without our key, so that it can be kept. */
  bare(url: URL): URL;
  close(): void;
}

const MAX_REFUSAL = 64 * 1024;
/** The member of the configuration that a token server may change. */
const REFRESH_TOKEN = 'auth.refresh_token';
/** Below this, after the first `timeout_seconds`, an answer only drips. */
const MIN_BYTES_PER_SECOND = 256;
/** What may be otherwise when it is asked again. */
const PASSING = new Set([408, 425, 429, 500, 502, 503, 504]);
/** A host that is not there at all will hardly be there in a second: that is for the next try of the run. */
const PASSING_CODES = new Set(
  'RATE_LIMITED UNAVAILABLE API_FAILED TIMEOUT CONNECTION_LOST CONNECTION_STALE REQUEST_FAILED ANSWER_BROKEN JSON_TRUNCATED TOKEN_FAILED'.split(
    ' ',
  ),
);

const explain = explainWith({
  who: 'The API',
  address: 'base_url',
  addressInWords: 'the base URL and the path',
  authority: 'tls.ca',
  slowHint: 'Check that the API is well; ask for smaller pages; or raise `timeout_seconds` or `max_response_seconds`.',
  large: { field: 'max_response_mb', hint: 'Ask for smaller pages, or raise `max_response_mb`.' },
});

export function createClient(
  config: HttpConfig,
  { reach, tell, secrets, traceparent }: Pick<Context, 'reach' | 'tell' | 'secrets' | 'traceparent'>,
  lifetime: AbortSignal,
): Client {
  const base = new URL(config.base_url);
  const wire = createHttpClient({
    reach,
    traceparent,
    tls: config.tls,
    keepsConnections: true,
    unpacks: true,
    bounds: {
      timeout: config.timeout_seconds * 1000,
      total: config.max_response_seconds * 1000,
      bytes: config.max_response_mb * 1_000_000,
      bytesPerSecond: MIN_BYTES_PER_SECOND,
      pace: 'so far',
    },
    explain,
  });
  const credentials = createCredentials(config.auth, {
    base,
    send: (outgoing) => wire.send(outgoing, lifetime),
    refreshToken: secrets && {
      current: () => secrets.current(REFRESH_TOKEN),
      replace: (old, by) => secrets.replace(REFRESH_TOKEN, old, by),
    },
  });
  const budget = new Budget({
    perSecond: config.requests_per_second,
    parallel: config.requests_in_parallel,
    longest: config.max_wait_seconds,
    tell,
  });
  const own = Object.fromEntries(config.headers.map(({ name, value }) => [name.toLowerCase(), value]));
  const wordsOf = (text: string): string => apiMessage(text, (words) => credentials.redact(words));
  const shown = (words: string): string => printable(credentials.redact(words));

  /** One request to one place, with credentials only where they belong. */
  const request = async (call: Call, url: URL, isHome: boolean, used: { stamp: number }): Promise<Answer> => {
    const target = new URL(url);
    const body = call.body === undefined ? undefined : Buffer.from(call.body);
    const headers: Record<string, string> = { accept: 'application/json', 'accept-encoding': 'gzip, br, zstd', 'user-agent': 'Syncline' };
    if (call.body !== undefined) headers['content-type'] = 'application/json';
    if (isHome) {
      Object.assign(headers, own, call.headers);
      used.stamp = await orAborted(credentials.apply({ method: call.method, url: target, headers, body }), call.signal);
    }
    const outgoing = { method: call.method, url: target, headers, body };
    try {
      const answer = await wire.send(outgoing, call.signal);
      if (isHome) {
        credentials.learn(target, answer.headers);
        budget.learn(answer.headers);
      }
      return answer;
    } catch (error) {
      // A kept connection that the other side had closed meanwhile: reading may simply be asked again.
      if (call.method !== 'GET' || !(error instanceof OutsideError) || error.code !== 'CONNECTION_STALE') throw error;
      return wire.send(outgoing, call.signal);
    }
  };

  const journey = (call: Call, used: { stamp: number }): Promise<Answer> =>
    follow({
      method: call.method,
      url: call.url,
      home: base.origin,
      send: (url, isHome) => request(call, url, isHome, used),
      refused: (why, from, status) => redirectRefused(call.method, why, from, status),
    });

  const inTurn = <Result>(call: Call, work: () => Promise<Result>): Promise<Result> =>
    call.isAside ? work() : budget.run(call.signal, work);

  const ask = async <Result>(call: Call, use: (answer: Answer, isAgain: boolean) => Promise<Result>): Promise<Result> => {
    const patience = new Patience(call.impatient ? 0 : config.max_wait_seconds, call.signal, tell);
    const used = { stamp: 0 };
    let isAgain = false;
    const attempt = async (isRenewed: boolean): Promise<Attempt<Result>> => {
      const answer = await journey(call, used);
      const { status } = answer;
      const wait = retryAfterOf(answer.headers);
      if (status === 401 && !isRenewed && credentials.renew(used.stamp)) {
        answer.discard();
        return { isRenewed: true };
      }
      if (!PASSING.has(status) || !patience.allows(wait, isThrottling(status))) return { result: await use(answer, isAgain) };
      answer.discard();
      return { isRenewed: false, status, wait, why: `${answer.url.host} answered ${status}` };
    };
    for (let renewed = false; ; ) {
      try {
        const outcome = await inTurn(call, () => attempt(renewed));
        if ('result' in outcome) return outcome.result;
        renewed ||= outcome.isRenewed;
        if (outcome.isRenewed) continue;
        await patience.wait(outcome.wait, isThrottling(outcome.status), outcome.why);
        isAgain = true;
      } catch (error) {
        if (!(error instanceof OutsideError)) throw error;
        const isThrottled = error.code === 'RATE_LIMITED';
        if (error.code === 'UNAUTHORIZED' && !renewed && credentials.renew(used.stamp)) renewed = true;
        else if (PASSING_CODES.has(error.code) && patience.allows(error.retryAfter, isThrottled)) {
          await patience.wait(error.retryAfter, isThrottled, error.message);
          isAgain = true;
        } else throw error;
      }
    }
  };

  return {
    urlOf: (path) => new URL(base.href.replace(/\/$/, '') + path),
    wordsOf,
    shown,
    bare: (url) => credentials.strip(url),
    ask,
    send: (call) => ask(call, async (answer) => answer),
    refusalOf: async (answer, method) => {
      const text = await readText(answer, MAX_REFUSAL).catch(() => '');
      // When an API breaks over a record, its words may well be that record's values.
      const isQuiet = method !== 'GET' && answer.status >= 500;
      return refusal(answer, method, isQuiet ? '' : wordsOf(text));
    },
    refusalInBody: (complaint, answer, method) => refusalInBody(complaint, answer, method, shown(complaint.words)),
    heed: (answer) => budget.learnCost(answer),
    close: () => wire.close(),
  };
}

/** What came of asking once: something, or that it is worth asking again, with other credentials or after a wait. */
type Attempt<Result> =
  | { result: Result }
  | { isRenewed: true }
  | { isRenewed: false; status: number; wait: number | undefined; why: string };

function isThrottling(status: number): boolean {
  return status === 429 || status === 503;
}

/** What others wait for too cannot be stopped by one of them; that one can only stop waiting. */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) throw aborted();
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(aborted());
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

const NOT_FOLLOWED: Readonly<Record<Refusal, [code: string, reason: string]>> = {
  endless: ['REDIRECT_LOOP', `and again, more than ${MAX_REDIRECTS} times`],
  'no web address': ['REDIRECT_REFUSED', 'to what is no web address'],
  unsafe: ['REDIRECT_REFUSED', 'from a safe connection to one that is not'],
  'not reading': ['REDIRECT_REFUSED', 'and only reading is sent on to where the API points'],
};

function redirectRefused(method: string, why: Refusal, from: URL, status: number): OutsideError {
  const [code, reason] = NOT_FOLLOWED[why];
  return new OutsideError('config', code, `${from.host} sends ${method} ${from.pathname} elsewhere (${status}), ${reason}.`, {
    field: 'base_url',
    hint: 'Use the final address in `base_url` and in the path.',
  });
}
