import type { Database } from '../../db/database.ts';
import { type Clock, isoTime } from '../../lib/clock.ts';
import { textFault } from '../../lib/json.ts';
import { OutsideError } from '../../outside/errors.ts';
import type { ShopPort } from '../../connectors/shop-port.ts';
import { deleteProduct, syncProducts } from '../products/commands.ts';
import { packPatches } from '../products/packing.ts';
import { checkedPatch, refusalOf } from '../products/patch.ts';
import type { ProductPatch } from '../products/rules.ts';
import { findInShop, lastShopChange, shopChanges } from './changes.ts';
import { countShop, isPosition, readShop } from './read.ts';
import { rejectOf, sort } from './sorting.ts';
import { takeOrders } from './take.ts';

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
      for (const productId of ids)
        if (textFault(productId) === undefined && (await db.write(deleteProduct, { productId, now: isoTime(clock()) }))) deleted++;
      return deleted;
    },
    writeOrders: (orders, follows) => takeOrders({ db, clock, currency }, orders, follows),
  };
}

const RESULT = { created: 'inserted', updated: 'updated', unchanged: 'unchanged' } as const;
