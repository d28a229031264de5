import fc from 'fast-check';
import type { Route } from '../../src/http/route.ts';
import type { JsonObject } from '../../src/lib/exact-json.ts';
import { choiceOf } from '../../src/lib/member-choice.ts';
import type { TSchema } from '../../src/lib/schema.ts';
import { consistent, entrySchema, ORDER_MEMBERS, orderBody, price, requiredIn } from './valid-orders.ts';
import { configurationBody } from './valid-configuration.ts';
import { hookBody } from './valid-hooks.ts';
import { isNamed, ownName } from './valid-names.ts';
import type { World } from './valid-world.ts';

// Valid requests, made from the schemas of the routes themselves. What a schema cannot say (a price has four decimals, a
// cursor comes from a page, a new product has a name) is said here, by the name of the field.

/** A request before it is written down. */
export interface Parts {
  params: Record<string, string>;
  query: Record<string, unknown>;
  headers: Record<string, string>;
  body: unknown;
  /** Whether the body, an array, goes as newline-delimited JSON. */
  asLines: boolean;
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let keysUsed = 0;

export function validParts(route: Route, world: World): fc.Arbitrary<Parts> {
  const members = Object.entries((route.query?.properties ?? {}) as Record<string, TSchema>);
  const query = members.map(([name, schema]): [string, fc.Arbitrary<unknown>] => [name, queryValue(route, name, schema, world)]);
  return fc.record({
    params: fc.record(
      Object.fromEntries(Object.keys(route.params?.properties ?? {}).map((name) => [name, paramValue(route, name, world)])),
    ),
    query: fc.record(Object.fromEntries(query), { requiredKeys: [] }).map((values) => oneWayToPage(defined(values))),
    headers: route.headers ? fc.oneof(fc.constant({}), idempotencyKey) : fc.constant({}),
    body: route.body === undefined ? fc.constant(undefined) : bodyOf(route, world).map((body) => (isNamed(route) ? ownName(body) : body)),
    asLines: route.takesLines ? fc.boolean() : fc.constant(false),
  });
}

function bodyOf(route: Route, world: World): fc.Arbitrary<unknown> {
  if (route.takesLines) {
    const entry = entrySchema(route, world);
    return fc.array(entry === world.product ? productBody(world) : valueOf(entry).map(consistent), { minLength: 1, maxLength: 5 });
  }
  if (route.body === world.product) return productBody(world);
  if (route.path.startsWith('/api/v1/datasync/config')) return configurationBody();
  if (route.path.startsWith(HOOKS)) return hookBody(route, textOf(1, 100), world.syncs);
  const body = route.path.startsWith(SYNCS)
    ? syncBody(route, world)
    : route.path.startsWith(WEBHOOKS)
      ? webhookBody(route)
      : route.path.startsWith(ALERTS)
        ? alertBody(route, world)
        : (orderBody(route, valueOf) ?? valueOf(route.body as TSchema));
  return route.bodyOptional ? fc.option(body, { nil: undefined }) : body;
}

/** A product that is new, with all it needs, or a change to one that is there. */
function productBody(world: World): fc.Arbitrary<unknown> {
  const { properties = {} } = world.product;
  const complete = valueOf({ ...world.product, required: ['product_id', 'name', 'price'] });
  const { product_id: _, ...others } = properties;
  const change = valueOf({ type: 'object', properties: others, required: [] });
  return fc.oneof(
    { weight: 3, arbitrary: complete },
    { weight: 1, arbitrary: fc.tuple(existing(world.products), change).map(([product_id, rest]) => ({ product_id, ...(rest as object) })) },
  );
}

const SYNCS = '/api/v1/datasync/sync';

/** A synchronization from one shop into another that never runs by itself, or a part of one. */
function syncBody(route: Route, world: World): fc.Arbitrary<unknown> {
  if (route.path === `${SYNCS}/{id}/runs`) return fc.record(NEW_RUN, { requiredKeys: [] }).map(defined);
  if (route.path === `${SYNCS}/{id}/reset`) return fc.constantFrom({}, { streams: ['products'] });
  if (route.path === `${SYNCS}/schedule`)
    return fc.record({ schedule, count: fc.integer({ min: 1, max: 20 }) }, { requiredKeys: ['schedule'] });
  if (!/sync(\/\{id\}|\/check)?$/.test(route.path)) return valueOf(route.body as TSchema);
  const { name = {} } = (route.body as TSchema).properties ?? {};
  const members = {
    name: valueOf(name),
    source_id: fc.constant(world.sources[0]),
    target_id: fc.constant(world.sources[1]),
    streams: fc.array(productStream, { minLength: 1, maxLength: 1 }),
    direction: fc.constant('source_to_target'),
    schedule,
    on_reject: fc.constantFrom('quarantine', 'fail'),
    guard: fc
      .record({ max_delete_percent: fc.integer({ min: 0, max: 100 }), allow_empty: fc.boolean() }, { requiredKeys: [] })
      .map(defined),
    schema_changes: fc.constantFrom('apply', 'ignore', 'stop'),
    expect_every: fc.constantFrom(null, '366d'),
    ...(route.path === `${SYNCS}/check` && { sample_of: fc.constant(0), limit: fc.integer({ min: 1, max: 50 }) }),
  };
  const isNew = route.method === 'POST';
  const requiredKeys = isNew ? (['name', 'source_id', 'target_id', 'streams', 'schedule'] as const) : ([] as const);
  return fc.record(members, { requiredKeys: [...requiredKeys] }).map(defined);
}

const ALERTS = '/api/v1/alerts';

/** An alert that tells nobody, or a part of one. */
function alertBody(route: Route, world: World): fc.Arbitrary<unknown> {
  const isNew = route.method === 'POST';
  const { name = {} } = (route.body as TSchema).properties ?? {};
  const members = {
    name: valueOf(name),
    channel: fc.constantFrom(
      { type: 'email', smtp_url: 'smtp://127.0.0.1:9', from: 'a@example.com', to: ['b@example.com', 'B <c@example.com>'] },
      { type: 'slack', url: 'http://127.0.0.1:9/in' },
      { type: 'teams', url: 'https://localhost:9/in?a=b' },
      { type: 'webhook', url: 'http://[::1]:9/in' },
    ),
    rules: fc.uniqueArray(
      fc.constantFrom(
        { type: 'failing', runs: 3 },
        { type: 'rejects' },
        { type: 'lag', seconds: 31_622_400 },
        { type: 'late' },
        { type: 'key_expires', days: 1 },
        { type: 'disk_full', free_percent: 1 },
      ),
      { minLength: 1 },
    ),
    sync_ids: fc.oneof(
      fc.constant(null),
      existing(world.syncs).map((id) => [id]),
    ),
    remind_every: fc.constantFrom(null, '5m', '366d'),
    quiet_hours: fc.constantFrom(null, { from: '22:00', to: '07:00' }, { from: '00:00', to: '23:59', timezone: 'Europe/Berlin' }),
  };
  return fc.record(members, { requiredKeys: isNew ? ['name', 'channel', 'rules'] : [] }).map(defined);
}

const WEBHOOKS = '/api/v1/webhooks';

/** An endpoint where nobody listens, or a part of one. */
function webhookBody(route: Route): fc.Arbitrary<unknown> {
  if (route.path.endsWith('/replay')) return fc.constantFrom({ failed: true }, { from: '2026-01-01', to: '2026-01-02T00:00:00Z' });
  if (route.path.endsWith('/rotate')) return valueOf(route.body as TSchema);
  const isNew = route.method === 'POST';
  const { name = {}, max_in_flight = {} } = (route.body as TSchema).properties ?? {};
  const members = {
    name: valueOf(name),
    url: fc.constantFrom('http://127.0.0.1:9/in', 'https://[::1]:9/in?a=b', 'http://localhost:9'),
    types: fc.uniqueArray(fc.constantFrom('*', 'order.*', 'key.refused', '*.deleted', 'run.succeeded'), { minLength: 1, maxLength: 3 }),
    condition: fc.constantFrom(null, 'data.total > 100', 'type != "order.created" || object_id == ""'),
    payload: fc.constantFrom('full', 'thin'),
    headers: fc.constantFrom({}, { 'X-Key': 'k', 'x-other': 'a b' }),
    max_in_flight: valueOf(max_in_flight),
    rate: fc.constantFrom(null, 1, 10_000),
    ...(isNew && { signature: fc.constantFrom('symmetric', 'ed25519'), from: fc.constantFrom('start', 0, 3) }),
  };
  const body = fc.record(members, { requiredKeys: isNew ? ['name', 'url'] : [] }).map(defined);
  // Stored headers do not follow to another address.
  return isNew ? body : body.map((change) => ('url' in change ? { headers: {}, ...change } : change));
}

const HOOKS = '/api/v1/datasync/hooks';

const schedule = fc.constantFrom(
  { type: 'manual' },
  { type: 'interval', every: '366d' },
  { type: 'cron', expression: '0 0 29 2 *', timezone: 'Europe/Berlin' },
);

const NEW_RUN = {
  mode: fc.constantFrom('run', 'full', 'preview', 'verify', 'repair', 'repair_preview'),
  streams: fc.constant(['products']),
};

const productStream = fc
  .record(
    {
      source: fc.constant('products'),
      target: fc.constant('products'),
      mode: fc.constant('incremental'),
      key: fc.constant(['product_id']),
      cursor: fc.constantFrom('updated_at', null),
      // Never left out: the shop does not take all that it has.
      fields: fc.oneof(
        fc.constant(['product_id', 'name', 'price', 'categories'].map((from) => ({ from }))),
        textOf(1, 400).map((text) => [
          { from: 'product_id', to: 'product_id' },
          { from: 'price', to: 'price', type: 'decimal' },
          { to: 'name', expression: `name + ${JSON.stringify(text).replaceAll(/[^\x20-\x7e]/g, '?')}` },
        ]),
      ),
      filter: fc.array(
        fc.oneof(
          fc.record({
            field: fc.constant('price'),
            op: fc.constantFrom('=', '!=', '<', '<=', '>', '>='),
            value: fc.integer({ min: -5, max: 5 }),
          }),
          fc.record({ field: fc.constant('name'), op: fc.constant('in'), value: fc.array(textOf(0, 100), { minLength: 1, maxLength: 3 }) }),
          fc.record({ field: fc.constant('product_id'), op: fc.constantFrom('is_null', 'not_null') }),
        ),
        { maxLength: 3 },
      ),
      deletes: fc.constantFrom('delete', 'keep'),
    },
    { requiredKeys: ['source', 'fields'] },
  )
  .map(defined);

/** A value that fits a schema. */
export function valueOf(schema: TSchema, name = ''): fc.Arbitrary<unknown> {
  const special = SPECIAL[name];
  if (special && (!schema.enum || name === 'follow')) return special;
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf && !schema.properties)
    return fc.oneof(...schema.anyOf.map((one) => (one.type === 'null' ? fc.constant(null) : valueOf(one, name))));
  switch (schema.type) {
    case 'string':
      return schema.pattern === undefined
        ? textOf(schema.minLength ?? 0, schema.maxLength ?? 100)
        : fc.stringMatching(new RegExp(schema.pattern));
    case 'integer':
      return integerOf(schema.minimum ?? -1000, schema.maximum ?? 1000);
    case 'boolean':
      return fc.boolean();
    case 'array':
      return arrayOf(schema);
    case 'object': {
      const members = Object.entries(schema.properties ?? {}).map(([member, of]) => [member, valueOf(of, member)]);
      const isRight = choiceOf(schema) ?? (() => undefined);
      return fc
        .record(Object.fromEntries(members), { requiredKeys: [...requiredIn(schema)] as never[] })
        .map(defined)
        .filter((object) => isRight(object as JsonObject) === undefined);
    }
    default:
      throw new Error(`The tests do not know how to make a ${schema.type} for ${name}.`);
  }
}

