import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { ORDER_STATUSES } from '../../src/shop/orders/rules.ts';
import { ENGINES, onBothEngines } from '../support/databases.ts';
import { newestFirst, type OrderSpec, type SeededOrder, seedOrders } from '../support/orders.ts';
import { type Service, startService } from '../support/service.ts';

const DAY = 24 * 60 * 60 * 1000;
const START = Date.UTC(2026, 0, 31, 12);
const CUSTOMERS = ['ann', 'bob', 'Zoë 100%', 'a&b=c', 'd+e'];

interface Filter {
  status?: string | undefined;
  customer_id?: string | undefined;
  external_id?: string | undefined;
  created_from?: string | undefined;
  created_to?: string | undefined;
  updated_since?: string | undefined;
}

function query(parameters: Record<string, string | number | undefined>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return `/api/v1/orders?${new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()}`;
}

/** What the service has to find, computed the plain way. All times are in the one form that sorts as text. */
function matching(orders: readonly SeededOrder[], filter: Filter): SeededOrder[] {
  return orders.filter(
    (order) =>
      (filter.status === undefined || order.status === filter.status) &&
      (filter.customer_id === undefined || order.customer_id === filter.customer_id) &&
      (filter.external_id === undefined || order.external_id === filter.external_id) &&
      (filter.created_from === undefined || order.created_at >= filter.created_from) &&
      (filter.created_to === undefined || order.created_at < filter.created_to) &&
      (filter.updated_since === undefined || order.updated_at >= filter.updated_since),
  );
}

function listed({ id, status, total, created_at }: SeededOrder) {
  return { id, status, total, created_at };
}

/** All pages from the first to the last, by cursor. */
async function walk(service: Service, parameters: Record<string, string | number | undefined>, between?: () => Promise<unknown>) {
  const rows: { id: string }[] = [];
  const totals = new Set<number>();
  for (let cursor: string | undefined; ; ) {
    const { status, text, body } = await service.get(query({ ...parameters, cursor }));
    assert.equal(status, 200, text);
    rows.push(...body.data);
    totals.add(body.total);
    if (body.next_cursor === null) return { rows, totals };
    assert.equal(body.data.length, parameters['limit'], 'a page that is not the last is full');
    cursor = body.next_cursor;
    await between?.();
  }
}

/** Some hundred orders: several in one millisecond, every state, some with an external id; the same in every run. */
function someOrders(): OrderSpec[] {
  return Array.from({ length: 420 }, (_, i) => ({
    time: START + Math.floor(i / 3) * 7 * 60_000 + ((i * 7919) % 5),
    customer_id: CUSTOMERS[(i * i + 3 * i) % CUSTOMERS.length] as string,
    ...(i % 10 === 0 && { external_id: `ext/${i}` }),
    status: ORDER_STATUSES[(i * 31 + (i >> 3)) % ORDER_STATUSES.length] ?? 'new',
  }));
}

