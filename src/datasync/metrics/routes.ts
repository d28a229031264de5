import { randomUUID } from 'node:crypto';
import type { Database } from '../../db/database.ts';
import { prefers } from '../../http/negotiate.ts';
import type { RefusedKeys } from '../../http/callers/refused-keys.ts';
import type { RequestTally } from '../../http/connections/request-tally.ts';
import type { Traffic } from '../../http/connections/traffic.ts';
import { PlainText, type Route, route } from '../../http/route.ts';
import { OneOf, Strict, Success } from '../../http/schemas.ts';
import type { Clock } from '../../lib/clock.ts';
import { notFound } from '../../lib/errors.ts';
import { Type } from '../../lib/schema.ts';
import { expose } from './exposition.ts';
import { measure } from './metrics.ts';
import { proofFamilies } from './proof-families.ts';
import type { createProcessFigures } from './process-figures.ts';
import { EXAMPLE_METRICS, Metrics } from './schemas.ts';
import { TEXT_TYPE } from './text-format.ts';
import { WINDOWS } from './window.ts';

export interface MetricRoutesOptions {
  db: Database;
  clock: Clock;
  requests: RequestTally;
  traffic: Traffic;
  refusedKeys: RefusedKeys;
  processFigures: ReturnType<typeof createProcessFigures>;
  version: string;
  /** What else there is to measure, as families of the text format. */
  others: readonly (() => Promise<string>)[];
}

export function metricRoutes(options: MetricRoutesOptions): Route[] {
  const { db, clock, requests, traffic, refusedKeys, processFigures, version, others } = options;
  const memory = randomUUID();
  return [
    route({
      method: 'GET',
      path: '/api/v1/datasync/metrics',
      scope: 'datasync:read',
      tag: 'Metrics',
      summary: 'Read metrics of synchronizations',
      description:
        'Runs that ended within the window: how many and how, their rows, bytes and speed, in all, for each synchronization, and over time. ' +
        'Previews do not count. With `Accept: text/plain` the same in the text format of Prometheus, together with the requests, ' +
        'event loop and memory of the node that answers.',
      query: Strict({
        window: Type.Optional(OneOf(WINDOWS, { default: '24h', description: 'How far back from now.' })),
        sync_id: Type.Optional(Type.String({ pattern: '^syn_[0-9a-z]{1,40}$', description: 'Only this synchronization.' })),
      }),
      answer: Success(Metrics),
      answersAlso: { 'text/plain': 'With `Accept: text/plain`: the text format of Prometheus, version 0.0.4.' },
      answerHeaders: { Vary: '`Accept`, as the answer depends on it.' },
      errors: ['NOT_FOUND'],
      examples: { answer: { success: true, data: EXAMPLE_METRICS } },
      handle: async ({ query, request, reply }) => {
        const { window = '24h', sync_id: syncId } = query;
        const metrics = await db.query(measure, { window, now: clock(), syncId, memory });
        if (!metrics) throw notFound('synchronization', syncId ?? '');
        reply.header('vary', 'Accept');
        if (!prefers('text/plain', request.headers.accept)) return { success: true as const, data: metrics };
        const more = await Promise.all([proofFamilies(db.read), ...others.map((families) => families())]);
        const own = expose({ metrics, requests, traffic, refusedKeys, process: processFigures.read(), version });
        return new PlainText(TEXT_TYPE, own + more.join(''));
      },
    }),
  ];
}
