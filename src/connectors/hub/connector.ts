import type { Connector, Intake, Session, Stream } from '../contract.ts';
import { OutsideError } from '../../outside/errors.ts';
import { SHOP_STREAMS, type ShopPort, type ShopStream } from '../shop-port.ts';
import { manifest } from './manifest.ts';
import { readStream } from './read.ts';
import { openWriter, takenFields } from './write.ts';

const NAMES = Object.keys(SHOP_STREAMS) as ShopStream[];

export const connector: Connector = {
  manifest,
  open: async (_config, { shop, signal }) => {
    if (!shop) throw new Error('The shop was not lent to the connector hub.');
    return openSession(shop, signal);
  },
};

function openSession(shop: ShopPort, signal: AbortSignal): Session {
  return {
    check: async () => {
      const [orders, products] = [await shop.count('orders'), await shop.count('products')];
      return { message: `This Syncline's shop: ${orders} orders, ${products} products`, warnings: [] };
    },
    discover: () => Promise.all(NAMES.map((name) => streamOf(shop, name))),
    read: (request) => readStream(shop, knownStream(request.stream), request, signal),
    write: async (request) => openWriter(shop, knownStream(request.stream), request),
    close: async () => {},
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

function knownStream(name: string): ShopStream {
  const known = NAMES.find((candidate) => candidate === name);
  if (!known)
    throw new OutsideError('config', 'STREAM_MISSING', `The shop has no stream "${name}".`, { hint: `It has ${NAMES.join(', ')}.` });
  return known;
}
