import type { Principal } from '../http/scopes.ts';
import { type Clock, isoTime } from '../lib/clock.ts';
import { unavailable } from '../lib/errors.ts';
import { FairQueue } from '../lib/fair-queue.ts';
import { newId } from '../lib/ids.ts';
import type { Endpoint } from './endpoint.ts';

interface TestResult {
  delivered: boolean;
  status: number | null;
  duration_ms: number;
  error: string | null;
  response: string | null;
}

/** Sends an endpoint a test message, once, and answers what came of it. */
export type TestEndpoint = (caller: Principal, endpoint: Endpoint) => Promise<TestResult>;

/** How long a test waits for its turn. */
const PATIENCE = 5_000;

/** Receivers that never answer hold a few places each for 15 seconds, and never all of one key's or of all. */
export function createTestEndpoint({ clock, networks }: { clock: Clock; networks: string }): TestEndpoint {
  const shares = new FairQueue({ places: 16, perOwner: 4, reserved: 2, waiting: 32 });
  return async (caller, endpoint) => {
    const leave = await shares.take({ owner: caller.id, isPrivileged: caller.scopes.has('admin') }, performance.now() + PATIENCE);
    if (!leave) throw unavailable('Too many endpoints are being tested at the same time, by this key or by all');
    // Loaded when it is first asked for.
    const { attempt, createDeliveryClient } = await import('./delivery/attempt.ts');
    const client = createDeliveryClient(networks);
    try {
      const now = clock();
      const { id } = newId('msg', now);
      const data = { id: endpoint.id, name: endpoint.name };
      const body = JSON.stringify({ type: 'webhook.test', timestamp: isoTime(now), data });
      const outcome = await attempt(client, endpoint, { id, body }, { now: clock, signal: new AbortController().signal });
      if (!outcome) throw unavailable('The test was ended');
      const { duration_ms, response_status, response_body, error } = outcome.entry;
      return { delivered: outcome.isDelivered, status: response_status, duration_ms, error, response: response_body };
    } finally {
      client.close();
      leave();
    }
  };
}
