import { randomUUID } from 'node:crypto';
import { prefers } from '../../http/negotiate.ts';
import { PlainText, type Route, route } from '../../http/route.ts';
import { OneOf, Strict, Success } from '../../http/schemas.ts';
import { notFound } from '../../lib/errors.ts';
import { Type } from '../../lib/schema.ts';
import { measure } from './metrics.ts';
import { createScrape, type ScrapeOptions } from './scrape.ts';
import { EXAMPLE_METRICS, Metrics } from './schemas.ts';
import { TEXT_TYPE } from './text-format.ts';
import { WINDOWS } from './window.ts';

/** The window of the figures at `/metrics`. */
const SCRAPED_WINDOW = '24h';

export interface MetricRoutes {
  routes: Route[];
  /** What `/metrics` answers, for a port of its own. */
  scrape: () => Promise<PlainText>;
}

export function metricRoutes(options: ScrapeOptions): MetricRoutes {
  const { db, clock } = options;
  const memory = randomUUID();
  const textOf = createScrape(options);
  const scrape = async (): Promise<PlainText> => {
    const metrics = await db.query(measure, { window: SCRAPED_WINDOW, now: clock(), syncId: undefined, memory });
    // There is always an answer to a question about all of them.
    return new PlainText(TEXT_TYPE, await textOf(metrics as NonNullable<typeof metrics>));
  };
  const routes = [
    route({
      method: 'GET',
      path: '/api/v1/datasync/metrics',
      scope: 'datasync:read',
      tag: 'Metrics',
      summary: 'Read metrics of synchronizations',
      description:
        'Runs that ended within the window: how many and how, their rows, bytes and speed, in all, for each synchronization, and over time. ' +
        'Previews do not count. With `Accept: text/plain` all that there is to measure in the text format of Prometheus, as at `/metrics`.',
      query: Strict({
        window: Type.Optional(OneOf(WINDOWS, { default: SCRAPED_WINDOW, description: 'How far back from now.' })),
        sync_id: Type.Optional(Type.String({ pattern: '^syn_[0-9a-z]{1,40}$', description: 'Only this synchronization.' })),
      }),
      answer: Success(Metrics),
      answersAlso: { 'text/plain': 'With `Accept: text/plain`: the text format of Prometheus, version 0.0.4.' },
      answerHeaders: { Vary: '`Accept`, as the answer depends on it.' },
      errors: ['NOT_FOUND'],
      examples: { answer: { success: true, data: EXAMPLE_METRICS } },
      handle: async ({ query, request, reply }) => {
        const { window = SCRAPED_WINDOW, sync_id: syncId } = query;
        const metrics = await db.query(measure, { window, now: clock(), syncId, memory });
        if (!metrics) throw notFound('synchronization', syncId ?? '');
        reply.header('vary', 'Accept');
        if (!prefers('text/plain', request.headers.accept)) return { success: true as const, data: metrics };
        return new PlainText(TEXT_TYPE, await textOf(metrics));
      },
    }),
    route({
      method: 'GET',
      path: '/metrics',
      scope: 'datasync:read',
      tag: 'Metrics',
      summary: 'Read all metrics, as Prometheus does',
      description:
        'The text format of Prometheus, version 0.0.4: synchronizations on all nodes, and requests, event loop and memory of the node that answers. ' +
        'Counters and histograms are of all time, so that `rate()` works; figures with the label `window` are of the last 24 hours. ' +
        'A browser, which asks for `text/html`, gets the page of the dashboard instead. `SYNCLINE_METRICS_PORT` gives the same on a port of its own, without a key.',
      answer: Type.String({ description: 'The text format of Prometheus, version 0.0.4.' }),
      fileType: 'text/plain',
      answerHeaders: { Vary: '`Accept`, as the answer depends on it.' },
      examples: {
        answer: '# TYPE syncline_runs_total counter\nsyncline_runs_total{sync_id="syn_01jcxr",sync="orders",status="succeeded"} 12\n',
      },
      handle: async ({ reply }) => {
        reply.header('vary', 'Accept');
        return scrape();
      },
    }),
  ];
  return { routes, scrape };
}
