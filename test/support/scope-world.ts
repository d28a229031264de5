import { DatabaseSync } from 'node:sqlite';
import { sql } from '../../src/db/sql.ts';
import { ask, type Body, runToEnd, sqliteFile } from './real-syncs.ts';
import type { Service } from './service.ts';
import { until } from './until.ts';

/** What is in every row of the shop, and so in whatever shows one of them. */
export const CANARY = { orders: 'canary-of-orders', products: 'canary-of-products' } as const;

/** What is at the ends of a synchronization: which rows of the shop, and at which end. */
export interface Ends {
  name: string;
  kind: 'plain' | 'preview' | 'fail';
  shop: { rows: keyof typeof CANARY; at: 'source' | 'target' } | undefined;
  syncId: string;
  sourceId: string;
  targetId: string;
  /** The end that is not the shop, and the stream of it. */
  other: { id: string; stream: string; config: unknown };
  /** A run that has shown, rejected or quoted rows. */
  runId: string;
  streams: Body[];
}

export interface ScopeWorld {
  hub: string;
  /** Its calls show nothing of the shop. */
  hook: string;
  order: string;
  erasure: string;
  ends: Ends[];
}

const SCHEMA = `
  create table orders (external_id text primary key, customer_id text, items text, place integer);
  create table products (product_id text primary key, name text, price text, place integer);
  create table rows (id integer primary key, text text);
  insert into orders values ('good', '${CANARY.orders}', '[{"product_id":"p","quantity":1,"price":1}]', 1),
    ('bad', '${CANARY.orders}', '[{"product_id":"${CANARY.orders}","quantity":-1,"price":1}]', 2);
  insert into products values ('fed', '${CANARY.products} fed', '5', 1), ('bad', '${CANARY.products} bad', '-5', 2);
  insert into rows values (1, 'plain'), (2, 'plain too')`;

/** A shop with a canary in every row, and synchronizations with it at either end and at none, all of which have run. */
export async function makeScopeWorld(service: Service): Promise<ScopeWorld> {
  const order = { customer_id: '17', items: [{ product_id: 'p', quantity: 1, price: 1 }], external_id: `${CANARY.orders} 1` };
  const address = { street: `${CANARY.orders} street`, city: 'Springfield', zip: '12345' };
  const made = await service.post('/api/v1/orders', { ...order, shipping_address: address });
  await service.post('/api/v1/orders', { ...order, customer_id: CANARY.orders, external_id: `${CANARY.orders} 2` });
  for (const customer_id of ['to-be-erased', 'erased'])
    await service.post('/api/v1/orders', { ...order, customer_id, external_id: undefined });
  const erasure = (await service.post('/api/v1/customers/erased/erase')).body.data.id;
  await service.post('/api/v1/products/sync', { product_id: '5', name: `${CANARY.products} name`, price: 1 });
  await service.post('/api/v1/products/sync', { product_id: CANARY.products, name: `${CANARY.products} name`, price: 1 });
  await service.post('/api/v1/products/sync', { product_id: 'tracked', name: `${CANARY.products} name`, price: 1, track_stock: true });
  await service.post('/api/v1/stock/movements', {
    product_id: 'tracked',
    delta: 1,
    reason: `${CANARY.products} reason`,
    location: CANARY.products,
  });
  const deeds = `/api/v1/orders/${made.body.data.id}`;
  await service.post(`${deeds}/fulfillments`, { location: CANARY.orders });
  await service.post(`${deeds}/returns`, { reason: `${CANARY.orders} broken` });
  await service.post(`${deeds}/refunds`, { amount: 0.5, reason: `${CANARY.orders} sorry` });
  const hub = (await ask(service, 'POST', '/sources', { name: 'the shop', type: 'hub', config: {} })).id;
  let files = 0;
  const file = async (): Promise<{ id: string; config: unknown }> => {
    const path = sqliteFile(service.place, `scopes-${files++}.db`);
    const db = new DatabaseSync(path);
    db.exec(SCHEMA);
    db.close();
    const config = { path };
    return { id: (await ask(service, 'POST', '/sources', { name: path, type: 'sqlite', config })).id, config };
  };
  // A cast that the canary does not survive: it is rejected, or fails the run, with a reason that quotes it.
  const leaving = {
    orders: {
      source: 'orders',
      target: 'copy',
      fields: [{ from: 'id' }, { from: 'customer_id', to: 'n', type: 'int64' }, { from: 'shipping_address' }],
    },
    products: {
      source: 'products',
      target: 'copy',
      fields: [{ from: 'product_id', to: 'n', type: 'int64' }, { from: 'name' }, { from: 'product_id', to: 'id' }],
    },
  };
  const arriving = {
    orders: {
      source: 'orders',
      target: 'orders',
      cursor: 'place',
      fields: [{ from: 'external_id' }, { from: 'customer_id' }, { from: 'items' }],
    },
    products: {
      source: 'products',
      target: 'products',
      cursor: 'place',
      fields: [{ from: 'product_id' }, { from: 'name' }, { from: 'price' }],
    },
  };
  const ends: Ends[] = [];
  const add = async (kind: Ends['kind'], shop: Ends['shop'], stream: Body): Promise<void> => {
    const name = `${shop ? `${shop.rows} ${shop.at === 'source' ? 'leave' : 'arrive'}` : 'no shop'} (${kind})`;
    const [other, second] = [await file(), await file()];
    const sourceId = shop?.at === 'source' ? hub : other.id;
    const targetId = shop?.at === 'target' ? hub : shop ? other.id : second.id;
    const on_reject = kind === 'fail' ? 'fail' : 'quarantine';
    const body = { name, source_id: sourceId, target_id: targetId, streams: [stream], schedule: { type: 'manual' }, on_reject };
    const { id: syncId } = await ask(service, 'POST', '/sync', body);
    const { id: runId } = await runToEnd(service, syncId, { mode: kind === 'preview' ? 'preview' : 'run' });
    if (kind === 'preview') await runToEnd(service, syncId);
    const otherEnd = { ...other, stream: shop?.at === 'source' ? stream.target : stream.source };
    ends.push({ name, kind, shop, syncId, sourceId, targetId, other: otherEnd, runId, streams: [stream] });
  };
  for (const rows of ['orders', 'products'] as const) {
    for (const kind of ['plain', 'preview', 'fail'] as const) {
      await add(kind, { rows, at: 'source' }, leaving[rows]);
      await add(kind, { rows, at: 'target' }, arriving[rows]);
    }
  }
  await add('plain', undefined, { source: 'rows', target: 'rows' });
  await service.app.logs.flush();
  const hook = (await ask(service, 'POST', '/hooks', { name: 'a hook', scheme: 'token' })).id;
  return { hub, hook, order: made.body.data.id, erasure, ends };
}

/** All runs have ended: what they would write to the shop is written. */
export async function letRunsEnd({ app }: Service): Promise<void> {
  const underWay = sql`select id from runs where status in ('queued', 'running', 'retrying')`;
  await until('the end of all runs', async () => (await app.db.read.all(underWay)).length === 0);
}
