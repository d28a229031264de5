import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onEitherEngine } from '../support/databases.ts';
import { doesNotRead, drips, gather, hangs, type Horde, type Hostility } from '../support/hostile-clients.ts';
import { parsePrometheusText } from '../support/prometheus-text.ts';
import { RawConnection, requestBytes } from '../support/raw-http.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

// What waits for a client is not in flight, and does not wait for ever.

const BODY_LENGTH = 100_000;
const PRODUCT = { product_id: 'p', name: 'P', price: 1 };
const TIMEOUTS = { body: 1_000, answer: 1_000 };

const get = (path: string, key = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${key && `Authorization: Bearer ${key}\r\n`}\r\n`;
const post = (path: string, key: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${BODY_LENGTH}\r\n` +
  `${key && `Authorization: Bearer ${key}\r\n`}\r\n`;

/** What the service counts under this name. */
async function figure(service: Service, name: string, labels: Record<string, string> = {}): Promise<number> {
  const { text } = await service.get('/api/v1/datasync/metrics', { headers: { accept: 'text/plain' } });
  const sample = parsePrometheusText(text)
    .get(name)
    ?.samples.find((one) => Object.entries(labels).every(([label, value]) => one.labels[label] === value));
  return sample?.value ?? Number.NaN;
}
const dropped = (service: Service, reason: string) => figure(service, 'syncline_http_clients_dropped_total', { reason });

onEitherEngine('clients that are slow, at a limit of 40 requests', (engine) => {
  let service: Service;
  let port: number;
  let low: string;
  let horde: Horde | undefined;
  before(async () => {
    service = await startService(engine, { environment: { SYNCLINE_MAX_IN_FLIGHT: '40' } });
    port = Number(new URL(service.url).port);
    low = await service.keyWith('products:write', 'orders:read');
  });
  after(async () => {
    horde?.leave();
    await service.close();
  });

  const attack = async (count: number, hostility: Hostility): Promise<void> => {
    horde?.leave();
    horde = gather(port, count, hostility, { comeBack: false });
    await horde.gathered;
    await until('all of them are connected', async () => (await figure(service, 'syncline_http_connections')) > count);
  };
  const assertServed = async (): Promise<void> => {
    for (let n = 0; n < 20; n++) {
      assert.equal((await service.get('/api/v1/orders')).status, 200);
      assert.equal((await service.get('/api/v1/orders', { key: low })).status, 200);
      assert.equal((await service.post('/api/v1/products/sync', PRODUCT, { key: low })).status, 200);
    }
    assert.equal(await figure(service, 'syncline_http_requests_in_flight'), 1);
  };

  test('60 that ask for a large file without a key and do not read it shut out nobody', async () => {
    await attack(60, doesNotRead(get('/docs/scalar.js').repeat(10)));
    await assertServed();
  });

  test('100 bodies of one byte, of a key that may send them, shut out nobody, not even that key', async () => {
    await attack(100, drips(post('/api/v1/products/sync', low), ' '));
    await assertServed();
  });

  test('100 that ask for lists and do not read them shut out nobody', async () => {
    await attack(100, doesNotRead(get('/api/v1/orders', low).repeat(50)));
    await assertServed();
  });

  test('100 that hang in the headers shut out nobody', async () => {
    await attack(100, hangs('GET /api/v1/orders HTTP/1.1\r\nHost: x\r\n'));
    await assertServed();
  });

  test('many different keys, sent one behind the other, are not all looked up', async () => {
    const guesser = new RawConnection(port);
    guesser.write(Array.from({ length: 50 }, (_, n) => get('/api/v1/orders', `slk_guess${n}`)).join(''));
    const statuses: number[] = [];
    for (let n = 0; n < 50; n++) statuses.push((await guesser.answer()).status);
    assert.equal(statuses[0], 401);
    assert.equal(statuses.at(-1), 429);
    assert.deepEqual(new Set(statuses), new Set([401, 429]));
    guesser.write(get('/api/v1/orders', low));
    assert.equal((await guesser.answer()).status, 200);
    guesser.close();
  });

  test('requests that were sent one behind the other are forgotten when the connection ends', async () => {
    const watch = `GET /api/v1/events HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${service.adminKey}\r\n\r\n`;
    const client = new RawConnection(port);
    client.write(watch.repeat(30));
    await until('the streams are open', async () => (await figure(service, 'syncline_http_streams')) === 30);
    client.close();
    await until('they are gone', async () => (await figure(service, 'syncline_http_streams')) === 0);
    await assertServed();
  });
});

onEitherEngine('clients that are too slow', (engine) => {
  let service: Service;
  let port: number;
  before(async () => {
    service = await startService(engine, { timeouts: TIMEOUTS });
    port = Number(new URL(service.url).port);
  });
  after(() => service.close());

  test('are told so when their body comes byte by byte, and counted', async () => {
    const before = await dropped(service, 'slow_body');
    const slow = new RawConnection(port);
    slow.write(post('/api/v1/products/sync', service.adminKey));
    const drops = setInterval(() => slow.write(' '), 100);
    const answer = await slow.answer();
    clearInterval(drops);
    assert.equal(answer.status, 400);
    assert.match(JSON.parse(answer.text).error.message, /came too slowly/);
    await slow.ended();
    assert.equal(await dropped(service, 'slow_body'), before + 1);
  });

  test('are cut off when they go on with a body that was refused', async () => {
    const slow = new RawConnection(port);
    slow.write(post('/api/v1/products/sync', ''));
    assert.equal((await slow.answer()).status, 401);
    const drops = setInterval(() => slow.write(' '), 100);
    await slow.ended();
    clearInterval(drops);
  });

  test('are cut off when they do not read, and counted', async () => {
    const before = await dropped(service, 'unread');
    const horde = gather(port, 3, doesNotRead(get('/docs/scalar.js').repeat(20)), { comeBack: false });
    await until('all are cut off', async () => (await dropped(service, 'unread')) === before + 3);
    horde.leave();
  });

  test('are left alone when they are only idle between two requests, after a refusal too', async () => {
    const patient = new RawConnection(port);
    for (const [key, status] of [
      [service.adminKey, 200],
      ['', 401],
    ] as const) {
      patient.write(get('/api/v1/orders', key));
      assert.equal((await patient.answer()).status, status);
      patient.write(
        requestBytes(
          'POST',
          '/api/v1/products/sync',
          { authorization: `Bearer ${key || 'x'}`, 'content-type': 'application/json' },
          JSON.stringify(PRODUCT),
        ),
      );
      assert.equal((await patient.answer()).status, status);
    }
    // Another one is cut off after that time, so it has passed.
    const slow = new RawConnection(port);
    slow.write(post('/api/v1/products/sync', service.adminKey));
    await slow.ended();
    patient.write(get('/api/v1/orders', service.adminKey));
    assert.equal((await patient.answer()).status, 200);
    patient.close();
  });
});

onEitherEngine('more connections than there may be', (engine) => {
  test('the oldest that do nothing make room for new ones; an administrator is never cut off', async (t) => {
    const service = await startService(engine, { environment: { SYNCLINE_MAX_CONNECTIONS: '50' } });
    t.after(() => service.close());
    const port = Number(new URL(service.url).port);
    const admin = new RawConnection(port);
    admin.write(get('/api/v1/orders', service.adminKey));
    assert.equal((await admin.answer()).status, 200);
    const horde = gather(port, 200, hangs(), { comeBack: false });
    await until('most are cut off', () => horde.cutOff >= 150);
    admin.write(get('/api/v1/orders', service.adminKey));
    assert.equal((await admin.answer()).status, 200);
    assert.equal((await service.get('/api/v1/orders')).status, 200);
    assert.ok((await figure(service, 'syncline_http_connections')) <= 50);
    assert.ok((await dropped(service, 'crowded')) >= 150);
    horde.leave();
    admin.close();
  });
});
