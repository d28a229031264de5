import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, test } from 'node:test';
import { until } from '../../../test/support/until.ts';
import { startReceiver, type WebhookReceiver } from '../../../test/support/webhook-receiver.ts';
import type { EventTopic } from '../../events/append.ts';
import type { Scope } from '../../http/scopes.ts';
import type { Endpoint } from '../endpoint.ts';
import { createDeliveryClient } from './attempt.ts';
import { Deliverer } from './deliverer.ts';
import type { DeliveryPort } from './port.ts';
import type { FeedEvent } from './receiver.ts';
import { TIMING } from './schedule.ts';

// The order in which answers of the database come is the test's to choose here: what an endpoint is told must not depend on it.

const AT = '2026-11-16T10:00:00.000Z';
let receiver: WebhookReceiver;
let feed: FeedEvent[];
let endpoint: Endpoint;
/** Those that are told beside it, before it. */
let others: Endpoint[];
/** The steady time, which the test turns. */
let steady: number;
let deliverer: Deliverer;
/** How often it was asked what is new, and what lets the answers come. */
let asked: number;
/** How often it was looked whether the duty is still ours. */
let looked: number;
let letAnswer: PromiseWithResolvers<void>;

const port: DeliveryPort = {
  endpoints: async () => [...others, endpoint],
  rows: async () => [],
  end: async () => feed.length,
  news: async (after, scopes, isAll) => {
    asked++;
    await letAnswer.promise;
    await until('something new', () => feed.length > after);
    return { events: seenBy(scopes, after).filter(({ topic }) => isAll || topic === 'webhooks'), end: feed.length };
  },
  page: async (after, limit, scopes, topics) => {
    await until('the feed to be followed', () => asked > 0);
    const events = seenBy(scopes, after).filter(({ topic }) => topics?.includes(topic as EventTopic) ?? true);
    return { events: events.slice(0, limit), end: events.length > limit ? (events[limit - 1]?.seq ?? after) : feed.length };
  },
  sentBefore: async () => [],
  record: async () => true,
};

/** As it is veiled for those scopes that were asked for, and no other. */
function seenBy(scopes: readonly string[], after: number): FeedEvent[] {
  return feed
    .filter(({ seq }) => seq > after)
    .map((event) => ({
      ...event,
      veiled: Object.fromEntries(scopes.map((scope) => [scope, JSON.stringify({ id: event.object_id, for: scope })])),
    }));
}

function happens(topic: EventTopic, type: string, objectId: string): void {
  const seq = feed.length + 1;
  feed.push({ seq, topic, type, object_id: objectId, data: '{"for":"nobody"}', created_at: AT });
}

function endpointWith(scopes: readonly Scope[]): Endpoint {
  const state = { position: 0, failures: 0, failingSince: null, tryAt: null, lastDeliveredAt: AT, problem: null } as const;
  const secret = { id: 's', secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}`, expiresAt: null };
  const limits = { maxInFlight: 8, rate: null, version: 1, status: 'active' } as const;
  const what = { types: ['order.*'], condition: null, payload: 'full', signature: 'symmetric', secrets: [secret], headers: {} } as const;
  return { id: 'wh', name: 'w', url: receiver.url, scopes, owner: 'wh', ...what, ...limits, ...state };
}

const told = (): { id: string; for: string }[] => receiver.received.map(({ body }) => (body as { data: { id: string; for: string } }).data);

beforeEach(async () => {
  receiver = await startReceiver();
  feed = [];
  others = [];
  steady = 0;
  asked = 0;
  looked = 0;
  letAnswer = Promise.withResolvers();
  endpoint = endpointWith(['orders:read']);
  // An attempt ends when the test wants it to, and not before.
  const client = createDeliveryClient('any', 600_000);
  deliverer = new Deliverer({
    port,
    client,
    timing: TIMING,
    now: Date.now,
    steady: () => steady,
    isHeld: () => ++looked > 0,
    busy: () => 0,
  });
});
afterEach(async () => {
  await deliverer.stop(0);
  await receiver.close();
});

async function arrive(count: number): Promise<void> {
  await until(`${count} to arrive`, () => receiver.received.length >= count, 5_000);
}

test('an endpoint that is changed just when it has come to the end of the feed is told of all that came before the change', async () => {
  for (const id of ['1', '2', '3']) happens('orders', 'order.created', id);
  // All are behind at first, so that only what concerns endpoints is asked for; and the answer takes its time.
  void deliverer.run();
  await arrive(3);
  happens('orders', 'order.created', '4');
  endpoint = { ...endpoint, version: 2 };
  happens('webhooks', 'webhook.updated', 'wh');
  happens('orders', 'order.created', '5');
  letAnswer.resolve();
  await arrive(5);
  assert.deepEqual(
    told()
      .map(({ id }) => id)
      .sort(),
    ['1', '2', '3', '4', '5'],
  );
});

test('what an endpoint may not see is not shown to it, also when it was changed while the feed was read', async () => {
  letAnswer.resolve();
  void deliverer.run();
  happens('orders', 'order.created', '1');
  await arrive(1);
  letAnswer = Promise.withResolvers();
  const before = asked;
  happens('orders', 'order.created', '2');
  await until('the next question', () => asked > before);
  endpoint = { ...endpoint, version: 2, scopes: ['orders:read', 'products:read'] };
  happens('webhooks', 'webhook.updated', 'wh');
  for (const id of ['3', '4']) happens('orders', 'order.created', id);
  letAnswer.resolve();
  await arrive(4);
  assert.deepEqual(
    told().map((data) => data.for),
    ['orders:read', 'orders:read', 'orders:read products:read', 'orders:read products:read'],
  );
});

test('an endpoint that answers is told while all places are taken by some that hang, long before these are given up', async () => {
  const HANGING = 300;
  others = Array.from({ length: HANGING }, (_, n) => ({ ...endpoint, id: `dead${n}`, url: `${receiver.url}/dead` }));
  receiver.answer = (message, response) => void (message.path !== '/dead' && response.writeHead(204).end());
  const hanging = (): number => receiver.received.filter(({ path }) => path === '/dead').length;
  letAnswer.resolve();
  void deliverer.run();
  await until('the feed to be followed', () => asked > 0);
  happens('orders', 'order.created', '1');
  await until('it to be told', () => receiver.received.some(({ path }) => path !== '/dead'));
  assert.ok(hanging() >= 256, 'all places were taken before');
});

test('an endpoint that hangs is not sent more, though more may be in flight, until what hangs is over', async () => {
  others = [{ ...endpoint, id: 'other', url: `${receiver.url}/other` }];
  const at = (path: string): string[] =>
    receiver.received.filter((message) => message.path === path).map(({ body }) => (body as { data: { id: string } }).data.id);
  let hanging: ServerResponse | undefined;
  receiver.answer = ({ path }, response) => {
    if (path === '/' && !hanging) hanging = response;
    else response.writeHead(204).end();
  };
  letAnswer.resolve();
  void deliverer.run();
  await until('the feed to be followed', () => asked > 0);
  happens('orders', 'order.created', '1');
  await until('both to be told', () => hanging && at('/other').length === 1);
  steady += 1_100;
  const before = looked;
  await until('what takes long to be looked for', () => looked > before + 1);
  for (const id of ['2', '3']) happens('orders', 'order.created', id);
  await until('the other one to be told', () => at('/other').length === 3);
  assert.deepEqual(at('/'), ['1']);
  hanging?.writeHead(204).end();
  await until('the rest to follow', () => at('/').length === 3);
});
