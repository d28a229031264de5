// The whole shop in a database: every stream by the mode that it takes by itself, kept in step, a person who was erased included.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { onEitherEngine } from '../support/databases.ts';
import { addSource, ask, type Body, hasTable, runToEnd, sqliteFile } from '../support/real-syncs.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

onEitherEngine('the whole shop in a database', (engine) => {
  let service: Service;
  let path: string;
  let [source_id, target_id] = ['', ''];
  before(async () => {
    service = await startService(engine);
    path = sqliteFile(service.place, 'shop.db');
    source_id = await addSource(service, 'hub', {});
    target_id = await addSource(service, 'sqlite', { path });
  });
  after(() => service.close());

  const post = async (at: string, body?: object): Promise<Body> => {
    const reply = await service.post(`/api/v1${at}`, body);
    assert.equal(reply.status, 200, reply.text);
    return reply.body.data;
  };
  const rows = (query: string): unknown[][] => {
    const db = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
    const found = db.prepare(query).all();
    db.close();
    return found.map((row) => Object.values(row));
  };
  /** An order with all that can be done to one. */
  const order = async (customer_id: string): Promise<void> => {
    const items = [{ product_id: 'mug', quantity: 2, price: 5, sku: 'M' }];
    const { id } = await post('/orders', { customer_id, items, reserve: true, customer: { name: customer_id } });
    await post(`/orders/${id}/fulfillments`, { tracking: { number: '1' } });
    await post(`/orders/${id}/returns`, { lines: [{ line: 1, quantity: 1 }], reason: `${customer_id} said so` });
    await post(`/orders/${id}/refunds`, { lines: [{ line: 1, quantity: 1 }] });
  };

  test('every stream arrives as it is, changes follow, and an erased customer is gone', async () => {
    await post('/products/sync', { product_id: 'mug', name: 'Mug', price: 5, stock_quantity: 50, track_stock: true });
    await order('ada');
    const streams = (await ask(service, 'GET', `/sources/${source_id}/streams`)).map(({ name }: Body) => ({ source: name, target: name }));
    assert.equal(streams.length, 12);
    const sync = await ask(service, 'POST', '/sync', {
      name: 's',
      source_id,
      target_id,
      streams,
      schedule: { type: 'manual' },
      guard: { max_delete_percent: 100 },
    });
    const modes = Object.fromEntries(sync.streams.map(({ source, mode, deletes }: Body) => [source, `${mode} ${deletes}`]));
    for (const [name, mode] of Object.entries(modes))
      assert.equal(mode, name === 'customers' || name === 'stock' ? 'mirror delete' : 'incremental delete', name);
    const first = await runToEnd(service, sync.id);
    assert.equal(first.status, 'succeeded', JSON.stringify(first));
    for (const { name, inserted } of first.streams) assert.ok(inserted > 0, name);

    await order('eve');
    const { id } = await post('/customers/ada/erase');
    await until('the erasure', async () => (await service.get(`/api/v1/erasures/${id}`)).body.data.status === 'done');
    const second = await runToEnd(service, sync.id);
    assert.equal(second.status, 'succeeded', JSON.stringify(second));
    const customers = rows('select id, name, orders from customers order by id').map(([one, ...more]) => [
      String(one).replace(/^erased-.*/, 'erased'),
      ...more,
    ]);
    assert.deepEqual(customers, [
      ['erased', null, 1],
      ['eve', 'eve', 1],
    ]);
    assert.deepEqual(rows('select reason from returns order by order_id'), [[null], ['eve said so']]);
    assert.deepEqual(rows('select on_hand, reserved, available from stock'), [[46, 0, 46]]);
    assert.deepEqual(rows('select sum(delta), count(*) from stock_movements'), [[46, 3]]);
    assert.deepEqual(
      rows('select count(*), sum(r.amount) from refunds r join refund_lines l on l.refund_id = r.id join orders o on o.id = r.order_id'),
      [[2, 10]],
    );
    const proof = await runToEnd(service, sync.id, { mode: 'verify' });
    assert.deepEqual(
      proof.streams.map(({ name, proof: { result } }: Body) => `${name} ${result}`),
      streams.map(({ source }: Body) => `${source} equal`),
      JSON.stringify(proof),
    );
  });

  test('what is done with orders is followed live, with its lines and the ledger of the stock', async () => {
    const streams = ['orders', 'fulfillments', 'refunds', 'refund_lines', 'stock_movements'].map((source) => ({
      source,
      target: `live_${source}`,
      mode: 'cdc',
    }));
    const { id } = await ask(service, 'POST', '/sync', { name: 'live', source_id, target_id, streams });
    const seen = (): unknown[] =>
      streams.map(({ target }) => (hasTable(path, target) ? rows(`select count(*) from ${target}`)[0]?.[0] : undefined));
    await until('the load', async () => seen().join() === '2,2,2,2,3');
    await order('zoe');
    await until('the changes', async () => seen().join() === '3,3,3,3,4');
    assert.deepEqual(
      rows(
        'select o.status, r.amount as whole, l.amount as line from live_orders o join live_refunds r on r.order_id = o.id join live_refund_lines l on l.refund_id = r.id order by o.id',
      ),
      Array.from({ length: 3 }, () => ['shipped', '5', '5']),
    );
    await ask(service, 'POST', `/sync/${id}/pause`);
  });

  test('what the feed does not tell is refused to be followed, in words', async () => {
    const streams = [{ source: 'customers', target: 'live_customers', mode: 'cdc' }];
    const { status, body } = await service.post('/api/v1/datasync/sync', { name: 'live', source_id, target_id, streams });
    assert.equal(status, 400);
    assert.match(body.error.details.reason, /cannot be cdc: "customers" cannot be followed: it is read as a whole/);
  });
});