onBothEngines('list of orders', (engine) => {
  let service: Service;
  let orders: SeededOrder[];
  before(async () => {
    service = await startService(engine);
    orders = newestFirst(await seedOrders(service.app.db, someOrders()));
  });
  after(() => service.close());

  const expectPage = async (filter: Filter, page: { limit?: number; offset?: number } = {}) => {
    const matches = matching(orders, filter);
    const { limit = 50, offset = 0 } = page;
    const { status, text, body } = await service.get(query({ ...filter, ...page }));
    assert.equal(status, 200, text);
    assert.deepEqual(body.data, matches.slice(offset, offset + limit).map(listed));
    assert.equal(body.total, matches.length);
    assert.equal(body.next_cursor === null, offset + limit >= matches.length || offset >= matches.length);
  };

  test('newest first, by created_at and then id', async () => {
    await expectPage({}, { limit: 1000 });
    const { body } = await service.get(query({ limit: 1000 }));
    const keys = body.data.map((order: SeededOrder) => `${order.created_at} ${order.id}`);
    assert.deepEqual(keys, keys.toSorted().toReversed());
  });

  test('each status', async () => {
    for (const status of ORDER_STATUSES) await expectPage({ status });
  });

  test('customer_id, whatever its characters', async () => {
    for (const customer_id of [...CUSTOMERS, 'nobody', 'ANN']) await expectPage({ customer_id });
  });

  test('external_id', async () => {
    for (const external_id of ['ext/0', 'ext/410', 'ext/1', 'EXT/0']) await expectPage({ external_id });
  });

  test('created_from is inclusive, created_to is exclusive', async () => {
    const at = orders[200]?.created_at ?? '';
    const same = orders.filter((order) => order.created_at === at).length;
    await expectPage({ created_from: at });
    await expectPage({ created_to: at });
    await expectPage({ created_from: at, created_to: at });
    const next = new Date(Date.parse(at) + 1).toISOString();
    const { body } = await service.get(query({ created_from: at, created_to: next }));
    assert.equal(body.total, same);
  });

  test('updated_since is inclusive and sees changes of state', async () => {
    const moved = orders.find((order) => order.updated_at > order.created_at) as SeededOrder;
    await expectPage({ updated_since: moved.updated_at });
    await expectPage({ updated_since: new Date(Date.parse(moved.updated_at) + 1).toISOString() });
    const { body } = await service.get(query({ updated_since: moved.updated_at, limit: 1000 }));
    assert.ok(body.data.some((order: SeededOrder) => order.id === moved.id));
  });

  test('a time may have another zone, fewer or more decimals, or be a bare date', async () => {
    const total = async (parameters: Filter): Promise<number> => (await service.get(query({ ...parameters }))).body.total;
    const midnight = '2026-02-01T00:00:00.000Z';
    const expected = matching(orders, { created_from: midnight }).length;
    assert.ok(expected > 0 && expected < orders.length);
    for (const created_from of ['2026-02-01', '2026-02-01T02:00:00+02:00', '2026-01-31T19:00-05:00', '2026-02-01T00:00:00.0Z'])
      assert.equal(await total({ created_from }), expected, created_from);
    // An order of the millisecond before lies before, and one of the millisecond after lies after.
    const { created_at, updated_at } = orders[200] as SeededOrder;
    const later = (time: string): string => `${time.slice(0, -1)}001Z`;
    const next = (time: string): string => new Date(Date.parse(time) + 1).toISOString();
    assert.equal(await total({ created_from: later(created_at) }), await total({ created_from: next(created_at) }));
    assert.equal(await total({ created_to: later(created_at) }), await total({ created_to: next(created_at) }));
    assert.equal(await total({ updated_since: later(updated_at) }), await total({ updated_since: next(updated_at) }));
  });

  test('expand: none, items, all', async () => {
    const { body: plain } = await service.get(query({ limit: 20 }));
    const { body: items } = await service.get(query({ limit: 20, expand: 'items' }));
    const { body: full } = await service.get(query({ limit: 20, expand: 'all' }));
    for (let i = 0; i < 20; i++) {
      const { body: one } = await service.get(`/api/v1/orders/${plain.data[i].id}`);
      assert.deepEqual(Object.keys(plain.data[i]), ['id', 'status', 'total', 'created_at']);
      assert.deepEqual(items.data[i], { ...plain.data[i], items: one.data.items });
      assert.deepEqual(full.data[i], one.data);
    }
    assert.ok(full.data.some((order: { history: unknown[] }) => order.history.length > 2));
    assert.equal(items.next_cursor, plain.next_cursor);
    assert.equal(full.next_cursor, plain.next_cursor);
  });

  test('every combination of filters: data and exact total', async () => {
    const order = orders.find(({ external_id }) => external_id === 'ext/200') as SeededOrder;
    const values: Required<Filter> = {
      status: order.status,
      customer_id: order.customer_id,
      external_id: 'ext/200',
      created_from: orders[350]?.created_at,
      created_to: orders[40]?.created_at,
      updated_since: orders[300]?.created_at,
    };
    const names = Object.keys(values) as (keyof Filter)[];
    for (let subset = 0; subset < 2 ** names.length; subset++) {
      const filter = Object.fromEntries(names.filter((_, bit) => subset & (1 << bit)).map((name) => [name, values[name]]));
      await expectPage(filter, { limit: 30 });
    }
  });

  test('limit from 1 to 1,000, offset to the end and past it', async () => {
    for (const limit of [1, 2, 419, 420, 421, 1000]) await expectPage({}, { limit });
    for (const offset of [0, 1, 419, 420, 421, 1000, 1001, 100_000, Number.MAX_SAFE_INTEGER]) {
      await expectPage({}, { offset });
      await expectPage({ status: 'shipped' }, { offset });
      await expectPage({ customer_id: 'ann' }, { offset });
    }
  });

  test('any filter with any page equals the same computed from the full list', async () => {
    const times = fc.nat({ max: orders.length - 1 }).chain((i) =>
      fc.integer({ min: -1, max: 1 }).map((by) => {
        const { created_at, updated_at } = orders[i] as SeededOrder;
        return new Date(Date.parse(i % 2 === 0 ? created_at : updated_at) + by).toISOString();
      }),
    );
    const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined, freq: 2 });
    const filters = fc.record({
      status: maybe(fc.constantFrom(...ORDER_STATUSES)),
      customer_id: maybe(fc.constantFrom(...CUSTOMERS)),
      external_id: fc.option(fc.constantFrom('ext/10', 'ext/200', 'none'), { nil: undefined, freq: 10 }),
      created_from: maybe(times),
      created_to: maybe(times),
      updated_since: maybe(times),
    });
    const pages = fc.oneof(
      fc.record({ kind: fc.constant('offset' as const), limit: fc.integer({ min: 1, max: 500 }), offset: fc.nat({ max: 430 }) }),
      fc.record({ kind: fc.constant('walk' as const), limit: fc.integer({ min: 15, max: 200 }) }),
    );
    await fc.assert(
      fc.asyncProperty(filters, pages, async (filter, page) => {
        if (page.kind === 'offset') return expectPage(filter, { limit: page.limit, offset: page.offset });
        const { rows, totals } = await walk(service, { ...filter, limit: page.limit });
        const matches = matching(orders, filter);
        assert.deepEqual(rows, matches.map(listed));
        assert.deepEqual([...totals], [matches.length]);
      }),
      { numRuns: 100 },
    );
  });

  // These bring more orders, so they come last.
  test('paging by cursor is stable while orders arrive', async () => {
    const arrive = () =>
      Promise.all(
        ['ann', 'bob'].map((customer_id) =>
          service.post('/api/v1/orders', { customer_id, items: [{ product_id: 'p', quantity: 1, price: 1 }] }),
        ),
      );
    for (const filter of [{}, { customer_id: 'ann' }, { status: 'new' }]) {
      const { body } = await service.get(query({ ...filter, limit: 1000 }));
      const { rows } = await walk(service, { ...filter, limit: 17 }, arrive);
      assert.deepEqual(rows, body.data);
    }
  });

  test('a change of state brings an order into updated_since at once', async () => {
    const { body } = await service.post('/api/v1/orders', { customer_id: 'late', items: [{ product_id: 'p', quantity: 1, price: 1 }] });
    const { id, created_at } = body.data;
    const moved = await service.post(`/api/v1/orders/${id}/transitions`, { to: 'cancelled' });
    const since = moved.body.data.updated_at;
    assert.ok(since >= created_at);
    const found = await service.get(query({ updated_since: since, customer_id: 'late', status: 'cancelled' }));
    assert.deepEqual(found.body.data, [{ id, status: 'cancelled', total: 1, created_at }]);
    assert.equal(found.body.total, 1);
  });
});

