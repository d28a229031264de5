import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { SETTINGS } from '../../src/config.ts';
import { preparedPlace, onEitherEngine, type Place } from '../support/databases.ts';
import { doesNotRead, drips, gather, hangs, type Horde } from '../support/hostile-clients.ts';
import type { ServiceProcess } from '../../src/cli/prove/service-process.ts';
import { startProcess } from '../support/process.ts';
import { callService } from '../support/service.ts';

// Hundreds of clients that do not read, drip or hang, without a key and with a low one, against a service as it comes.

const CLIENTS_OF_A_KIND = 60;
const MEASURED_FOR = 10_000;
/** An administrator does not ask without a pause. */
const PAUSE = 15;
const ORDER = {
  customer_id: 'c',
  items: Array.from({ length: 40 }, (_, n) => ({ product_id: `p-${n}`, quantity: 1, price: 19.99 })),
  metadata: { note: 'x'.repeat(8000) },
};

onEitherEngine('500 hostile clients at the settings it comes with', (engine) => {
  let place: Place;
  let service: ServiceProcess;
  const hordes: Horde[] = [];
  before(async () => {
    place = await preparedPlace(engine);
    service = await startProcess(place, { environment: { SYNCLINE_RATE_LIMIT: SETTINGS.SYNCLINE_RATE_LIMIT.fallback } });
  });
  after(async () => {
    for (const horde of hordes) horde.leave();
    await service.stop();
    await place.remove();
  });

  const call = (method: string, path: string, body?: unknown) => callService(service.url, service.adminKey, method, path, { body });

  test('the p99 of an administrator stays below a second', async (t) => {
    const port = Number(new URL(service.url).port);
    const { body } = await call('POST', '/api/v1/keys', { name: 'low', scopes: ['orders:read', 'products:write'] });
    const key = `Authorization: Bearer ${body.data.key}\r\n`;
    for (let n = 0; n < 500; n += 50) await Promise.all(Array.from({ length: 50 }, () => call('POST', '/api/v1/orders', ORDER)));
    // Loaded from its package when it is first asked for.
    assert.equal((await callService(service.url, service.adminKey, 'GET', '/docs/scalar.js', { key: null })).status, 200);
    const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
    const post = (more: string): string =>
      `POST /api/v1/products/sync HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n${more}\r\n`;
    const join = (hostility: Parameters<typeof gather>[2]) => hordes.push(gather(port, CLIENTS_OF_A_KIND, hostility));
    // Without a key.
    join(doesNotRead(get('/docs/scalar.js').repeat(5)));
    join(doesNotRead(get('/openapi.json').repeat(10)));
    join(drips('GET /api/v1/orders HTTP/1.1\r\nHost: x\r\n', 'X-Slow: x'));
    join(drips(post(''), ' '));
    join(hangs());
    // With a low key.
    join(doesNotRead(get('/api/v1/orders?limit=1000&expand=all', key)));
    join(doesNotRead(get('/api/v1/orders?limit=1', key).repeat(100)));
    join(drips(post(key), ' '));
    join(
      drips(
        `POST /api/v1/products/sync/batch HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n${key}\r\n`,
        '1\r\n \r\n',
      ),
    );

    const times: number[] = [];
    for (const until = performance.now() + MEASURED_FOR; performance.now() < until; ) {
      for (const [method, path, sent] of [
        ['GET', '/api/v1/orders?limit=10', undefined],
        ['POST', '/api/v1/orders', { ...ORDER, metadata: {} }],
        ['GET', '/api/v1/keys', undefined],
      ] as const) {
        const since = performance.now();
        const reply = await call(method, path, sent);
        times.push(performance.now() - since);
        assert.equal(reply.status, 200, reply.text);
        await pause(PAUSE);
      }
    }
    times.sort((a, b) => a - b);
    const at = (part: number): number => times[Math.floor((times.length - 1) * part)] as number;
    t.diagnostic(`${times.length} requests: p50 ${at(0.5).toFixed(0)} ms, p99 ${at(0.99).toFixed(0)} ms, longest ${at(1).toFixed(0)} ms`);
    assert.ok(at(0.99) < 1000, `p99 is ${at(0.99)} ms`);
  });
});
