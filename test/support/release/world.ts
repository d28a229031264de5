import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { addSource, ask, type Body, type Caller, reaches, runToEnd } from '../real-syncs.ts';
import { until } from '../until.ts';

// Everything that a Syncline can hold, made over its API, with nothing but files beside it: so a later version finds its systems too.

/** What a test has to know of a world and cannot ask for. */
export interface KnownWorld {
  /** When it was finished, in milliseconds. */
  madeAt: number;
  /** The keys themselves, by what they are for. */
  keys: Record<'admin' | 'reader' | 'seller' | 'keeper', string>;
  /** A request with an idempotency key, and the order it made. */
  order: { idempotencyKey: string; body: Record<string, unknown>; answer: Body };
  /** The secrets of sources by the id of the source, and by their places. */
  secrets: Record<string, Record<string, string>>;
  /** Synchronizations by their names. */
  syncs: Record<string, string>;
  /** Runs that are not over, by their status. */
  runs: Partial<Record<'queued' | 'running' | 'retrying' | 'needs_approval', string>>;
}

/** A time that no test will see. */
const FAR = '2999-01-01T00:00:00.000Z';

async function done(
  service: Caller,
  method: string,
  path: string,
  options: { body?: unknown; headers?: Record<string, string> } = {},
): Promise<Body> {
  const reply = await service.call(method, `/api/v1${path}`, options);
  assert.equal(reply.status, 200, `${method} ${path}: ${reply.text}`);
  return reply.body.data;
}

export async function makeKeys(service: Caller): Promise<Omit<KnownWorld['keys'], 'admin'>> {
  const make = (name: string, scopes: string[], more: object = {}): Promise<Body> =>
    done(service, 'POST', '/keys', { body: { name, scopes, ...more } });
  const [reader, seller, keeper, lost] = [
    await make('reader', ['orders:read', 'products:read', 'datasync:read']),
    await make('seller', ['orders:write', 'products:write', 'webhooks'], { rate_limit: 0, expires_at: FAR }),
    await make('keeper', ['datasync:read', 'datasync:write']),
    await make('lost', ['orders:read']),
  ];
  await done(service, 'DELETE', `/keys/${lost.id}`);
  const rotated = await done(service, 'POST', `/keys/${reader.id}/rotate`, { body: { overlap_seconds: 60 } });
  return { reader: rotated.key, seller: seller.key, keeper: keeper.key };
}

/** For each status the way there. */
const WAYS = {
  new: [],
  on_hold: ['on_hold'],
  processing: ['on_hold', 'processing'],
  shipped: ['processing', 'shipped'],
  delivered: ['processing', 'shipped', 'delivered'],
  cancelled: ['cancelled'],
  returned: ['processing', 'shipped', 'returned'],
} as const;

export async function makeShop(service: Caller): Promise<KnownWorld['order']> {
  const products = [
    { product_id: 'mug', name: 'Mug', price: 19.99, stock_quantity: 5, categories: ['kitchen', 'gifts'] },
    { product_id: "O'Hara 🦊", name: 'Zoë "quoted"', price: 99_999_999.9999, stock_quantity: Number.MAX_SAFE_INTEGER },
    { product_id: 'dated', name: 'Dated', price: 0.0001, stock_as_of: '2026-01-01T00:00:00.123456789Z' },
    { product_id: 'gone', name: 'Gone', price: 1.5 },
  ];
  for (const body of products) await done(service, 'POST', '/products/sync', { body });
  await done(service, 'POST', '/products/sync', { body: { product_id: 'mug', price: 21 } });
  await done(service, 'DELETE', '/products/gone');
  await makeStock(service);
  for (const [status, way] of Object.entries(WAYS)) {
    const body = {
      customer_id: `customer of ${status}`,
      external_id: `web-${status}`,
      items: [
        { product_id: 'mug', quantity: 2, price: 19.99 },
        { product_id: 'unknown', quantity: 1, price: 0.0001 },
      ],
      metadata: { status },
    };
    const { id } = await done(service, 'POST', '/orders', { body });
    for (const to of way) await done(service, 'POST', `/orders/${id}/transitions`, { body: { to, reason: `on its way to ${status}` } });
  }
  const body = {
    customer_id: 'ü\t"\\',
    currency: 'JPY',
    items: [{ product_id: "O'Hara 🦊", quantity: 1_000_000, price: 99_999_999.9999 }],
    shipping_address: { street: 'Straße 1\nHof', city: '東京', zip: '1' },
    metadata: { nested: [{ a: [null, true, -0.5] }] },
  };
  const paid = {
    customer_id: 'who paid',
    currency: 'KWD',
    items: [
      { product_id: 'mug', quantity: 3, price: 1.2345, name: 'Müg', discount: { percent: 10 }, tax: { rate: 5 }, metadata: { n: 1 } },
      { product_id: 'mug', quantity: 1, price: 2, sku: 's', variant: 'v', tax: { amount: 0.1, rate: 5 } },
    ],
    shipping: { method: 'parcel', price: 1.5, tax: { rate: 5 } },
    discounts: [{ code: 'TEN', percent: 10 }],
    taxes: [{ name: 'levy', amount: 0.25 }],
    customer: { email: 'jo@example.com', name: 'Jo' },
    billing_address: { street: 'S', city: 'C', country: 'AE' },
    payment: { status: 'paid', paid_at: '2026-01-01T00:00:00Z' },
    note: 'a\nnote',
    tags: ['a', 'b'],
    channel: 'web',
  };
  await done(service, 'POST', '/orders', { body: paid });
  const past = [
    { status: 'processing', at: '2020-01-01T00:00:00Z' },
    { status: 'delivered', at: '2020-01-02T00:00:00Z', reason: 'by hand' },
  ];
  const brought = { ...paid, external_id: 'old-1', imported: true, placed_at: '2019-12-31', total: 1, history: past };
  await done(service, 'POST', '/orders/batch', { body: [brought] });
  await makeDeeds(service);
  // A person who has been, and is no more.
  await done(service, 'POST', '/orders', { body: { ...paid, customer_id: 'gone' } });
  await done(service, 'POST', '/customers/gone/erase', {});
  const idempotencyKey = 'asked once';
  const answer = await done(service, 'POST', '/orders', { body, headers: { 'idempotency-key': idempotencyKey } });
  return { idempotencyKey, body, answer };
}

