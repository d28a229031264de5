// The example of the README, word for word, against a Syncline that runs.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { onBothEngines } from '../../../test/support/databases.ts';
import { failureOf, openHttp, readAll, writeRows } from '../../../test/support/http-connector.ts';
import { type Service, startService } from '../../../test/support/service.ts';

const EXAMPLE = /```json\n(\{\n {2}"base_url": "http:\/\/127\.0\.0\.1:8080\/api\/v1"[^`]*)```/;

/** What the README tells the reader to write, with the address and the key of this Syncline. */
function example({ url }: Service, key: string): Record<string, unknown> {
  const readme = readFileSync(new URL('README.md', import.meta.url), 'utf8');
  const [, text = ''] = EXAMPLE.exec(readme) ?? [];
  return JSON.parse(text.replace('http://127.0.0.1:8080', url).replace('slk_your_key', key)) as Record<string, unknown>;
}

function order(n: number): object {
  return {
    customer_id: `cust-${n}`,
    external_id: `shop-${n}`,
    items: [{ product_id: 'p1', quantity: n, price: 12.3456 }],
  };
}

onBothEngines('Syncline by declaration', (engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
    for (let n = 1; n <= 25; n++) assert.equal((await service.post('/api/v1/orders', order(n))).status, 200);
  });
  after(() => service.close());

  test('checks, discovers, and reads all orders in pages', async () => {
    const session = await openHttp(example(service, await service.keyWith('orders:read', 'products:write', 'products:read')));
    const report = await session.check();
    assert.match(report.message, /2 of 3 streams answered/);
    const streams = await session.discover();
    const orders = streams.find(({ name }) => name === 'orders');
    assert.deepEqual([orders?.key, orders?.cursors], [['id'], ['updated_at']]);
    const fields = orders?.fields.map(({ name }) => name) ?? [];
    const { rows, rejects, batches } = await readAll(session, { stream: 'orders', fields, batchBytes: 1000 });
    assert.deepEqual(rejects, []);
    assert.equal(rows.length, 25);
    assert.ok(batches.length > 3);
    const row = rows.find((candidate) => candidate[fields.indexOf('external_id')] === 'shop-25') ?? [];
    assert.equal(row[fields.indexOf('total')], '308.64', 'exact');
    assert.match(row[fields.indexOf('created_at')] ?? '', /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.?\d*\+00$/);
    for (const [at, { position }] of batches.entries()) {
      const rest = await readAll(session, { stream: 'orders', fields, batchBytes: 1000, after: position });
      assert.deepEqual(
        rest.rows,
        batches.slice(at + 1).flatMap((batch) => batch.rows),
      );
    }
    await session.close();
  });

  test('reads only what changed', async () => {
    const session = await openHttp(example(service, service.adminKey));
    const request = { stream: 'orders', fields: ['id', 'status', 'external_id', 'updated_at'], cursor: 'updated_at' };
    const first = await readAll(session, request);
    assert.equal(first.rows.length, 25);
    assert.equal((await readAll(session, { ...request, after: first.position })).rows.length, 0);
    const id = first.rows[3]?.[0] ?? '';
    assert.equal((await service.post(`/api/v1/orders/${id}/transitions`, { to: 'processing' })).status, 200);
    assert.equal((await service.post('/api/v1/orders', order(26))).status, 200);
    const second = await readAll(session, { ...request, after: first.position });
    assert.deepEqual(
      second.rows.map((row) => row[2] === 'shop-26' || (row[0] === id && row[1] === 'processing')),
      [true, true],
    );
    await session.close();
  });

  test('writes products, and rejects those that the shop refuses', async () => {
    const session = await openHttp(example(service, service.adminKey));
    const fields = (['product_id', 'name', 'price', 'stock_quantity'] as const).map((name) => ({
      name,
      type: name === 'price' ? ('decimal' as const) : name === 'stock_quantity' ? ('int64' as const) : ('text' as const),
      nullable: true,
    }));
    const rows = [
      ['p1', 'Tea', '3.50', '10'],
      ['p2', 'Coffee', '-1', '10'],
      ['p3', 'Milk', '1.2345', '0'],
    ];
    const request = { stream: 'products', fields, key: ['product_id'], mode: 'upsert' as const };
    const { rejects, ...changes } = await writeRows(session, request, rows);
    assert.equal(changes.updated + changes.inserted, 2);
    assert.deepEqual(
      rejects.map(({ index }) => index),
      [1],
    );
    assert.match(rejects[0]?.reason ?? '', /The API refused it: Invalid request: price must be at least 0/);
    const { rows: stored } = await readAll(session, { stream: 'products', fields: ['product_id', 'price'] });
    assert.deepEqual(stored, [
      ['p1', '3.5'],
      ['p3', '1.2345'],
    ]);
    await session.close();
  });

  test('orders that are written twice are there once', async () => {
    const session = await openHttp(example(service, service.adminKey));
    const fields = [
      { name: 'customer_id', type: 'text' as const, nullable: false },
      { name: 'items', type: 'json' as const, nullable: false },
    ];
    const rows = [
      ['c-1', '[{"product_id":"p1","quantity":2,"price":1.5}]'],
      ['c-1', '[{"product_id":"p1","quantity":2,"price":1.5}]'],
    ];
    const before = (await service.get('/api/v1/orders?limit=1')).body.total as number;
    for (let round = 0; round < 3; round++) {
      const result = await writeRows(session, { stream: 'new_orders', fields }, rows);
      assert.deepEqual([result.inserted, result.rejects], [2, []]);
    }
    assert.equal((await service.get('/api/v1/orders?limit=1')).body.total, before + 2);
    await session.close();
  });

  test('says what is wrong with the key', async () => {
    const wrong = await failureOf((await openHttp(example(service, 'slk_wrong'))).check());
    assert.deepEqual([wrong.kind, wrong.code], ['auth', 'UNAUTHORIZED']);
    const narrow = await failureOf((await openHttp(example(service, await service.keyWith('products:read')))).check());
    assert.deepEqual([narrow.kind, narrow.code], ['auth', 'FORBIDDEN']);
    assert.match(narrow.message, /orders:read/);
  });
});
