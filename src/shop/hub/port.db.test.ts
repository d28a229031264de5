import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Batch } from '../../connectors/batch.ts';
import type { Row } from '../../connectors/canonical.ts';
import type { ReadRequest } from '../../connectors/contract.ts';
import type { Session } from '../../connectors/session.ts';
import { OutsideError } from '../../outside/errors.ts';
import { connector } from '../../connectors/hub/connector.ts';
import { reachOf } from '../../outside/reach.ts';
import { rootsOf } from '../../outside/roots.ts';
import { SHOP_STREAMS, type ShopStream } from '../../connectors/shop-streams.ts';
import { systemClock } from '../../lib/clock.ts';
import { onBothEngines } from '../../../test/support/databases.ts';
import { type Service, startService } from '../../../test/support/service.ts';
import { createShopPort } from './port.ts';

const byIndex = ([a]: unknown[], [b]: unknown[]): number => Number(a) - Number(b);

onBothEngines('the shop as a source', (engine) => {
  let service: Service;
  let session: Session;
  before(async () => {
    service = await startService(engine);
    const shop = createShopPort({ db: service.app.db, clock: systemClock, currency: 'EUR' });
    const context = {
      reach: reachOf('any'),
      roots: rootsOf({ folders: [], dataDir: '/nowhere' }),
      signal: new AbortController().signal,
      shop,
    };
    session = await connector.open({} as never, context);
  });
  after(async () => {
    await session.close();
    await service.close();
  });

  const order = (customer_id: string, items = 1) =>
    service.post('/api/v1/orders', {
      customer_id,
      items: Array.from({ length: items }, (_, i) => ({ product_id: `p${i}`, quantity: i + 1, price: 19.99 })),
      metadata: { note: 'x', big: 1 },
    });
  const request = (stream: ShopStream, more: Partial<ReadRequest> = {}): ReadRequest => ({
    stream,
    fields: SHOP_STREAMS[stream].fields.map(({ name }) => name),
    key: SHOP_STREAMS[stream].key,
    ...more,
  });
  const readAll = async (ask: ReadRequest): Promise<Batch[]> => {
    const batches: Batch[] = [];
    for await (const batch of session.read(ask)) batches.push(batch);
    return batches;
  };
  const rowsOf = (batches: readonly Batch[]): Row[] =>
    batches.filter((batch) => batch.operation === 'write').flatMap((batch) => batch.rows);

  test('orders and their items are read with exact values', async () => {
    const { id } = (await order('ada', 3)).body.data;
    const row = rowsOf(await readAll(request('orders'))).find(([first]) => first === id);
    assert.equal(row?.[1], 'new');
    assert.equal(row?.[2], '119.94');
    assert.match(row?.[3] ?? '', /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,3})?\+00$/);
    assert.equal(row?.[10], '{"note":"x","big":1}');
    const items = rowsOf(await readAll(request('order_items'))).filter(([first]) => first === id);
    assert.deepEqual(
      items.map((item) => item.slice(1, 7)),
      [
        ['1', 'p0', '1', '19.99', '19.99', 'f'],
        ['2', 'p1', '2', '19.99', '39.98', 'f'],
        ['3', 'p2', '3', '19.99', '59.97', 'f'],
      ],
    );
  });

  test('whatever is committed while it is being read arrives once, in the order of commits, and nothing is missed', async () => {
    const old: string[] = [];
    for (let i = 0; i < 20; i++) old.push((await order(`before ${i}`)).body.data.id);
    const seen = new Map<string, Row>();
    const versions: string[] = [];
    const see = (row: Row): void => {
      seen.set(row[0] ?? '', row);
      versions.push(`${row[0]} ${row[5]}`);
    };
    const incremental = request('orders', { cursor: 'updated_at', batchBytes: 2000 });
    let position: string | undefined;
    const writing = (async () => {
      for (let i = 0; i < 15; i++) {
        const replies = await Promise.all(Array.from({ length: 8 }, (_, j) => order(`during ${i} ${j}`)));
        for (const reply of replies.slice(0, 3))
          await service.post(`/api/v1/orders/${reply.body.data.id}/transitions`, { to: 'processing' });
        await service.post(`/api/v1/orders/${old[i]}/transitions`, { to: 'on_hold' });
      }
    })();
    let done = false;
    void writing.then(() => (done = true));
    for (let last = false; !last; ) {
      last = done;
      for (const batch of await readAll({ ...incremental, ...(position !== undefined && { after: position }) })) {
        position = batch.position;
        batch.rows.forEach(see);
      }
    }
    await writing;
    for (const batch of await readAll({ ...incremental, ...(position !== undefined && { after: position }) })) {
      batch.rows.forEach(see);
    }
    assert.deepEqual(
      versions.filter((version, at) => versions.indexOf(version) !== at),
      [],
      'no version of an order comes twice',
    );
    const all = rowsOf(await readAll(request('orders')));
    assert.deepEqual(new Map(all.map((row) => [row[0], row])), seen);
  });

  test('a read goes on behind every batch, exactly', async () => {
    const ask = request('order_items', { cursor: 'updated_at', batchBytes: 1500 });
    const batches = await readAll(ask);
    assert.ok(batches.length > 3);
    for (let i = 0; i < batches.length; i++) {
      const rest = await readAll({ ...ask, after: batches[i]?.position ?? '' });
      assert.deepEqual(rowsOf([...batches.slice(0, i + 1), ...rest]), rowsOf(batches));
    }
    await assert.rejects(
      readAll({ ...ask, after: 'nonsense' }),
      (error) => error instanceof OutsideError && error.code === 'POSITION_INVALID',
    );
  });

  test('a product that is deleted is told as gone, and one that came back is there', async () => {
    for (const id of ['gone', 'back']) await service.post('/api/v1/products/sync', { product_id: id, name: id, price: 1 });
    const ask = request('products', { cursor: 'updated_at' });
    const position = (await readAll(ask)).at(-1)?.position ?? '';
    for (const id of ['gone', 'back']) await service.call('DELETE', `/api/v1/products/${id}`);
    await service.post('/api/v1/products/sync', { product_id: 'back', name: 'back again', price: 2 });
    const batches = await readAll({ ...ask, after: position });
    assert.deepEqual(
      batches.filter((batch) => batch.operation === 'delete').flatMap((batch) => batch.rows),
      [['gone']],
    );
    assert.deepEqual(
      rowsOf(batches).map((row) => row.slice(0, 3)),
      [['back', 'back again', '2']],
    );
  });

  test('lines that changes have taken out of an order are told as gone, whatever happened to it since', async () => {
    const { id } = (await order('shrinking', 4)).body.data;
    const ask = request('order_items', { cursor: 'updated_at' });
    const position = (await readAll(ask)).at(-1)?.position ?? '';
    const items = Array.from({ length: 3 }, (_, n) => ({ product_id: `n${n}`, quantity: 1, price: 1 }));
    for (const body of [{ items: items.slice(0, 1) }, { items: items.slice(0, 2) }, { note: 'n' }])
      assert.equal((await service.call('PATCH', `/api/v1/orders/${id}`, { body })).status, 200);
    await service.post(`/api/v1/orders/${id}/transitions`, { to: 'processing' });
    const batches = await readAll({ ...ask, after: position });
    assert.deepEqual(
      batches.filter((batch) => batch.operation === 'delete').flatMap((batch) => batch.rows),
      [
        [id, '3'],
        [id, '4'],
      ],
    );
    assert.deepEqual(
      rowsOf(batches).map((row) => row.slice(0, 3)),
      [
        [id, '1', 'n0'],
        [id, '2', 'n1'],
      ],
    );
  });

  test('products are written through the rules of the shop: a bad one is a reject, and writing again changes nothing', async () => {
    const fields = SHOP_STREAMS.products.fields.filter(({ name }) =>
      ['product_id', 'name', 'price', 'stock_quantity', 'categories'].includes(name),
    );
    const writer = await session.write({
      stream: 'products',
      fields,
      key: ['product_id'],
      mode: 'upsert',
      owner: 'o',
      token: 1n,
      create: false,
    });
    const { Batch: Rows } = await import('../../connectors/batch.ts');
    const rows: Row[] = [
      ['w1', 'One', '1.5000', '3', '["a","b"]'],
      ['w2', 'Too many decimals', '1.23456', '3', '[]'],
      ['w3', null, '1', '3', '[]'],
      ['w4', 'Negative', '1', '-3', '[]'],
      ['w5', 'Five', '5', null, null],
    ];
    const first = await writer.write(Rows.ofRows(rows, { position: '1' }));
    assert.deepEqual([first.inserted, first.updated, first.unchanged], [2, 0, 0]);
    assert.deepEqual(first.rejects.map(({ index, field }) => [index, field]).sort(byIndex), [
      [1, 'price'],
      [2, 'name'],
      [3, 'stock_quantity'],
    ]);
    const again = await writer.write(Rows.ofRows(rows, { position: '1' }));
    assert.deepEqual([again.inserted, again.updated, again.unchanged], [0, 0, 2]);
    const stored = (await service.get('/api/v1/products/w1')).body.data;
    assert.deepEqual([stored.price, stored.stock_quantity, stored.categories], [1.5, 3, ['a', 'b']]);
    const gone = await writer.write(Rows.ofRows([['w1'], ['never there']], { position: '2', operation: 'delete' }));
    assert.equal(gone.deleted, 1);
    await writer.close();
  });

  test('orders are written once, told apart by external_id', async () => {
    const fields = (['external_id', 'customer_id', 'items'] as const).map((name) => ({
      name,
      type: name === 'items' ? ('json' as const) : ('text' as const),
      nullable: true,
    }));
    const writer = await session.write({
      stream: 'orders',
      fields,
      key: ['external_id'],
      mode: 'append',
      owner: 'o',
      token: 1n,
      create: false,
    });
    const { Batch: Rows } = await import('../../connectors/batch.ts');
    const items = '[{"product_id":"p","quantity":3,"price":0.1}]';
    const rows: Row[] = [
      ['ext-1', 'ada', items],
      [null, 'ada', items],
      ['ext-2', 'ada', '[]'],
      ['ext-3', 'bob', items],
    ];
    const first = await writer.write(Rows.ofRows(rows, { position: '1' }));
    assert.equal(first.inserted, 2);
    assert.deepEqual(first.rejects.map(({ index, field }) => [index, field]).sort(byIndex), [
      [1, 'external_id'],
      [2, 'items'],
    ]);
    const again = await writer.write(Rows.ofRows(rows, { position: '1' }));
    assert.deepEqual([again.inserted, again.unchanged], [0, 2]);
    assert.equal((await service.get('/api/v1/orders?external_id=ext-1')).body.total, 1);
    await writer.close();
  });

  test('what cannot be done is refused with words', async () => {
    const refused = (stream: string, mode: 'append' | 'mirror', names: string[], code: string) =>
      assert.rejects(
        session.write({
          stream,
          fields: names.map((name) => ({ name, type: 'text' as const, nullable: true })),
          key: [],
          mode,
          owner: 'o',
          token: 1n,
          create: false,
        }),
        (error) => error instanceof OutsideError && error.code === code,
      );
    await refused('order_items', 'append', ['order_id'], 'READ_ONLY');
    await refused('products', 'mirror', ['product_id'], 'MODE_UNSUPPORTED');
    await refused('products', 'append', ['colour'], 'FIELD_MISSING');
    for (const name of ['version', 'created_at', 'updated_at']) await refused('products', 'append', ['product_id', name], 'FIELD_MISSING');
    for (const name of ['id', 'subtotal', 'version', 'created_at', 'updated_at'])
      await refused('orders', 'append', ['external_id', name], 'FIELD_MISSING');
    await refused('orders', 'append', ['customer_id'], 'FIELD_MISSING');
    await refused('suppliers', 'append', ['x'], 'STREAM_MISSING');
    for (const name of ['customers', 'refunds', 'stock']) await refused(name, 'append', ['id'], 'READ_ONLY');
    await assert.rejects(
      readAll(request('orders', { fields: ['nope'] })),
      (error) => error instanceof OutsideError && error.code === 'FIELD_MISSING',
    );
  });
});
