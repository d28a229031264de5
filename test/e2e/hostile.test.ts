import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import type { Route } from '../../src/http/route.ts';
import type { TSchema } from '../../src/lib/schema.ts';
import { randomFrom } from '../crash/random.ts';
import { onBothEngines } from '../support/databases.ts';
import { orderFaults, productFaults } from '../support/kept-exactly.ts';
import { type Expected, mutate, validStatuses } from '../support/mutated-requests.ts';
import { checkAnswer, type OpenApiDocument } from '../support/openapi-check.ts';
import { inParallel, type RawAnswer, RawPool, requestBytes } from '../support/raw-http.ts';
import { type Service, startService } from '../support/service.ts';
import { type Parts, validParts } from '../support/valid-requests.ts';
import type { World } from '../support/valid-world.ts';
import { bytesOf, type WireRequest, wireOf } from '../support/wire.ts';

/** Of each kind, to each operation; HOSTILE says how many. What is refused is refused before a database is asked, so one of them needs fewer. */
const MOST = Number(process.env['HOSTILE'] ?? 7);
const REQUESTS = { sqlite: MOST, postgres: Math.ceil(MOST * 0.4) };
/** What is answered by looking into other systems takes its time. */
const REQUESTS_TO_SYSTEMS = Math.ceil(MOST * 0.4);
const AT_ONCE = 32;
/** Told with every failure; set TEST_SEED to see the same requests again. */
const SEED = Number(process.env['TEST_SEED'] ?? Date.now() % 2 ** 31);

onBothEngines('hostile input', (engine) => {
  let service: Service;
  let document: OpenApiDocument;
  let pool: RawPool;
  let world: World;
  before(async () => {
    service = await startService(engine);
    document = (await service.get('/openapi.json')).body;
    pool = new RawPool(Number(new URL(service.url).port));
    world = await furnish(service);
  });
  after(async () => {
    pool.close();
    await service.close();
  });

  test('every operation takes valid requests and keeps what they say', async (t) => {
    for (const route of service.app.routes) {
      await t.test(`${route.method} ${route.path}`, async () => {
        const faults: string[] = [];
        await inParallel(sample(route, validParts(route, world)), AT_ONCE, async (parts) => {
          const request = wireOf(route, parts, service.adminKey);
          const answer = await pool.send(bytesOf(request));
          const fault = faultOfAnswer(document, request, answer, { status: statusesOf(route, parts) });
          if (fault !== undefined) {
            if (answer.status !== 400 || !isBeyondSchema(JSON.parse(answer.text) as Failure)) faults.push(fault);
          } else faults.push(...(await keptFaults(route, parts, answer)).map((kept) => `${describe(request)}: ${kept}`));
        });
        assertNone(faults);
      });
    }
  });

  test('every operation refuses requests with one thing wrong, and says what', async (t) => {
    for (const route of service.app.routes) {
      await t.test(`${route.method} ${route.path}`, async () => {
        const faults: string[] = [];
        const samples = sample(route, fc.tuple(validParts(route, world), fc.integer()));
        await inParallel(samples, AT_ONCE, async ([parts, seed]) => {
          const chance = randomFrom(seed);
          const random = (n: number): number => Math.floor(chance() * n);
          const { what, request, expected } = mutate(route, parts, service.adminKey, random, world);
          const answer = await pool.send(bytesOf(request));
          const fault = faultOfAnswer(document, request, answer, expected);
          if (fault !== undefined) faults.push(`${what}: ${fault}`);
        });
        assertNone(faults);
      });
    }
  });

  function sample<T>(route: Route, arbitrary: fc.Arbitrary<T>): T[] {
    const numRuns = route.path.includes('/datasync/') ? REQUESTS_TO_SYSTEMS : REQUESTS[engine];
    return fc.sample(arbitrary, { numRuns, seed: SEED });
  }

  /** What was accepted is there, to the last digit and character. */
  async function keptFaults(route: Route, parts: Parts, { status, text }: RawAnswer): Promise<string[]> {
    if (status !== 200 || route.method !== 'POST') return [];
    if (route.path === '/api/v1/products/sync') return productFaults(parts.body, text);
    if (route.path !== '/api/v1/orders') return [];
    const { id } = JSON.parse(text).data as { id: string };
    world.orders.push(id);
    const read = await pool.send(requestBytes('GET', `/api/v1/orders/${id}`, { Authorization: `Bearer ${service.adminKey}` }));
    return [...orderFaults(parts.body, text), ...(read.text === text ? [] : [`it reads ${read.text} and was ${text}`])];
  }
});

