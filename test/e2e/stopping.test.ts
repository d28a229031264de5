import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { preparedPlace, onBothEngines, type Place } from '../support/databases.ts';
import { openLineStream } from '../support/line-stream.ts';
import { startProcess } from '../support/process.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const BATCH = '/api/v1/products/sync/batch';
const ORDER = JSON.stringify({ customer_id: 'c', items: [{ product_id: 'p', quantity: 1, price: 1 }] });
const QUICKLY = 5000;

async function placeFor(t: TestContext, engine: 'sqlite' | 'postgres'): Promise<Place> {
  const place = await preparedPlace(engine);
  t.after(() => place.remove());
  return place;
}

/** Sends the head of a POST and half of its body, and comes back when the service has taken it on. */
async function halfAPost({ url, adminKey }: Service): Promise<{ finish(more: string): void; answer: Promise<string> }> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const seen: string[] = [];
  socket.setEncoding('utf8').on('data', (chunk: string) => seen.push(chunk));
  const closed = once(socket, 'close');
  socket.write(
    `POST /api/v1/orders HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminKey}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${ORDER.length}\r\nExpect: 100-continue\r\n\r\n`,
  );
  await until('the service to take the request on', () => seen.join('').includes('100 Continue'));
  socket.write(ORDER.slice(0, 10));
  return { finish: (more) => socket.write(ORDER.slice(10) + more), answer: closed.then(() => seen.join('')) };
}

onBothEngines('stopping', (engine) => {
  test('what is under way is answered, what comes later is refused, what was answered is kept', { timeout: 60_000 }, async (t) => {
    const place = await placeFor(t, engine);
    const service = await startService(engine, { place });
    const stream = openLineStream(service, BATCH);
    stream.write('{"product_id":"before","name":"B","price":1}\n');
    assert.equal((await stream.next()).success, true);
    const post = await halfAPost(service);
    // A connection that stays open between two requests.
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const get = async (path: string): Promise<IncomingMessage> => {
      const outgoing = request(service.url + path, { agent, headers: { authorization: `Bearer ${service.adminKey}` } }).end();
      const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
      return response;
    };
    await text(await get('/api/v1/orders'));

    let closed = false;
    const closing = service.app.close().then(() => {
      closed = true;
    });
    const refusal = await fetch(`${service.url}/readyz`).then(
      (response) => response.status,
      (error: { cause: { code: string } }) => error.cause.code,
    );
    assert.ok(refusal === 503 || refusal === 'ECONNREFUSED', String(refusal));
    await assert.rejects(get('/api/v1/orders'), { code: /^(ECONNREFUSED|ECONNRESET)$/ });
    stream.write('{"product_id":"during","name":"D","price":1}\n');
    assert.equal((await stream.next()).data.product_id, 'during');
    assert.equal(closed, false, 'it waits for what is under way');
    // Another request right behind it, on the connection that is still open.
    post.finish(`GET /api/v1/orders HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.adminKey}\r\n\r\n`);
    const [, , answered = '', refused = ''] = (await post.answer).split('HTTP/1.1 ');
    assert.match(answered, /^200 OK/);
    for (const part of [/^503 /, /^retry-after: \d+\r$/im, /^connection: close\r$/im, /"code":"UNAVAILABLE"/, /shutting down/])
      assert.match(refused, part);
    stream.end('{"product_id":"last","name":"L","price":1}');
    assert.equal((await stream.next()).data.product_id, 'last');
    assert.equal(await stream.next(), undefined);
    const began = performance.now();
    await closing;
    assert.ok(performance.now() - began < QUICKLY, 'it waited for connections that are only kept open');
    agent.destroy();

    const again = await startService(engine, { place });
    t.after(() => again.close());
    assert.equal((await again.get('/api/v1/orders')).body.total, 1);
    assert.equal((await again.get('/api/v1/products')).body.total, 3);
    assert.equal((await again.get('/api/v1/events')).body.total, 4);
  });

  test('SIGTERM: the process finishes what is under way and exits with 0, quickly', { timeout: 60_000 }, async (t) => {
    const place = await placeFor(t, engine);
    const service = await startProcess(place);
    t.after(() => service.kill());
    const stream = openLineStream(service, BATCH);
    stream.write('{"product_id":"p","name":"P","price":1}\n');
    assert.equal((await stream.next()).success, true);
    const began = performance.now();
    const ended = service.stop();
    await until('the service to stop listening', async () =>
      fetch(`${service.url}/healthz`).then(
        (response) => response.status === 503,
        () => true,
      ),
    );
    stream.end('{"product_id":"q","name":"Q","price":1}\n');
    assert.equal((await stream.next()).success, true);
    assert.deepEqual(await ended, { code: 0, signal: null });
    assert.ok(performance.now() - began < QUICKLY);
    assert.match(service.logs(), /"msg":"stopped"/);
  });
});
