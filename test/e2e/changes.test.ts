import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onBothEngines } from '../support/databases.ts';
import { framesOf } from '../support/server-events.ts';
import { type Service, startService } from '../support/service.ts';

const PATH = '/api/v1/events';
const STREAM = { accept: 'text/event-stream' };
const order = { customer_id: 'c', items: [{ product_id: 'p', quantity: 1, price: 1 }] };

onBothEngines('the stream of changes', (engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
  });
  after(() => service.close());

  const follow = async (key = service.adminKey, signal?: AbortSignal) => {
    const response = await fetch(service.url + PATH, { headers: { ...STREAM, authorization: `Bearer ${key}` }, ...(signal && { signal }) });
    return { response, frames: framesOf(response) };
  };
  const nextTopics = async (frames: ReturnType<typeof framesOf>): Promise<Record<string, number>> => {
    const { value } = await frames.next();
    return (value as { data: { topics: Record<string, number> } }).data.topics;
  };
  const product = (product_id: string) => service.post('/api/v1/products/sync', { product_id, name: 'P', price: 1 });

  test('no key 401, no scope for any event 403, a parameter of the feed 400', async () => {
    assert.equal((await service.get(PATH, { key: null, headers: STREAM })).status, 401);
    assert.equal((await service.get(PATH, { key: await service.keyWith('orders:write'), headers: STREAM })).status, 403);
    for (const given of ['after=1', 'cursor=1', 'limit=1']) {
      const { status, body } = await service.get(`${PATH}?${given}`, { headers: STREAM });
      assert.deepEqual([status, body.error.details.field], [400, given.split('=')[0]]);
    }
  });

  test('tells where the feed ends, and then what has changed, by topic', async () => {
    await service.post('/api/v1/orders', order);
    const { response, frames } = await follow();
    assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
    assert.deepEqual((await frames.next()).value, { event: 'changes', data: { sequence: 1, topics: {} } });
    await product('a');
    assert.deepEqual((await frames.next()).value, { event: 'changes', data: { sequence: 2, topics: { products: 1 } } });
    // What happens at the same moment is told as one, or as two when the moment was cut; nothing is missing.
    await Promise.all([product('b'), product('c'), service.post('/api/v1/orders', order)]);
    const counted = { orders: 0, products: 0 };
    while (counted.orders + counted.products < 3) {
      const { orders = 0, products = 0 } = await nextTopics(frames);
      counted.orders += orders;
      counted.products += products;
    }
    assert.deepEqual(counted, { orders: 1, products: 2 });
    await frames.return(undefined);
  });

  test('a key hears of what it may read, and of nothing else', async () => {
    const { frames } = await follow(await service.keyWith('orders:read'));
    await frames.next();
    await product('d');
    await service.post('/api/v1/orders', order);
    assert.partialDeepStrictEqual(await frames.next(), { value: { data: { topics: { orders: 1 } } } });
    await service.post('/api/v1/orders', order);
    assert.deepEqual(await nextTopics(frames), { orders: 1 });
    await frames.return(undefined);
  });

  test('a client that asks for JSON gets the feed, and HEAD is not kept waiting', async () => {
    for (const accept of ['*/*', 'application/json', 'application/json, text/event-stream']) {
      assert.equal((await service.get(PATH, { headers: { accept } })).body.success, true, accept);
    }
    const head = await service.call('HEAD', PATH, { headers: STREAM });
    assert.equal(head.status, 200);
  });

  test('a client that goes away or is there at the end of the service holds nothing up', async () => {
    const leaving = new AbortController();
    const gone = await follow(service.adminKey, leaving.signal);
    await gone.frames.next();
    leaving.abort();
    const staying = await follow();
    await staying.frames.next();
    const ended = Array.fromAsync(staying.frames);
    const began = performance.now();
    await service.close();
    assert.ok(performance.now() - began < 3_000);
    assert.deepEqual(await ended, []);
    service = await startService(engine);
  });
});
