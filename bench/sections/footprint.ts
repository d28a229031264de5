import { setTimeout as sleep } from 'node:timers/promises';
import type { Section } from '../support/bench.ts';
import { sendExactly } from '../support/load.ts';
import { residentMegabytes, temporaryFolder } from '../support/processes.ts';
import { compare, limit } from '../support/report.ts';
import { seededFolder } from '../support/seed.ts';
import { ORDERS, postOrders } from '../support/shop.ts';
import { fillCatalogue, startSyncline } from '../support/syncline.ts';

const STORED = 1_000_000;
const IDLE = 5_000;
const POSTED = 200_000;
const STEP = 20_000;
const SETTLED = 2 * STEP;

/** How soon it is ready, how much memory it takes, and whether it stays with that. */
export const footprintSection: Section = async ({ rounds }) => {
  const folder = await seededFolder(STORED);
  // The first start on a machine fills Node's compile cache; a restart is what counts.
  await (await startSyncline(folder)).stop();
  const readyAfter: number[] = [];
  const idle: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const server = await startSyncline(folder);
    readyAfter.push(server.readyAfter / 1000);
    await sleep(IDLE);
    idle.push(memoryOf(server.pid));
    await server.stop();
  }
  limit('Ready after the start of the process, 1,000,000 orders stored', 's', readyAfter, 1);
  limit('Memory when idle (RSS after 5 s), 1,000,000 orders stored', 'MB', idle, 110);
  await memoryWhilePosting();
};

async function memoryWhilePosting(): Promise<void> {
  const server = await startSyncline(temporaryFolder());
  await fillCatalogue(server);
  const load = { requests: postOrders(server.key), connections: 64 };
  const series = [memoryOf(server.pid)];
  for (let posted = 0; posted < POSTED; posted += STEP) {
    await sendExactly(server.url, load, STEP);
    series.push(memoryOf(server.pid));
  }
  const { total } = JSON.parse(await server.get(`${ORDERS}?limit=1`)) as { total: number };
  if (total !== POSTED) throw new Error(`${POSTED} orders were posted, but there are ${total}.`);
  await server.stop();
  console.log(`  Memory after 0, 20,000, 40,000 … orders: ${series.map((megabytes) => megabytes.toFixed(0)).join(', ')} MB`);
  const settled = SETTLED / STEP;
  const pair = { ours: series.slice(-1), reference: series.slice(settled, settled + 1) };
  compare('Memory after 200,000 orders against after 40,000', 'MB', pair, { atMost: 1.1 });
  // The garbage collector lets the heap breathe by some tens of megabytes; three samples each show how much of it is that.
  const smoothed = { ours: series.slice(-3), reference: series.slice(settled, settled + 3) };
  compare('Memory after 160,000–200,000 orders against after 40,000–80,000', 'MB', smoothed);
}

function memoryOf(pid: number): number {
  const megabytes = residentMegabytes(pid);
  if (megabytes === undefined) throw new Error('The memory of a process can be read on Linux only (/proc).');
  return megabytes;
}
