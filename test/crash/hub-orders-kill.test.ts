// Orders of another shop come in and change there, while the service is killed: each is here once, in the state that it has there, and every refund is made once.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { ServiceProcess } from '../../src/cli/prove/service-process.ts';
import { preparedPlace } from '../support/databases.ts';
import { startProcess } from '../support/process.ts';
import { addSource, ask, type Body, type Caller } from '../support/real-syncs.ts';
import { callService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { withSeed } from './random.ts';
import { isLarge } from './sizes.ts';

const KILLS = Math.max(2, Number(process.env['CRASHES'] ?? 0) / 10);
const ORDERS = isLarge ? 600 : 200;
const PATIENCE = 180_000;
const FINAL = new Set(['succeeded', 'partial', 'failed', 'cancelled', 'skipped', 'needs_approval']);
/** What becomes of an order, from one round to the next. */
const LIFE = ['processing', 'shipped', 'delivered'];

interface Told {
  status: string;
  total: number;
  refunds: { id: string; amount: number }[];
}

// What dies leaves a lease behind on PostgreSQL, which takes its time. `src/shop/hub/take.db.test.ts` has several writers at once there.
for (const engine of isLarge ? (['sqlite', 'postgres'] as const) : (['sqlite'] as const))
  test(`orders come into the shop on ${engine}, the service killed ${KILLS} times: each is there once, as it is elsewhere`, (context) =>
    withSeed(async (random) => {
      const place = await preparedPlace(engine);
      mkdirSync(join(place.dataDir, 'files'), { recursive: true });
      const path = join(place.dataDir, 'files', 'orders.db');
      const table = new DatabaseSync(path);
      table.exec(`pragma journal_mode = wal; create table orders (external_id text primary key, customer_id text not null, items text not null, status text not null,
        total text not null, refunds text not null, imported text not null)`);
      const there = new Map<string, Told>();
      const put = table.prepare(
        `insert into orders values (?, 'c', '[{"product_id":"p","quantity":2,"price":5}]', ?, ?, ?, ?) on conflict do update set status = excluded.status, refunds = excluded.refunds`,
      );
      const say = (id: string, told: Told): void => {
        there.set(id, told);
        put.run(id, told.status, String(told.total), JSON.stringify(told.refunds), String(told.total !== 10));
      };
      for (let n = 0; n < ORDERS; n++)
        say(`o${String(n).padStart(4, '0')}`, { status: n % 5 === 0 ? 'processing' : 'new', total: n % 2 === 0 ? 10 : 9.5, refunds: [] });

      let service: ServiceProcess | undefined;
      const caller: Caller = {
        call: (method, at, options = {}) => callService(service?.url ?? '', service?.adminKey ?? '', method, at, options),
      };
      const events = async (): Promise<number> => (await caller.call('GET', '/api/v1/events?limit=1')).body.total;
      const lastRun = async (id: string): Promise<Body> => (await ask(caller, 'GET', `/sync/${id}/runs?limit=1`))[0];
      const untilOver = (id: string): Promise<Body> =>
        until('the end of the run', async () => {
          const run = await lastRun(id);
          return FINAL.has(run.status) && run;
        }, PATIENCE); // biome-ignore format: short
      const orders = async (): Promise<Map<string, Told>> => {
        const found = new Map<string, Told>();
        for (let offset = 0; offset < ORDERS; offset += 1000) {
          const { body } = await caller.call('GET', `/api/v1/orders?limit=1000&offset=${offset}&expand=all`);
          assert.equal(body.total, ORDERS, 'each order is there once');
          for (const { external_id, status, total, refunds = [] } of body.data)
            found.set(external_id, { status, total, refunds: refunds.map(({ external_id: of, amount }: Body) => ({ id: of, amount })) });
        }
        return new Map([...found].sort(([one], [other]) => (one < other ? -1 : 1)));
      };
      let killed = 0;
      try {
        service = await startProcess(place);
        const source_id = await addSource(caller, 'sqlite', { path });
        const target_id = await addSource(caller, 'hub', {});
        const streams = [{ source: 'orders', target: 'orders', mode: 'mirror', deletes: 'keep' }];
        const sync = await ask(caller, 'POST', '/sync', { name: 'orders', source_id, target_id, streams, schedule: { type: 'manual' } });
        for (let kill = 0; kill < KILLS; kill++) {
          const before = await events();
          const after = Math.floor(random() * ORDERS * 0.7);
          await ask(caller, 'POST', `/sync/${sync.id}/runs`, {});
          await until('some of it', async () => (await events()) > before + after || FINAL.has((await lastRun(sync.id)).status), PATIENCE);
          if (!FINAL.has((await lastRun(sync.id)).status)) killed++;
          await service.kill();
          service = await startProcess(place);
          const run = await untilOver(sync.id);
          assert.equal(run.status, 'succeeded', JSON.stringify(run));
          assert.deepEqual(await orders(), there);
          for (const [id, told] of there) {
            const next = LIFE[LIFE.indexOf(told.status) + 1];
            const refund = { id: `${id} ${kill}`, amount: 0.5 };
            if (random() < 0.7)
              say(id, { ...told, status: next ?? told.status, refunds: random() < 0.5 ? told.refunds : [...told.refunds, refund] });
          }
        }
        await ask(caller, 'POST', `/sync/${sync.id}/runs`, {});
        await untilOver(sync.id);
        assert.deepEqual(await orders(), there);
        context.diagnostic(`${ORDERS} orders, ${killed} of ${KILLS} kills hit a run at work`);
      } finally {
        await service?.kill();
        table.close();
        await place.remove();
      }
    }));
