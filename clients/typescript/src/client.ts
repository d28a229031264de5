import { ApiError, ConnectionError, SynclineError, TimeoutError, UnexpectedAnswerError } from './errors.ts';
import { type Answer, type Given, type Item, type ListName, type OperationName, requestOf } from './operations.ts';
import { pause, waitFor } from './retry.ts';
import { chunksOf, readServerEvents, type ServerEvent } from './server-events.ts';
import { type Event, type Failure, type Run, TAKES_IDEMPOTENCY_KEY } from './api-types.ts';

export interface SynclineOptions {
  /** Where Syncline is, such as `https://syncline.example`. */
  url: string;
  /** An API key or a token, or a function that knows the one that is valid now. */
  key: string | (() => string | Promise<string>);
  /** Milliseconds for one attempt, with its answer. 30,000 unless given. */
  timeout?: number;
  /** How often to try again what may be tried again. 4 unless given. */
  retries?: number;
  /** The longest `Retry-After` to wait for, in seconds; beyond it, the error is yours. 60 unless given. */
  longestRetryAfter?: number;
  /** In place of the global one. */
  fetch?: typeof fetch;
}

export interface CallOptions {
  /** Ends the request, and the waiting for another try. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for one attempt. */
  timeout?: number | undefined;
  /** One is made for each call where the operation takes one. Give your own to repeat a call after a restart. */
  idempotencyKey?: string | undefined;
  /** That doing it twice does no harm, where the client cannot know: it is then tried again, too. */
  repeatable?: boolean | undefined;
}

export interface EventsOptions {
  /** Only events after this sequence: that of the last event you have dealt with. All that there are, unless given. */
  after?: number | undefined;
  /** Whether to wait for what comes. Without it, the feed ends where it ends now. */
  follow?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** The other side says that it is there every 15 seconds. */
const SILENCE = 45_000;
const EVENTS_AT_ONCE = 500;

interface Sent extends CallOptions {
  accept: string;
}

/** A Syncline, as a program sees it. */
export class Syncline {
  readonly #options: SynclineOptions;
  readonly #url: string;

  constructor(options: SynclineOptions) {
    this.#options = options;
    this.#url = options.url.replace(/\/+$/, '');
  }

  /** Calls an operation and answers its body. Throws an `ApiError` for a refusal, a `ConnectionError` when there was no whole answer. */
  async call<Name extends OperationName>(name: Name, ...[input, options = {}]: Given<Name, CallOptions>): Promise<Answer<Name>> {
    return this.#trying(name, options, (sent) => this.#json(name, input, { ...sent, accept: 'application/json' }));
  }

  /** Calls an operation whose answer is no JSON, such as an export; its body is to be read, or cancelled. */
  async open<Name extends OperationName>(name: Name, ...[input, options = {}]: Given<Name, CallOptions>): Promise<Response> {
    return this.#trying(name, options, (sent) => this.#send(name, input, { ...sent, accept: '*/*' }));
  }

  /** The pages of a list, one after the other. */
  async *pages<Name extends ListName>(name: Name, ...[input, options]: Given<Name, CallOptions>): AsyncGenerator<Answer<Name>> {
    const { query, ...rest } = (input ?? {}) as { query?: Record<string, unknown> };
    for (let asked = query; ; ) {
      const page = await this.call(name, ...([{ ...rest, query: asked }, options] as unknown as Given<Name, CallOptions>));
      const { data, next_cursor } = page as { data: unknown[]; next_cursor: string | null };
      yield page;
      // The feed of events has a cursor at its end, too.
      if (next_cursor === null || data.length === 0) return;
      asked = { ...query, offset: undefined, after: undefined, cursor: next_cursor };
    }
  }

  /** What a list holds, all of it, page by page. */
  async *items<Name extends ListName>(name: Name, ...given: Given<Name, CallOptions>): AsyncGenerator<Item<Name>> {
    for await (const page of this.pages(name, ...given)) yield* (page as { data: Item<Name>[] }).data;
  }

  /**
   * The feed, in the order in which changes were committed, without a gap, and each event once. It goes on over lost connections. Keep the
   * `sequence` of what you have dealt with, and give it as `after` when you come back.
   */
  async *events({ after = 0, follow = false, signal }: EventsOptions = {}): AsyncGenerator<Event> {
    if (!follow) {
      yield* this.#eventsAfter(after, signal);
      return;
    }
    let position = after;
    // Each tells that there may be more, the first after every new connection as well.
    for await (const _ of this.#following('GET /api/v1/events', {}, signal)) {
      for await (const event of this.#eventsAfter(position, signal)) {
        yield event;
        position = event.sequence;
      }
    }
  }

  async *#eventsAfter(after: number, signal: AbortSignal | undefined): AsyncGenerator<Event> {
    for (let position = after; ; ) {
      const { data } = await this.call('GET /api/v1/events', { query: { after: position, limit: EVENTS_AT_ONCE } }, { signal });
      if (data.length === 0) return;
      yield* data;
      position = data.at(-1)?.sequence ?? position;
    }
  }

