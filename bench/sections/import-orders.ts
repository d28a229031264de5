import { request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Section } from '../support/bench.ts';
import { temporaryFolder } from '../support/processes.ts';
import { measure } from '../support/report.ts';
import { newOrders } from '../support/shop.ts';
import { fillCatalogue, type Syncline, startSyncline } from '../support/syncline.ts';

const ORDERS_A_ROUND = 60_000;
const TARGET = 20_000;
const STATUSES = ['delivered', 'delivered', 'delivered', 'cancelled', 'returned'];

/** POST /orders/batch: history of another shop as newline-delimited JSON over one connection, every order on disk before its answer. */
export const importOrdersSection: Section = async ({ rounds }) => {
  const ours = await startSyncline(temporaryFolder());
  await fillCatalogue(ours);
  const rates: number[] = [];
  // The first round is the warm-up.
  for (let round = 0; round <= rounds; round++) {
    const chunks = linesOf(round);
    const started = performance.now();
    const made = await send(ours, chunks);
    const seconds = (performance.now() - started) / 1000;
    if (made !== ORDERS_A_ROUND) throw new Error(`Of ${ORDERS_A_ROUND} orders ${made} were brought in.`);
    if (round > 0) rates.push(ORDERS_A_ROUND / seconds);
  }
  measure('POST /orders/batch, history as NDJSON over one connection', 'orders/s', rates, { atLeast: TARGET });
  await ours.stop();
};

/** Orders with a state, a time and an id of their own, in pieces of some hundred lines. */
function linesOf(round: number): Buffer[] {
  const orders = newOrders(ORDERS_A_ROUND).map((order, number) =>
    JSON.stringify({
      ...order,
      external_id: `old-${round}-${number}`,
      imported: true,
      placed_at: new Date(Date.UTC(2020, 0, 1) + number * 60_000).toISOString(),
      status: STATUSES[number % STATUSES.length],
    }),
  );
  return Array.from({ length: ORDERS_A_ROUND / 200 }, (_, piece) =>
    Buffer.from(`${orders.slice(piece * 200, (piece + 1) * 200).join('\n')}\n`),
  );
}

/** Sends them all; answers how many of the lines of the answer tell of success. */
async function send({ url, key }: Syncline, chunks: readonly Buffer[]): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' };
  const sent = request(`${url}/api/v1/orders/batch`, { method: 'POST', headers });
  const counted = new Promise<number>((resolve, reject) => {
    sent.once('error', reject);
    sent.once('response', (response) => {
      let [made, rest] = [0, ''];
      response.setEncoding('latin1');
      response.on('data', (text: string) => {
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) if (line.includes('"success":true')) made++;
      });
      response.once('end', () => resolve(made));
      response.once('error', reject);
    });
  });
  await pipeline(Readable.from(chunks), sent);
  return counted;
}