/** An order that was changed, and then shipped, returned and refunded in parts. */
async function makeDeeds(service: Caller): Promise<void> {
  const items = [1, 2, 3].map((quantity) => ({ product_id: 'mug', quantity, price: 19.99 }));
  const { id } = await done(service, 'POST', '/orders', { body: { customer_id: 'who sends back', items, payment: { status: 'paid' } } });
  const order = `/orders/${id}`;
  const headers = { 'idempotency-key': 'done once' };
  await done(service, 'PATCH', order, { body: { items: items.slice(1), shipping: { price: 4.9 }, note: 'ring "twice"' } });
  const tracking = { carrier: 'Ü Post', number: '4711', url: 'https://parcels.example/4711' };
  await done(service, 'POST', `${order}/fulfillments`, { body: { lines: [{ line: 2, quantity: 2 }], tracking, location: 'a' }, headers });
  await done(service, 'POST', `${order}/refunds`, { body: { lines: [{ line: 1 }], restock: true, reason: 'gone' }, headers });
  await done(service, 'POST', `${order}/returns`, { body: { lines: [{ line: 2, quantity: 1 }], restock: true }, headers });
  await done(service, 'POST', `${order}/refunds`, { body: { amount: 0.0001 } });
}

/** A product with all that one may have, whose stock is in two places, and of which orders hold and have taken some. */
async function makeStock(service: Caller): Promise<void> {
  const product = {
    product_id: 'tracked',
    name: 'Tracked',
    price: 5,
    stock_quantity: 9,
    track_stock: true,
    allow_backorder: false,
    sku: 'T-1',
    barcode: '4006381333931',
    status: 'active',
    prices: { EUR: 5, JPY: 800 },
    weight: { value: 1.25, unit: 'kg' },
    variants: [{ sku: 'T-1-B', options: { colour: 'blü' }, price: 6 }],
    images: [{ url: 'https://example.com/t.png', alt: 'T' }],
    attributes: { large: 1, deep: [{ a: null }] },
  };
  await done(service, 'POST', '/products/sync', { body: product });
  const moves = [
    { product_id: 'tracked', delta: -2, reason: 'to the attic' },
    { product_id: 'tracked', delta: 2, location: 'attic' },
  ];
  await done(service, 'POST', '/stock/movements', { body: moves, headers: { 'idempotency-key': 'moved once' } });
  for (const way of [[], ['processing', 'shipped'], ['cancelled']]) {
    const body = { customer_id: 'who reserves', reserve: true, items: [{ product_id: 'tracked', quantity: 2, price: 5 }] };
    const { id } = await done(service, 'POST', '/orders', { body });
    for (const to of way) await done(service, 'POST', `/orders/${id}/transitions`, { body: { to } });
  }
}

