import { command } from '../../db/database.ts';
import { isoTime } from '../../lib/clock.ts';
import { createOrders } from '../../shop/orders/create.ts';
import { transitionOrders } from '../../shop/orders/transition.ts';
import { syncProducts } from '../../shop/products/commands.ts';
import { packPatches } from '../../shop/products/packing.ts';
import type { Day } from './story.ts';

const BATCH = 1000;

/** Writes some days of the story in one transaction, so that half a year does not wait for hundreds of commits. */
export const writeDays = command(import.meta.url, 'writeDays', async (tx, days: Day[]): Promise<void> => {
  for (const { drafts, moves, patches, end } of days) {
    const now = isoTime(end);
    for (const some of batches(drafts)) {
      const outcomes = await createOrders.run(tx, { drafts: JSON.stringify(some), now });
      const other = outcomes.find(({ kind }) => kind !== 'created');
      if (other) throw new Error(`An order of the demo could not be created: ${other.kind}.`);
    }
    for (const some of batches(moves)) {
      const outcomes = await transitionOrders.run(tx, some);
      const other = outcomes.find(({ kind }) => kind !== 'moved');
      if (other) throw new Error(`An order of the demo could not be moved: ${other.kind}.`);
    }
    if (patches.length > 0) await syncProducts.run(tx, { patches: packPatches(patches), now });
  }
});

function batches<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / BATCH) }, (_, index) => items.slice(index * BATCH, (index + 1) * BATCH));
}
