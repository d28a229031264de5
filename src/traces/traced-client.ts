import type { HttpClient } from '../outside/http/client.ts';
import { samplerOf } from './context.ts';
import type { SamplerSettings } from './settings.ts';
import { createSpans, type TracedSpan } from './span.ts';

/** Spans that wait in a thread until they are told, and how often they are. */
const MOST_WAITING = 2048;
const INTERVAL = 250;

/** A client whose requests are spans of their own and carry `traceparent`. `tell` is called now and then with those that have ended. */
export function tracedClient(
  client: HttpClient,
  { name, sampler }: { name: string; sampler: SamplerSettings },
  tell: (spans: TracedSpan[], dropped: number) => void,
): HttpClient {
  let waiting: TracedSpan[] = [];
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    timer = undefined;
    tell(waiting, dropped);
    [waiting, dropped] = [[], 0];
  };
  const spans = createSpans(samplerOf(sampler), (span) => {
    if (waiting.length < MOST_WAITING) waiting.push(span);
    else dropped++;
    timer ??= setTimeout(flush, INTERVAL).unref();
  });
  return {
    send: async (outgoing, signal) => {
      const span = spans.begin(name, 'client');
      // Of the address its host alone: paths and queries may hold keys.
      const attributes = {
        'http.request.method': outgoing.method,
        'server.address': outgoing.url.hostname,
        'syncline.event.id': outgoing.headers['webhook-id'],
      };
      try {
        const answer = await client.send({ ...outgoing, headers: { traceparent: span.traceparent, ...outgoing.headers } }, signal);
        const error = answer.status < 400 ? undefined : String(answer.status);
        span.end({ attributes: { ...attributes, 'http.response.status_code': answer.status }, error });
        return answer;
      } catch (error) {
        span.end({ attributes, error: (error as { code?: string }).code ?? 'failed' });
        throw error;
      }
    },
    close: () => {
      if (timer !== undefined) flush();
      client.close();
    },
  };
}