interface Refusal {
  name: string;
  parameters: string;
  field: string;
  reason: RegExp;
}

const REFUSALS: Refusal[] = [
  ...['0', '1001', '-1', '1e2', '1.0', '', '%2050', '0x10', '99999999999999999999', 'ten', 'null'].map((value) => ({
    name: `limit "${value}"`,
    parameters: `limit=${value}`,
    field: 'limit',
    reason: /^must be (an integer|at least 1|at most 1000)$/,
  })),
  ...['-1', '1.5', '', 'x', '9007199254740993'].map((value) => ({
    name: `offset "${value}"`,
    parameters: `offset=${value}`,
    field: 'offset',
    reason: /^must be (an integer|at least 0)$/,
  })),
  { name: 'cursor with offset', parameters: 'cursor=MTpvcmRfMQ&offset=0', field: 'cursor', reason: /offset/ },
  ...['garbage', '!', '%F0%9F%98%80', 'MTpvcmRfMQ=', 'MTpvcmRfMQ', 'MTpwLTE', 'MDpvcmRfMQ'].map((value) => ({
    name: `cursor "${value}"`,
    parameters: `cursor=${value}`,
    field: 'cursor',
    reason: /is not a cursor of this list/,
  })),
  { name: 'empty cursor', parameters: 'cursor=', field: 'cursor', reason: /must not be empty/ },
  { name: 'a parameter given twice', parameters: 'limit=1&limit=2', field: 'limit', reason: /once/ },
  { name: 'one of several statuses that is none', parameters: 'status=new&status=open', field: 'status', reason: /must be|one of/ },
  { name: 'an unknown parameter', parameters: 'stauts=new', field: 'stauts', reason: /not known/ },
  { name: 'a parameter in another case', parameters: 'Status=new', field: 'Status', reason: /not known/ },
  ...['open', 'NEW', '', 'new%00'].map((value) => ({
    name: `status "${value}"`,
    parameters: `status=${value}`,
    field: 'status',
    reason: value.includes('%00') ? /NUL/ : new RegExp(ORDER_STATUSES.join(', ')),
  })),
  { name: 'expand with another word', parameters: 'expand=everything', field: 'expand', reason: /items, all/ },
  ...['created_from', 'created_to', 'placed_from', 'placed_to', 'updated_since'].flatMap((field) =>
    ['yesterday', '2026-02-30', '2026-01-01T00:00:00', '1767225600', '2026-13-01', '2026-01-01T25:00:00Z', ''].map((value) => ({
      name: `${field} "${value}"`,
      parameters: `${field}=${value}`,
      field,
      reason: /must be a time such as/,
    })),
  ),
  { name: 'customer_id too long', parameters: `customer_id=${'x'.repeat(65)}`, field: 'customer_id', reason: /at most 64/ },
  { name: 'customer_id empty', parameters: 'customer_id=', field: 'customer_id', reason: /empty/ },
  { name: 'external_id too long', parameters: `external_id=${'x'.repeat(256)}`, field: 'external_id', reason: /at most 255/ },
];

