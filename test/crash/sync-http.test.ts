import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { Engine } from '../../src/db/sql.ts';
import { ENGINES, preparedPlace, type Place } from '../support/databases.ts';
import type { ServiceProcess } from '../../src/cli/prove/service-process.ts';
import { startProcess } from '../support/process.ts';
import { type RudeApi, startRudeApi } from '../support/rude-api.ts';
import { until } from '../support/until.ts';
import { type Random, withSeed } from './random.ts';
import { isLarge } from './sizes.ts';

// Of 200 crashes that are asked for, a quarter falls to each of these.
const CRASHES = Number(process.env['CRASHES'] ?? 0) / 4;
/** On PostgreSQL, a run whose node is gone is found when its lease is over: a kill takes long there. */
const KILLS: Record<Engine, number> = { sqlite: Math.max(1, CRASHES), postgres: Math.max(1, Math.round(CRASHES / 10)) };
const READ_KILLS = Math.max(1, CRASHES / 2);
const PAGES = isLarge ? 200 : 80;
const RECORDS = 20 * PAGES;
const RATE = 0.05;
/** Requests that the API sees, on average, between two kills. */
const BETWEEN_KILLS = 100;
const PATIENCE = 180_000;
const FINAL = new Set(['succeeded', 'partial', 'failed', 'cancelled', 'skipped', 'needs_approval']);

interface Run {
  id: string;
  status: string;
  totals: Record<string, number>;
  error: unknown;
}

for (const engine of isLarge ? ENGINES : ENGINES.slice(0, 1)) {
  const kills = KILLS[engine];
  test(`the shop's orders into an API that fails 5 % of the time, the service killed ${kills} times (${engine}): each is applied once, every run ends, the counts are true`, (context) =>
    withSeed(async (random) => {
      const place = await preparedPlace(engine);
      const api = await startRudeApi({ random, rate: RATE });
      const killer = new Killer(place, random, api);
      try {
        await killer.start();
        const shop = await killer.post('/sources', { name: 'Shop', type: 'hub', config: {} });
        const target = await killer.post('/sources', { name: 'API', type: 'http', config: apiConfig(api) });
        const fields = ['id', 'customer_id', 'total'].map((name) => ({ from: name, to: name }));
        const stream = { source: 'orders', target: 'orders', mode: 'append', cursor: 'updated_at', fields };
        const sync = await killer.post('/sync', {
          name: 'Orders out',
          source_id: shop,
          target_id: target,
          streams: [stream],
          schedule: { type: 'manual' },
        });
        // An order that comes while the table is first read is read twice, which would be true but is not what is counted here.
        await killer.end(sync);
        // Orders come in all the time: so whatever is tried again is cut into other batches than before.
        let made = 0;
        const order = async (): Promise<void> => {
          made += await killer.orders(50);
        };
        await order();
        await killer.kill(kills, sync, order);
        const runs = await killer.end(sync);
        const ids = api.applied.map(({ body }) => String(body['id']));
        context.diagnostic(
          `${engine}: ${made} orders, ${ids.length} applied, ${ids.length - new Set(ids).size} twice, ${killer.kills} kills, ` +
            `${runs.length} runs, ${api.received.length} requests, faults ${JSON.stringify([...api.faults])}`,
        );
        assert.deepEqual(api.mismatches, [], 'a key is always of the same request');
        assert.equal(ids.length, new Set(ids).size, 'no order was applied twice');
        assert.equal(ids.length, made, 'every order was applied');
        checkRuns(runs, { inserted: made, read: made });
        // With few orders chance may be kind.
        const faults = [...api.faults.values()].reduce((sum, n) => sum + n, 0);
        assert.ok(made < 1000 || faults >= made / 40, 'it was rude indeed');
      } finally {
        await killer.close();
        await api.close();
        await place.remove();
      }
    }));
}

test(`${PAGES} pages of an API that fails 5 % of the time, the service killed ${READ_KILLS} times: complete, and nothing doubled`, (context) =>
  withSeed(async (random) => {
    const place = await preparedPlace('sqlite');
    // Large enough that several batches are made of them: who is killed before the first one again and again is given up.
    const records = Array.from({ length: RECORDS }, (_, id) => ({ id, name: `n${id}`.padEnd(4000, '.') }));
    const api = await startRudeApi({ random, rate: RATE, records });
    const killer = new Killer(place, random, api, 20);
    const file = join(place.dataDir, 'files', 'target.db');
    mkdirSync(join(place.dataDir, 'files'));
    try {
      await killer.start();
      const source = await killer.post('/sources', { name: 'API', type: 'http', config: apiConfig(api) });
      const target = await killer.post('/sources', { name: 'File', type: 'sqlite', config: { path: file } });
      const streams = [{ source: 'things', target: 'things', mode: 'append', cursor: 'id' }];
      const sync = await killer.post('/sync', { name: 'Things in', source_id: source, target_id: target, streams });
      await killer.kill(READ_KILLS, sync, async () => {});
      const runs = await killer.end(sync);
      const database = new DatabaseSync(file, { readOnly: true });
      const found = { ...database.prepare('select count(*) as n, count(distinct id) as ids from things').get() };
      database.close();
      context.diagnostic(
        `${String(found['n'])} rows, ${killer.kills} kills, ${runs.length} runs, ${api.received.length} requests, faults ${JSON.stringify([...api.faults])}`,
      );
      assert.deepEqual(found, { n: RECORDS, ids: RECORDS });
      checkRuns(runs, { inserted: RECORDS, read: RECORDS });
    } finally {
      await killer.close();
      await api.close();
      await place.remove();
    }
  }));

