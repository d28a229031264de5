import { keepConnected } from './keep-connected.ts';

/** One server-sent event. */
export interface StreamEvent {
  readonly event: string;
  readonly data: string;
}

export interface FollowOptions {
  /** Called with every event. */
  onEvent: (event: StreamEvent) => void;
  /** Told when the stream is open and when it is lost; it then connects again by itself. */
  onConnection?: (connected: boolean) => void;
  signal: AbortSignal;
}

/**
 * Follows a stream of server-sent events until the signal is given, an event `end` comes, or the service refuses for good.
 * EventSource does not tell why it was refused, so it is done by fetch.
 */
export function followEvents(path: string, { onEvent, onConnection, signal }: FollowOptions): Promise<void> {
  const read = async (response: Response, alive: () => void): Promise<boolean> => {
    let ended = false;
    for await (const event of eventsIn(linesOf(response))) {
      alive();
      onEvent(event);
      ended ||= event.event === 'end';
    }
    return ended;
  };
  return keepConnected(() => path, { accept: 'text/event-stream', read, onConnection, signal });
}

/** The lines of an answer, as they come; also those of newline-delimited JSON. */
export async function* linesOf(response: Response): AsyncGenerator<string> {
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + value).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Puts the lines together to events, as the standard says; comments are signs of life and nothing else. */
async function* eventsIn(lines: AsyncIterable<string>): AsyncGenerator<StreamEvent> {
  let event = 'message';
  let data: string[] = [];
  for await (const line of lines) {
    if (line === '') {
      if (data.length > 0) yield { event, data: data.join('\n') };
      event = 'message';
      data = [];
    } else if (line.startsWith('event:')) event = line.slice(6).trim();
    else if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
  }
}