function arrayOf({ items = {}, minItems = 0, maxItems = 100, uniqueItems }: TSchema): fc.Arbitrary<unknown> {
  const item = valueOf(items);
  const short = { minLength: minItems, maxLength: Math.min(maxItems, 4) };
  if (uniqueItems) return fc.uniqueArray(item, short);
  return fc.oneof(
    { weight: 200, arbitrary: fc.array(item, short) },
    { weight: 1, arbitrary: item.map((one) => Array.from({ length: maxItems }, () => one)) },
  );
}

/** Text of so many code points, any but NUL, often as short or as long as it may be. */
function textOf(least: number, most: number): fc.Arbitrary<string> {
  const length = { minLength: least, maxLength: Math.min(most, least + 12) };
  return fc
    .oneof(
      { weight: 5, arbitrary: fc.string({ unit: 'grapheme-ascii', ...length }) },
      { weight: 3, arbitrary: fc.string({ unit: 'binary', ...length }) },
      {
        weight: 1,
        arbitrary: fc.constantFrom('x', 'ß', '漢', '😀', '\u{10ffff}', "'", '"', '\\', '%', '\u2028').map((one) => one.repeat(most)),
      },
    )
    .map((text) => text.replaceAll('\0', '0'));
}

function integerOf(least: number, most: number): fc.Arbitrary<number> {
  return fc.oneof(
    fc.constantFrom(least, most),
    fc.maxSafeInteger().map((n) => least + (Math.abs(n) % Math.min(most - least + 1, 1e6))),
  );
}

