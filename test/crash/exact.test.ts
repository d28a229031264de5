import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createPlace, type Place } from '../support/databases.ts';
import type { ServiceProcess } from '../../src/cli/prove/service-process.ts';
import { launch, startProcess } from '../support/process.ts';
import { checkBooks } from './books.ts';
import { withSeed } from './random.ts';
import { ShopDriver } from './shop-driver.ts';
import { isLarge } from './sizes.ts';
import { type Fault, faultsIn, underStrace } from './strace.ts';

// The random kills rarely hit the few microseconds between two writes of one commit; these hit exactly there. Only on
// SQLite: PostgreSQL's writes are made by a server that lives on.

const KILL = 'signal=SIGKILL';
const ENOUGH = 5_000;
/** So many kills at a write that chance chooses; with CRASHES there are more. */
const ANYWHERE = Math.max(1, Math.round(Number(process.env['CRASHES'] ?? 0) / 50));

async function onNewPlace(work: (place: Place) => Promise<void>): Promise<void> {
  const place = await createPlace('sqlite');
  try {
    await work(place);
  } finally {
    await place.remove();
  }
}

async function using(service: ServiceProcess, work: (service: ServiceProcess) => Promise<void>): Promise<void> {
  try {
    await work(service);
  } finally {
    await service.kill();
  }
}

describe('killed at an exact write', () => {
  test('of the log or of the database: nothing acknowledged is lost, nothing is doubled', () =>
    withSeed((random) =>
      onNewPlace(async (place) => {
        const driver = new ShopDriver(random);
        await using(await startProcess(place), async (service) => {
          const busy = driver.run(service);
          await Promise.race([busy, driver.answered(100)]);
          await service.kill();
          await busy;
        });
        const anywhere = (most: number): string => String(1 + Math.floor(random() * most));
        // In a sample, every second one.
        const faults: Fault[] = [
          { call: 'pwrite64', file: 'log', what: KILL, when: '1' },
          { call: 'fsync', file: 'log', what: KILL, when: '1' },
          { call: 'fsync', file: 'log', what: KILL, when: '2' },
          { call: 'fsync', file: 'log', what: KILL, when: anywhere(10) },
          ...Array.from({ length: ANYWHERE }, (): Fault => ({ call: 'pwrite64', file: 'log', what: KILL, when: anywhere(300) })),
          // While the log is folded into the database.
          { call: 'pwrite64', file: 'database', what: KILL, when: '1' },
          { call: 'pwrite64', file: 'database', what: KILL, when: anywhere(100) },
          { call: 'fsync', file: 'database', what: KILL, when: '1' },
        ];
        for (const fault of faults.filter((_, at) => isLarge || at % 2 === 0)) {
          const { service, ready } = launch(place, { under: underStrace(place, fault) });
          await using(service, async () => {
            const started = await ready.then(
              () => true,
              () => false,
            );
            const alive = driver.answered(ENOUGH).then(() => assert.fail(`${JSON.stringify(fault)} did not happen in ${ENOUGH} answers`));
            if (started) await Promise.race([driver.run(service), alive]);
            assert.deepEqual(await service.ended, { code: null, signal: 'SIGKILL' }, `${JSON.stringify(fault)}\n${service.logs()}`);
          });
        }
        await using(await startProcess(place), async (service) => {
          await driver.finish(service);
          assert.ok(driver.answers > 100, `only ${driver.answers} answers`);
          await checkBooks(service, place, driver);
        });
      }),
    ));

  const firstStart: Fault[] = [
    { call: 'pwrite64', file: 'database', what: KILL, when: '1' },
    { call: 'fsync', file: 'database', what: KILL, when: '1' },
    { call: 'pwrite64', file: 'log', what: KILL, when: '30' },
    { call: 'fsync', file: 'log', what: KILL, when: '2' },
    { call: 'fsync', file: 'log', what: KILL, when: '3' },
    { call: 'openat', file: 'admin-key', what: KILL, when: '1' },
    { call: 'write', file: 'admin-key', what: KILL, when: '1' },
    { call: 'close', file: 'admin-key', what: KILL, when: '1' },
  ];
  // In a sample, every fourth one.
  for (const fault of firstStart.filter((_, at) => isLarge || at % 4 === 0)) {
    test(`the very first start, at ${fault.call} ${fault.when} of the ${fault.file}: the next one lets the operator in`, () =>
      onNewPlace(async (place) => {
        const { service, ready } = launch(place, { under: underStrace(place, fault) });
        await assert.rejects(ready, /ended before it was ready/);
        assert.deepEqual(await service.ended, { code: null, signal: 'SIGKILL' }, service.logs());
        await using(await startProcess(place), async (second) => {
          assert.equal((await post(second, 0)).status, 200);
          assert.equal((await request(second, 'GET', '/api/v1/keys')).body.total, 1);
        });
      }));
  }
});

