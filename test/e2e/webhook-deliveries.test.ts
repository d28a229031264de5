import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Timing } from '../../src/webhooks/delivery/schedule.ts';
import { onEitherEngine } from '../support/databases.ts';
import { until } from '../support/until.ts';
import { type Received, wellReceived } from '../support/webhook-receiver.ts';
import { webhookScene } from '../support/webhook-scene.ts';

const QUICK: Partial<Timing> = { delays: [60, 60, 60, 60, 60, 60], probe: { first: 50, most: 200 }, timeout: 3_000, mostRetryAfter: 5_000 };

onEitherEngine('deliveries', (engine) => {
  const scene = webhookScene(engine, QUICK);
  const { endpoint, change, deliveries } = scene;
  const shown = async (id: string) => (await scene.service.get(`/api/v1/webhooks/${id}`)).body.data;
  const objects = (): string[] => scene.receiver.received.map(({ body }) => body.data.product_id as string);

  test('what happens is told, once and in order, and written down', async () => {
    const id = await endpoint();
    await change('a', 'b', 'a', 'c', 'a');
    await until('all to arrive', () => scene.receiver.received.length >= 5);
    assert.deepEqual(objects().toSorted(), ['a', 'a', 'a', 'b', 'c']);
    const prices = scene.receiver.received.filter(({ body }) => body.data.product_id === 'a').map(({ body }) => body.data.price as number);
    assert.deepEqual(
      prices,
      prices.toSorted((x, y) => x - y),
    );
    await until('all to be written down', async () => (await deliveries(id)).length === 5);
    for (const one of await deliveries(id)) assert.deepEqual([one.status, one.attempts, one.error], ['delivered', 1, null]);
    const feed = (await scene.service.get('/api/v1/events?limit=1000')).body.data as { id: string; sequence: number }[];
    for (const { id: messageId } of scene.receiver.received) assert.ok(feed.some((event) => event.id === messageId));
    const { position, waiting, last_delivered_at } = await shown(id);
    assert.ok(position >= (feed.findLast((event) => event.id === scene.receiver.received.at(-1)?.id)?.sequence ?? Number.NaN));
    assert.equal(waiting, 0);
    assert.ok(last_delivered_at);
  });

  test('what fails is tried again, and those of its object wait while others pass', async () => {
    const id = await endpoint();
    let failures = 3;
    scene.receiver.answer = ({ body }, response) => {
      const fails = body.data.product_id === 'bad' && failures-- > 0;
      response.writeHead(fails ? 500 : 200).end(fails ? 'not now' : '');
    };
    await change('bad', 'good', 'bad', 'other');
    await until('all to arrive', () => scene.receiver.received.length >= 7);
    assert.equal(scene.receiver.received.length, 7);
    const bad = scene.receiver.received.filter(({ body }) => body.data.product_id === 'bad').map((message) => message.id);
    assert.equal(new Set(bad.slice(0, 4)).size, 1, 'the same id each time');
    assert.equal(new Set(bad).size, 2);
    await until('all to be delivered', async () => (await deliveries(id, '?status=delivered')).length === 4);
    const [first] = (await deliveries(id)).filter(({ object_id }) => object_id === 'bad').toReversed();
    assert.equal(first?.attempts, 4);
    const { log } = (await scene.service.get(`/api/v1/webhooks/${id}/deliveries/${first?.sequence}`)).body.data;
    assert.deepEqual(
      log.map((entry: { response_status: number; response_body: string | null }) => [entry.response_status, entry.response_body]),
      [
        [500, 'not now'],
        [500, 'not now'],
        [500, 'not now'],
        [200, null],
      ],
    );
  });

  test('after the last attempt it is kept as failed, and can be sent again', async () => {
    const id = await endpoint();
    scene.receiver.answer = ({ body }, response) => void response.writeHead(body.data.product_id === 'bad' ? 500 : 200).end();
    await change('bad');
    await until('it to fail', async () => {
      await change('fine');
      return (await deliveries(id, '?status=failed')).length === 1;
    });
    const [failed] = await deliveries(id, '?status=failed');
    assert.deepEqual([failed?.attempts, failed?.error], [7, 'The receiver answered 500.']);
    scene.receiver.answer = wellReceived;
    scene.receiver.received.length = 0;
    assert.equal((await scene.service.post(`/api/v1/webhooks/${id}/replay`, { failed: true })).body.data.queued, 1);
    await until('it to arrive', () => objects().includes('bad'));
    await until('it to be delivered', async () => (await deliveries(id, '?status=failed')).length === 0);
  });

  test('those that failed are sent again, with their ids and in order, and those that did not are not', async () => {
    const id = await endpoint();
    const isBad = ({ body }: Received): boolean => String(body.data.product_id).startsWith('bad');
    scene.receiver.answer = (message, response) => void response.writeHead(isBad(message) ? 500 : 200).end();
    await change('bad-1', 'good-1', 'bad-2', 'good-2', 'bad-1');
    // The last two of one object follow each other, and all others go in between.
    await until('three to fail', async () => {
      await change('fine');
      return (await deliveries(id, '?status=failed')).length === 3;
    });
    const failed = new Set(scene.receiver.received.filter(isBad).map((message) => message.id));
    const delivered = new Set((await deliveries(id, '?status=delivered&limit=1000')).map(({ sequence }) => sequence));
    scene.receiver.answer = wellReceived;
    scene.receiver.received.length = 0;
    assert.equal((await scene.service.post(`/api/v1/webhooks/${id}/replay`, { failed: true })).body.data.queued, 3);
    await until(
      'all to be delivered',
      async () => (await deliveries(id, '?status=failed')).length === 0 && scene.receiver.received.length >= 3,
    );
    await until('nothing to wait', async () => (await deliveries(id, '?status=waiting')).length === 0);
    const again = scene.receiver.received.filter(isBad);
    assert.deepEqual([again.length, new Set(again.map((message) => message.id))], [3, failed], 'each once, with its id');
    const feed = (await scene.service.get('/api/v1/events?limit=1000')).body.data as { id: string; sequence: number }[];
    const known = feed.filter(({ sequence }) => delivered.has(sequence)).map((event) => event.id);
    assert.ok(
      known.length >= 2 && !scene.receiver.received.some((message) => known.includes(message.id)),
      'none of those that were delivered',
    );
    const ofFirst = again.filter(({ body }) => body.data.product_id === 'bad-1').map(({ body }) => body.data.price as number);
    assert.ok((ofFirst[0] ?? 0) < (ofFirst[1] ?? 0), 'in order');
    assert.equal((await scene.service.post(`/api/v1/webhooks/${id}/replay`, { failed: true })).body.data.queued, 0);
  });

  test('410 disables the endpoint; resumed, it gets what it has missed, in order', async () => {
    const id = await endpoint();
    scene.receiver.answer = (_, response) => void response.writeHead(410).end();
    await change('a');
    await until('it to be disabled', async () => (await shown(id)).status === 'disabled');
    assert.match((await shown(id)).status_reason, /410/);
    await change('a', 'b', 'a');
    scene.receiver.answer = wellReceived;
    scene.receiver.received.length = 0;
    assert.equal((await scene.service.post(`/api/v1/webhooks/${id}/resume`)).status, 200);
    await until('all to arrive', () => scene.receiver.received.length >= 4);
    assert.deepEqual(objects().filter((name) => name === 'a').length, 3);
    const types = ((await scene.service.get('/api/v1/events?limit=1000')).body.data as { type: string; object_id: string }[])
      .filter(({ object_id }) => object_id === id)
      .map(({ type }) => type);
    assert.deepEqual(types, ['webhook.created', 'webhook.disabled', 'webhook.resumed']);
  });

  test('a paused endpoint is sent nothing, and everything when it is resumed', async () => {
    const id = await endpoint();
    await change('a');
    await until('one to arrive', () => scene.receiver.received.length === 1);
    await scene.service.post(`/api/v1/webhooks/${id}/pause`);
    await change('a', 'b');
    // Another endpoint gets them, so this one would have too.
    await endpoint({ url: `${scene.receiver.url}/other`, from: 'start' });
    await until('the other to get them', () => scene.receiver.received.filter(({ path }) => path === '/other').length >= 3);
    assert.equal(scene.receiver.received.filter(({ path }) => path === '/hook').length, 1);
    await scene.service.post(`/api/v1/webhooks/${id}/resume`);
    await until('the rest to arrive', () => scene.receiver.received.filter(({ path }) => path === '/hook').length === 3);
  });

  test('redirects are not followed, and the way is named', async () => {
    const id = await endpoint();
    scene.receiver.answer = ({ path }, response) =>
      void (path === '/hook' ? response.writeHead(307, { location: '/elsewhere?key=1' }) : response.writeHead(200)).end();
    await change('a');
    await until('it to be tried', async () => (await deliveries(id)).length === 1);
    const [one] = await deliveries(id);
    assert.match(one?.error ?? '', /redirects \(307\) to \/elsewhere\. Redirects are not followed/);
    assert.ok(scene.receiver.received.every(({ path }) => path === '/hook'));
  });

  test('a receiver that asks for time gets it', async () => {
    await endpoint();
    let first = true;
    scene.receiver.answer = (_, response) => {
      response.writeHead(first ? 429 : 200, first ? { 'retry-after': '1' } : {}).end();
      first = false;
    };
    await change('a', 'b');
    await until('all to arrive', () => scene.receiver.received.length >= 3);
    const [one, two] = scene.receiver.received;
    assert.ok((two?.at ?? 0) - (one?.at ?? 0) >= 950, `${(two?.at ?? 0) - (one?.at ?? 0)} ms`);
  });

  test('one that never answers is given up in time, and holds up no other', async () => {
    const id = await endpoint();
    scene.receiver.answer = ({ body }, response) => void (body.data.product_id !== 'mute' && response.writeHead(200).end());
    await change('mute', 'fine');
    await until('the other to arrive', () => objects().includes('fine'));
    await until('it to fail', async () => (await deliveries(id, '?status=waiting')).length === 1);
    assert.match((await deliveries(id, '?status=waiting'))[0]?.error ?? '', /did not answer within 3 s/);
  });

  test('conditions and types say what is meant', async () => {
    const id = await endpoint({ condition: 'data.price > 100000 && object_id != "no"', types: ['product.created'] });
    for (const product_id of ['cheap', 'dear', 'no'])
      await scene.service.post('/api/v1/products/sync', { product_id, name: product_id, price: product_id === 'cheap' ? 1 : 200_000 });
    await change('dear');
    await until('the one that is meant', () => scene.receiver.received.length === 1);
    await until('its position to pass the others', async () => {
      const { next_cursor } = (await scene.service.get('/api/v1/events?limit=1000')).body;
      return (await shown(id)).position >= Number(next_cursor);
    });
    assert.deepEqual(objects(), ['dear']);
  });

  test('an endpoint that was deleted is sent nothing more, and others go on', async () => {
    const id = await endpoint();
    await scene.service.call('DELETE', `/api/v1/webhooks/${id}`);
    await endpoint({ url: `${scene.receiver.url}/other` });
    await change('a');
    await until('the other to get it', () => scene.receiver.received.length === 1);
    assert.equal(scene.receiver.received[0]?.path, '/other');
  });

  test('changes hold from the next message on', async () => {
    const id = await endpoint();
    await change('a');
    await until('one to arrive', () => scene.receiver.received.length === 1);
    assert.equal(
      (await scene.service.call('PUT', `/api/v1/webhooks/${id}`, { body: { url: `${scene.receiver.url}/moved`, payload: 'thin' } })).status,
      200,
    );
    await until('one to arrive at the new address', async () => {
      await change('b');
      return scene.receiver.received.some(({ path }) => path === '/moved');
    });
    assert.deepEqual(scene.receiver.received.find(({ path }) => path === '/moved')?.body.data, { id: 'b' });
  });

  test('metrics tell what was delivered, what waits and since when, and how many endpoints there are', async () => {
    const id = await endpoint();
    // It says when it is to be tried again, so that it waits until it was looked at.
    scene.receiver.answer = ({ body }, response) =>
      void (body.data.product_id === 'bad' ? response.writeHead(500, { 'retry-after': '5' }) : response.writeHead(200)).end();
    await change('fine', 'bad');
    await until(
      'both to be tried',
      async () => (await deliveries(id)).length === 2 && (await deliveries(id, '?status=waiting')).length === 1,
    );
    const metrics = async (): Promise<(sample: string) => number> => {
      const { text } = await scene.service.get('/api/v1/datasync/metrics', { headers: { accept: 'text/plain' } });
      const lines = text.split('\n');
      return (sample) => Number(lines.find((line) => line.startsWith(`${sample} `))?.split(' ')[1]);
    };
    const value = await metrics();
    assert.equal(value('syncline_webhooks{status="active"}'), 1);
    assert.equal(value('syncline_webhooks{status="paused"}'), 0);
    assert.ok(value('syncline_webhook_deliveries_total{result="delivered"}') >= 1);
    assert.ok(value('syncline_webhook_deliveries_total{result="retried"}') >= 1);
    assert.ok(value('syncline_webhook_deliveries_in_flight') >= 0);
    // What was only just tried waits for no time at all.
    const lag = `syncline_webhook_lag_seconds{webhook_id="${id}",webhook="shop"}`;
    await until('the lag to be told', async () => (await metrics())(lag) > 0);
  });

  const changeTo = async (id: string, body: object): Promise<void> => {
    const { status, body: said } = await scene.service.call('PUT', `/api/v1/webhooks/${id}`, { body });
    assert.equal(status, 200, JSON.stringify(said));
  };

  test('nothing is left out while the endpoint is changed all the time', async () => {
    const id = await endpoint();
    const products = Array.from({ length: 60 }, (_, n) => `edited ${n}`);
    for (const product of products) {
      await changeTo(id, { headers: { 'x-for': product } });
      // Another change is on its way while the first is read.
      const again = changeTo(id, { name: product });
      await change(product);
      await again;
    }
    await until('all to arrive', () => new Set(objects()).size === products.length);
    await until(
      'all to be written down',
      async () => (await scene.service.get(`/api/v1/webhooks/${id}/deliveries`)).body.total === products.length,
    );
  });

  test('paused and resumed at once, or led elsewhere, it is sent to at once, whatever was asked for before', async () => {
    const id = await endpoint();
    const hold = (): void => {
      scene.receiver.answer = (_, response) => void response.writeHead(503, { 'retry-after': '3600' }).end();
    };
    const refused = async (product: string): Promise<void> => {
      await until('the refusal', async () => objects().includes(product) && (await shown(id)).waiting === 1);
      scene.receiver.answer = wellReceived;
    };
    const release = async (product: string): Promise<void> => {
      await until(`${product} to arrive`, () => objects().filter((one) => one === product).length >= 2);
    };
    for (const product of ['paused 1', 'paused 2', 'paused 3']) {
      hold();
      await change(product);
      await refused(product);
      await scene.service.post(`/api/v1/webhooks/${id}/pause`);
      await scene.service.post(`/api/v1/webhooks/${id}/resume`);
      await release(product);
    }
    hold();
    await change('led elsewhere');
    await refused('led elsewhere');
    await changeTo(id, { url: `${scene.receiver.url}/elsewhere` });
    await release('led elsewhere');
    assert.equal(scene.receiver.received.at(-1)?.path, '/elsewhere');
  });
});
