import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { EventStream, EventStreams, framesOf, type ServerEvent } from './event-stream.ts';

const LONG = 60_000;

/** Some events, and then silence until the client stops listening. */
async function* eventsOf(signal: AbortSignal, ...names: string[]): AsyncGenerator<ServerEvent> {
  for (const event of names) yield { event, data: `{"n":"${event}"}` };
  await new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', resolve);
  });
}

describe('server-sent events', () => {
  test('are written as the standard says, and end with what they come from', async () => {
    async function* two(): AsyncGenerator<ServerEvent> {
      yield { event: 'a', data: '1' };
      yield { event: 'b', data: '{}' };
    }
    const frames = await Array.fromAsync(framesOf(two(), new AbortController().signal, LONG));
    assert.deepEqual(frames, ['event: a\ndata: 1\n\n', 'event: b\ndata: {}\n\n']);
  });

  test('show a sign of life while there is nothing to say', async () => {
    const reader = new AbortController();
    const frames = framesOf(eventsOf(reader.signal), reader.signal, 5);
    for (let n = 0; n < 3; n++) assert.match(String((await frames.next()).value), /^: .*\n\n$/);
    reader.abort();
    assert.equal((await frames.next()).done, true);
  });

  test('end when they are told to, also while clients listen', async () => {
    const streams = new EventStreams();
    const bodies = [1, 2].map(() => streams.start(new EventStream((signal) => eventsOf(signal, 'a')), () => {}));
    const readers = bodies.map((body) => body[Symbol.asyncIterator]());
    for (const reader of readers) assert.equal(String((await reader.next()).value), 'event: a\ndata: {"n":"a"}\n\n');
    streams.end();
    for (const reader of readers) assert.equal((await reader.next()).done, true);
  });

  test('stop when their reader goes', async () => {
    const streams = new EventStreams();
    let gone = (): void => {};
    let stopped = false;
    async function* watched(signal: AbortSignal): AsyncGenerator<ServerEvent> {
      yield* eventsOf(signal);
      stopped = true;
    }
    const body = streams.start(new EventStream(watched), (listener) => {
      gone = listener;
    });
    const text = Array.fromAsync(body, String);
    gone();
    assert.deepEqual(await text, []);
    assert.equal(stopped, true);
  });
});