function statusesOf(route: Route, { params, body }: Parts): number[] {
  const statuses = validStatuses(route);
  // An order that names no id of its own collides with nothing.
  if (route.path === '/api/v1/orders' && !(body as { external_id?: string } | undefined)?.external_id) return [200];
  // By chance there may be so many units already that no more can be counted.
  if (route.path === '/api/v1/stock/movements') return [...statuses, 400];
  // What is there is found. Streams are named by chance, also like something that is there.
  if (route.method === 'GET' && !('name' in params) && Object.values(params).some((id) => /^(ord|key)_[0-9a-z]{26}$| to keep$/.test(id)))
    return [200];
  return statuses;
}

/** What is wrong with an answer; undefined when nothing is. */
function faultOfAnswer(document: OpenApiDocument, request: WireRequest, answer: RawAnswer, expected: Expected): string | undefined {
  const { status, headers, text } = answer;
  const told = `${describe(request)} answered ${status} ${text.slice(0, 300)}`;
  try {
    if (!expected.status.includes(status)) throw new Error(`expected ${expected.status.join(' or ')}`);
    const type = headers.get('content-type') ?? '';
    const isLines = type === 'application/x-ndjson';
    const body: unknown = type.startsWith('application/json') ? JSON.parse(text) : text;
    checkAnswer(document, request.method, request.target, status, headers, body);
    checkError(isLines ? linesOf(text) : body, expected);
  } catch (error) {
    return `${(error as Error).message}: ${told}`;
  }
  return undefined;
}

interface Failure {
  error?: { code: string; message: string; details: { field?: string; reason?: string; errors?: object[] } };
}

/** Parts that fit one by one may be too much together, and a product may be new: no schema can say that. */
function isBeyondSchema({ error }: Failure): boolean {
  return / have at most \d+ KiB together| is mandatory for a new product/.test(error?.message ?? '');
}

function checkError(body: unknown, { code, field, entry }: Expected): void {
  const entries = (body as { data?: (Failure & { success: boolean })[] }).data;
  if (entry !== undefined)
    entries?.forEach((one, i) => assert.equal(one.success || (i !== entry && isBeyondSchema(one)), i !== entry, `entry ${i}`));
  const { error } = entry === undefined ? (body as Failure) : (entries?.[entry] ?? {});
  if (code !== undefined) assert.equal(error?.code, code);
  if (field !== undefined) assert.equal(error?.details.field, field);
  if (error?.details.field !== undefined)
    assert.deepEqual(error.details.errors?.[0], { field: error.details.field, reason: error.details.reason });
}

function linesOf(text: string): { data: unknown[] } {
  return { data: text.split('\n').flatMap((line): unknown[] => (line === '' ? [] : [JSON.parse(line)])) };
}

function describe({ method, target, headers, body }: WireRequest): string {
  const { Authorization: _, ...others } = headers;
  return `${method} ${target.slice(0, 300)} ${JSON.stringify(others)} ${body?.toString().slice(0, 500) ?? ''}`;
}

function assertNone(faults: readonly string[]): void {
  assert.equal(faults.length, 0, `${faults.length} faults (seed ${SEED}), such as:\n${faults.slice(0, 5).join('\n')}`);
}

