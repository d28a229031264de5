import { Type } from '../../lib/schema.ts';
import type { Manifest } from '../contract.ts';
import { SHOP_STREAMS } from '../shop-streams.ts';

export const manifest: Manifest = {
  type: 'hub',
  category: 'shop',
  keywords: ['orders', 'products', 'customers', 'stock', 'refunds', 'Syncline'],
  title: "Syncline's own shop",
  description:
    'The orders, customers, products and stock that this Syncline holds: read them into other systems, or bring products and orders in.',
  config: Type.Object({}, { additionalProperties: false }),
  abilities: {
    read: true,
    write: ['append', 'upsert'],
    incremental: true,
    resumable: true,
    transactional: false,
    checkpoints: false,
    createsStreams: false,
    deletes: true,
    filters: false,
    tellsChanges: true,
    tellsDeletions: true,
    log: true,
    notes:
      'Changes are read in the order of their commits, none is missed. Writing passes the rules of the shop: a bad product or order becomes a ' +
      'reject. Products are told apart by product_id and orders by external_id, so that writing again changes nothing.',
  },
  naming: {},
  shopRows: Object.fromEntries(Object.entries(SHOP_STREAMS).map(([name, { rows }]) => [name, rows])),
};