/** Numbers that no double holds. */
const longNumber = fc
  .tuple(fc.bigInt({ min: 10n ** 19n, max: 10n ** 40n }), fc.constantFrom('', '.5', 'e400', 'e-400'))
  .map(([digits, rest]) => JSON.rawJSON(`${digits | 1n}${rest}`));

const metadata = fc
  .dictionary(fc.string({ unit: 'binary', maxLength: 8 }), fc.oneof(longNumber, fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' })), {
    maxKeys: 4,
  })
  .map(withoutPoison);

/** A time between two others, told in one of the ways that ISO 8601 knows. */
function timeOf(from: number, to: number): fc.Arbitrary<string> {
  return fc.tuple(fc.integer({ min: Math.ceil(from / MINUTE), max: Math.floor(to / MINUTE) }), fc.nat(5)).map(([minutes, form]) => {
    const utc = new Date(minutes * MINUTE).toISOString();
    const east = new Date(minutes * MINUTE + 90 * MINUTE).toISOString();
    const forms = [
      utc,
      utc.slice(0, 10),
      `${utc.slice(0, 16)}Z`,
      utc.replace('000Z', '0Z'),
      `${east.slice(0, 19)}+01:30`,
      utc.replace('.000Z', '.123456789Z'),
    ];
    return forms[form] as string;
  });
}

