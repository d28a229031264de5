import { startPostgres } from '../../test/support/postgres-server.ts';
import type { Section } from '../support/bench.ts';
import { atEnd } from '../support/cleanup.ts';
import { newDatabase } from '../support/databases.ts';
import { drive } from '../support/load.ts';
import { temporaryFolder } from '../support/processes.ts';
import { compare } from '../support/report.ts';
import { CATALOGUE, newOrders, postOrders, products } from '../support/shop.ts';
import { inTurns, mapPair } from '../support/statistics.ts';
import { type Syncline, startSyncline } from '../support/syncline.ts';

/** Enough that nothing runs out. */
const UNITS = 1_000_000_000;

/** POST /orders with `reserve`, three lines each from a catalogue that is tracked, against plain orders for the same products. */
export const reserveOrdersSection: Section = async (bench) => {
  const embedded = await startSyncline(temporaryFolder());
  await compareReserved(embedded, 'SQLite', bench);
  await embedded.stop();

  const server = await startPostgres();
  atEnd(() => server.stop());
  const shared = await startSyncline(temporaryFolder(), { DATABASE_URL: await newDatabase(server.url, 'bench_reserve') });
  await compareReserved(shared, 'PostgreSQL', bench);
  await shared.stop();
};

async function compareReserved(ours: Syncline, on: string, { rounds, seconds }: Parameters<Section>[0]): Promise<void> {
  const catalogue = products(0, CATALOGUE).map((product) => ({ ...product, stock_quantity: UNITS, track_stock: true }));
  await ours.post('/api/v1/products/sync/batch', JSON.stringify(catalogue));
  const plain = postOrders(ours.key);
  const reserved = postOrders(
    ours.key,
    newOrders(500).map((order) => ({ ...order, reserve: true })),
  );
  for (const requests of [plain, reserved]) await drive(ours.url, { requests, connections: 64 }, seconds);
  const results = await inTurns(
    rounds,
    () => drive(ours.url, { requests: reserved, connections: 64 }, seconds),
    () => drive(ours.url, { requests: plain, connections: 64 }, seconds),
  );
  compare(
    `POST /orders with reserve on ${on}, 64 connections, against plain ones`,
    '/s',
    mapPair(results, ({ rate }) => rate),
    { atLeast: 0.7 },
  );
}
