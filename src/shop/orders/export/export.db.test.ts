import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { parquetReadObjects } from 'hyparquet';
import { onBothEngines } from '../../../../test/support/databases.ts';
import { startService, type Service } from '../../../../test/support/service.ts';
import { foldOnce } from '../find/follower.ts';
import { exportedPages } from './pages.ts';

const address = { street: 'Main St 1', city: 'Springfield', zip: '12345', name: '=cmd()' };

onBothEngines('the export of orders', (engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
    const items = [
      { product_id: 'mug-blue', quantity: 3, price: 19.99, name: 'Blue "mug", large', sku: 'MUG-B', tax: { rate: 19 } },
      { product_id: 'tee', quantity: 1, price: 0.0001 },
    ];
    const customer = { email: 'jo@example.com', name: 'Jo Doe', phone: '+49 30 1' };
    const orders = Array.from({ length: 30 }, (_, n) => ({
      customer_id: `c-${n}`,
      external_id: `x-${n}`,
      items,
      shipping_address: address,
      channel: n % 2 ? 'web' : 'store',
      tags: ['a', 'b'],
      customer,
    }));
    assert.equal((await service.post('/api/v1/orders/batch', orders)).body.failed, 0);
  });
  after(() => service.close());

  const get = (query: string) => service.get(`/api/v1/orders/export?${query}`);

  test('needs a key with orders:read, and a format', async () => {
    assert.equal((await service.get('/api/v1/orders/export?format=csv', { key: null })).status, 401);
    assert.equal((await service.get('/api/v1/orders/export?format=csv', { key: await service.keyWith('orders:write') })).status, 403);
    const refused = await get('format=xlsx');
    assert.deepEqual([refused.status, refused.body.error.details.field], [400, 'format']);
    assert.equal((await get('format=jsonl&rows=lines')).body.error.details.field, 'rows');
  });

  test('as JSON Lines has whole orders, as they are read one by one', async () => {
    const { text, headers } = await get('format=jsonl');
    assert.match(headers.get('content-disposition') ?? '', /orders\.jsonl/);
    const lines = text.trimEnd().split('\n');
    assert.equal(lines.length, 30);
    for (const line of lines.slice(0, 3)) {
      const one = await service.get(`/api/v1/orders/${(JSON.parse(line) as { id: string }).id}`);
      assert.equal(`{"success":true,"data":${line}}`, one.text);
    }
  });

  test('as CSV is safe in a spreadsheet and keeps every digit', async () => {
    const { text } = await get('format=csv&rows=lines&channel=web');
    const [header = '', ...rows] = text.trimEnd().split('\r\n');
    const bytes = await fetch(`${service.url}/api/v1/orders/export?format=csv`, {
      headers: { authorization: `Bearer ${service.adminKey}` },
    });
    assert.deepEqual(
      [...new Uint8Array(await bytes.arrayBuffer()).slice(0, 5)],
      [0xef, 0xbb, 0xbf, 0x69, 0x64],
      'the mark of UTF-8, and the header',
    );
    assert.equal(rows.length, 30);
    assert.ok(header.startsWith('id,status,total,currency,'), header);
    assert.match(rows[0] ?? '', /,'=cmd\(\),Main St 1,/);
    assert.match(rows[0] ?? '', /,'\+49 30 1,/);
    assert.match(rows[0] ?? '', /,1,mug-blue,"Blue ""mug"", large",MUG-B,,3,19\.99,59\.97,/);
    assert.match(rows[1] ?? '', /,2,tee,,,,1,0\.0001,0\.0001,/);
  });

  test('as Parquet has the same columns, and the filters of the list', async () => {
    while (await foldOnce(service.app.db));
    const response = await fetch(`${service.url}/api/v1/orders/export?format=parquet&q=x-7`, {
      headers: { authorization: `Bearer ${service.adminKey}` },
    });
    const file = await response.arrayBuffer();
    const rows = await parquetReadObjects({ file });
    assert.equal(rows.length, 1);
    assert.deepEqual([rows[0]?.['external_id'], rows[0]?.['customer_name'], rows[0]?.['shipping_name']], ['x-7', 'Jo Doe', '=cmd()']);
    assert.equal(rows[0]?.['total'], 71.3601);
    assert.ok(
      rows[0]?.['created_at'] instanceof Date && rows[0]['created_at'].getTime() > Date.now() - 600_000,
      String(rows[0]?.['created_at']),
    );
    assert.deepEqual([rows[0]?.['placed_at'], rows[0]?.['tags']], [null, '["a","b"]'], 'JSON is text, for any reader');
  });

  test('tells what an order has come to: its refunds, its parcels, and the total that it was brought in with', async () => {
    const order = {
      customer_id: 'old',
      external_id: 'old-1',
      items: [{ product_id: 'tee', quantity: 2, price: 5 }],
      payment: { status: 'paid', paid_at: '2024-02-01T12:00:00+02:00' },
      imported: true,
      placed_at: '2024-02-01T10:00:00Z',
      status: 'processing',
      total: 12,
    };
    const made = await service.post('/api/v1/orders/batch', [order]);
    const { id } = made.body.data[0].data;
    assert.equal((await service.post(`/api/v1/orders/${id}/fulfillments`, { lines: [{ line: 1, quantity: 1 }] })).status, 200);
    assert.equal((await service.post(`/api/v1/orders/${id}/refunds`, { amount: 3 })).status, 200);
    const response = await fetch(`${service.url}/api/v1/orders/export?format=parquet&external_id=old-1`, {
      headers: { authorization: `Bearer ${service.adminKey}` },
    });
    const [row = {}] = await parquetReadObjects({ file: await response.arrayBuffer() });
    assert.deepEqual([row['fulfillment_status'], row['payment_status']], ['partial', 'partially_refunded']);
    assert.deepEqual([row['refunded_total'], row['remaining_total']], [3, 9]);
    assert.deepEqual([row['subtotal'], row['adjustment'], row['total']], [10, 2, 12]);
    const at = new Date('2024-02-01T10:00:00Z');
    assert.deepEqual([row['placed_at'], row['payment_paid_at']], [at, at]);
  });

  test('and the list go by when orders were placed: that is when they came, where nothing is said of it', async () => {
    const ids = async (query: string) => {
      const listed = await service.get(`/api/v1/orders?limit=1000&expand=all&${query}`);
      const { text } = await get(`format=jsonl&${query.replace(/&?sort=[^&]*/, '')}`);
      const exported = text.split('\n').filter((line) => line !== '');
      assert.deepEqual([listed.status, listed.body.total, listed.body.data.length], [200, exported.length, exported.length], query);
      return (listed.body.data as { external_id: string }[]).map(({ external_id }) => external_id);
    };
    assert.deepEqual(await ids('placed_from=2024-02-01T10:00:00Z&placed_to=2024-02-01T10:00:00.001Z'), ['old-1']);
    assert.deepEqual(await ids('placed_from=2024-02-01T12:00:00.0005%2B02:00&placed_to=2024-02-02'), []);
    assert.deepEqual(await ids('placed_to=2024-02-01T10:00:00Z'), []);
    assert.deepEqual((await ids('placed_from=2024-01-01&sort=placed_at')).slice(0, 2), ['old-1', 'x-0']);
    assert.equal((await ids('placed_from=2024-01-01&sort=-placed_at')).at(-1), 'old-1');
    assert.equal((await ids('placed_from=2025-01-01')).length, 30);
  });

  test('is read in small pages, as each client that stops reading keeps one in memory', async () => {
    const large = Array.from({ length: 100 }, () => ({
      customer_id: 'c-large',
      items: [{ product_id: 'tee', quantity: 1, price: 1 }],
      metadata: { a: 'm'.repeat(16_000) },
    }));
    assert.equal((await service.post('/api/v1/orders/batch', large)).body.failed, 0);
    let count = 0;
    for await (const { whole } of exportedPages(service.app.db, { wish: { customer_id: 'c-large' }, whole: true })) {
      const bytes = Buffer.byteLength(whole.join(''));
      assert.ok(bytes < 1024 * 1024, `a page of ${bytes} bytes`);
      count += whole.length;
    }
    assert.equal(count, 100);
  });
});