  /** A run, whenever something of it has changed, until it is over: the last one is as it ended. Goes on over lost connections. */
  async *followRun(id: string, { signal }: { signal?: AbortSignal | undefined } = {}): AsyncGenerator<Run> {
    for await (const { event, data } of this.#following('GET /api/v1/datasync/runs/{id}/events', { params: { id } }, signal)) {
      if (event === 'end') return;
      if (event === 'run') yield JSON.parse(data) as Run;
    }
  }

  /** Server-sent events, with a new connection whenever one is lost. Ends only by the one who reads, or by a refusal. */
  async *#following(name: OperationName, input: object, signal: AbortSignal | undefined): AsyncGenerator<ServerEvent> {
    for (let lost = 0; ; lost++) {
      // Not everywhere does it close the connection when its body is cancelled, and an open one keeps the program of the reader alive.
      const leave = new AbortController();
      const either = signal ? AbortSignal.any([signal, leave.signal]) : leave.signal;
      try {
        const response = await this.#send(name, input, { accept: 'text/event-stream', signal: either, streams: true });
        if (!response.headers.get('content-type')?.startsWith('text/event-stream') || !response.body)
          throw new UnexpectedAnswerError(response.status, await response.text());
        const silent = (): Error => new TimeoutError('The connection has gone silent.');
        for await (const event of readServerEvents(chunksOf(response.body, SILENCE, silent))) {
          lost = 0;
          yield event;
        }
        throw new ConnectionError('The service has ended the connection.');
      } catch (error) {
        signal?.throwIfAborted();
        const failure = error instanceof SynclineError ? error : new ConnectionError('The connection was lost.', { cause: error });
        const wait = waitFor(failure, { before: lost, repeatable: true }, Number.POSITIVE_INFINITY);
        if (wait === undefined) throw failure;
        await pause(wait, signal);
      } finally {
        leave.abort();
      }
    }
  }

  async #trying<Result>(name: OperationName, options: CallOptions, attempt: (sent: CallOptions) => Promise<Result>): Promise<Result> {
    const takesKey = TAKES_IDEMPOTENCY_KEY.has(name);
    const idempotencyKey = options.idempotencyKey ?? (takesKey ? crypto.randomUUID() : undefined);
    const repeatable = options.repeatable ?? (takesKey || /^(GET|PUT) /.test(name));
    const { retries = 4, longestRetryAfter = 60 } = this.#options;
    for (let before = 0; ; before++) {
      try {
        return await attempt({ ...options, idempotencyKey });
      } catch (error) {
        const wait = before < retries ? waitFor(error, { before, repeatable }, longestRetryAfter) : undefined;
        if (wait === undefined) throw error;
        await pause(wait, options.signal);
      }
    }
  }

  async #json<Name extends OperationName>(name: Name, input: object | undefined, sent: Sent): Promise<Answer<Name>> {
    const response = await this.#send(name, input, sent);
    const text = await response.text().catch((error: unknown) => {
      throw failureOf(error, sent.signal);
    });
    const body = parsed(text);
    if (body?.['success'] !== true) throw new UnexpectedAnswerError(response.status, text);
    return body;
  }

  /** One request. Whatever is no success is thrown. */
  async #send(name: OperationName, input: object | undefined, sent: Sent & { streams?: boolean }): Promise<Response> {
    const { key, timeout = 30_000, fetch: send = fetch } = this.#options;
    const { method, path, body } = requestOf(name, input);
    const headers: Record<string, string> = { accept: sent.accept, authorization: `Bearer ${typeof key === 'string' ? key : await key()}` };
    if (body !== undefined) headers['content-type'] = 'application/json';
    if (sent.idempotencyKey !== undefined) headers['idempotency-key'] = sent.idempotencyKey;
    const limits = [sent.signal, sent.streams ? undefined : AbortSignal.timeout(sent.timeout ?? timeout)].filter(
      (one) => one !== undefined,
    );
    let response: Response;
    try {
      response = await send(this.#url + path, {
        method,
        headers,
        // Followed, a redirect could take the key to somebody else.
        redirect: 'manual',
        signal: AbortSignal.any(limits),
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    } catch (error) {
      throw failureOf(error, sent.signal);
    }
    if (response.status === 200) return response;
    throw await refusalOf(response, sent.signal);
  }
}

/** What the caller is told when there was no whole answer: their own reason when they have ended it. */
function failureOf(error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return signal.reason;
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return new TimeoutError('The answer took too long.', { cause: error });
  return new ConnectionError('There was no whole answer: the connection failed.', { cause: error });
}

async function refusalOf(response: Response, signal: AbortSignal | undefined): Promise<unknown> {
  const { status, headers } = response;
  const text = await response.text().catch((error: unknown) => failureOf(error, signal));
  if (typeof text !== 'string') return text;
  const error = parsed(text)?.['error'] as Partial<Failure> | undefined;
  if (typeof error?.code !== 'string' || typeof error.message !== 'string') return new UnexpectedAnswerError(status, text);
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return new ApiError(status, { details: {}, ...error } as Failure, {
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfter: Number.isFinite(seconds) ? seconds : undefined,
  });
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
