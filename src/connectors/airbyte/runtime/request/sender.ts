import { createHash } from 'node:crypto';
import { OutsideError } from '../../../../outside/errors.ts';
import type { Answer } from '../../../../outside/http/exchange.ts';
import { follow, MAX_REDIRECTS, type Refusal } from '../../../../outside/http/redirects.ts';
import type { ErrorHandler } from '../errors/handler.ts';
import { refusal, retryAfterOf } from '../errors/refusal.ts';
import type { Action, Resolution } from '../errors/resolution.ts';
import type { AirbyteSession } from '../session.ts';
import type { Prepared } from './prepared.ts';
import { readWhole, Reply } from './reply.ts';

export interface AskOptions {
  readonly handler: ErrorHandler;
  readonly signal: AbortSignal;
  /** The body is wanted as it comes. */
  readonly streams: boolean;
  /** An answer to the same request that came before will do. */
  readonly cached: boolean;
  /** The headers of the credentials as they are now. */
  readonly authorize: () => Promise<Readonly<Record<string, string>>>;
  /** The API does not take the credentials any more: true when there are new ones. */
  readonly renew: () => Promise<boolean>;
}

/** The API wants the pages otherwise than they were asked for. */
export class PagingWish extends Error {
  override readonly name = 'PagingWish';
  readonly action: Action;
  readonly refusal: OutsideError;

  constructor(action: Action, cause: OutsideError) {
    super(action);
    this.action = action;
    this.refusal = cause;
  }
}

/** Seconds that a request is waited for in all. An API that wants more is asked again in another run. */
const MOST_WAIT = 300;
/** After so many seconds, a person who looks at a run wants to know why it stands still. */
const WORTH_TELLING = 5;
/** What may be otherwise when it is asked again. */
const PASSING = new Set('TIMEOUT CONNECTION_LOST CONNECTION_STALE REQUEST_FAILED ANSWER_BROKEN PORT_CLOSED DNS_FAILED'.split(' '));
const AGAIN: ReadonlySet<Action> = new Set(['RETRY', 'RATE_LIMITED', 'REFRESH_TOKEN_THEN_RETRY']);
const WISHES: ReadonlySet<Action> = new Set(['RESET_PAGINATION', 'REDUCE_PAGE_SIZE', 'SPLIT_REQUEST_WINDOW']);

/** Asks as often as the handler wants, and answers what is not an error; an answer that is to be ignored is one whose status is not good. */
export async function ask(session: AirbyteSession, request: Prepared, asking: AskOptions): Promise<Reply> {
  const { handler, signal } = asking;
  const key = asking.cached && !asking.streams ? keyOf(request) : undefined;
  const known = key === undefined ? undefined : session.cache.get(key, session.clock.now());
  if (known) return known;
  const started = session.clock.now();
  let isRenewed = false;
  for (let attempt = 1; ; attempt++) {
    const outcome = await tryOnce(session, request, asking);
    if (outcome instanceof OutsideError) {
      const wait = waitFor(undefined, attempt, handler, session);
      if (attempt > handler.retries || isOver(session, started, wait)) throw outcome;
      await pause(session, wait, outcome.message, signal);
      continue;
    }
    const { reply, resolution } = outcome;
    const { action } = resolution;
    if (WISHES.has(action)) throw new PagingWish(action, refusal(reply, request.method, resolution, session.vault));
    if (action === 'FAIL') throw refusal(reply, request.method, resolution, session.vault);
    if (!AGAIN.has(action)) {
      if (action === 'IGNORE') tellOnce(session, `${request.url.host} answered ${reply.status}, which the manifest ignores.`);
      if (key !== undefined && reply.isGood) session.cache.keep(key, reply, session.clock.now());
      return reply;
    }
    if (action === 'REFRESH_TOKEN_THEN_RETRY') {
      if (isRenewed) throw refusal(reply, request.method, { ...resolution, action: 'FAIL', failure: 'config_error' }, session.vault);
      isRenewed = true;
      if (await asking.renew()) continue;
    }
    const wait = waitFor(reply, attempt, handler, session);
    if (attempt > handler.retries || isOver(session, started, wait)) throw refusal(reply, request.method, resolution, session.vault, wait);
    await pause(session, wait, `${request.url.host} answered ${reply.status}`, signal);
  }
}