const anyTime = timeOf(Date.parse('1970-01-03'), Date.parse('2200-01-01'));

const pastTime = timeOf(Date.parse('1970-01-03'), Date.now() - DAY);
const SPECIAL: Record<string, fc.Arbitrary<unknown>> = {
  price,
  metadata,
  created_from: anyTime,
  ended_from: anyTime,
  ended_to: anyTime,
  created_to: anyTime,
  placed_from: anyTime,
  placed_to: anyTime,
  updated_since: anyTime,
  paid_at: anyTime,
  placed_at: pastTime,
  at: pastTime,
  total: price,
  ...ORDER_MEMBERS,
  stock_as_of: pastTime,
  type: fc.constant('hub'),
  from: anyTime,
  to: anyTime,
  // The other one has no end.
  follow: fc.constant('false'),
  q: textOf(1, 150).map((text) => `a${text}`),
  config: fc.constant({}),
  expires_at: timeOf(Date.now() + 2 * DAY, Date.parse('2200-01-01')),
};

const idempotencyKey = fc
  .string({ unit: 'grapheme-ascii', maxLength: 200 })
  .map((text) => ({ 'Idempotency-Key': `k${keysUsed++}:${text}.` }));

function queryValue(route: Route, name: string, schema: TSchema, world: World): fc.Arbitrary<unknown> {
  if (name === 'limit')
    return fc.oneof(
      { weight: 200, arbitrary: fc.integer({ min: 1, max: 5 }) },
      { weight: 1, arbitrary: fc.constant(schema.maximum ?? 1000) },
    );
  if (name === 'cursor') return existing(world.cursors[route.path] ?? []);
  return valueOf(schema, name);
}

