import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Ended, syncline } from '../../test/support/command-line.ts';
import { onEitherEngine } from '../../test/support/databases.ts';
import { type Service, startService } from '../../test/support/service.ts';

onEitherEngine('syncline orders', (engine) => {
  let service: Service;
  const folder = mkdtempSync(join(tmpdir(), 'syncline-orders-'));
  const run = (...args: string[]): Promise<Ended> =>
    syncline(['orders', ...args], { SYNCLINE_URL: service.url, SYNCLINE_KEY: service.adminKey });
  before(async () => {
    service = await startService(engine);
    for (const product_id of ['mug', 'tee'])
      await service.post('/api/v1/orders', { customer_id: 'c-1', items: [{ product_id, quantity: 1, price: 2 }] });
  });
  after(async () => {
    await service.close();
    rmSync(folder, { recursive: true });
  });

  test('finds what the filters say', async () => {
    const { code, stdout, stderr } = await run('find', '--product', 'mug', '--json');
    assert.equal(code, 0, stderr);
    assert.equal((JSON.parse(stdout) as unknown[]).length, 1);
    assert.match((await run('find', '--q', 'nothing like it')).stdout, /ID +STATUS/);
  });

  test('exports to standard output, or to a file that is there when it is whole', async () => {
    const shown = await run('export', '--format', 'jsonl');
    assert.equal(shown.stdout.trimEnd().split('\n').length, 2);
    const file = join(folder, 'orders.csv');
    assert.equal((await run('export', '--format', 'csv', '--q', 'tee', '--out', file)).code, 0);
    assert.equal(readFileSync(file, 'utf8').trimEnd().split('\r\n').length, 2);
    const refused = await run('export', '--format', 'xlsx', '--out', join(folder, 'none'));
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /format/);
    assert.match((await run('export', '--out', join(folder, 'no', 'folder'))).stderr, /^Cannot write .*folder: ENOENT/);
    assert.deepEqual(readdirSync(folder), ['orders.csv']);
    assert.equal((await run('export', 'all')).code, 2);
  });

  test('says how much is left, or in stock, where that is too little', async () => {
    await service.post('/api/v1/products/sync', { product_id: 'cup', name: 'Cup', price: 2, stock_quantity: 1, track_stock: true });
    const items = ['cup', 'mug', 'cup'].map((product_id) => ({ product_id, quantity: 2, price: 2 }));
    const { id } = (await service.post('/api/v1/orders', { customer_id: 'c-1', items })).body.data as { id: string };
    const words = async (...args: string[]): Promise<string[]> => {
      const { code, stderr } = await run(...args);
      assert.equal(code, 1, stderr);
      return stderr.trimEnd().split('\n');
    };
    assert.deepEqual(await words('ship', id, '--line', '1=3', '--line', '2=5'), [
      'That is more than is left to ship.',
      '  - lines[0].quantity: 2 of line 1 are left to ship',
      '  - lines[1].quantity: 2 of line 2 are left to ship',
    ]);
    assert.deepEqual(await words('refund', id, '--amount', '99'), [
      'That is more than is left of what was paid.',
      '  - amount: is 99, but 12 EUR can be given back',
    ]);
    assert.deepEqual(await words('create', '--order', JSON.stringify({ customer_id: 'c-1', reserve: true, items })), [
      'There is too little of cup in stock. No order was made.',
      '  - items[0].quantity: 4 of cup are wanted, 1 are available',
      '  - items[2].quantity: 4 of cup are wanted, 1 are available',
    ]);
  });

  test('calls an order by its id, or by its external id, whatever is in it', async () => {
    const made = new Map<string, string>();
    const other = (await service.get('/api/v1/orders?limit=1')).body.data[0].id as string;
    // As an order has it that came from another Syncline, and one that would be another path.
    for (const external_id of ['SHOP 4711/ü?&#', 'ord_01kfa0v2m3f8rb4v3k7m2t9xqe', '..', other]) {
      const { body } = await service.post('/api/v1/orders', {
        customer_id: 'c-2',
        external_id,
        items: [{ product_id: 'mug', quantity: 4, price: 2 }],
      });
      made.set(external_id, body.data.id);
    }
    for (const [number, id] of made) {
      const { code, stdout, stderr } = await run('show', number);
      assert.equal(code, 0, stderr);
      assert.equal((JSON.parse(stdout) as { id: string }).id, number === other ? other : id, 'an id comes first');
    }
    const [number = '', id] = [...made][0] ?? [];
    assert.equal((await run('update', number, '--changes', '{"note": "by number"}')).stdout, `${id}\n`);
    assert.equal((await run('move', number, 'processing')).code, 0);
    assert.match((await run('ship', number, '--line', '1=2')).stderr, /The order is processing, at version 4/);
    assert.equal((await run('return', number, '--line', '1=1')).code, 0);
    assert.equal((await run('refund', number, '--amount', '1')).code, 0);
    const none = await run('show', 'SHOP 4712');
    assert.equal(none.code, 1);
    assert.match(none.stderr, /There is no order with the id or external id "SHOP 4712"/);
    assert.match((await run('move', 'ord_01kfa0v2m3f8rb4v3k7m2t9xqz', 'processing')).stderr, /no order/i);
  });
});
