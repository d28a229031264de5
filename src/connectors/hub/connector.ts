import type { Intake, Stream } from '../contract.ts';
import type { Connector, Session } from '../session.ts';
import { SHOP_STREAMS, type ShopPort, type ShopStream } from '../shop-port.ts';
import { knownStream, NAMES } from './known.ts';
import { logOf } from './log.ts';
import { manifest } from './manifest.ts';
import { readStream } from './read.ts';
import { openWriter, takenFields } from './write.ts';

export const connector: Connector = {
  manifest,
  open: async (_config, { shop, signal }) => {
    if (!shop) throw new Error('The shop was not lent to the connector hub.');
    return openSession(shop, signal);
  },
};

function openSession(shop: ShopPort, given: AbortSignal): Session {
  const closing = new AbortController();
  const signal = AbortSignal.any([given, closing.signal]);
  return {
    check: async () => {
      const [orders, products] = [await shop.count('orders'), await shop.count('products')];
      return { message: `This Syncline's shop: ${orders} orders, ${products} products`, warnings: [] };
    },
    discover: () => Promise.all(NAMES.map((name) => streamOf(shop, name))),
    read: (request) => readStream(shop, knownStream(request.stream), request, signal),
    write: async (request) => openWriter(shop, knownStream(request.stream), request),
    log: logOf(shop, signal),
    close: async () => closing.abort(),
  };
}

async function streamOf(shop: ShopPort, name: ShopStream): Promise<Stream> {
  const { fields, key } = SHOP_STREAMS[name];
  return {
    name,
    kind: 'resource',
    fields,
    key,
    cursors: ['updated_at'],
    writable: name !== 'order_items',
    ...(name !== 'order_items' && { takes: takenBy(name) }),
    estimatedRows: name === 'order_items' ? null : await shop.count(name),
  };
}

/** Rows are recognised by a field of their own, and orders are never deleted. */
function takenBy(name: 'orders' | 'products'): Intake {
  const isProducts = name === 'products';
  return { fields: takenFields(name), needs: [isProducts ? 'product_id' : 'external_id'], deletes: isProducts };
}
