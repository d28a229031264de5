import type { Database } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open.ts';
import type { Engine } from '../../src/db/sql.ts';
import { isoTime } from '../../src/lib/clock.ts';
import { idAt } from '../../src/lib/ids.ts';
import { createLog } from '../../src/lib/log.ts';
import { createOrders, type OrderDraft } from '../../src/shop/orders/create.ts';
import { foldOnce } from '../../src/shop/orders/find/follower.ts';
import { listFound } from '../../src/shop/orders/find/list-found.ts';
import type { OrderSort, OrderWish } from '../../src/shop/orders/find/wish.ts';
import { startPostgres } from '../../test/support/postgres-server.ts';
import { atEnd } from '../support/cleanup.ts';
import { temporaryFolder } from '../support/processes.ts';
import { limit } from '../support/report.ts';
import { percentile, pseudoRandom } from '../support/statistics.ts';

const START = Date.parse('2026-01-01T00:00:00.000Z');
const BATCH = 2000;
const TIMES = 40;
/** Orders that came since the index was made, as in a running shop. */
const TAIL = 900;

const FIRST = ['Jo', 'Ann', 'Jörg', 'Mary', 'Li', 'Omar', 'Zoë', 'Ivan', 'Maya', 'Tom'];
const LAST = ['Doe', 'Müller', 'Smith', 'Garcia', 'Kowalski', 'Nguyen', 'Rossi', 'Silva', 'Okafor', 'Tanaka'];
const STATUSES = ['new', 'processing', 'shipped', 'delivered', 'cancelled'];

function draftOf(n: number, orders: number): OrderDraft {
  const at = START + Math.floor((n / orders) * 300 * 86_400_000);
  const customer = (n * 7919) % Math.ceil(orders / 3);
  const product = (n * 31) % 5000;
  const price = String(5 + (n % 200));
  const person = { email: `${FIRST[n % 10]}.${customer}@mail${customer % 50}.example.com`.toLowerCase(), name: `${FIRST[n % 10]} ${LAST[(n >> 3) % 10]}${customer % 997}` };
  return {
    id: idAt('ord', at),
    created_at: isoTime(at),
    customer_id: `c-${customer}`,
    currency: n % 10 === 0 ? 'USD' : 'EUR',
    external_id: `shop-${n}`,
    total: price,
    lines: [{ product_id: `p-${product}`, quantity: 1, price, line_total: price, more: `,"name":"Mug ${product % 40}","sku":"SKU${product}"` }],
    shipping_address: null,
    metadata: '{}',
    extra: JSON.stringify({ customer: person, channel: n % 3 ? 'web' : 'store', tags: n % 20 ? [] : ['gift'] }),
    past: '[]',
    status: STATUSES[n % 5] as string,
    idempotency: null,
  };
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
    'a channel, far down': (random) => ({ wish: { channel: 'store' }, offset: some(random, orders / 4) }),
  };
};

export async function findSection(engine: Engine, orders: number): Promise<void> {
  const db = await opened(engine);
  atEnd(() => db.close());
  console.log(`  Making ${orders.toLocaleString('en-US')} orders…`);
  let began = performance.now();
  await seed(db, 0, orders - TAIL, orders);
  const toldIn = (what: string): void => console.log(`  ${what} in ${Math.round((performance.now() - began) / 1000)} s`);
  toldIn('made');
  began = performance.now();
  while (await foldOnce(db));
  toldIn(`indexed (${Math.round(((performance.now() - began) * 1000) / orders)} µs for each)`);
  if (db.shared) await db.shared.execute('analyze');
  await seed(db, orders - TAIL, orders, orders);
  const all: number[] = [];
  for (const [what, ask] of Object.entries(questionsOf(orders))) {
    const took = await times(db, ask);
    all.push(...took);
    console.log(`  ${what}: p50 ${percentile(took, 50).toFixed(1)} ms, p95 ${percentile(took, 95).toFixed(1)} ms`);
  }
  limit(`${engine}: all of these among ${orders.toLocaleString('en-US')} orders, p95`, 'ms', [percentile(all, 95)], 50);
}

async function seed(db: Database, from: number, before: number, orders: number): Promise<void> {
  for (let n = from; n < before; n += BATCH) {
    const drafts = Array.from({ length: Math.min(BATCH, before - n) }, (_, i) => draftOf(n + i, orders));
    await db.write(createOrders, { drafts: JSON.stringify(drafts), now: isoTime(Date.now()), receipts: true });
  }
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

async function opened(engine: Engine): Promise<Database> {
  const dataDir = temporaryFolder();
  if (engine === 'sqlite') return openDatabase({ dataDir, databaseUrl: undefined, poolSize: 4 }, createLog('silent'));
  const server = await startPostgres();
  atEnd(() => server.stop());
  return openDatabase({ dataDir, databaseUrl: server.url, poolSize: 4 }, createLog('silent'));
}