function apiConfig(api: RudeApi): object {
  const fields = ['id', 'customer_id', 'total'].map((name) => ({ name, type: 'text' }));
  const things = [
    { name: 'id', type: 'int64' },
    { name: 'name', type: 'text' },
  ];
  const incremental = { field: 'id', param: 'since', order: 'ascending' };
  const paging = { type: 'cursor', param: 'cursor', next: 'next' };
  return {
    base_url: api.url,
    timeout_seconds: 0.5,
    streams: [
      { name: 'orders', fields, write: { path: '/orders', parallel: 2 } },
      { name: 'things', path: '/things', records: 'items', key: ['id'], fields: things, paging, incremental },
    ],
  };
}

/** All have ended well, and together they tell what was done. */
function checkRuns(runs: readonly Run[], expected: Record<string, number>): void {
  for (const run of runs) assert.equal(run.status, 'succeeded', JSON.stringify(run));
  const sum = (name: string): number => runs.reduce((all, { totals }) => all + (totals[name] ?? 0), 0);
  for (const [name, count] of Object.entries(expected)) assert.equal(sum(name), count, `${name} of all runs`);
  assert.deepEqual([sum('rejected'), sum('updated'), sum('deleted')], [0, 0, 0]);
}

/** Keeps runs going and kills the service in their midst. */
class Killer {
  kills = 0;
  readonly #place: Place;
  readonly #random: Random;
  readonly #api: RudeApi;
  readonly #between: number;
  #service: ServiceProcess | undefined;

  constructor(place: Place, random: Random, api: RudeApi, between = BETWEEN_KILLS) {
    this.#place = place;
    this.#random = random;
    this.#api = api;
    this.#between = between;
  }

  async start(): Promise<void> {
    this.#service = await startProcess(this.#place);
  }

  async close(): Promise<void> {
    await this.#service?.kill();
  }

  async kill(times: number, sync: string, before: () => Promise<void>): Promise<void> {
    for (; this.kills < times; this.kills++) {
      await before();
      const begun = this.#api.received.length;
      const enough = begun + 1 + Math.floor(this.#random() * 2 * this.#between);
      // A run is under way, or has just ended: then another one.
      await until(
        'requests',
        async () => {
          if (this.#api.received.length >= enough) return true;
          const last = await this.#last(sync);
          if (last && !FINAL.has(last.status)) return false;
          // One that is through before its time is killed as it is, or another one is begun.
          if (this.#api.received.length > begun) return true;
          await this.#ask('POST', `/api/v1/datasync/sync/${sync}/runs`, {});
          return false;
        },
        PATIENCE,
      );
      await this.#service?.kill();
      await this.start();
    }
  }

  /** Lets what is under way end, and runs once more; answers all runs there were. */
  async end(sync: string): Promise<Run[]> {
    const isOver = async (): Promise<boolean> => FINAL.has((await this.#last(sync))?.status ?? 'succeeded');
    await until('the end of what is under way', isOver, PATIENCE);
    await this.post(`/sync/${sync}/runs`, {});
    await until('the end of the last run', isOver, PATIENCE);
    return (await this.#ask('GET', `/api/v1/datasync/sync/${sync}/runs?limit=1000`)) as Run[];
  }

  /** Makes orders; answers how many. */
  async orders(count: number): Promise<number> {
    const body = { customer_id: 'c1', items: [{ product_id: 'p1', quantity: 1, price: 10 }], currency: 'EUR' };
    await Promise.all(Array.from({ length: count }, () => this.#ask('POST', '/api/v1/orders', body)));
    return count;
  }

  async post(path: string, body: object): Promise<string> {
    return ((await this.#ask('POST', `/api/v1/datasync${path}`, body)) as { id: string }).id;
  }

  async #last(sync: string): Promise<Run | undefined> {
    return ((await this.#ask('GET', `/api/v1/datasync/sync/${sync}/runs?limit=1`)) as Run[])[0];
  }

  async #ask(method: string, path: string, body?: object): Promise<unknown> {
    const service = this.#service as ServiceProcess;
    const response = await fetch(service.url + path, {
      method,
      headers: { authorization: `Bearer ${service.adminKey}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}\n${service.logs()}`);
    return (JSON.parse(text) as { data: unknown }).data;
  }
}
