import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Change, ChangeLog, LogRequest } from '../../connectors/changes.ts';
import { runCase } from '../../connectors/conformance.ts';
import { checkpointCases } from '../../connectors/conformance/checkpoint.ts';
import { describeCases } from '../../connectors/conformance/describe.ts';
import type { Harness, StreamShape, System } from '../../connectors/conformance/harness.ts';
import { logCases } from '../../connectors/conformance/log.ts';
import { logFaultCases } from '../../connectors/conformance/log-faults.ts';
import { milestoneCases } from '../../connectors/conformance/milestones.ts';
import { noteCases } from '../../connectors/conformance/notes.ts';
import { readCases } from '../../connectors/conformance/read.ts';
import { writeCases } from '../../connectors/conformance/write.ts';
import { connector } from '../../connectors/hub/connector.ts';
import { SHOP_STREAMS } from '../../connectors/shop-streams.ts';
import { systemClock } from '../../lib/clock.ts';
import { reachOf } from '../../outside/reach.ts';
import { rootsOf } from '../../outside/roots.ts';
import { runStatement } from '../../../test/support/commands.ts';
import { onBothEngines } from '../../../test/support/databases.ts';
import { type Service, startService } from '../../../test/support/service.ts';
import { oneIsEnough } from '../../../test/support/whole.ts';
import { createShopPort } from './port.ts';

const NAMES = new Set(['product_id', 'name', 'price', 'stock_quantity', 'categories']);
/** Products, as far as they are not made by the shop itself. */
const shape: StreamShape = {
  stream: 'products',
  fields: SHOP_STREAMS.products.fields.filter(({ name }) => NAMES.has(name)),
  key: ['product_id'],
  text: 'name',
  row: (n, version = 0) => [`p${n}`, `product ${n} of version ${version} ${'.'.repeat(80)}`, `${n}.5`, String(version), '["a"]'],
  bad: [
    ['bad 1', 'without a price', null, '0', '[]'],
    ['bad 2', 'too many decimals', '1.23456', '0', '[]'],
    ['bad 3', 'less than nothing', '1', '-1', '[]'],
  ],
};

const LOG_CASES = [...logCases, ...milestoneCases, ...logFaultCases];
/** No product is without a name. By cursor the shop is read in the order of its feed, which rows of a test cannot have made: see port.db.test.ts. */
const OTHER_CASES = [
  ...describeCases,
  ...readCases,
  ...writeCases.filter(({ name }) => name !== 'null and the empty text are told apart when comparing'),
  ...checkpointCases,
  ...noteCases,
];

