import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Section } from '../support/bench.ts';
import { drive, sendExactly } from '../support/load.ts';
import { printedBy } from '../support/printed-by.ts';
import { temporaryFolder } from '../support/processes.ts';
import { compare, limit, measure } from '../support/report.ts';
import { postOrders } from '../support/shop.ts';
import { inTurns, mapPair, percentile } from '../support/statistics.ts';
import { sendSteadily } from '../support/steady.ts';
import { fillCatalogue, startSyncline, type Syncline } from '../support/syncline.ts';
import { endOfFeed, makeEndpoint, removeEndpoint, startBenchReceiver, startDyingReceivers, untilDelivered } from '../support/webhooks.ts';

const IN_FLIGHT = 64;
const MESSAGES = 20_000;
const FETCH_LOOP = fileURLToPath(new URL('../support/fetch-loop.ts', import.meta.url));
const ORDERS = { types: ['order.*'], max_in_flight: IN_FLIGHT };

/** Deliveries that are signed and written down, against a bare loop of `fetch` with the same bodies. */
export const throughputSection: Section = async ({ rounds }) => {
  const syncline = await startSyncline(temporaryFolder());
  const receiver = await startBenchReceiver();
  await fillCatalogue(syncline);
  await sendExactly(syncline.url, { requests: postOrders(syncline.key), connections: 64 }, MESSAGES);
  const last = await endOfFeed(syncline);
  const bodies: string[] = [];
  for (let after = 0; bodies.length < MESSAGES; ) {
    const { data } = JSON.parse(await syncline.get(`/api/v1/events?limit=1000&after=${after}`)) as {
      data: { sequence: number; type: string; created_at: string; data: unknown }[];
    };
    after = data.at(-1)?.sequence ?? Number.MAX_SAFE_INTEGER;
    for (const { type, created_at, data: told } of data)
      if (type.startsWith('order.')) bodies.push(JSON.stringify({ type, timestamp: created_at, data: told }));
  }
  const file = join(temporaryFolder(), 'bodies.json');
  writeFileSync(file, JSON.stringify({ url: `${receiver.url}/hook`, bodies, inFlight: IN_FLIGHT }));

  const ours = async (): Promise<number> => {
    const id = await makeEndpoint(syncline, `${receiver.url}/hook`, { ...ORDERS, from: 'start' });
    const began = performance.now();
    await untilDelivered(syncline, id, last);
    const rate = (MESSAGES / (performance.now() - began)) * 1000;
    const arrived = (await receiver.told()).length;
    if (arrived !== MESSAGES) throw new Error(`${arrived} of ${MESSAGES} messages have arrived.`);
    await removeEndpoint(syncline, id);
    return rate;
  };
  const reference = async (): Promise<number> => {
    const rate = Number(await printedBy(process.execPath, [FETCH_LOOP, file]));
    await receiver.told();
    return rate;
  };
  await ours();
  const rates = await inTurns(rounds, ours, reference);
  measure(`Deliveries, signed and written down, ${IN_FLIGHT} in flight`, '/s', rates.ours, { atLeast: 3000 });
  compare('The same against a bare loop of fetch', '/s', rates, { atLeast: 0.5 });
  await syncline.stop();
  await receiver.stop();
};

/** From the commit of an order to its arrival at the receiver. */
export const latencySection: Section = async ({ rounds, seconds }) => {
  const syncline = await startSyncline(temporaryFolder());
  const receiver = await startBenchReceiver();
  await fillCatalogue(syncline);
  const id = await makeEndpoint(syncline, `${receiver.url}/hook`, ORDERS);
  const requests = postOrders(syncline.key);
  const steady = async (): Promise<number[]> => {
    await sendSteadily({ url: syncline.url, requests, perSecond: 200, seconds });
    await untilDelivered(syncline, id, await endOfFeed(syncline));
    return receiver.told();
  };
  await steady();
  const delays: number[][] = [];
  for (let round = 0; round < rounds; round++) delays.push(await steady());
  limit(
    'From the commit of an order to its arrival, 200 a second, p99',
    'ms',
    delays.map((some) => percentile(some, 99)),
    100,
  );
  measure(
    'The same, median',
    'ms',
    delays.map((some) => percentile(some, 50)),
  );
  await syncline.stop();
  await receiver.stop();
};

/** POST /orders while each order is delivered to an endpoint, against the same service without one. */
export const ordersSection: Section = async ({ rounds, seconds }) => {
  const syncline = await startSyncline(temporaryFolder());
  const receiver = await startBenchReceiver();
  await fillCatalogue(syncline);
  const load = { requests: postOrders(syncline.key), connections: 64 };
  const without = () => drive(syncline.url, load, seconds);
  const withOne = async () => {
    const id = await makeEndpoint(syncline, `${receiver.url}/hook`, ORDERS);
    await sleep(500);
    const result = await drive(syncline.url, load, seconds);
    // What is left is not for the next round.
    await removeEndpoint(syncline, id);
    await sleep(500);
    return result;
  };
  await without();
  await withOne();
  const results = await inTurns(rounds, withOne, without);
  compare(
    'POST /orders, 64 connections, with an endpoint against without',
    '/s',
    mapPair(results, ({ rate }) => rate),
    { atLeast: 0.95 },
  );
  compare(
    'The same, p99',
    'ms',
    mapPair(results, ({ p99 }) => p99),
  );
  await syncline.stop();
  await receiver.stop();
};

const ENDPOINTS = 10_000;
const DEAD = 1_000;

/** One change told to thousands of endpoints, of which some have died; in turns with a service whose endpoints all live. */
export const manySection: Section = async ({ rounds }) => {
  const receiver = await startBenchReceiver();
  const dying = await startDyingReceivers();
  const startMany = async (urlOfOther: (n: number) => string): Promise<Syncline> => {
    const syncline = await startSyncline(temporaryFolder(), { SYNCLINE_WEBHOOKS_PER_KEY: '0' });
    const wanted = { types: ['product.*'], max_in_flight: 4 };
    const makers = Array.from({ length: 8 }, async (_, maker) => {
      for (let n = maker; n < ENDPOINTS; n += 8) await makeEndpoint(syncline, n < DEAD ? urlOfOther(n) : `${receiver.url}/hook`, wanted);
    });
    await Promise.all(makers);
    return syncline;
  };
  const withDead = await startMany((n) => dying.urls[n % dying.urls.length] ?? '');
  const without = await startMany(() => `${receiver.url}/other`);
  let price = 1;
  const tell = async (syncline: Syncline): Promise<number> => {
    await syncline.post('/api/v1/products/sync', JSON.stringify({ product_id: `p${++price}`, name: 'Mug', price }));
    const delays: number[] = [];
    for (const deadline = performance.now() + 60_000; delays.length < ENDPOINTS - DEAD; ) {
      if (performance.now() > deadline) throw new Error(`Only ${delays.length} were told.`);
      await sleep(50);
      delays.push(...(await receiver.told()));
    }
    return percentile(delays, 99);
  };
  // Endpoints that have never been delivered to are tried with care.
  await inTurns(
    2,
    () => tell(withDead),
    () => tell(without),
  );
  await dying.die();
  const times = await inTurns(
    rounds,
    () => tell(withDead),
    () => tell(without),
  );
  compare(`A change told to ${ENDPOINTS - DEAD} endpoints, p99, while ${DEAD} others are dead against alive`, 'ms', times, { atMost: 1.1 });
  measure('The first change after they died', 'ms', times.ours.slice(0, 1));
  await withDead.stop();
  await without.stop();
  await receiver.stop();
  await dying.stop();
};
