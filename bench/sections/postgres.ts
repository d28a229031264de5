import { startPostgres } from '../../test/support/postgres-server.ts';
import type { Section } from '../support/bench.ts';
import { atEnd } from '../support/cleanup.ts';
import { newDatabase } from '../support/databases.ts';
import { drive } from '../support/load.ts';
import { startContender, temporaryFolder } from '../support/processes.ts';
import { compare } from '../support/report.ts';
import { postOrders } from '../support/shop.ts';
import { inTurns, mapPair } from '../support/statistics.ts';
import { fillCatalogue, startSyncline } from '../support/syncline.ts';

/** POST /orders on PostgreSQL against one INSERT per request, both on one server with a database each. */
export const postgresSection: Section = async ({ rounds, seconds }) => {
  const server = await startPostgres();
  atEnd(() => server.stop());
  const ours = await startSyncline(temporaryFolder(), { DATABASE_URL: await newDatabase(server.url, 'bench_ours') });
  const plain = await startContender(new URL('../contenders/plain-postgres.ts', import.meta.url), {
    DATABASE_URL: await newDatabase(server.url, 'bench_plain'),
  });
  await fillCatalogue(ours);
  const load = { requests: postOrders(ours.key), connections: 64 };
  for (const { url } of [ours, plain]) await drive(url, load, seconds);
  const results = await inTurns(
    rounds,
    () => drive(ours.url, load, seconds),
    () => drive(plain.url, load, seconds),
  );
  compare(
    'POST /orders on PostgreSQL, 64 connections',
    '/s',
    mapPair(results, ({ rate }) => rate),
    { atLeast: 1.8 },
  );
  compare(
    'POST /orders on PostgreSQL, 64 connections, p99',
    'ms',
    mapPair(results, ({ p99 }) => p99),
  );
  await ours.stop();
  await plain.stop();
};
