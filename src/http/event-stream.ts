import { Readable } from 'node:stream';

/** One of the events of a stream. `data` is JSON, and so has no line breaks. */
export interface ServerEvent {
  readonly event: string;
  readonly data: string;
}

/** An answer that goes on: server-sent events (`text/event-stream`). The events must end soon after the signal is given. */
export class EventStream {
  readonly events: (signal: AbortSignal) => AsyncIterable<ServerEvent>;

  constructor(events: (signal: AbortSignal) => AsyncIterable<ServerEvent>) {
    this.events = events;
  }
}

/** So that proxies do not take a silent stream for a dead one, and so that we notice when nobody listens any more. */
const HEARTBEAT = 15_000;

/** The streams that are open. */
export class EventStreams {
  readonly #open = new Set<AbortController>();

  /** The body of an answer; `onGone` is told whom to call when the reader has gone. */
  start(stream: EventStream, onGone: (listener: () => void) => void): Readable {
    const reader = new AbortController();
    this.#open.add(reader);
    onGone(() => {
      this.#open.delete(reader);
      reader.abort();
    });
    return Readable.from(framesOf(stream.events(reader.signal), reader.signal, HEARTBEAT), { objectMode: false });
  }

  /** Ends them all: their readers come back to another node, or later. */
  end(): void {
    for (const reader of this.#open) reader.abort();
  }
}

/** The text of a stream: its events, and a comment where there has been nothing to say for a while. */
export async function* framesOf(events: AsyncIterable<ServerEvent>, signal: AbortSignal, heartbeat: number): AsyncGenerator<string> {
  const source = events[Symbol.asyncIterator]();
  for (let next = source.next(); ; ) {
    const result = await within(heartbeat, next);
    if (signal.aborted || result?.done) return;
    if (result === undefined) yield ': still here\n\n';
    else {
      yield `event: ${result.value.event}\ndata: ${result.value.data}\n\n`;
      next = source.next();
    }
  }
}

/** What is promised, or undefined when it takes longer. */
async function within<Value>(milliseconds: number, promise: Promise<Value>): Promise<Value | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(late.resolve, milliseconds, undefined);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
