import { command, type Connection } from '../../db/database.ts';
import { isoTime } from '../../lib/clock.ts';
import { createOrders } from '../../shop/orders/create.ts';
import { type DeedRequest, recordDeeds } from '../../shop/orders/deeds/write.ts';
import { type TransitionRequest, transitionOrders } from '../../shop/orders/transition.ts';
import { syncProducts } from '../../shop/products/commands.ts';
import { packPatches } from '../../shop/products/packing.ts';
import { moveStock } from '../../shop/products/stock/move.ts';
import type { Day } from './story.ts';

const BATCH = 1000;
const ACTOR = { id: 'demo', address: null, request_id: null };

/** Writes some days of the story in one transaction, so that half a year does not wait for hundreds of commits. */
export const writeDays = command(import.meta.url, 'writeDays', async (tx, days: Day[]): Promise<void> => {
  for (const day of days) {
    const now = isoTime(day.end);
    for (const some of batches(day.drafts)) {
      demand('created', await createOrders.run(tx, { drafts: some, now }));
    }
    // In this order an order passes through them, also when several happen on one day.
    await moveAll(tx, day.moves);
    await doAll(tx, day.parcels, now);
    await moveAll(tx, day.arrivals);
    await doAll(tx, day.returns, now);
    if (day.patches.length > 0) await syncProducts.run(tx, { patches: packPatches(day.patches), now });
    const { movements } = day;
    if (movements.length > 0)
      demand('moved', [await moveStock.run(tx, { requests: movements, key: undefined, actor: ACTOR, now: day.end })]);
  }
});

async function moveAll(tx: Connection, moves: readonly TransitionRequest[]): Promise<void> {
  for (const some of batches(moves)) demand('moved', await transitionOrders.run(tx, some));
}

async function doAll(tx: Connection, deeds: readonly DeedRequest[], now: string): Promise<void> {
  for (const requests of batches(deeds)) demand('done', await recordDeeds.run(tx, { requests, now }));
}

function demand(kind: string, outcomes: readonly { kind: string }[]): void {
  const other = outcomes.find((outcome) => outcome.kind !== kind);
  if (other) throw new Error(`Something of the demo could not be ${kind}: ${JSON.stringify(other)}.`);
}

function batches<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / BATCH) }, (_, index) => items.slice(index * BATCH, (index + 1) * BATCH));
}
