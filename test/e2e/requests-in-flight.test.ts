import assert from 'node:assert/strict';
import { type AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { clientAddressBehind } from '../../src/http/callers/client-address.ts';
import { RateLimiter } from '../../src/http/callers/rate-limit.ts';
import { RefusedKeys } from '../../src/http/callers/refused-keys.ts';
import { RequestTally } from '../../src/http/connections/request-tally.ts';
import { route } from '../../src/http/route.ts';
import { Success } from '../../src/http/schemas.ts';
import type { Scope } from '../../src/http/scopes.ts';
import { buildServer } from '../../src/http/server.ts';
import { Traffic } from '../../src/http/connections/traffic.ts';
import { createLog } from '../../src/lib/log.ts';
import { Type } from '../../src/lib/schema.ts';
import { callService, type Reply } from '../support/service.ts';
import { until } from '../support/until.ts';

// The real HTTP side with a route whose work takes as long as the test likes. No database has a part in this.

const TIMEOUT = 10_000;

describe('requests in flight, of which there may be 20', () => {
  const traffic = new Traffic(20);
  const waiting: (() => void)[] = [];
  const { fastify } = buildServer({
    routes: [
      route({
        method: 'POST',
        path: '/api/v1/work',
        scope: 'orders:write',
        tag: 'Work',
        summary: 'Works',
        answer: Success(Type.String()),
        handle: async () => {
          await new Promise<void>((resolve) => waiting.push(resolve));
          return { success: true as const, data: 'done' };
        },
      }),
    ],
    // The token says who it is.
    authenticate: (token) => ({ id: token, scopes: new Set<Scope>([token.startsWith('admin') ? 'admin' : 'orders:write']), rateLimit: 0 }),
    rateLimiter: new RateLimiter(0),
    refusedKeys: new RefusedKeys({ perMinute: 0, log: createLog('silent'), keyIdOf: () => undefined, raise: async () => undefined }),
    tellRead: () => undefined,
    requests: new RequestTally(),
    log: createLog('silent'),
    traffic,
    maxConnections: 1000,
    certificate: undefined,
    clientAddress: clientAddressBehind('127.0.0.1'),
    timeouts: { headers: TIMEOUT, idle: TIMEOUT, request: TIMEOUT, body: TIMEOUT, answer: TIMEOUT },
  });
  let url: string;
  before(async () => {
    await fastify.listen({ port: 0 });
    url = `http://127.0.0.1:${(fastify.server.address() as AddressInfo).port}`;
  });
  after(() => fastify.close());

  const work = (key: string, address = '198.51.100.1'): Promise<Reply> =>
    callService(url, key, 'POST', '/api/v1/work', { headers: { 'x-forwarded-for': address } });

  /** Starts so many and waits until all are at work. */
  async function occupy(count: number, key: string, address?: string): Promise<Promise<Reply>[]> {
    const before = waiting.length;
    const replies = Array.from({ length: count }, () => work(key, address));
    await until('all are at work', () => waiting.length === before + count);
    return replies;
  }

  function assertRefused({ status, body, headers }: Reply, expected: number, code: string, message: RegExp): void {
    assert.deepEqual([status, body.error.code, headers.get('retry-after')], [expected, code, '1']);
    assert.match(body.error.message, message);
  }

  test('a key has half of them, an address three quarters, and administrators find some that nobody else gets', async () => {
    const under = await occupy(10, 'a');
    assertRefused(await work('a'), 429, 'RATE_LIMITED', /^This key has 10 requests under way/);
    under.push(...(await occupy(5, 'b')));
    assertRefused(await work('b'), 429, 'RATE_LIMITED', /^Your address has 15 requests under way/);
    under.push(...(await occupy(3, 'b', '203.0.113.5')));
    const full = await work('c', '203.0.113.6');
    assertRefused(full, 503, 'UNAVAILABLE', /^The service is handling as many requests as it can/);
    assert.ok(full.body.error.message.includes(full.headers.get('x-request-id')));
    under.push(...(await occupy(2, 'admin')));
    assertRefused(await work('admin'), 503, 'UNAVAILABLE', /as many requests as it can/);
    assert.equal(traffic.supplies.inFlight.used, 20);

    waiting.shift()?.();
    await until('one has ended', () => traffic.supplies.inFlight.used === 19);
    under.push(...(await occupy(1, 'admin')));
    for (const go of waiting.splice(0)) go();
    for (const reply of await Promise.all(under)) assert.equal(reply.status, 200);
    assert.equal(traffic.supplies.inFlight.used, 0);
  });
});