describe('list of orders: parameters that are refused with 400', () => {
  let service: Service;
  before(async () => {
    service = await startService('sqlite');
  });
  after(() => service.close());

  for (const { name, parameters, field, reason } of REFUSALS) {
    test(name, async () => {
      const { status, body, text } = await service.get(`/api/v1/orders?${parameters}`);
      assert.equal(status, 400, text);
      assert.equal(body.error.code, 'INVALID_PARAMS');
      assert.equal(body.error.details.field, field);
      assert.match(body.error.details.reason, reason);
      assert.deepEqual(body.error.details.errors[0], { field, reason: body.error.details.reason });
    });
  }

  test('several faults are told at once', async () => {
    const { body } = await service.get('/api/v1/orders?limit=0&offset=-1&status=x&colour=red');
    const fields = body.error.details.errors.map((fault: { field: string }) => fault.field);
    assert.deepEqual(fields, ['limit', 'offset', 'status', 'colour']);
  });
});

for (const engine of ENGINES) {
  test(`deep pages of 9,300 orders in several blocks (${engine})`, async () => {
    const service = await startService(engine);
    const specs = Array.from(
      { length: 9000 },
      (_, i): OrderSpec => ({
        time: START + i * 1000 + (i % 3),
        customer_id: 'c',
        status: i % 7 === 0 ? 'processing' : i % 11 === 0 ? 'returned' : 'new',
      }),
    );
    // Told late: they belong among the older ones, into blocks that are closed already.
    const late = Array.from({ length: 300 }, (_, i): OrderSpec => ({ time: START + i * 15_000 + 500, customer_id: 'c', status: 'new' }));
    const orders = newestFirst([...(await seedOrders(service.app.db, specs)), ...(await seedOrders(service.app.db, late))]);
    const total = orders.length;
    const at = (index: number): string => orders[index]?.created_at ?? '';
    const edges = [0, 807, 808, 809, 1000, 1001, 4903, 4904, 4905, 5203, 5204, 5205];
    const filters: Filter[] = [
      {},
      ...['new', 'processing', 'returned', 'delivered'].map((status) => ({ status })),
      { created_from: at(8000) },
      { created_to: at(500) },
      { created_from: at(7777), created_to: at(333) },
      { status: 'new', created_from: at(9000), created_to: at(2) },
      { status: 'processing', created_to: at(100) },
      { status: 'new', created_to: new Date(START - DAY).toISOString() },
    ];
    for (const filter of filters) {
      const matches = matching(orders, filter);
      for (const offset of [...edges, matches.length - 1, matches.length, matches.length + 1].filter((edge) => edge >= 0)) {
        const { body, text } = await service.get(query({ ...filter, offset, limit: 3 }));
        assert.deepEqual(body.data, matches.slice(offset, offset + 3).map(listed), `${JSON.stringify(filter)} at ${offset}: ${text}`);
        assert.equal(body.total, matches.length, JSON.stringify(filter));
        assert.equal(body.next_cursor === null, offset + 3 >= matches.length);
      }
    }
    const { body: full } = await service.get(query({ offset: 5203, limit: 2, expand: 'all' }));
    assert.deepEqual(
      full.data.map((order: { id: string }) => order.id),
      [orders[5203]?.id, orders[5204]?.id],
    );
    const { rows, totals } = await walk(service, { limit: 1000, status: 'new' });
    assert.deepEqual(rows, matching(orders, { status: 'new' }).map(listed));
    assert.deepEqual([...totals], [matching(orders, { status: 'new' }).length]);
    assert.equal((await service.get(query({}))).body.total, total);
    await service.close();
  });
}