/** What may happen with every record of a parent is told the first time. */
function tellOnce(session: AirbyteSession, message: string): void {
  if (session.shared.has(message)) return;
  session.shared.set(message, true);
  session.tell?.('info', message);
}

/** What came, judged; or a failure of the network that may pass. */
async function tryOnce(
  session: AirbyteSession,
  request: Prepared,
  asking: AskOptions,
): Promise<{ reply: Reply; resolution: Resolution } | OutsideError> {
  const authorized = { ...request, headers: { ...request.headers, ...(await asking.authorize()) } };
  await session.budget.acquire(authorized, asking.signal);
  try {
    const answer = await journey(session, authorized, asking.signal);
    const isWhole = !asking.streams || answer.status >= 400;
    const body = isWhole ? await readWhole(answer) : undefined;
    const reply = new Reply(answer, body, isWhole ? undefined : answer);
    session.budget.learn(authorized, reply);
    return { reply, resolution: asking.handler.judge(reply) };
  } catch (error) {
    if (!(error instanceof OutsideError) || !PASSING.has(error.code)) throw error;
    return error;
  }
}

function waitFor(reply: Reply | undefined, attempt: number, handler: ErrorHandler, session: AirbyteSession): number {
  for (const backoff of handler.backoffs) {
    const seconds = backoff(reply, attempt);
    if (seconds) return seconds;
  }
  const asked = reply && retryAfterOf(reply, session.clock.now());
  return Math.max(2 ** (attempt - 1), asked ?? 0);
}

function isOver(session: AirbyteSession, started: number, wait: number): boolean {
  return (session.clock.now() - started) / 1000 + wait > MOST_WAIT;
}

async function pause(session: AirbyteSession, seconds: number, why: string, signal: AbortSignal): Promise<void> {
  if (seconds >= WORTH_TELLING) session.tell?.('info', `Waits ${Math.ceil(seconds)} s and asks again: ${why}`);
  await session.clock.sleep(seconds * 1000, signal);
}

/** One request, and where it leads. What is private goes along only to the place that it was meant for. */
function journey({ wire }: AirbyteSession, request: Prepared, signal: AbortSignal): Promise<Answer> {
  const { method, url, headers, body } = request;
  const send = async (to: URL, isHome: boolean): Promise<Answer> => {
    const outgoing = { method, url: to, headers: isHome ? headers : bareHeaders(headers), body };
    try {
      return await wire.send(outgoing, signal);
    } catch (error) {
      // A kept connection that the other side had closed meanwhile: reading may simply be asked again.
      if (method !== 'GET' || !(error instanceof OutsideError) || error.code !== 'CONNECTION_STALE') throw error;
      return wire.send(outgoing, signal);
    }
  };
  return follow({ method, url, home: url.origin, send, refused: (why, from, status) => notFollowed(method, why, from, status) });
}

const PLAIN_HEADERS = new Set(['accept', 'accept-encoding', 'user-agent', 'content-type']);

function bareHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => PLAIN_HEADERS.has(name)));
}

const WHY_NOT: Readonly<Record<Refusal, string>> = {
  endless: `and again, more than ${MAX_REDIRECTS} times`,
  'no web address': 'to what is no web address',
  unsafe: 'from a safe connection to one that is not',
  'not reading': 'and only reading is sent on to where the API points',
};

function notFollowed(method: string, why: Refusal, from: URL, status: number): OutsideError {
  return new OutsideError(
    'config',
    'REDIRECT_REFUSED',
    `${from.host} sends ${method} ${from.pathname} elsewhere (${status}), ${WHY_NOT[why]}.`,
    {
      field: 'settings',
      hint: 'Check the settings that the address is made of: use the final address.',
    },
  );
}

function keyOf({ method, url, headers, body }: Prepared): string {
  const whole = JSON.stringify([
    method,
    url.href,
    Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1)),
    body?.toString('base64') ?? '',
  ]);
  return createHash('sha256').update(whole).digest('base64');
}
