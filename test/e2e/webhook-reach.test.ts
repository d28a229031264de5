import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPlace } from '../support/databases.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { startReceiver } from '../support/webhook-receiver.ts';

const deliveryTiming = { delays: Array.from({ length: 50 }, () => 50) };

test('what may not be reached any more gets neither deliveries nor what is sent again', async () => {
  const place = await createPlace('sqlite');
  const receiver = await startReceiver();
  let service: Service = await startService('sqlite', { place, deliveryTiming });
  try {
    // A name, as addresses are refused when they are saved.
    const url = receiver.url.replace('127.0.0.1', 'localhost');
    const { id } = (await service.post('/api/v1/webhooks', { name: 'shop', url, types: ['product.*'] })).body.data;
    const change = (price: number) => service.post('/api/v1/products/sync', { product_id: 'mug', name: 'Mug', price });
    const list = async (query = '') => (await service.get(`/api/v1/webhooks/${id}/deliveries${query}`)).body.data;
    await change(1);
    await until('it to arrive', async () => (await list('?status=delivered')).length === 1);
    await service.close();

    service = await startService('sqlite', { place, deliveryTiming, environment: { SYNCLINE_NETWORKS: 'public' } });
    await change(2);
    const [refused] = await until('it to be refused', async () => {
      const waiting = await list('?status=waiting');
      return waiting.some(({ error }: { error: string | null }) => error !== null) && waiting;
    });
    assert.match(refused.error, /Syncline may not connect to (127\.0\.0\.1|::1)\..*SYNCLINE_NETWORKS=public/);
    const [{ message_id }] = await list('?status=delivered');
    assert.equal((await service.post(`/api/v1/webhooks/${id}/replay`, { message_id })).body.data.queued, 1);
    await until('what is sent again to be refused', async () => {
      const all = await list('?status=waiting');
      return (
        all.length === 2 &&
        all.some((one: { message_id: string; error: string | null }) => one.message_id === message_id && one.error !== null)
      );
    });
    assert.equal(receiver.received.length, 1);
    const literal = await service.post('/api/v1/webhooks', { name: 'own', url: 'http://127.0.0.1:1/' });
    assert.equal(literal.status, 400);
  } finally {
    await service.close();
    await receiver.close();
    await place.remove();
  }
});
