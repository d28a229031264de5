import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { preparedPlace, onBothEngines, type Place } from '../support/databases.ts';
import { type Reply, type Service, startService } from '../support/service.ts';

interface Event {
  sequence: number;
  id: string;
  type: string;
  object_id: string;
  created_at: string;
  data: { version: number };
}

const order = (customer_id: string) => ({ customer_id, items: [{ product_id: 'p', quantity: 2, price: 0.5 }] });

async function page(service: Service, query: string, key?: string) {
  const { status, body, text } = await service.get(`/api/v1/events?${query}`, key === undefined ? {} : { key });
  assert.equal(status, 200, text);
  return body as { data: Event[]; total: number; next_cursor: string };
}

/** Reads on from a place to the end. */
async function readAll(service: Service, limit: number, key?: string, from = '0'): Promise<Event[]> {
  const events: Event[] = [];
  for (let after = from; ; ) {
    const { data, next_cursor } = await page(service, `after=${after}&limit=${limit}`, key);
    events.push(...data);
    if (data.length === 0) return events;
    after = next_cursor;
  }
}

onBothEngines('events', (engine) => {
  let place: Place;
  let service: Service;
  before(async () => {
    place = await preparedPlace(engine);
    service = await startService(engine, { place });
  });
  after(async () => {
    await service.close();
    await place.remove();
  });

  test('every change writes one event, in order, with the object as it was after it', async () => {
    assert.deepEqual(await page(service, ''), { success: true, data: [], total: 0, next_cursor: '0' });
    const told: [type: string, id: string, data: unknown][] = [];
    const made = (await service.post('/api/v1/orders', order('c'))).body.data;
    told.push(['order.created', made.id, made]);
    const again = await service.post('/api/v1/orders', order('c'), { headers: { 'idempotency-key': 'k' } });
    told.push(['order.created', again.body.data.id, again.body.data]);
    for (const to of ['processing', 'shipped', 'delivered']) {
      const { data } = (await service.post(`/api/v1/orders/${made.id}/transitions`, { to, reason: 'because' })).body;
      told.push(['order.status_changed', made.id, data]);
    }
    const synced = async (body: object) => {
      const { result, changed: _, ...product } = (await service.post('/api/v1/products/sync', body)).body.data;
      told.push([`product.${result}`, product.product_id, product]);
      return product;
    };
    await synced({ product_id: 'p', name: 'P', price: 1 });
    const product = await synced({ product_id: 'p', price: 2 });
    await service.call('DELETE', '/api/v1/products/p');
    told.push(['product.deleted', 'p', product]);

    // None of these changes anything.
    await service.post('/api/v1/orders', order('c'), { headers: { 'idempotency-key': 'k' } });
    await service.post('/api/v1/orders', { customer_id: 'c' });
    await service.post(`/api/v1/orders/${made.id}/transitions`, { to: 'delivered' });
    await service.post(`/api/v1/orders/${made.id}/transitions`, { to: 'new' });
    await service.call('DELETE', '/api/v1/products/p');
    await service.keyWith('orders:read');

    const { data, total } = await page(service, 'limit=1000');
    assert.deepEqual(
      data.map((event) => [event.type, event.object_id, event.data]),
      told,
    );
    assert.equal(total, told.length);
    data.forEach((event, index) => {
      assert.equal(event.sequence, index + 1);
      assert.match(event.id, /^evt_[0-9a-z]{26}$/);
      assert.match(event.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    });
    assert.equal(new Set(data.map((event) => event.id)).size, told.length);
  });

  test('after and cursor are the same; total is how many are left, next_cursor where to go on from', async () => {
    const all = (await page(service, 'limit=1000')).data;
    for (const after of [0, 1, 4, all.length - 1, all.length, all.length + 5]) {
      for (const parameter of ['after', 'cursor']) {
        const answer = await page(service, `${parameter}=${after}&limit=2`);
        assert.deepEqual(answer.data, all.slice(after, after + 2));
        assert.equal(answer.total, Math.max(0, all.length - after));
        assert.equal(answer.next_cursor, String(Math.max(after, Math.min(after + 2, all.length))));
      }
    }
  });

  test('refused: after with cursor, bad values, unknown parameters', async () => {
    for (const [query, field] of [
      ['after=1&cursor=1', 'cursor'],
      ['after=-1', 'after'],
      ['after=x', 'after'],
      ['after=1.5', 'after'],
      ['after=', 'after'],
      ['cursor=x', 'cursor'],
      ['cursor=-1', 'cursor'],
      ['limit=0', 'limit'],
      ['limit=1001', 'limit'],
      ['type=order.created', 'type'],
    ] as const) {
      const { status, body } = await service.get(`/api/v1/events?${query}`);
      assert.equal(status, 400, query);
      assert.equal(body.error.details.field, field);
    }
  });

  test('a key sees the events that its scopes let it read, and pages through all of them', async () => {
    const all = await readAll(service, 1000);
    const topics = { 'orders:read': /^order\./, 'products:read': /^product\./, admin: /./ } as const;
    for (const [scope, pattern] of Object.entries(topics)) {
      const key = await service.keyWith(scope as 'admin');
      const visible = all.filter((event) => pattern.test(event.type));
      assert.deepEqual(await readAll(service, 2, key), visible);
      for (const after of [0, 3, 5, all.length]) {
        const left = visible.filter((event) => event.sequence > after);
        assert.equal((await page(service, `after=${after}&limit=1`, key)).total, left.length);
      }
    }
    const both = await service.keyWith('orders:read', 'products:read');
    assert.deepEqual(await readAll(service, 3, both), all);
    const neither = await service.keyWith('orders:write', 'products:write');
    assert.equal((await service.get('/api/v1/events', { key: neither })).status, 403);
  });

  test('gap-free: readers that follow many writers see every event once, in order, none missing', async (t) => {
    // Where several nodes can share a database, they do.
    const nodes = engine === 'postgres' ? [service, await startService(engine, { place })] : [service];
    t.after(() => Promise.all(nodes.slice(1).map((other) => other.close())));
    const node = (i: number): Service => nodes[i % nodes.length] as Service;
    const start = (await page(service, 'after=0&limit=1')).total;
    const expected: string[] = [];
    const expect = (type: string, { status, body, text }: Reply): Reply => {
      assert.equal(status, 200, text);
      const { data } = body;
      expected.push(`${type} ${data.id ?? data.product_id} ${data.version}`);
      return { status, body, text } as Reply;
    };
    const shopper = async (i: number): Promise<void> => {
      for (let n = 0; n < 12; n++) {
        const { id } = expect('order.created', await node(i).post('/api/v1/orders', order(`s${i}`))).body.data;
        for (const to of ['processing', 'shipped']) {
          expect('order.status_changed', await node(i + n).post(`/api/v1/orders/${id}/transitions`, { to }));
        }
      }
    };
    const feeder = async (i: number): Promise<void> => {
      for (let n = 0; n < 25; n++) {
        const reply = await node(n).post('/api/v1/products/sync', { product_id: `f${i % 4}`, name: 'F', price: n * 100 + i });
        expect(`product.${reply.body.data.result}`, reply);
      }
    };

    let writing = true;
    const follow = async (key: string, limit: number, reader: Service): Promise<Event[]> => {
      const seen: Event[] = [];
      for (let after = String(start); ; ) {
        // The flag is read before the page: what was written while the page was read is still asked for.
        const last = !writing;
        const { data, next_cursor } = await page(reader, `after=${after}&limit=${limit}`, key);
        seen.push(...data);
        if (data.length === 0 && last) return seen;
        after = next_cursor;
      }
    };
    const [ordersKey, productsKey] = [await service.keyWith('orders:read'), await service.keyWith('products:read')];
    const readers = [
      follow(service.adminKey, 5, node(0)),
      follow(service.adminKey, 200, node(1)),
      follow(ordersKey, 9, node(1)),
      follow(productsKey, 9, node(0)),
    ];
    await Promise.all([...Array.from({ length: 10 }, (_, i) => shopper(i)), ...Array.from({ length: 6 }, (_, i) => feeder(i))]);
    writing = false;
    const [small, large, orders, products] = (await Promise.all(readers)) as [Event[], Event[], Event[], Event[]];

    assert.deepEqual(
      small.map((event) => event.sequence),
      Array.from({ length: expected.length }, (_, i) => start + 1 + i),
    );
    assert.deepEqual(small.map(({ type, object_id, data }) => `${type} ${object_id} ${data.version}`).toSorted(), expected.toSorted());
    assert.deepEqual(large, small);
    assert.deepEqual(
      orders,
      small.filter((event) => event.type.startsWith('order.')),
    );
    assert.deepEqual(
      products,
      small.filter((event) => event.type.startsWith('product.')),
    );
    // A later reader finds the same, and the events of one object are in the order of its versions.
    assert.deepEqual(await readAll(service, 1000, undefined, String(start)), small);
    const versions = new Map<string, number>();
    for (const { object_id, data } of small) {
      assert.equal(data.version, (versions.get(object_id) ?? 0) + 1);
      versions.set(object_id, data.version);
    }
  });
});