onBothEngines('the shop keeps the contract, and its feed is a log', (engine) => {
  let service: Service;
  let system: System;
  const harness: Harness = {
    connector,
    shape,
    start: () => Promise.resolve(system),
    keepsNoLog: true,
    manyFollowers: true,
    cannot: { cut: 'the shop is in this process', connections: 'the shop is in this process' },
  };
  before(async () => {
    service = await startService(engine);
    const shop = createShopPort({ db: service.app.db, clock: systemClock, currency: 'EUR' });
    const put = async (...rows: (readonly (string | null)[])[]): Promise<void> => {
      const products = rows.map(([product_id, name, price, stock, categories]) => ({
        product_id,
        name,
        price: Number(price),
        stock_quantity: Number(stock),
        categories: JSON.parse(categories ?? '[]'),
      }));
      assert.deepEqual((await shop.writeProducts(products)).rejects, []);
    };
    system = {
      config: {} as never,
      context: { shop },
      create: async ({ rows }) => {
        // All at once, as the shop itself removes one after the other: most of the time would be spent there.
        for (const text of ['delete from products', 'delete from product_categories', `update counters set n = 0 where name = 'products'`])
          await service.app.db.write(runStatement, text);
        await put(...rows);
      },
      transact: async ([change, ...others]) => {
        assert.ok(change && others.length === 0, 'the shop changes one product at a time');
        if (change.op === 'delete') await shop.deleteProducts([change.key[0] ?? '']);
        else if (change.op !== 'truncate') await put(change.row);
      },
    };
  });
  after(() => service.close());

  // What is asked of our database there is asked of both by the tests beside this one.
  for (const one of oneIsEnough(engine).skip === false ? [...OTHER_CASES, ...LOG_CASES] : LOG_CASES)
    test(one.name, async (t) => {
      const { notes, hasTried } = await runCase(one, harness, system);
      if (!hasTried) t.skip(notes[0] ?? 'the shop cannot do it');
    });

  const open = async (): Promise<ChangeLog> => {
    const session = await connector.open({} as never, {
      reach: reachOf('any'),
      roots: rootsOf({ folders: [], dataDir: '/nowhere' }),
      signal: new AbortController().signal,
      ...system.context,
    });
    return session.log as ChangeLog;
  };

  test('orders, their items and products are told in the order of commits, an order with its items at once', async () => {
    const log = await open();
    const names = ['order_items', 'orders', 'products'] as const;
    const wanted = { order_items: ['order_id', 'line', 'quantity'], orders: ['id', 'status'], products: ['product_id', 'name'] };
    const request: LogRequest = {
      owner: 'o',
      streams: names.map((stream) => ({ stream, fields: wanted[stream], key: SHOP_STREAMS[stream].key })),
      signal: AbortSignal.timeout(60_000),
    };
    const start = await log.hold(request);
    const items = [1, 2].map((quantity) => ({ product_id: 'x', quantity, price: 1 }));
    const { id } = (await service.post('/api/v1/orders', { customer_id: 'ada', items })).body.data;
    await service.post('/api/v1/products/sync', { product_id: 'between', name: 'between', price: 1 });
    await service.post(`/api/v1/orders/${id}/transitions`, { to: 'processing' });
    await service.call('DELETE', '/api/v1/products/between');
    const history = { customer_id: 'eve', items: items.slice(0, 1), imported: true, status: 'delivered' };
    const old = (await service.post('/api/v1/orders/batch', [history])).body.data[0].data.id;
    const end = await log.end();
    const told: Change[] = [];
    for await (const { changes, position } of log.follow(request, start)) {
      told.push(...changes);
      if (position !== undefined && !log.isBefore(position, end)) break;
    }
    const [insert, update] = ['insert', 'update'] as const;
    assert.deepEqual(
      told.filter(({ op }) => op !== 'fields'),
      [
        { op: insert, stream: 0, row: [id, '1', '1'] },
        { op: insert, stream: 0, row: [id, '2', '2'] },
        { op: insert, stream: 1, row: [id, 'new'] },
        { op: insert, stream: 2, row: ['between', 'between'] },
        { op: update, stream: 0, row: [id, '1', '1'] },
        { op: update, stream: 0, row: [id, '2', '2'] },
        { op: update, stream: 1, row: [id, 'processing'] },
        { op: 'delete', stream: 2, key: ['between'] },
        { op: insert, stream: 0, row: [old, '1', '1'] },
        { op: insert, stream: 1, row: [old, 'delivered'] },
      ],
    );
    assert.equal(told.length, 13, 'the fields of each stream are told once');
  });

  test('lines that a change adds to an order are inserted, and those that it takes away are deleted', async () => {
    const log = await open();
    const stream = { stream: 'order_items', fields: ['order_id', 'line', 'product_id'], key: SHOP_STREAMS.order_items.key };
    const request: LogRequest = { owner: 'o', streams: [stream], signal: AbortSignal.timeout(60_000) };
    const items = ['a', 'b', 'c'].map((product_id) => ({ product_id, quantity: 1, price: 1 }));
    const { id } = (await service.post('/api/v1/orders', { customer_id: 'ada', items })).body.data;
    const start = await log.hold(request);
    const path = `/api/v1/orders/${id}`;
    for (const body of [{ items: items.slice(2) }, { note: 'n' }, { items: items.slice(1) }])
      assert.equal((await service.call('PATCH', path, { body })).status, 200);
    await service.post(`${path}/fulfillments`, { lines: [{ line: 2 }] });
    const end = await log.end();
    const told: Change[] = [];
    for await (const { changes, position } of log.follow(request, start)) {
      told.push(...changes);
      if (position !== undefined && !log.isBefore(position, end)) break;
    }
    assert.deepEqual(
      told.flatMap((change) =>
        'row' in change
          ? [[change.op, ...change.row.slice(1)]]
          : 'key' in change && change.op === 'delete'
            ? [[change.op, change.key[1]]]
            : [],
      ),
      [
        ['delete', '2'],
        ['delete', '3'],
        ['update', '1', 'c'],
        ['update', '1', 'c'],
        ['update', '1', 'b'],
        ['insert', '2', 'c'],
        // A fulfilment, and the move to processing before it.
        ...Array.from({ length: 2 }, () => [
          ['update', '1', 'b'],
          ['update', '2', 'c'],
        ]).flat(),
      ],
    );
  });
});
