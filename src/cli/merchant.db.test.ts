import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Ended, syncline } from '../../test/support/command-line.ts';
import { onEitherEngine } from '../../test/support/databases.ts';
import { type Service, startService } from '../../test/support/service.ts';

onEitherEngine('syncline customers, products and stock', (engine) => {
  let service: Service;
  let order: string;
  const run = (...args: string[]): Promise<Ended> => syncline(args, { SYNCLINE_URL: service.url, SYNCLINE_KEY: service.adminKey });
  const done = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(...args);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  before(async () => {
    service = await startService(engine);
    await service.post('/api/v1/products/sync', { product_id: 'a/b', name: 'Mug', price: 4.5, stock_quantity: 10, track_stock: true });
    const body = {
      customer_id: 'c/1',
      items: [{ product_id: 'a/b', quantity: 3, price: 4.5 }],
      reserve: true,
      customer: { name: 'Jo Doe' },
    };
    order = (await service.post('/api/v1/orders', body)).body.data.id;
  });
  after(() => service.close());

  test('an order, a product and a customer are shown', async () => {
    assert.equal((JSON.parse(await done('orders', 'show', order)) as { customer_id: string }).customer_id, 'c/1');
    assert.match(await done('products', 'find', '--q', 'mug'), /^ID +NAME +PRICE .*\na\/b +Mug +4\.5 +10 /);
    assert.equal((JSON.parse(await done('products', 'show', 'a/b')) as { name: string }).name, 'Mug');
    assert.match(await done('customers', 'list'), /\nc\/1 +Jo Doe +1 +13\.5 EUR /);
    assert.match(await done('customers', 'show', 'c/1'), /\nc\/1 +Jo Doe /);
  });

  test('stock is moved, refused in words, and counted; the ledger tells of it', async () => {
    assert.equal(
      await done('stock', 'move', 'a/b', '--add', '5', '--location', 'store', '--reason', 'delivery'),
      '+5 at store, 5 there now.\n',
    );
    const refused = await run('stock', 'move', 'a/b', '--take', '8');
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /7 can be taken away, not 8/);
    assert.equal((await run('stock', 'move', 'a/b')).code, 2);
    assert.equal(await done('stock', 'move', 'a/b', '--take', '7'), '-7 at default, 3 there now.\n');
    assert.equal(await done('stock', 'count', 'a/b', '8'), 'The count agrees.\n');
    assert.equal(await done('stock', 'count', 'a/b', '9'), 'The count is taken: 9 on hand in all.\n');
    const shown = await done('stock', 'show', 'a/b');
    assert.match(shown, /\nin all +9 +3 +6\n/);
    assert.match(shown, /adjusted +\+5 +5 +store +delivery/);
  });

  test('a person is erased when it is said twice', async () => {
    const asked = await run('customers', 'erase', 'c/1');
    assert.equal(asked.code, 1);
    assert.match(asked.stderr, /out of 1 order.*cannot be taken back.*--yes/);
    assert.match((await service.get(`/api/v1/orders/${order}`)).text, /Jo Doe/);
    assert.match(await done('customers', 'erase', 'c/1', '--yes'), /^Erased: era_\w+, 1 order\.\n$/);
    assert.doesNotMatch((await service.get(`/api/v1/orders/${order}`)).text, /Jo Doe|c\/1/);
  });
});
