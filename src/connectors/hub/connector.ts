import { aborted } from '../../outside/errors.ts';
import type { Intake, Stream } from '../contract.ts';
import type { Connector, Session } from '../session.ts';
import type { ShopPort } from '../shop-port.ts';
import { SHOP_STREAMS, type ShopStream } from '../shop-streams.ts';
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
  const demandOpen = (): void => {
    if (signal.aborted) throw aborted();
  };
  return {
    check: async () => {
      demandOpen();
      const [orders, products] = [await shop.count('orders'), await shop.count('products')];
      return { message: `This Syncline's shop: ${orders} orders, ${products} products`, warnings: [] };
    },
    discover: async () => {
      demandOpen();
      return Promise.all(NAMES.map((name) => streamOf(shop, name)));
    },
    read: (request) => readStream(shop, knownStream(request.stream), request, signal),
    write: async (request) => {
      demandOpen();
      return openWriter(shop, knownStream(request.stream), request);
    },
    log: logOf(shop, signal),
    close: async () => closing.abort(),
  };
}

async function streamOf(shop: ShopPort, name: ShopStream): Promise<Stream> {
  const { fields, key, cursor, notFollowed } = SHOP_STREAMS[name];
  const stream = {
    name,
    kind: 'resource' as const,
    fields,
    key,
    cursors: cursor === null ? [] : [cursor],
    ...(notFollowed !== undefined && { notFollowed }),
  };
  if (name !== 'orders' && name !== 'products') return { ...stream, writable: false, estimatedRows: null };
  return { ...stream, writable: true, takes: takenBy(name), estimatedRows: await shop.count(name) };
}

/** Rows are recognised by a field of their own, and orders are never deleted. */
function takenBy(name: 'orders' | 'products'): Intake {
  const isProducts = name === 'products';
  return { fields: takenFields(name), needs: [isProducts ? 'product_id' : 'external_id'], deletes: isProducts };
}
