import type { Database } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open.ts';
import { type Engine, sql } from '../../src/db/sql.ts';
import { createLog } from '../../src/lib/log.ts';
import { foldOnce } from '../../src/shop/orders/find/follower.ts';
import { listFound } from '../../src/shop/orders/find/list-found.ts';
import type { OrderSort, OrderWish } from '../../src/shop/orders/find/wish.ts';
import { runStatement } from '../../test/support/commands.ts';
import { startPostgres } from '../../test/support/postgres-server.ts';
import { atEnd } from '../support/cleanup.ts';
import { temporaryFolder } from '../support/processes.ts';
import { limit } from '../support/report.ts';
import { percentile, pseudoRandom } from '../support/statistics.ts';

const BATCH = 50_000;
const TIMES = 40;
/** Orders that came since the index was made, as in a running shop. */
const TAIL = 900;

/** Orders straight into the table, as both engines understand it: names, e-mails, products, channels and tags in the proportions of a shop. */
function seedStatements(engine: Engine, from: number, before: number, orders: number): string[] {
  const rows =
    engine === 'sqlite'
      ? `(with recursive t(n) as (select ${from} union all select n + 1 from t where n < ${before - 1}) select n from t)`
      : `(select generate_series(${from}::bigint, ${before - 1}) as n)`;
  const padded = (text: string): string => (engine === 'sqlite' ? `printf('%023d', ${text})` : `lpad((${text})::text, 23, '0')`);
  const pick = (number: string, values: readonly string[]): string =>
    `case ${number} ${values.map((value, n) => `when ${n} then '${value}'`).join(' ')} end`;
  const first = pick('n % 10', ['jo', 'ann', 'joerg', 'mary', 'li', 'omar', 'zoe', 'ivan', 'maya', 'tom']);
  const last = pick('n / 8 % 10', ['Doe', 'Müller', 'Smith', 'Garcia', 'Kowalski', 'Nguyen', 'Rossi', 'Silva', 'Okafor', 'Tanaka']);
  const customer = `(n * 7919 % ${Math.ceil(orders / 3)})`;
  const product = '(n * 31 % 5000)';
  const at = `'2026-' || ${engine === 'sqlite' ? "printf('%02d', n % 10 + 1)" : "lpad((n % 10 + 1)::text, 2, '0')"} || '-01T09:30:00.000Z'`;
  // Of history that was brought in, in no order.
  const placed = `(2016 + n * 7 % 10) || '-0' || (n * 11 % 9 + 1) || '-1' || (n % 10) || 'T10:00:00.' || (n % 900 + 100) || 'Z'`;
  const json = engine === 'sqlite' ? '' : '::json';
  return [
    `insert into orders (id, status, total, created_at, updated_at, version, customer_id, currency, external_id, items, shipping_address, metadata, extra)
    select 'ord_01k' || ${padded('n')}, ${pick('n % 5', ['new', 'processing', 'shipped', 'delivered', 'cancelled'])}, n % 200 + 5, ${at}, ${at}, 1, 'c-' || ${customer},
      case when n % 10 = 0 then 'USD' else 'EUR' end, 'shop-' || n,
      ('[{"product_id":"p-' || ${product} || '","quantity":1,"price":5,"line_total":5,"product_known":true,"name":"Mug ' || (${product} % 40) || '","sku":"SKU' || ${product} || '"}]')${json},
      null, '{}'${json},
      ('{"customer":{"email":"' || ${first} || '.' || ${customer} || '@mail' || (n % 50) || '.example.com","name":"' || ${first} || ' ' || ${last} || (${customer} % 997)
        || '"},"tags":' || case when n % 20 = 0 then '["gift"]' else '[]' end || ',"channel":"' || case when n % 3 = 0 then 'store' else 'web' end || '"'
        || case when n % 4 = 0 then ',"imported":true,"placed_at":"' || ${placed} || '"' else '' end || '}')${json}
    from ${rows} as t`,
    `insert into counters (name, n) values ('orders:*', ${before - from}) on conflict (name) do update set n = counters.n + excluded.n`,
  ];
}

type Question = (random: () => number) => { wish: OrderWish; sort?: OrderSort; offset?: number };