/** Sources that nobody can reach: what counts is that their secrets are kept. */
export async function makeSecretSources(service: Caller): Promise<KnownWorld['secrets']> {
  const database = { host: '127.0.0.1', port: 1, database: 'd', user: 'u', password: 'a password, for tests only' };
  const file = { url: 'http://127.0.0.1:1/orders.csv?signature=for-tests-only', authorization: 'Bearer for-tests-only' };
  return {
    [await addSource(service, 'postgres', database, 'a database')]: { password: database.password },
    [await addSource(service, 'files', file, 'a signed file')]: { url: 'signature=for-tests-only', authorization: file.authorization },
  };
}

/** The files of a world, below the only folder that connectors may touch. */
export class WorldFiles {
  readonly #folder: string;

  constructor(dataDir: string) {
    this.#folder = join(dataDir, 'files');
  }

  write(name: string, lines: readonly string[]): void {
    mkdirSync(join(this.#folder, 'in'), { recursive: true });
    writeFileSync(join(this.#folder, 'in', name), `${lines.join('\n')}\n`);
  }

  remove(name: string): void {
    rmSync(join(this.#folder, 'in', name));
  }

  /** Does something to a database of the folder. */
  change(name: string, statements: string): void {
    mkdirSync(this.#folder, { recursive: true });
    const database = new DatabaseSync(join(this.#folder, name));
    database.exec(statements);
    database.close();
  }

  /** Nobody else can write there until the answer is called. */
  lock(name: string): () => void {
    const database = new DatabaseSync(join(this.#folder, name));
    database.exec('begin immediate');
    return () => database.close();
  }
}

const PEOPLE = ['id,name,born', '1,Ada,1815-12-10', '2,Grace,1906-12-09', '3,"Zoë ""Z"" 🦊",', '4,Mary,1780-12-26', '5,Emmy,1882-03-23'];

/** Makes synchronizations of every kind, and runs of every status that a run can end in. Answers the ids by their names. */
export async function makeSyncs(service: Caller, files: WorldFiles, keeper: Caller): Promise<Record<string, string>> {
  for (const name of ['people.csv', 'shrinking.csv', 'gone.csv']) files.write(name, PEOPLE);
  files.write('readings.csv', ['id,value', '1,10', '2,broken', '3,30', '4,broken too']);
  files.change(
    'catalogue.db',
    `create table articles (product_id text primary key, name text not null, price numeric not null, n integer not null);
      insert into articles values ('plate', 'Plate', 7.5, 1), ('bowl', 'Bowl', 9, 2)`,
  );
  const [folder, shop, catalogue, copy] = [
    await addSource(service, 'files', { path: 'in/' }, 'folder'),
    await addSource(service, 'hub', {}, 'shop'),
    await addSource(service, 'sqlite', { path: 'catalogue.db' }, 'catalogue'),
    await addSource(service, 'sqlite', { path: 'copy.db' }, 'copy'),
  ];
  const [impatient, patient] = [
    await addSource(service, 'sqlite', { path: 'impatient.db', busy_timeout_ms: 0 }, 'impatient'),
    await addSource(service, 'sqlite', { path: 'patient.db', busy_timeout_ms: 60_000 }, 'patient'),
  ];
  const make = async (name: string, source_id: string, target_id: string, streams: object[], more: object = {}): Promise<string> =>
    (await ask(service, 'POST', '/sync', { name, source_id, target_id, streams, ...more })).id;
  const people = (target: string): object => ({ source: 'people', target, mode: 'mirror', key: ['id'] });
  const syncs = {
    people: await make('people', folder, copy, [people('people')], {
      schedule: { type: 'cron', expression: '0 6 * * 1-5', timezone: 'Europe/Berlin' },
    }),
    readings: await make('readings', folder, copy, [
      { source: 'readings', mode: 'mirror', key: ['id'], fields: [{ from: 'id' }, { from: 'value', type: 'int64' }] },
    ]),
    shrinking: await make('shrinking', folder, copy, [{ source: 'shrinking', mode: 'mirror', key: ['id'] }]),
    gone: await make('gone', folder, copy, [{ source: 'gone', mode: 'mirror', key: ['id'] }]),
    paused: await make('paused', folder, copy, [people('paused')], { schedule: { type: 'interval', every: '1d' } }),
    // The shop keeps no position, so Syncline remembers it.
    catalogue: await make('catalogue', catalogue, shop, [
      {
        source: 'articles',
        target: 'products',
        mode: 'incremental',
        key: ['product_id'],
        cursor: 'n',
        fields: ['product_id', 'name', 'price'].map((from) => ({ from })),
      },
    ]),
    orders: await make('orders', shop, copy, [{ source: 'orders', target: 'orders', mode: 'incremental' }], {
      schedule: { type: 'on_change' },
    }),
    impatient: await make('impatient', folder, impatient, [people('people')]),
    patient: await make('patient', folder, patient, [people('people')]),
  };
  const own = await addSource(keeper, 'sqlite', { path: 'own.db' }, 'own');
  const ofKeeper = { name: 'keeper', source_id: folder, target_id: own, streams: [people('people')] };
  const keeperSync = (await ask(keeper, 'POST', '/sync', ofKeeper)).id as string;
  await makeEndedRuns(service, files, { ...syncs, keeper: keeperSync });
  return { ...syncs, keeper: keeperSync };
}

async function makeEndedRuns(service: Caller, files: WorldFiles, syncs: Record<string, string>): Promise<void> {
  const run = async (name: string, status: string, body?: object): Promise<void> => {
    const { status: reached, error } = await runToEnd(service, syncs[name] ?? '', body);
    assert.equal(reached, status, `${name}: ${JSON.stringify(error)}`);
  };
  for (const name of ['people', 'shrinking', 'gone', 'paused', 'catalogue', 'impatient', 'patient', 'keeper']) await run(name, 'succeeded');
  await run('people', 'succeeded', { mode: 'preview' });
  await run('people', 'succeeded', { mode: 'full' });
  await run('readings', 'partial');
  files.write('readings.csv', ['id,value', '1,10', '2,20', '3,30', '4,broken too']);
  await run('readings', 'partial');
  files.change('catalogue.db', `insert into articles values ('fork', 'Fork', 2.25, 3)`);
  await run('catalogue', 'succeeded');
  await ask(service, 'POST', `/sync/${syncs['paused']}/pause`);
  // Failed so often that nobody tries any more.
  files.remove('gone.csv');
  for (let failures = 0; failures < 10; failures++) await run('gone', 'failed');
  assert.equal((await ask(service, 'GET', `/sync/${syncs['gone']}`)).status, 'paused');
  await until('the orders to be copied', async () => (await ask(service, 'GET', `/sync/${syncs['orders']}`)).health === 'synced');
}

/** An alert at a channel that nobody can reach: incidents are open, and messages wait. What counts is that they and its secret are kept. */
export async function makeAlert(service: Caller): Promise<void> {
  const channel = {
    type: 'webhook',
    url: 'http://127.0.0.1:1/alerts?token=for-tests-only',
    secret: `whsec_${Buffer.alloc(24, 'a').toString('base64')}`,
  };
  const rules = [{ type: 'failing', runs: 10 }, { type: 'rejects', over: 1 }, { type: 'needs_approval' }];
  const { id } = await done(service, 'POST', '/alerts', { body: { name: 'operations', channel, rules, remind_every: '1d' } });
  await until('a message that did not get through', async () => (await done(service, 'GET', `/alerts/${id}`)).status === 'failing');
}

/** A run that somebody has to approve, and one that was skipped because of it. Answers the first. */
export async function makeApproval(service: Caller, files: WorldFiles, syncId: string): Promise<string> {
  files.write('shrinking.csv', PEOPLE.slice(0, 2));
  const { id } = await ask(service, 'POST', `/sync/${syncId}/runs`);
  await reaches(service, id, 'needs_approval');
  await ask(service, 'PUT', `/sync/${syncId}`, { schedule: { type: 'interval', every: '1s' } });
  await until('a run to be skipped', async () => {
    const runs: Body[] = await ask(service, 'GET', `/sync/${syncId}/runs`);
    return runs.some(({ status }) => status === 'skipped');
  });
  await ask(service, 'PUT', `/sync/${syncId}`, { schedule: { type: 'manual' } });
  return id;
}

/** Runs that cannot get on while their targets are locked: one waits for its next try, the other is at work when the node dies. */
export async function makeStuckRuns(
  service: Caller,
  syncs: Record<string, string>,
): Promise<Pick<KnownWorld['runs'], 'running' | 'retrying'>> {
  const { id: running } = await ask(service, 'POST', `/sync/${syncs['patient']}/runs`);
  await reaches(service, running, 'running');
  const { id: retrying } = await ask(service, 'POST', `/sync/${syncs['impatient']}/runs`);
  await reaches(service, retrying, 'retrying');
  return { running, retrying };
}

/** Where nobody runs anything: a run that waits to begin, and one that was cancelled before it did. Answers the first. */
export async function makeQueuedRuns(service: Caller, syncs: Record<string, string>): Promise<string> {
  const { id: cancelled } = await ask(service, 'POST', `/sync/${syncs['readings']}/runs`);
  await ask(service, 'POST', `/runs/${cancelled}/cancel`);
  await until('its end to be told', async () => (await ask(service, 'GET', `/logs?run_id=${cancelled}`)).length > 0);
  return (await ask(service, 'POST', `/sync/${syncs['people']}/runs`)).id as string;
}
