import type { Section } from '../support/bench.ts';
import { drive } from '../support/load.ts';
import { startContender, temporaryFolder } from '../support/processes.ts';
import { compare } from '../support/report.ts';
import { paidOrders, postOrders } from '../support/shop.ts';
import { inTurns, mapPair } from '../support/statistics.ts';
import { fillCatalogue, startSyncline } from '../support/syncline.ts';

/** POST /orders on SQLite, every order on disk before its answer, against a server that stores nothing. */
export const postOrdersSection: Section = async ({ rounds, seconds }) => {
  const ours = await startSyncline(temporaryFolder());
  const ceiling = await startContender(new URL('../contenders/ceiling.ts', import.meta.url));
  await fillCatalogue(ours);
  const requests = postOrders(ours.key);
  for (const { url } of [ours, ceiling]) await drive(url, { requests, connections: 64 }, seconds);

  const measure = (connections: number, uniqueKeys: boolean) => {
    const load = { requests, connections, uniqueKeys };
    return inTurns(
      rounds,
      () => drive(ours.url, load, seconds),
      () => drive(ceiling.url, load, seconds),
    );
  };
  for (const { connections, atLeast } of [
    { connections: 64, atLeast: 0.7 },
    { connections: 16, atLeast: 0.6 },
  ]) {
    const results = await measure(connections, false);
    compare(
      `POST /orders, ${connections} connections`,
      '/s',
      mapPair(results, ({ rate }) => rate),
      { atLeast },
    );
    compare(
      `POST /orders, ${connections} connections, p99`,
      'ms',
      mapPair(results, ({ p99 }) => p99),
      { atMost: 3 },
    );
  }
  const withKeys = await measure(64, true);
  compare(
    'POST /orders, 64 connections, each with an Idempotency-Key',
    '/s',
    mapPair(withKeys, ({ rate }) => rate),
  );
  compare(
    'POST /orders, 64 connections, each with an Idempotency-Key, p99',
    'ms',
    mapPair(withKeys, ({ p99 }) => p99),
  );

  const paid = postOrders(ours.key, paidOrders(500));
  await drive(ours.url, { requests: paid, connections: 64 }, seconds);
  const withMoney = await inTurns(
    rounds,
    () => drive(ours.url, { requests: paid, connections: 64 }, seconds),
    () => drive(ours.url, { requests, connections: 64 }, seconds),
  );
  compare(
    'POST /orders with shipping, tax and discount, 64 connections, against plain ones',
    '/s',
    mapPair(withMoney, ({ rate }) => rate),
    { atLeast: 0.9 },
  );

  await ours.stop();
  await ceiling.stop();
};
