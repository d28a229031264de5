import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onBothEngines } from '../support/databases.ts';
import { type Reply, type Service, startService } from '../support/service.ts';

const SYNC = '/api/v1/products/sync';
const MINUTE = 60_000;
const ago = (minutes: number): string => new Date(Date.now() - minutes * MINUTE).toISOString();

onBothEngines('products', (engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
  });
  after(() => service.close());

  const sync = async (body: object): Promise<Reply> => service.post(SYNC, body);
  const read = (id: string): Promise<Reply> => service.get(`/api/v1/products/${encodeURIComponent(id)}`);
  const events = async (): Promise<number> => (await service.get('/api/v1/events?limit=1')).body.total;

  /** Does something that must leave no trace: no event, and the product as it was. */
  const withoutTrace = async (id: string, act: () => Promise<unknown>): Promise<void> => {
    const before = { events: await events(), product: (await read(id)).text };
    await act();
    assert.deepEqual({ events: await events(), product: (await read(id)).text }, before);
  };

  test('a new product: the answer is the product with result and changed', async () => {
    const { status, body } = await sync({ product_id: 'a', name: 'A', price: 19.99, stock_quantity: 4, categories: ['x', 'y'] });
    assert.equal(status, 200);
    const { created_at, updated_at, ...rest } = body.data;
    assert.deepEqual(rest, {
      product_id: 'a',
      name: 'A',
      price: 19.99,
      stock_quantity: 4,
      categories: ['x', 'y'],
      version: 1,
      result: 'created',
      changed: ['name', 'price', 'stock_quantity', 'categories'],
    });
    assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal(updated_at, created_at);
    const { result: _, changed: __, ...product } = body.data;
    assert.deepEqual((await read('a')).body, { success: true, data: product });
  });

  test('a new product needs name and price; stock and categories have defaults', async () => {
    for (const [body, fields] of [
      [{ product_id: 'b' }, ['name', 'price']],
      [{ product_id: 'b', name: 'B' }, ['price']],
      [{ product_id: 'b', price: 1 }, ['name']],
      [{ product_id: 'b', stock_quantity: 4, categories: ['x'] }, ['name', 'price']],
    ] as const) {
      const { status, body: answer } = await sync(body);
      assert.equal(status, 400);
      assert.equal(answer.error.code, 'INVALID_PARAMS');
      assert.deepEqual(
        answer.error.details.errors.map((fault: { field: string }) => fault.field),
        fields,
      );
    }
    assert.equal((await read('b')).status, 404);
    const { body } = await sync({ product_id: 'b', name: 'B', price: 0 });
    assert.partialDeepStrictEqual(body.data, { price: 0, stock_quantity: 0, categories: [] });
  });

  test('fields that are left out of an update keep their value', async () => {
    await sync({ product_id: 'c', name: 'C', price: 5, stock_quantity: 7, categories: ['x'] });
    const values: Record<string, unknown> = { name: 'C', price: 5, stock_quantity: 7, categories: ['x'] };
    let version = 1;
    for (const [field, value] of Object.entries({ name: 'C2', price: 0.0001, stock_quantity: 0, categories: [] })) {
      const { body } = await sync({ product_id: 'c', [field]: value });
      values[field] = value;
      version++;
      assert.partialDeepStrictEqual(body.data, { ...values, version, result: 'updated', changed: [field] });
    }
  });

  test('unchanged writes nothing and emits nothing', async () => {
    const full = { product_id: 'd', name: 'D', price: 19.99, stock_quantity: 1, categories: ['x', 'y'] };
    await sync(full);
    await withoutTrace('d', async () => {
      for (const body of [full, { product_id: 'd' }, { product_id: 'd', price: 19.99 }, { product_id: 'd', categories: ['x', 'y'] }]) {
        const { body: answer } = await sync(body);
        assert.partialDeepStrictEqual(answer.data, { ...full, result: 'unchanged', changed: [], version: 1 });
      }
    });
  });

  test('a price is the number it means: 19.990 is 19.99, 1e1 is 10, −0 is 0', async () => {
    const raw = (text: string) => service.call('POST', SYNC, { raw: text });
    await sync({ product_id: 'e', name: 'E', price: 19.99 });
    assert.equal((await raw('{"product_id":"e","price":19.990}')).body.data.result, 'unchanged');
    assert.equal((await raw('{"product_id":"e","price":1.999e1}')).body.data.result, 'unchanged');
    const ten = await raw('{"product_id":"e","price":1e1}');
    assert.match(ten.text, /"price":10,/);
    assert.equal((await raw('{"product_id":"e","price":10.0000}')).body.data.result, 'unchanged');
    assert.match((await raw('{"product_id":"e","price":-0}')).text, /"price":0,/);
    assert.equal((await raw('{"product_id":"e","price":0}')).body.data.result, 'unchanged');
    const top = await raw('{"product_id":"e","price":99999999.9999}');
    assert.match(top.text, /"price":99999999\.9999,/);
    assert.match((await read('e')).text, /"price":99999999\.9999,/);
  });

  test('the order of categories counts', async () => {
    await sync({ product_id: 'f', name: 'F', price: 1, categories: ['x', 'y'] });
    const { body } = await sync({ product_id: 'f', categories: ['y', 'x'] });
    assert.partialDeepStrictEqual(body.data, { result: 'updated', changed: ['categories'], categories: ['y', 'x'] });
    assert.deepEqual((await read('f')).body.data.categories, ['y', 'x']);
  });

  test('a late message, by stock_as_of, changes nothing; an equal or newer one counts', async () => {
    const stored = ago(10);
    await sync({ product_id: 'g', name: 'G', price: 1, stock_quantity: 10, stock_as_of: stored });
    await withoutTrace('g', async () => {
      const { body } = await sync({ product_id: 'g', name: 'other', stock_quantity: 3, stock_as_of: ago(11) });
      assert.partialDeepStrictEqual(body.data, { result: 'unchanged', changed: [], stock_quantity: 10, name: 'G' });
    });
    const equal = await sync({ product_id: 'g', stock_quantity: 4, stock_as_of: stored });
    assert.equal(equal.body.data.result, 'updated');
    // Precise to the nanosecond, and whatever the zone.
    const precise = `${stored.slice(0, -1)}000001Z`;
    assert.equal((await sync({ product_id: 'g', stock_quantity: 5, stock_as_of: precise })).body.data.result, 'updated');
    assert.equal((await sync({ product_id: 'g', stock_quantity: 6, stock_as_of: stored })).body.data.result, 'unchanged');
    const zoned = `${new Date(Date.parse(stored) + 2 * 60 * MINUTE + 1).toISOString().slice(0, -1)}+02:00`;
    assert.equal((await sync({ product_id: 'g', stock_quantity: 6, stock_as_of: zoned })).body.data.result, 'updated');
    // A message without it is a message of now.
    assert.equal((await sync({ product_id: 'g', stock_quantity: 7 })).body.data.result, 'updated');
  });

  test('a newer look that finds nothing new still makes what lies between late', async () => {
    await sync({ product_id: 'h', name: 'H', price: 1, stock_quantity: 10, stock_as_of: ago(30) });
    await withoutTrace('h', async () => {
      assert.equal((await sync({ product_id: 'h', stock_quantity: 10, stock_as_of: ago(10) })).body.data.result, 'unchanged');
      assert.equal((await sync({ product_id: 'h', stock_quantity: 2, stock_as_of: ago(20) })).body.data.result, 'unchanged');
    });
  });

  test('stock_as_of far ahead, or not a time, is refused', async () => {
    for (const stock_as_of of [ago(-25 * 60), '2999-01-01', 'soon', '2026-02-30T00:00:00Z']) {
      const { status, body } = await sync({ product_id: 'i', name: 'I', price: 1, stock_as_of });
      assert.equal(status, 400);
      assert.equal(body.error.details.field, 'stock_as_of');
    }
    assert.equal((await sync({ product_id: 'i', name: 'I', price: 1, stock_as_of: ago(-23 * 60) })).status, 200);
  });

  const refusals: [body: object, field: string][] = [
    [{ name: 'X', price: 1 }, 'product_id'],
    [{ product_id: '' }, 'product_id'],
    [{ product_id: 'x'.repeat(65) }, 'product_id'],
    [{ product_id: 'x', name: '' }, 'name'],
    [{ product_id: 'x', name: 'n'.repeat(256) }, 'name'],
    [{ product_id: 'x', price: -0.01 }, 'price'],
    [{ product_id: 'x', price: 100_000_000 }, 'price'],
    [{ product_id: 'x', price: 0.00001 }, 'price'],
    [{ product_id: 'x', stock_quantity: -1 }, 'stock_quantity'],
    [{ product_id: 'x', stock_quantity: 2 ** 53 }, 'stock_quantity'],
    [{ product_id: 'x', categories: Array.from({ length: 101 }, (_, i) => `c${i}`) }, 'categories'],
    [{ product_id: 'x', categories: ['a', 'a'] }, 'categories'],
    [{ product_id: 'x', categories: ['a', 1] }, 'categories[1]'],
    [{ product_id: 'x', categories: [''] }, 'categories[0]'],
    [{ product_id: 'x', version: 3 }, 'version'],
  ];
  test('what does not fit is refused by its name', async () => {
    for (const [body, field] of refusals) {
      const { status, body: answer } = await sync(body);
      assert.equal(status, 400, JSON.stringify(body));
      assert.equal(answer.error.code, 'INVALID_PARAMS');
      assert.equal(answer.error.details.field, field);
    }
    const bounds = { product_id: '😀'.repeat(64), name: 'ñ'.repeat(255), price: 1, stock_quantity: Number.MAX_SAFE_INTEGER };
    const { body } = await sync({ ...bounds, categories: Array.from({ length: 100 }, (_, i) => `c${i}`) });
    assert.equal(body.data.result, 'created');
    assert.partialDeepStrictEqual((await read('😀'.repeat(64))).body.data, bounds);
  });

  test('ids with slashes, spaces, percent signs and any script are percent-encoded in the path', async () => {
    for (const product_id of [
      'a/b',
      '/',
      'a b',
      '100%',
      '%2F',
      'blå',
      '商品/１',
      'a?b#c',
      'a;b',
      'a+b',
      '..%',
      'x\\y',
      'a&b=c',
      'sync',
      'p/',
    ]) {
      assert.equal((await sync({ product_id, name: product_id, price: 1 })).body.data.result, 'created', product_id);
      const { status, body, text } = await read(product_id);
      assert.equal(status, 200, `${product_id}: ${text}`);
      assert.equal(body.data.product_id, product_id);
      const path = `/api/v1/products/${encodeURIComponent(product_id)}`;
      assert.deepEqual((await service.call('DELETE', path)).body, { success: true, data: { product_id, deleted: true } });
      assert.equal((await service.get(path)).status, 404);
    }
  });

  test('delete: 404 when it is not there, version 1 when it comes back, orders keep what they say', async () => {
    const product = { product_id: 'del', name: 'Del', price: 3, categories: ['gone'] };
    await sync(product);
    await sync({ product_id: 'del', price: 4 });
    const order = await service.post('/api/v1/orders', { customer_id: 'c', items: [{ product_id: 'del', quantity: 1, price: 4 }] });
    assert.equal(order.body.data.items[0].product_known, true);
    const { body: before } = await service.get('/api/v1/products?limit=1');
    assert.equal((await service.call('DELETE', '/api/v1/products/del')).status, 200);
    const again = await service.call('DELETE', '/api/v1/products/del');
    assert.equal(again.status, 404);
    assert.equal(again.body.error.code, 'NOT_FOUND');
    assert.equal((await service.get('/api/v1/products?limit=1')).body.total, before.total - 1);
    assert.equal((await service.get('/api/v1/products?category=gone')).body.total, 0);
    assert.deepEqual((await service.get(`/api/v1/orders/${order.body.data.id}`)).body, order.body);
    const back = await sync({ ...product, categories: ['gone'] });
    assert.partialDeepStrictEqual(back.body.data, { result: 'created', version: 1 });
    assert.equal((await service.get('/api/v1/products?category=gone')).body.total, 1);
  });
});