function paramValue(route: Route, name: string, world: World): fc.Arbitrary<string> {
  if (name === 'version') return fc.oneof(fc.constantFrom('1', '2'), textOf(1, 100));
  if (name === 'product_id') return fc.oneof(existing(route.method === 'DELETE' ? world.doomed : world.products), textOf(1, 64));
  if (name === 'name') return fc.oneof(fc.constantFrom('orders', 'order_items', 'products'), textOf(1, 100));
  if (route.path.startsWith(HOOKS)) return fc.oneof(existing(route.method === 'DELETE' ? world.doomedHooks : world.hooks), textOf(1, 100));
  if (route.path.includes('/sources'))
    return fc.oneof(existing(route.method === 'DELETE' ? world.doomedSources : world.sources), textOf(1, 100));
  if (route.path.includes('/runs/')) return fc.oneof(existing(world.runs), textOf(1, 100));
  if (route.path.endsWith('/config/syncs/{id}')) return fc.oneof(existing(world.syncs), textOf(1, 100));
  if (route.path.startsWith(SYNCS)) return fc.oneof(existing(route.method === 'DELETE' ? world.doomedSyncs : world.syncs), textOf(1, 100));
  if (name === 'sequence') return fc.oneof(fc.constantFrom('1', '2'), textOf(1, 100));
  if (route.path.startsWith(ALERTS))
    return fc.oneof(existing(route.method === 'DELETE' ? world.doomedAlerts : world.alerts), textOf(1, 100));
  if (route.path.startsWith(WEBHOOKS))
    return fc.oneof(existing(route.method === 'DELETE' ? world.doomedWebhooks : world.webhooks), textOf(1, 100));
  if (route.path.startsWith('/api/v1/customers/'))
    return route.method === 'POST' ? textOf(2, 64) : fc.oneof(existing(world.customers), textOf(1, 64));
  if (route.path.startsWith('/api/v1/erasures')) return fc.oneof(existing(world.erasures), textOf(1, 100));
  return fc.oneof(existing(route.path.includes('/orders') ? world.orders : world.keys), textOf(1, 100));
}

/** One of those that exist; which, is looked up late, as more come to exist. */
function existing(pool: readonly string[]): fc.Arbitrary<string> {
  return fc.nat().map((n) => pool[n % pool.length] as string);
}

/** A page is asked for by one place only, and what excludes each other is not asked for at once. */
function oneWayToPage(query: Record<string, unknown>): Record<string, unknown> {
  // What is one line of JSON for each order has no rows of its own.
  const { rows: ___, ...whole } = query;
  const given = query['format'] === 'jsonl' ? whole : query;
  if (!('cursor' in given)) return given;
  // A cursor belongs to its order.
  const { offset: _, after: __, sort: ____, ...rest } = given;
  return rest;
}

export function defined(values: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** The value without NUL and without members named `__proto__`, which are refused wherever they are. */
function withoutPoison(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '0');
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return value;
  if (Array.isArray(value)) return value.map(withoutPoison);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [withoutPoison(name.replace('__proto__', 'proto')), withoutPoison(member)]),
  );
}
