import type { Database } from '../../db/database.ts';
import { validatorOf } from '../../http/validate.ts';
import { type Clock, isoTime } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import type { Static } from '../../lib/schema.ts';
import type { Reject } from '../../connectors/batch.ts';
import { OutsideError } from '../../outside/errors.ts';
import type { ShopPort } from '../../connectors/shop-port.ts';
import { createOrders, type OrderDraft } from '../orders/create.ts';
import { draftOrder } from '../orders/draft.ts';
import { NewOrder } from '../orders/schemas.ts';
import { deleteProduct, syncProducts } from '../products/commands.ts';
import { packPatches } from '../products/packing.ts';
import { checkedPatch, refusalOf } from '../products/patch.ts';
import type { ProductPatch } from '../products/rules.ts';
import { findInShop, lastShopChange, shopChanges } from './changes.ts';
import { countShop, isPosition, readShop } from './read.ts';

type Input = Readonly<Record<string, unknown>>;

const checkOrder = validatorOf(NewOrder);

/** The shop as the connector `hub` sees it: what it writes passes the same rules as what comes over the API. */
export function createShopPort({ db, clock, currency }: { db: Database; clock: Clock; currency: string }): ShopPort {
  return {
    read: async (stream, after, most, follows) => {
      if (after !== undefined && !isPosition(stream, after))
        throw new OutsideError('config', 'POSITION_INVALID', 'The position is not one of the shop.', {
          hint: 'Reset the synchronization.',
        });
      return db.query(readShop, { stream, after, most, follows });
    },
    lastChange: () => db.query(lastShopChange, null),
    changes: (streams, after, most) => db.query(shopChanges, { streams, after, most }),
    find: (stream, keys) => db.query(findInShop, { stream, keys }),
    count: (stream) => db.query(countShop, stream),
    writeProducts: async (products) => {
      const { good, rejects } = sort(products, (product): ProductPatch => checkedPatch(product, clock()));
      const outcomes =
        good.length === 0
          ? []
          : await db.write(syncProducts, { patches: packPatches(good.map(({ value }) => value)), now: isoTime(clock()) });
      const counts = { inserted: 0, updated: 0, unchanged: 0 };
      outcomes.forEach((outcome, i) => {
        if (typeof outcome === 'string') counts[RESULT[(/"result":"(\w+)"/.exec(outcome)?.[1] ?? '') as keyof typeof RESULT]]++;
        else rejects.push(rejectOf(good[i]?.index ?? 0, products, refusalOf(good[i]?.value.product_id ?? '', outcome)));
      });
      return { ...counts, rejects };
    },
    deleteProducts: async (ids) => {
      let deleted = 0;
      for (const productId of ids) if (await db.write(deleteProduct, { productId, now: isoTime(clock()) })) deleted++;
      return deleted;
    },
    writeOrders: async (orders) => {
      const context = { now: clock(), currency, owner: 'hub', idempotencyKey: undefined };
      const { good, rejects } = sort(orders, (order): OrderDraft => draftOrder(checkOrder(order) as Static<typeof NewOrder>, context));
      const outcomes =
        good.length === 0
          ? []
          : await db.write(createOrders, { drafts: JSON.stringify(good.map(({ value }) => value)), now: isoTime(clock()) });
      const inserted = outcomes.filter(({ kind }) => kind === 'created').length;
      return { inserted, unchanged: outcomes.length - inserted, rejects };
    },
  };
}

const RESULT = { created: 'inserted', updated: 'updated', unchanged: 'unchanged' } as const;

/** Those that pass the shop's rules, and why the others do not. */
function sort<T>(inputs: readonly Input[], check: (input: Input) => T): { good: { value: T; index: number }[]; rejects: Reject[] } {
  const good: { value: T; index: number }[] = [];
  const rejects: Reject[] = [];
  inputs.forEach((input, index) => {
    try {
      good.push({ value: check(input), index });
    } catch (error) {
      rejects.push(rejectOf(index, inputs, error));
    }
  });
  return { good, rejects };
}

function rejectOf(index: number, inputs: readonly Input[], error: unknown): Reject {
  if (!(error instanceof AppError)) throw error;
  const { field } = error.details;
  return { index, row: inputs[index] ?? {}, reason: error.message, ...(field && { field }) };
}