/** Some orders, products and keys to ask for, odd names among them. */
async function furnish(service: Service): Promise<World> {
  const orders: string[] = [];
  const keys: string[] = [];
  const odd = ['plain', 'sync', 'a/b', '/', '%', '%2F', '..', 'ä', '😀', 'a b', '?', '#', '+', '&', ';', ':id', '*', "'", '"', '\\'];
  // Names that chance does not come upon, so that nobody deletes one by accident.
  const products = odd.map((name) => `${name} to keep`);
  const doomed = odd.map((name) => `${name} to delete`);
  for (const product_id of [...products, ...doomed]) {
    await service.post('/api/v1/products/sync', { product_id, name: product_id, price: 1 });
  }
  for (const product_id of products) {
    const order = { customer_id: 'c', items: [{ product_id, quantity: 1, price: 1 }] };
    orders.push((await service.post('/api/v1/orders', order)).body.data.id);
    keys.push((await service.post('/api/v1/keys', { name: product_id, scopes: ['orders:read'] })).body.data.id);
  }
  await service.post('/api/v1/orders', { customer_id: 'to erase', items: [{ product_id: 'p', quantity: 1, price: 1 }] });
  const erasures = [(await service.post('/api/v1/customers/to%20erase/erase')).body.data.id as string];
  const newSource = async (name: string): Promise<string> =>
    (await service.post('/api/v1/datasync/sources', { name, type: 'hub', config: {} })).body.data.id;
  const sources = await Promise.all(products.map(newSource));
  const doomedSources = await Promise.all(doomed.map(newSource));
  const newSync = async (name: string): Promise<string> => {
    const [source_id, target_id] = sources;
    const stream = { source: 'products', fields: ['product_id', 'name', 'price'].map((from) => ({ from })) };
    const body = { name, source_id, target_id, schedule: { type: 'manual' }, streams: [stream] };
    return (await service.post('/api/v1/datasync/sync', body)).body.data.id;
  };
  const syncs = await Promise.all(products.map(newSync));
  const doomedSyncs = await Promise.all(doomed.map(newSync));
  const runs = await Promise.all(syncs.map((id) => endedRun(service, id)));
  const newHook = async (name: string): Promise<string> =>
    (await service.post('/api/v1/datasync/hooks', { name, scheme: 'github' })).body.data.id;
  const hooks = await Promise.all(products.map(newHook));
  const doomedHooks = await Promise.all(doomed.map(newHook));
  const newWebhook = async (name: string): Promise<string> =>
    (await service.post('/api/v1/webhooks', { name, url: 'http://127.0.0.1:9/in', types: ['key.refused'] })).body.data.id;
  const webhooks = await Promise.all(products.map(newWebhook));
  const doomedWebhooks = await Promise.all(doomed.map(newWebhook));
  const newAlert = async (name: string): Promise<string> => {
    const channel = { type: 'mattermost', url: 'http://127.0.0.1:9/in' };
    return (await service.post('/api/v1/alerts', { name, channel, rules: [{ type: 'lag', seconds: 31_622_400 }] })).body.data.id;
  };
  const alerts = await Promise.all(products.map(newAlert));
  const doomedAlerts = await Promise.all(doomed.map(newAlert));
  const cursors: World['cursors'] = {};
  const lists = ['sources', 'hooks', 'sync', 'runs', 'connectors', `sources/${sources[0]}/streams`].map(
    (list) => `/api/v1/datasync/${list}`,
  );
  for (const path of [
    ...lists,
    '/api/v1/orders',
    '/api/v1/products',
    '/api/v1/events',
    '/api/v1/keys',
    '/api/v1/audit',
    '/api/v1/webhooks',
    '/api/v1/alerts',
  ]) {
    const pages = await Promise.all([1, 5, 19].map((limit) => service.get(`${path}?limit=${limit}`)));
    const found = pages.map((page) => page.body.next_cursor as string | null).filter((cursor) => cursor !== null);
    cursors[path.replace(/src_\w+/, '{id}')] = found;
  }
  const sync = service.app.routes.find(({ path }) => path === '/api/v1/products/sync');
  return {
    orders,
    customers: ['c'],
    erasures,
    keys,
    products,
    doomed,
    sources,
    doomedSources,
    syncs,
    doomedSyncs,
    hooks,
    doomedHooks,
    runs,
    webhooks,
    doomedWebhooks,
    alerts,
    doomedAlerts,
    cursors,
    product: sync?.body as TSchema,
  };
}

/** A run that is over, by itself or because it was cancelled. */
async function endedRun(service: Service, syncId: string): Promise<string> {
  const { id } = (await service.post(`/api/v1/datasync/sync/${syncId}/runs`, { mode: 'preview' })).body.data as { id: string };
  await service.post(`/api/v1/datasync/runs/${id}/cancel`);
  // Ends when the run does.
  await service.get(`/api/v1/datasync/runs/${id}/events`);
  return id;
}
