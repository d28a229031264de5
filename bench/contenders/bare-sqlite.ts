// Bare loops over node:sqlite: the upserts of a batch in one transaction that is on disk when it ends, and nothing else.
// The tables are the service's own. It gets batches by message and answers how many seconds they took. With `everything`
// it also writes the rows that the service keeps beside a product: its categories and an event.
import { DatabaseSync } from 'node:sqlite';
import { openDatabase, sqliteFile } from '../../src/db/open.ts';
import { createLog } from '../../src/lib/log.ts';
import { type Product, products } from '../support/shop.ts';

export interface Batches {
  from: number;
  batches: number;
  size: number;
  cents: number;
  everything?: boolean;
}

const dataDir = process.env['DATA_DIR'] ?? '';
await (await openDatabase({ databaseUrl: undefined, dataDir, poolSize: 2 }, createLog('silent'))).close();
const database = new DatabaseSync(sqliteFile(dataDir));
database.exec('pragma journal_mode = wal; pragma synchronous = full');

const upsertProduct = database.prepare(`
  insert into products (product_id, name, price, stock_quantity, categories, version, created_at, updated_at, search)
  values (?, ?, ?, ?, ?, 1, ?, ?, ?)
  on conflict (product_id) do update set name = excluded.name, price = excluded.price, stock_quantity = excluded.stock_quantity,
    categories = excluded.categories, version = products.version + 1, updated_at = excluded.updated_at, search = excluded.search`);
const insertCategory = database.prepare('insert into product_categories (category, product_id) values (?, ?) on conflict do nothing');
const insertEvent = database.prepare(
  'insert into events (seq, topic, topic_seq, type, object_id, created_at, data) values (?, ?, ?, ?, ?, ?, ?)',
);
let events = 0;

function upsert(product: Product, now: string): void {
  const { product_id, name, price, stock_quantity, categories } = product;
  const search = `${name}\n${product_id}`.toLowerCase();
  upsertProduct.run(product_id, name, String(price), stock_quantity, JSON.stringify(categories), now, now, search);
}

function writeTheRest(product: Product, now: string): void {
  for (const category of product.categories) insertCategory.run(category, product.product_id);
  events++;
  insertEvent.run(events, 'products', events, 'product.updated', product.product_id, now, JSON.stringify(product));
}

process.on('message', ({ from, batches, size, cents, everything }: Batches) => {
  let milliseconds = 0;
  for (let batch = 0; batch < batches; batch++) {
    const items = products(from + batch * size, size, cents);
    const started = performance.now();
    const now = new Date().toISOString();
    database.exec('begin immediate');
    for (const item of items) {
      upsert(item, now);
      if (everything) writeTheRest(item, now);
    }
    database.exec('commit');
    milliseconds += performance.now() - started;
  }
  process.send?.(milliseconds / 1000);
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
