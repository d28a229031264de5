import type { Section } from '../support/bench.ts';
import { temporaryFolder } from '../support/processes.ts';
import { measure } from '../support/report.ts';
import { sendOrders } from '../support/send-orders.ts';
import { newOrders } from '../support/shop.ts';
import { fillCatalogue, startSyncline } from '../support/syncline.ts';

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
    const made = await sendOrders(ours, chunks);
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
