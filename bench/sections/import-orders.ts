import type { History } from '../contenders/bare-history.ts';
import type { Section } from '../support/bench.ts';
import { historyOf, ORDERS_A_ROUND } from '../support/history.ts';
import { startLoop } from '../support/loops.ts';
import { temporaryFolder } from '../support/processes.ts';
import { compare, measure } from '../support/report.ts';
import { sendOrders } from '../support/send-orders.ts';
import { fillCatalogue, type Syncline, startSyncline } from '../support/syncline.ts';

const TARGET = 20_000;
const LINES_A_PIECE = 200;

/** POST /orders/batch: history of another shop as newline-delimited JSON over one connection, every order on disk before its answer. */
export const importOrdersSection: Section = async ({ rounds }) => {
  const ours = await startSyncline(temporaryFolder());
  await fillCatalogue(ours);
  const loop = await startLoop<History>('bare-history.ts');
  const rates = { ours: [] as number[], reference: [] as number[] };
  // The first round is the warm-up.
  for (let round = 0; round <= rounds; round++) {
    const seconds = { ours: await bringIn(ours, round), reference: await loop({ round }) };
    if (round > 0) for (const who of ['ours', 'reference'] as const) rates[who].push(ORDERS_A_ROUND / seconds[who]);
  }
  measure('POST /orders/batch, history as NDJSON over one connection', 'orders/s', rates.ours, { atLeast: TARGET });
  compare('The same, against a loop that only writes the rows of orders and events', 'orders/s', rates);
  await ours.stop();
};

async function bringIn(ours: Syncline, round: number): Promise<number> {
  const lines = historyOf(round);
  const pieces = Array.from({ length: ORDERS_A_ROUND / LINES_A_PIECE }, (_, piece) =>
    Buffer.from(`${lines.slice(piece * LINES_A_PIECE, (piece + 1) * LINES_A_PIECE).join('\n')}\n`),
  );
  const started = performance.now();
  const made = await sendOrders(ours, pieces);
  if (made !== ORDERS_A_ROUND) throw new Error(`Of ${ORDERS_A_ROUND} orders ${made} were brought in.`);
  return (performance.now() - started) / 1000;
}
