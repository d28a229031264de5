import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { atEnd } from './cleanup.ts';
import { sendOrders } from './send-orders.ts';
import { newOrders } from './shop.ts';
import { createSource, createSync, listSyncs } from './synchronizations.ts';
import { fillCatalogue, type Syncline, startSyncline } from './syncline.ts';

export interface PageWorldSize {
  orders: number;
  syncs: number;
}

const HALF_A_YEAR = 180 * 24 * 3_600_000;
const CHUNK = 200;
/** A request may take five minutes. */
const ORDERS_A_REQUEST = 50_000;
const TABLES = 50;
const SIDE_BY_SIDE = 4;
const GLANCE = 1_000;
/** Where many take part, most have ended. */
const STATUSES = ['delivered', 'delivered', 'delivered', 'delivered', 'shipped', 'cancelled', 'returned', 'new'];
const FIRST = ['Ada', 'Jörg', 'Mary', 'Li', 'Omar', 'Zoë', 'Ivan', 'Maya', 'Tom', 'Ann'];
const LAST = ['Doe', 'Müller', 'Smith', 'García', 'Kowalski', 'Nguyen', 'Rossi', 'Silva', 'Okafor', 'Tanaka', 'Weber'];

/** A data directory with so many orders and synchronizations, made over the API once and kept under the system's temporary folder. */
export async function pageWorld(size: PageWorldSize): Promise<string> {
  const cache = join(tmpdir(), 'syncline-bench-cache');
  const kind = `page-${size.orders}-${size.syncs}-`;
  const folder = join(cache, kind + fingerprint());
  if (existsSync(folder)) return folder;
  for (const old of globSync(`${kind}*`, { cwd: cache })) rmSync(join(cache, old), { recursive: true, force: true });
  console.log(`  Making ${size.orders.toLocaleString('en-US')} orders and ${size.syncs} synchronizations in ${folder} (once)…`);
  const unfinished = `${folder}.unfinished`;
  mkdirSync(join(unfinished, 'files'), { recursive: true });
  atEnd(() => rmSync(unfinished, { recursive: true, force: true }));
  const syncline = await startSyncline(unfinished);
  await fillCatalogue(syncline);
  await makeSyncs(syncline, join(unfinished, 'files'), size.syncs);
  await makeOrders(syncline, size.orders);
  await syncline.stop();
  renameSync(unfinished, folder);
  return folder;
}

/** Another schema, or another world, is another folder. */
function fingerprint(): string {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const hash = createHash('sha256');
  for (const file of [...globSync('src/db/migrations/*.ts', { cwd: root }).sort(), 'bench/support/page-world.ts'])
    hash.update(readFileSync(join(root, file)));
  return hash.digest('hex').slice(0, 12);
}

/** Half a year of history, as a shop brings it in. */
async function makeOrders(syncline: Syncline, orders: number): Promise<void> {
  const samples = newOrders(1000);
  const start = Date.now() - HALF_A_YEAR;
  const line = (number: number): string => {
    const name = `${FIRST[number % FIRST.length]} ${LAST[Math.floor(number / 3) % LAST.length]}`;
    return JSON.stringify({
      ...samples[number % samples.length],
      external_id: `SHOP-${number}`,
      customer: { name, email: `customer-${number % 997}@mail${number % 50}.example.com` },
      channel: number % 3 === 0 ? 'store' : 'web',
      imported: true,
      placed_at: new Date(start + Math.floor((number * HALF_A_YEAR) / orders)).toISOString(),
      status: STATUSES[number % STATUSES.length],
    });
  };
  function* chunks(from: number, before: number): Generator<Buffer> {
    for (let first = from; first < before; first += CHUNK) {
      const lines = Array.from({ length: Math.min(CHUNK, before - first) }, (_, at) => `${line(first + at)}\n`);
      yield Buffer.from(lines.join(''));
    }
  }
  for (let from = 0; from < orders; from += ORDERS_A_REQUEST) {
    const before = Math.min(orders, from + ORDERS_A_REQUEST);
    const made = await sendOrders(syncline, chunks(from, before));
    if (made !== before - from) throw new Error(`Of ${before - from} orders ${made} were brought in.`);
  }
}

/** Each has run once. One in ten is paused. */
async function makeSyncs(syncline: Syncline, folder: string, syncs: number): Promise<void> {
  const ends: { source_id: string; target_id: string }[] = [];
  for (let number = 0; number < Math.ceil(syncs / TABLES); number++) {
    makeTables(join(folder, `shop-${number}.sqlite`));
    new DatabaseSync(join(folder, `warehouse-${number}.sqlite`)).close();
    const [source_id, target_id] = [
      await createSource(syncline, 'sqlite', { path: `shop-${number}.sqlite` }),
      await createSource(syncline, 'sqlite', { path: `warehouse-${number}.sqlite` }),
    ];
    ends.push({ source_id, target_id });
  }
  let next = 0;
  const makeSome = async (): Promise<void> => {
    while (next < syncs) {
      const number = next++;
      const at = ends[number % ends.length] as (typeof ends)[number];
      const streams = [{ source: `t${Math.floor(number / ends.length)}`, mode: 'mirror' }];
      const id = await createSync(syncline, { ...at, streams, schedule: { type: 'cron', expression: '0 3 1 1 *' } });
      await syncline.post(`/api/v1/datasync/sync/${id}/runs`, '{}');
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, makeSome));
  for (;;) {
    const all = await listSyncs(syncline);
    if (all.filter(({ last_run, current_run }) => last_run && !current_run).length === syncs) {
      for (const { id } of all.filter((_, at) => at % 10 === 0)) await syncline.post(`/api/v1/datasync/sync/${id}/pause`);
      return;
    }
    await sleep(GLANCE);
  }
}

function makeTables(path: string): void {
  const database = new DatabaseSync(path);
  const tables = Array.from(
    { length: TABLES },
    (_, at) =>
      `create table t${at} (id integer primary key, name text); insert into t${at} select value, 'row ' || value from json_each('[1,2,3,4,5,6,7,8,9,10]')`,
  );
  database.exec(tables.join(';'));
  database.close();
}
