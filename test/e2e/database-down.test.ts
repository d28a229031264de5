import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { preparedPlace, type Place } from '../support/databases.ts';
import { type Reply, type Service, startService } from '../support/service.ts';
import { startChaosProxy, type ChaosProxy } from '../support/chaos-proxy.ts';
import { until } from '../support/until.ts';

const order = (customer_id: string) => ({ customer_id, items: [{ product_id: 'p', quantity: 1, price: 1 }] });

describe('a PostgreSQL that goes away', { timeout: 60_000 }, () => {
  let place: Place;
  let proxy: ChaosProxy;
  let service: Service;
  before(async () => {
    place = await preparedPlace('postgres');
    const url = new URL(place.databaseUrl ?? '');
    proxy = await startChaosProxy({ host: url.hostname, port: Number(url.port) });
    const databaseUrl = Object.assign(url, { port: String(proxy.port) }).href;
    service = await startService('postgres', { place: { ...place, databaseUrl } });
  });
  after(async () => {
    await service.close();
    await proxy.close();
    await place.remove();
  });

  const assertUnavailable = ({ status, body, headers, text }: Reply): void => {
    assert.equal(status, 503, text);
    assert.equal(body.error.code, 'UNAVAILABLE');
    assert.match(headers.get('retry-after') ?? '', /^\d+$/);
    const id = headers.get('x-request-id') ?? 'none';
    assert.ok(body.error.message.includes(id), 'the message names the request');
    assert.doesNotMatch(text.replaceAll(id, ''), /ECONN|127\.0\.0\.1|postgres|pg|sql/i, 'and nothing internal');
    assert.ok(headers.get('x-content-type-options'));
  };
  const back = () => until('the service to work again', async () => (await service.get('/api/v1/orders')).status === 200);

  test('every operation is 503 with Retry-After and the request id; /healthz lives, /readyz does not', async () => {
    const key = await service.keyWith('orders:read');
    const { body: made } = await service.post('/api/v1/orders', order('before'));
    await proxy.shut();
    const calls: [method: string, path: string, body?: unknown][] = [
      ['GET', '/api/v1/orders'],
      ['GET', '/api/v1/orders?expand=all'],
      ['GET', `/api/v1/orders/${made.data.id}`],
      ['POST', '/api/v1/orders', order('during')],
      ['POST', `/api/v1/orders/${made.data.id}/transitions`, { to: 'processing' }],
      ['GET', '/api/v1/products'],
      ['POST', '/api/v1/products/sync', { product_id: 'p', name: 'P', price: 1 }],
      ['POST', '/api/v1/products/sync/batch', [{ product_id: 'p', name: 'P', price: 1 }]],
      ['DELETE', '/api/v1/products/p'],
      ['GET', '/api/v1/events'],
      ['POST', '/api/v1/keys', { name: 'n', scopes: ['admin'] }],
      ['GET', '/api/v1/audit'],
      ['GET', '/readyz'],
    ];
    for (const [method, path, body] of calls) assertUnavailable(await service.call(method, path, body === undefined ? {} : { body }));
    // Whether a key is good cannot be known now: that is not the caller's fault.
    assertUnavailable(await service.get('/api/v1/orders', { key }));
    assert.equal((await service.get('/healthz')).status, 200);
    await proxy.heal();
    await back();
    assert.equal((await service.get('/readyz')).status, 200);
    assert.equal((await service.get('/api/v1/orders')).body.total, 1);
  });

  test('requests under way when it goes: each is answered, and repeating them makes every order once', async () => {
    const { total } = (await service.get('/api/v1/orders')).body;
    const post = (name: string) => service.post('/api/v1/orders', order(name), { headers: { 'idempotency-key': name } });
    // Cut at different moments: before, while and after the orders are written.
    const moments = [2, 10, 30, 60, 100];
    let refused = 0;
    for (const moment of moments) {
      const names = Array.from({ length: 40 }, (_, i) => `shopper-${moment}-${i}`);
      const first = names.map(post);
      for (let turn = 0; turn < moment; turn++) await new Promise(setImmediate);
      await proxy.shut();
      const replies = await Promise.all(first);
      const failed = replies.filter((reply) => reply.status !== 200);
      failed.forEach(assertUnavailable);
      refused += failed.length;
      await proxy.heal();
      await back();
      const again = await Promise.all(names.map(post));
      again.forEach((reply, i) => {
        assert.equal(reply.status, 200, reply.text);
        if (replies[i]?.status === 200) assert.equal(reply.text, replies[i]?.text);
      });
    }
    assert.ok(refused > 0, 'some were cut off before they were done');
    const expected = total + 40 * moments.length;
    assert.equal((await service.get('/api/v1/orders')).body.total, expected);
    assert.equal((await service.get('/api/v1/events')).body.total, expected);
  });
});
