import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as immediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { count } from '../../src/db/counters.ts';
import { openDatabase, sqliteFile } from '../../src/db/open.ts';
import { SqliteConnection } from '../../src/db/sqlite-connection.ts';
import { isoTime } from '../../src/lib/clock.ts';
import { idAt } from '../../src/lib/ids.ts';
import { createLog } from '../../src/lib/log.ts';
import { type CountChange, countInBlocks, statusCounts } from '../../src/shop/orders/counts.ts';
import { foldOnce } from '../../src/shop/orders/find/follower.ts';
import { renderLines } from '../../src/shop/orders/render.ts';
import { type OrderLine, type OrderStatus, priceLines } from '../../src/shop/orders/rules.ts';
import { atEnd } from './cleanup.ts';
import { newOrders } from './shop.ts';
import { pseudoRandom } from './statistics.ts';

const HALF_A_YEAR = 180 * 24 * 3_600_000;
const HOUR = 3_600_000;
// As many as the service writes at a time, so that the blocks close where its own would.
const BATCH = 256;

/** How an order came to each state, and how many of a hundred are in it. */
const STATES: { share: number; path: OrderStatus[] }[] = [
  { share: 90, path: ['processing', 'shipped', 'delivered'] },
  { share: 3, path: [] },
  { share: 2, path: ['processing'] },
  { share: 2, path: ['processing', 'shipped'] },
  { share: 1, path: ['on_hold'] },
  { share: 1, path: ['cancelled'] },
  { share: 1, path: ['processing', 'shipped', 'returned'] },
];

type SampleOrder = { customer_id: string; items: Parameters<typeof priceLines>[0]; shipping_address: object };

/** A data directory with this many orders, made once and kept under the system's temporary folder. */
export async function seededFolder(orders: number): Promise<string> {
  const cache = join(tmpdir(), 'syncline-bench-cache');
  const folder = join(cache, `orders-${orders}-${fingerprint()}`);
  if (existsSync(folder)) return folder;
  for (const old of globSync(`orders-${orders}-*`, { cwd: cache })) rmSync(join(cache, old), { recursive: true, force: true });
  console.log(`  Writing ${orders.toLocaleString('en-US')} orders to ${folder} (once)…`);
  const unfinished = `${folder}.unfinished`;
  mkdirSync(unfinished, { recursive: true });
  atEnd(() => rmSync(unfinished, { recursive: true, force: true }));
  // The tables are made by the service's own migrations.
  await (await openDatabase({ databaseUrl: undefined, dataDir: unfinished, poolSize: 2 }, createLog('silent'))).close();
  const database = new DatabaseSync(sqliteFile(unfinished));
  database.exec('pragma synchronous = off; pragma cache_size = -1000000; begin');
  await write(database, orders);
  database.exec('commit; pragma wal_checkpoint(truncate)');
  database.close();
  await makeFindable(unfinished);
  renameSync(unfinished, folder);
  return folder;
}

/** Else the service would do it when it is started, while its memory is measured. */
async function makeFindable(dataDir: string): Promise<void> {
  const db = await openDatabase({ databaseUrl: undefined, dataDir, poolSize: 2 }, createLog('silent'));
  while (await foldOnce(db));
  await db.close();
}

/** Another schema, or another way of writing, is another folder. */
function fingerprint(): string {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const hash = createHash('sha256');
  for (const file of [
    ...globSync(['src/db/migrations/*.ts', 'src/shop/orders/find/*.ts'], { cwd: root }).sort(),
    'src/db/counters.ts',
    'src/shop/orders/counts.ts',
    'bench/support/seed.ts',
  ])
    hash.update(readFileSync(join(root, file)));
  return hash.digest('hex').slice(0, 12);
}

/**
 * Leaves the orders, their history, the counters and the blocks as the service would have: what is derived is counted by
 * its own functions. Only the events are left out.
 */
async function write(database: DatabaseSync, orders: number): Promise<void> {
  // Named, as later versions add columns that may be null.
  const insertOrder = database.prepare(
    `insert into orders (id, status, total, created_at, updated_at, version, customer_id, currency, external_id, items, shipping_address, metadata)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertHistory = database.prepare('insert into order_history values (?, ?, ?, ?, ?)');
  const tx = new SqliteConnection(database);
  const random = pseudoRandom(7);
  const samples = (newOrders(1000) as SampleOrder[]).map(({ customer_id, items, shipping_address }) => {
    const { lines, total } = priceLines(items);
    return { customer_id, total, items: renderLines(lines as OrderLine[], () => true), address: JSON.stringify(shipping_address) };
  });
  const start = Date.now() - HALF_A_YEAR - 24 * HOUR;
  let changes: CountChange[] = [];
  for (let i = 0; i < orders; i++) {
    const time = start + Math.floor((i * HALF_A_YEAR) / orders);
    const id = idAt('ord', time);
    const path = pathFor(random() * 100);
    const status = path.at(-1) ?? 'new';
    const updatedAt = isoTime(time + path.length * HOUR);
    const { total, customer_id, items, address } = samples[Math.floor(random() * samples.length)] as (typeof samples)[number];
    insertOrder.run(id, status, total, isoTime(time), updatedAt, path.length + 1, customer_id, 'EUR', null, items, address, '{}');
    path.forEach((step, index) => insertHistory.run(id, index + 2, step, isoTime(time + (index + 1) * HOUR), null));
    changes.push({ id, status, by: 1 });
    if (changes.length === BATCH || i === orders - 1) {
      await count(tx, statusCounts(changes));
      await countInBlocks(tx, changes);
      changes = [];
      // Lets Ctrl-C through.
      await immediate();
    }
  }
}

function pathFor(percent: number): OrderStatus[] {
  let upTo = 0;
  for (const { share, path } of STATES) {
    upTo += share;
    if (percent < upTo) return path;
  }
  return [];
}