/** Rare and frequent, alone and together, in every order. */
const questionsOf = (orders: number): Record<string, Question> => {
  const some = (random: () => number, most: number): number => Math.floor(random() * most);
  return {
    'an e-mail': (random) => ({ wish: { q: `jo.${some(random, orders / 3)}@mail` } }),
    'the number of the other shop': (random) => ({ wish: { q: `shop-${some(random, orders)}` } }),
    'a name': (random) => ({ wish: { q: `muller${some(random, 997)}` } }),
    'two words, one begun': (random) => ({ wish: { q: `jo kowal${some(random, 3)}` } }),
    'a frequent word': () => ({ wish: { q: 'mug' } }),
    'the beginning of every e-mail of one in ten': () => ({ wish: { q: 'jo' } }),
    'a product': (random) => ({ wish: { product_id: `p-${some(random, 5000)}` } }),
    'a word and a status': (random) => ({ wish: { q: `smith${some(random, 997)}`, statuses: ['new'] } }),
    'three statuses': () => ({ wish: { statuses: ['new', 'processing', 'shipped'] } }),
    'a currency, a channel and a status': () => ({ wish: { currency: 'EUR', channel: 'web', statuses: ['new'] } }),
    'a tag, the highest first': () => ({ wish: { tag: 'gift' }, sort: '-total' }),
    'all, the highest first': () => ({ wish: {}, sort: '-total' }),
    'a channel, last changed first': () => ({ wish: { channel: 'store' }, sort: '-updated_at' }),
    'placed in a month, last placed first': (random) => {
      const from = Date.UTC(2016, some(random, 120));
      return { wish: { placed_from: from, placed_before: from + 30 * 86_400_000 }, sort: '-placed_at' };
    },
    'all, first placed first': () => ({ wish: {}, sort: 'placed_at' }),
    'a channel, far down': (random) => ({ wish: { channel: 'store' }, offset: some(random, orders / 4) }),
  };
};

export async function findSection(engine: Engine, orders: number, at?: string): Promise<void> {
  const db = await opened(engine, at);
  atEnd(() => db.close());
  const there = await db.read.all<{ n: number }>(sql`select n from counters where name = 'orders:*'`);
  if (there[0]?.n !== orders) await fill(db, there[0]?.n ?? 0, orders);
  const all: number[] = [];
  for (const [what, ask] of Object.entries(questionsOf(orders))) {
    const took = await times(db, ask);
    all.push(...took);
    console.log(`  ${what}: p50 ${percentile(took, 50).toFixed(1)} ms, p95 ${percentile(took, 95).toFixed(1)} ms`);
  }
  limit(`${engine}: all of these among ${orders.toLocaleString('en-US')} orders, p95`, 'ms', [percentile(all, 95)], 50);
}

async function fill(db: Database, there: number, orders: number): Promise<void> {
  console.log(`  Making ${orders.toLocaleString('en-US')} orders…`);
  let began = performance.now();
  await seed(db, there, orders - TAIL, orders);
  const toldIn = (what: string): void => console.log(`  ${what} in ${Math.round((performance.now() - began) / 1000)} s`);
  toldIn('made');
  began = performance.now();
  while (await foldOnce(db));
  toldIn(`indexed (${Math.round(((performance.now() - began) * 1000) / orders)} µs for each)`);
  if (db.shared) await db.shared.execute('analyze');
  await seed(db, orders - TAIL, orders, orders);
}

async function seed(db: Database, from: number, before: number, orders: number): Promise<void> {
  for (let n = from; n < before; n += BATCH)
    for (const statement of seedStatements(db.read.engine, n, Math.min(before, n + BATCH), orders)) await db.write(runStatement, statement);
}

async function times(db: Database, ask: Question): Promise<number[]> {
  const random = pseudoRandom(11);
  const took: number[] = [];
  for (let i = 0; i < TIMES + 3; i++) {
    const { wish, sort = '-created_at', offset = 0 } = ask(random);
    const start = performance.now();
    await db.query(listFound, { search: { wish, sort, limit: 50, offset }, expand: 'none' });
    // The first few open pages and plans.
    if (i >= 3) took.push(performance.now() - start);
  }
  return took;
}

async function opened(engine: Engine, at: string | undefined): Promise<Database> {
  const dataDir = engine === 'sqlite' && at !== undefined ? at : temporaryFolder();
  if (engine === 'sqlite') return openDatabase({ dataDir, databaseUrl: undefined, poolSize: 4 }, createLog('silent'));
  if (at !== undefined) return openDatabase({ dataDir, databaseUrl: at, poolSize: 4 }, createLog('silent'));
  const server = await startPostgres('', '-c shared_buffers=1GB -c max_wal_size=8GB');
  atEnd(() => server.stop());
  return openDatabase({ dataDir, databaseUrl: server.url, poolSize: 4 }, createLog('silent'));
}
