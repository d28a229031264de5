import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import type { Timing } from '../../src/webhooks/delivery/schedule.ts';
import { onBothEngines } from '../support/databases.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { startReceiver, type WebhookReceiver, wellReceived } from '../support/webhook-receiver.ts';

const HOUR = 3_600_000;
/** What fails waits for longer than any test. */
const SLOW: Partial<Timing> = { delays: [HOUR, HOUR, HOUR], probe: { first: HOUR, most: HOUR }, timeout: 3_000, mostRetryAfter: HOUR };

onBothEngines('what waits, replayed', (engine) => {
  let service: Service;
  let receiver: WebhookReceiver;
  const made: string[] = [];
  before(async () => {
    service = await startService(engine, { deliveryTiming: SLOW });
  });
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(async () => {
    for (const id of made.splice(0)) await service.call('DELETE', `/api/v1/webhooks/${id}`);
    await receiver.close();
  });
  after(() => service.close());

  const endpoint = async (): Promise<string> => {
    const { status, body } = await service.post('/api/v1/webhooks', { name: 'shop', url: `${receiver.url}/hook`, types: ['product.*'] });
    assert.equal(status, 200, JSON.stringify(body));
    made.push(body.data.id as string);
    return body.data.id as string;
  };
  let price = 1;
  const change = async (...products: string[]): Promise<void> => {
    for (const product_id of products)
      assert.equal((await service.post('/api/v1/products/sync', { product_id, name: product_id, price: ++price })).status, 200);
  };
  type Delivery = { sequence: number; message_id: string; status: string; object_id: string };
  const deliveries = async (id: string, query = ''): Promise<Delivery[]> =>
    ((await service.get(`/api/v1/webhooks/${id}/deliveries${query}`)).body.data as Delivery[]).toReversed();
  const replay = async (id: string, wish: object): Promise<number> =>
    (await service.post(`/api/v1/webhooks/${id}/replay`, wish)).body.data.queued;
  /** Fails for each of these changes, until all of them wait. */
  const waiting = async (id: string, ...products: string[]): Promise<Delivery[]> => {
    receiver.answer = (_, response) => void response.writeHead(500).end();
    await change(...products);
    await until('all to wait', async () => (await deliveries(id, '?status=waiting')).length === products.length);
    receiver.answer = wellReceived;
    receiver.received.length = 0;
    return deliveries(id, '?status=waiting');
  };
  const arrived = (): string[] => receiver.received.map(({ id }) => id);

  test('one that waits is sent at once, and before it what waits of its object', async () => {
    const id = await endpoint();
    // First a success: an endpoint that has never answered well gets one at a time.
    await change('before');
    await until('the first to arrive', () => receiver.received.length === 1);
    const [one, two, other] = (await waiting(id, 'a', 'a', 'b')) as [Delivery, Delivery, Delivery];
    assert.equal(await replay(id, { failed: true }), 0);
    assert.equal(await replay(id, { message_id: two.message_id }), 1);
    await until('both to arrive', () => receiver.received.length >= 2);
    assert.deepEqual(arrived(), [one.message_id, two.message_id]);
    await until('both to be delivered', async () => (await deliveries(id, '?status=waiting')).length === 1);
    assert.deepEqual(await deliveries(id, '?status=waiting').then((rows) => rows.map(({ sequence }) => sequence)), [other.sequence]);
  });

  test('those of a range are sent at once, in order for each object, whether they wait or are over', async () => {
    const id = await endpoint();
    const from = new Date(Date.now() - 1000).toISOString();
    await change('over');
    await until('the first to arrive', () => receiver.received.length === 1);
    const all = await waiting(id, 'a', 'b', 'a');
    assert.equal(await replay(id, { from: '2020-01-01T00:00:00Z', to: from }), 0);
    assert.equal(await replay(id, { from, to: new Date(Date.now() + 60_000).toISOString() }), 4);
    await until('all to arrive', () => receiver.received.length >= 4);
    const ofA = new Set(all.filter(({ object_id }) => object_id === 'a').map(({ message_id }) => message_id));
    assert.deepEqual(
      arrived().filter((one) => ofA.has(one)),
      [...ofA],
    );
    await until('all to be delivered', async () => (await deliveries(id, '?status=delivered')).length === 4);
  });

  test('a receiver that has asked for time gets it, unless a person asks for one message', async () => {
    const id = await endpoint();
    receiver.answer = (_, response) => void response.writeHead(503, { 'retry-after': '3000' }).end();
    await change('a');
    await until('it to wait', async () => (await deliveries(id, '?status=waiting')).length === 1);
    receiver.answer = wellReceived;
    const [one] = (await deliveries(id)) as [Delivery];
    const nextAttempt = async (): Promise<number> =>
      Date.parse((await service.get(`/api/v1/webhooks/${id}`)).body.data.next_attempt_at as string);
    assert.equal(await replay(id, { from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' }), 1);
    // A change of the endpoint passes the same way behind it: what the range has asked for was looked at by then.
    assert.equal((await service.call('PUT', `/api/v1/webhooks/${id}`, { body: { name: 'looked at' } })).status, 200);
    const other = await endpoint();
    await change('b');
    await until('another endpoint to be told', async () => (await deliveries(other, '?status=delivered')).length === 1);
    assert.ok((await nextAttempt()) > Date.now() + HOUR / 2);
    assert.equal((await deliveries(id, '?status=delivered')).length, 0);
    assert.equal(await replay(id, { message_id: one.message_id }), 1);
    await until('all to be delivered', async () => (await deliveries(id, '?status=delivered')).length === 2);
  });

  test('to a paused endpoint it is sent when it is resumed', async () => {
    const id = await endpoint();
    const [one] = (await waiting(id, 'a')) as [Delivery];
    await service.post(`/api/v1/webhooks/${id}/pause`);
    assert.equal(await replay(id, { message_id: one.message_id }), 1);
    assert.equal(receiver.received.length, 0);
    await service.post(`/api/v1/webhooks/${id}/resume`);
    await until('it to arrive', () => receiver.received.length === 1);
  });
});
