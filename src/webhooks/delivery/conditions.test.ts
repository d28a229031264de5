import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../../test/support/until.ts';
import { startReceiver } from '../../../test/support/webhook-receiver.ts';
import type { Endpoint } from '../endpoint.ts';
import { Accounts } from './accounts.ts';
import { createDeliveryClient } from './attempt.ts';
import { createConditions } from './condition.ts';
import { Deliverer } from './deliverer.ts';
import type { DeliveryPort } from './port.ts';
import type { FeedEvent } from './receiver.ts';
import { TIMING } from './schedule.ts';

const AT = '2026-11-16T10:00:00.000Z';
/** Uses up what a condition may cost for one event. */
const EXPENSIVE = 'range.all(a, range.all(b, range.all(c, a + b + c >= 0)))'.replaceAll('range', 'data.items');
const DATA = JSON.stringify({ items: Array.from({ length: 200 }, (_, place) => place) });

test('conditions of one owner share an account, and what is used up comes back with time', () => {
  let now = 0;
  const conditionOf = createConditions(new Accounts(() => now));
  const event = { type: 'order.created', object_id: 'o', data: DATA };
  const [first, second, other] = ['key_a', 'key_a', 'key_b'].map((owner) => conditionOf({ condition: EXPENSIVE, owner }));
  assert.ok(first && second && other);
  assert.equal(conditionOf({ condition: null, owner: 'key_a' }), undefined);
  let computed = 0;
  for (; first.rest() === 0 && computed < 1_000; computed++) assert.equal(first.holds(event), false, 'it takes too long');
  assert.ok(computed > 2 && computed < 20, String(computed));
  assert.ok(second.rest() > 0 && other.rest() === 0);
  const rest = first.rest();
  now += rest - 1;
  assert.ok(second.rest() > 0, 'not before its time');
  now += 1;
  assert.deepEqual([first.rest(), second.rest()], [0, 0]);
  for (const until = now + 60_000; now < until; now += 10) while (first.rest() === 0) computed += Number(!first.holds(event));
  assert.ok(computed * 2_000_000 < 61 * 21_000_000, `${computed} in a minute: about a fifth of the time`);
  assert.ok(computed * 2_000_000 > 50 * 20_000_000, `${computed} in a minute: no less`);
});

test('a condition that is cheap is never held back', () => {
  const now = 0;
  const condition = createConditions(new Accounts(() => now))({ condition: "type == 'order.created'", owner: 'key_a' });
  for (let count = 0; count < 10_000; count++) assert.ok(condition?.holds({ type: 'order.created', object_id: 'o', data: DATA }));
  assert.equal(condition?.rest(), 0);
});

test('an expensive condition slows its own endpoint and no other; it is told of everything in the end', async () => {
  const receiver = await startReceiver();
  const secrets = [{ id: 's', secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}`, expiresAt: null }];
  const state = { position: 0, failures: 0, failingSince: null, tryAt: null, lastDeliveredAt: AT, problem: null } as const;
  const limits = { maxInFlight: 8, rate: null, version: 1, status: 'active' } as const;
  const what = { types: ['order.*'], scopes: ['orders:read'], payload: 'full', signature: 'symmetric', secrets, headers: {} } as const;
  const endpointWith = (id: string, condition: string | null): Endpoint => {
    return { id, name: id, url: `${receiver.url}/${id}`, owner: id, condition, ...what, ...limits, ...state };
  };
  // Expensive for all events but the last one, which it is told of.
  const event = { topic: 'orders', type: 'order.created', created_at: AT } as const;
  const dataOf = (place: number): string => (place < 59 ? DATA : '{"items":[]}');
  const feed: FeedEvent[] = Array.from({ length: 60 }, (_, place) => {
    return { ...event, seq: place + 1, object_id: `o${place}`, data: dataOf(place) };
  });
  let pages = 0;
  const port: DeliveryPort = {
    endpoints: async () => [endpointWith('dear', EXPENSIVE), endpointWith('plain', null)],
    rows: async () => [],
    end: async () => 0,
    news: async (after) => {
      await until('something new', () => after < feed.length, 60_000);
      return { events: feed.slice(after), end: feed.length };
    },
    page: async (after, limit) => {
      pages++;
      const events = feed.slice(after, after + limit);
      return { events, end: events.at(-1)?.seq ?? feed.length };
    },
    sentBefore: async () => [],
    record: async () => true,
  };
  const client = createDeliveryClient('any', 5_000);
  const deliverer = new Deliverer({ port, client, timing: TIMING, now: Date.now, isHeld: () => true, busy: () => 0 });
  const toldOf = (id: string) => receiver.received.filter(({ path }) => path === `/${id}`).length;
  try {
    void deliverer.run();
    await until('the plain one to be told', () => toldOf('plain') === feed.length, 20_000);
    assert.equal(toldOf('dear'), 0, 'the other one is still computing');
    await until('the other one to be told', () => toldOf('dear') === 1, 60_000);
    assert.ok(pages < 100, `it reads when it can go on, and not all the time: ${pages} pages`);
  } finally {
    await deliverer.stop(0);
    client.close();
    await receiver.close();
  }
});