describe('a write that fails', () => {
  // Beyond what the start itself writes; each order here is a commit of its own.
  const faults: { name: string; fault: Fault; reason: RegExp }[] = [
    { name: 'the disk fails (EIO)', fault: { call: 'fsync', file: 'log', what: 'error=EIO', when: '8..10' }, reason: /failed/ },
    { name: 'the disk is full (ENOSPC)', fault: { call: 'pwrite64', file: 'log', what: 'error=ENOSPC', when: '400..403' }, reason: /full/ },
  ];
  for (const { name, fault, reason } of faults) {
    test(`${name}: 503 and never a false success, and goes on when the disk does`, () =>
      onNewPlace(async (place) => {
        const acknowledged = new Map<number, string>();
        let refused = 0;
        await using(await startProcess(place, { under: underStrace(place, fault) }), async (service) => {
          for (let number = 0; number < 20; number++) {
            const { status, body } = await post(service, number);
            if (status === 200) acknowledged.set(number, body.data.id);
            else {
              refused++;
              assert.deepEqual([status, body.error.code], [503, 'UNAVAILABLE']);
              assert.match(body.error.message, reason);
            }
          }
          assert.ok(refused > 0);
          const told = service.logs().split('\n');
          const inBackground = told.filter((line) => /disk I\/O error|disk is full/.test(line) && !line.includes('"request_id"')).length;
          assert.equal(refused + inBackground, faultsIn(place), 'every fault must be told, and nothing else refused');
          assert.equal((await post(service, 20)).status, 200);
        });
        // After a crash too, what was acknowledged is there, and a repeated request makes no second order.
        await using(await startProcess(place), async (service) => {
          const ids = new Set<string>();
          for (let number = 0; number <= 20; number++) {
            const { status, body } = await post(service, number);
            assert.equal(status, 200);
            ids.add(body.data.id);
            if (acknowledged.has(number)) assert.equal(body.data.id, acknowledged.get(number));
          }
          assert.deepEqual([ids.size, (await request(service, 'GET', '/api/v1/orders')).body.total], [21, 21]);
        });
      }));
  }

  test('the disk is full in the middle of a large transaction: none of it stays', () =>
    onNewPlace(async (place) => {
      // More than the cache holds, so that a part goes to the log long before the commit.
      const categories = Array.from({ length: 100 }, (_, n) => `${n}`.padEnd(100, '-'));
      const products = Array.from({ length: 400 }, (_, n) => ({ product_id: `p-${n}`, name: 'P', price: 1, categories }));
      const fault: Fault = { call: 'pwrite64', file: 'log', what: 'error=ENOSPC', when: '450' };
      await using(await startProcess(place, { under: underStrace(place, fault) }), async (service) => {
        const send = () => request(service, 'POST', '/api/v1/products/sync/batch', products);
        const refused = await send();
        assert.deepEqual([refused.status, faultsIn(place)], [503, 1], JSON.stringify(refused.body));
        assert.equal((await request(service, 'GET', '/api/v1/products')).body.total, 0);
        assert.equal((await request(service, 'GET', '/api/v1/events')).body.total, 0);
        const made = await send();
        assert.deepEqual([made.status, made.body.failed], [200, 0]);
        assert.equal((await request(service, 'GET', '/api/v1/products')).body.total, 400);
        const events = await request(service, 'GET', '/api/v1/events?limit=1000');
        assert.deepEqual(
          events.body.data.map((event: { sequence: number }) => event.sequence),
          Array.from({ length: 400 }, (_, n) => n + 1),
        );
      });
    }));
});

interface Answer {
  status: number;
  // oxlint-disable-next-line no-explicit-any -- the tests look into bodies of every shape
  body: any;
}

/** Posts the order with this number; the same number is the same request. */
function post(service: ServiceProcess, number: number): Promise<Answer> {
  const order = { customer_id: `c-${number}`, items: [{ product_id: 'p', quantity: 1, price: number }] };
  return request(service, 'POST', '/api/v1/orders', order, { 'idempotency-key': `k-${number}` });
}

async function request(
  { url, adminKey }: ServiceProcess,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${adminKey}`, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}
