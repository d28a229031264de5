import { clientAddressBehind } from '../../src/http/callers/client-address.ts';
import { RateLimiter } from '../../src/http/callers/rate-limit.ts';
import { RefusedKeys } from '../../src/http/callers/refused-keys.ts';
import { RequestTally } from '../../src/http/connections/request-tally.ts';
import { route } from '../../src/http/route.ts';
import { type Scope, SCOPES } from '../../src/http/scopes.ts';
import { buildServer } from '../../src/http/server.ts';
import { Success } from '../../src/http/schemas.ts';
import { Traffic } from '../../src/http/connections/traffic.ts';
import { createLog } from '../../src/lib/log.ts';
import { type TSchema, Type } from '../../src/lib/schema.ts';

/** The real HTTP side with one route whose handler has a bug. */
export function brokenServer(scope: Scope | readonly Scope[] = 'orders:read', query?: TSchema) {
  return buildServer({
    routes: [
      route({
        method: 'GET',
        path: '/api/v1/broken',
        scope,
        tag: 'Broken',
        summary: 'Fails',
        ...(query && { query }),
        answer: Success(Type.String()),
        handle: () => Promise.reject(new Error('secret words in broken.ts')),
      }),
    ],
    authenticate: () => ({ id: 'key_test', scopes: new Set(SCOPES), rateLimit: undefined }),
    rateLimiter: new RateLimiter(0),
    refusedKeys: new RefusedKeys({ perMinute: 0, log: createLog('silent'), keyIdOf: () => undefined, raise: async () => undefined }),
    tellRead: () => undefined,
    requests: new RequestTally(),
    log: createLog('silent'),
    traffic: new Traffic(10),
    maxConnections: 100,
    certificate: undefined,
    clientAddress: clientAddressBehind(undefined),
    timeouts: { headers: 10_000, idle: 10_000, request: 10_000, body: 10_000, answer: 10_000 },
  });
}
