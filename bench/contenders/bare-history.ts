// A bare loop over node:sqlite: reads lines of orders, and writes for each the two rows that the service keeps of it, in transactions that are
// on disk when they end. It checks nothing, answers nothing, and leaves the index for finding and the counts of states away. The tables are the
// service's own. It gets the number of a round by message and answers how many seconds it took.
import { DatabaseSync } from 'node:sqlite';
import { openDatabase, sqliteFile } from '../../src/db/open.ts';
import { newId } from '../../src/lib/ids.ts';
import { createLog } from '../../src/lib/log.ts';
import { historyOf } from '../support/history.ts';

export interface History {
  round: number;
}

interface Order {
  customer_id: string;
  items: { price: number; quantity: number }[];
  shipping_address: object;
  external_id: string;
  placed_at: string;
  status: string;
}

/** As many as the service writes together. */
const AT_ONCE = 2000;

const dataDir = process.env['DATA_DIR'] ?? '';
await (await openDatabase({ databaseUrl: undefined, dataDir, poolSize: 2 }, createLog('silent'))).close();
const database = new DatabaseSync(sqliteFile(dataDir));
database.exec('pragma journal_mode = wal; pragma synchronous = full');
const insertOrder = database.prepare(`
  insert into orders (id, status, total, created_at, updated_at, version, customer_id, currency, external_id, items, shipping_address, metadata, extra, past)
  values (?, ?, ?, ?, ?, 1, ?, 'EUR', ?, ?, ?, '{}', ?, ?)`);
const insertEvent = database.prepare(`
  insert into events (seq, topic, topic_seq, type, object_id, created_at, data) values (?, 'orders', ?, 'order.imported', ?, ?, ?)`);
let events = 0;

function write({ customer_id, items, shipping_address, external_id, placed_at, status }: Order, now: number, at: string): void {
  const { id } = newId('ord', now);
  const lines = items.map((item) => ({ ...item, line_total: Math.round(item.price * item.quantity * 100) / 100, product_known: true }));
  const total = Math.round(lines.reduce((sum, { line_total }) => sum + line_total, 0) * 100) / 100;
  const [itemsText, address] = [JSON.stringify(lines), JSON.stringify(shipping_address)];
  const past = JSON.stringify([{ status, at: placed_at, reason: null }]);
  insertOrder.run(id, status, String(total), at, at, customer_id, external_id, itemsText, address, JSON.stringify({ placed_at }), past);
  events++;
  insertEvent.run(events, events, id, at, String(itemsText.length + address.length + past.length));
}

process.on('message', ({ round }: History) => {
  const lines = historyOf(round);
  const started = performance.now();
  for (let from = 0; from < lines.length; from += AT_ONCE) {
    const now = Date.now();
    const at = new Date(now).toISOString();
    database.exec('begin immediate');
    for (const line of lines.slice(from, from + AT_ONCE)) write(JSON.parse(line) as Order, now, at);
    database.exec('commit');
  }
  process.send?.((performance.now() - started) / 1000);
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
