import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Timing } from '../../src/webhooks/delivery/schedule.ts';
import { onEitherEngine } from '../support/databases.ts';
import { until } from '../support/until.ts';
import { type ShownDelivery, webhookScene } from '../support/webhook-scene.ts';
import { wellReceived } from '../support/webhook-receiver.ts';

const HOUR = 3_600_000;
/** What fails waits for longer than any test. */
const SLOW: Partial<Timing> = { delays: [HOUR, HOUR, HOUR], probe: { first: HOUR, most: HOUR }, timeout: 3_000, mostRetryAfter: HOUR };

onEitherEngine('what waits, replayed', (engine) => {
  const scene = webhookScene(engine, SLOW);
  const { endpoint, change } = scene;
  /** The oldest first. */
  const deliveries = async (id: string, query?: string): Promise<ShownDelivery[]> => (await scene.deliveries(id, query)).toReversed();
  const replay = async (id: string, wish: object): Promise<number> =>
    (await scene.service.post(`/api/v1/webhooks/${id}/replay`, wish)).body.data.queued;
  /** Fails for each of these changes, until all of them wait. */
  const waiting = async (id: string, ...products: string[]): Promise<ShownDelivery[]> => {
    scene.receiver.answer = (_, response) => void response.writeHead(500).end();
    await change(...products);
    await until('all to wait', async () => (await deliveries(id, '?status=waiting')).length === products.length);
    scene.receiver.answer = wellReceived;
    scene.receiver.received.length = 0;
    return deliveries(id, '?status=waiting');
  };
  const arrived = (): string[] => scene.receiver.received.map(({ id }) => id);

  test('one that waits is sent at once, and before it what waits of its object', async () => {
    const id = await endpoint();
    // First a success: an endpoint that has never answered well gets one at a time.
    await change('before');
    await until('the first to arrive', () => scene.receiver.received.length === 1);
    const [one, two, other] = (await waiting(id, 'a', 'a', 'b')) as [ShownDelivery, ShownDelivery, ShownDelivery];
    assert.equal(await replay(id, { failed: true }), 0);
    assert.equal(await replay(id, { message_id: two.message_id }), 1);
    await until('both to arrive', () => scene.receiver.received.length >= 2);
    assert.deepEqual(arrived(), [one.message_id, two.message_id]);
    await until('both to be delivered', async () => (await deliveries(id, '?status=waiting')).length === 1);
    assert.deepEqual(await deliveries(id, '?status=waiting').then((rows) => rows.map(({ sequence }) => sequence)), [other.sequence]);
  });

  test('those of a range are sent at once, in order for each object, whether they wait or are over', async () => {
    const id = await endpoint();
    const from = new Date(Date.now() - 1000).toISOString();
    await change('over');
    await until('the first to arrive', () => scene.receiver.received.length === 1);
    const all = await waiting(id, 'a', 'b', 'a');
    assert.equal(await replay(id, { from: '2020-01-01T00:00:00Z', to: from }), 0);
    assert.equal(await replay(id, { from, to: new Date(Date.now() + 60_000).toISOString() }), 4);
    await until('all to arrive', () => scene.receiver.received.length >= 4);
    const ofA = new Set(all.filter(({ object_id }) => object_id === 'a').map(({ message_id }) => message_id));
    assert.deepEqual(
      arrived().filter((one) => ofA.has(one)),
      [...ofA],
    );
    await until('all to be delivered', async () => (await deliveries(id, '?status=delivered')).length === 4);
  });

  test('a receiver that has asked for time gets it, unless a person asks for one message', async () => {
    const id = await endpoint();
    scene.receiver.answer = (_, response) => void response.writeHead(503, { 'retry-after': '3000' }).end();
    await change('a');
    await until('it to wait', async () => (await deliveries(id, '?status=waiting')).length === 1);
    scene.receiver.answer = wellReceived;
    const [one] = (await deliveries(id)) as [ShownDelivery];
    const nextAttempt = async (): Promise<number> =>
      Date.parse((await scene.service.get(`/api/v1/webhooks/${id}`)).body.data.next_attempt_at as string);
    assert.equal(await replay(id, { from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' }), 1);
    // A change of the endpoint passes the same way behind it: what the range has asked for was looked at by then.
    assert.equal((await scene.service.call('PUT', `/api/v1/webhooks/${id}`, { body: { name: 'looked at' } })).status, 200);
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
    const [one] = (await waiting(id, 'a')) as [ShownDelivery];
    await scene.service.post(`/api/v1/webhooks/${id}/pause`);
    assert.equal(await replay(id, { message_id: one.message_id }), 1);
    assert.equal(scene.receiver.received.length, 0);
    await scene.service.post(`/api/v1/webhooks/${id}/resume`);
    await until('it to arrive', () => scene.receiver.received.length === 1);
  });
});
