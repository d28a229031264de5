/** One of the events of a stream (`text/event-stream`). */
export interface ServerEvent {
  event: string;
  data: string;
}

/** The events of a body, as they come; ends when the body does. */
export async function* readServerEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = eventOf(block);
      if (event) yield event;
    }
  }
}

/** Undefined for a comment, which only says that the other side is there. */
function eventOf(block: string): ServerEvent | undefined {
  let event = 'message';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    if (line.startsWith('event:')) event = line.slice(6).trim();
    else if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
  }
  return data.length > 0 ? { event, data: data.join('\n') } : undefined;
}

/** What a body holds, piece by piece. Throws what `late` makes when nothing comes for so many milliseconds. */
export async function* chunksOf(body: ReadableStream<Uint8Array>, longest: number, late: () => Error): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await within(longest, reader.read(), late);
      if (done) return;
      yield value;
    }
  } finally {
    // Whoever has read enough closes the connection.
    await reader.cancel().catch(() => undefined);
  }
}

async function within<Value>(milliseconds: number, promise: Promise<Value>, late: () => Error): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), milliseconds);
  });
  try {
    return await Promise.race([promise, end]);
  } finally {
    clearTimeout(timer);
  }
}
