import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onBothEngines } from '../support/databases.ts';
import { type Service, startService } from '../support/service.ts';

interface Product {
  product_id: string;
  name: string;
  price: number;
  stock_quantity: number;
  categories: string[];
  version: number;
  created_at: string;
  updated_at: string;
}

const START = Date.UTC(2040, 0, 1);
const NAMES = [
  'Blue Mug',
  'blue plate',
  '100% cotton',
  'under_score',
  'Ünïcode ÄÖ',
  'a!b',
  "O'Brien",
  'back\\slash',
  'plain',
  '1000 cotton',
];

onBothEngines('list of products', (engine) => {
  let service: Service;
  let now = START;
  let products: Product[];
  before(async () => {
    service = await startService(engine, { clock: () => now });
    for (let i = 0; i < 60; i++) {
      now = START + i * 1000;
      const { status } = await service.post('/api/v1/products/sync', {
        product_id: i % 7 === 0 ? `😀${i}` : i % 5 === 0 ? `Ｆ${i}` : `p${i}`,
        name: NAMES[i % NAMES.length],
        price: i,
        categories: ['all', ...(i % 2 === 0 ? ['even'] : []), ...(i % 3 === 0 ? ['Three & more'] : [])],
      });
      assert.equal(status, 200);
    }
    products = await everything();
  });
  after(() => service.close());

  const list = async (parameters: Record<string, string | number>) => {
    const query = new URLSearchParams(Object.entries(parameters).map(([name, value]) => [name, String(value)])).toString();
    const { status, body, text } = await service.get(`/api/v1/products?${query}`);
    assert.equal(status, 200, text);
    return body as { data: Product[]; total: number; next_cursor: string | null };
  };
  const everything = async (): Promise<Product[]> => (await list({ limit: 1000 })).data;
  const expect = async (parameters: Record<string, string | number>, matches: (product: Product) => boolean): Promise<void> => {
    const { data, total } = await list({ limit: 1000, ...parameters });
    assert.deepEqual(data, products.filter(matches));
    assert.equal(total, products.filter(matches).length);
  };

  test('all, in the order of their ids, with every field', async () => {
    const { data, total, next_cursor } = await list({ limit: 1000 });
    assert.equal(total, 60);
    assert.equal(next_cursor, null);
    const ids = data.map((product) => product.product_id);
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    );
    for (const product of data) {
      const one = await service.get(`/api/v1/products/${encodeURIComponent(product.product_id)}`);
      assert.deepEqual(one.body.data, product);
    }
  });

  test('category', async () => {
    for (const category of ['all', 'even', 'Three & more']) await expect({ category }, (product) => product.categories.includes(category));
    await expect({ category: 'EVEN' }, () => false);
    await expect({ category: 'none' }, () => false);
  });

  test('q: in name or id, in any case, % and _ and ! literally', async () => {
    for (const q of [
      'blue',
      'BLUE',
      'lue m',
      '100%',
      '%',
      '_',
      '!',
      'a!b',
      "o'b",
      '\\',
      'ÄÖ',
      'äö',
      'ünï',
      'p1',
      'P1',
      '😀',
      'nowhere',
      'cotton',
      '0 c',
    ]) {
      const wanted = q.toLowerCase();
      await expect({ q }, ({ name, product_id }) => name.toLowerCase().includes(wanted) || product_id.toLowerCase().includes(wanted));
    }
    assert.equal((await list({ q: '100%' })).total, 6);
  });

  test('updated_since is inclusive', async () => {
    for (const i of [0, 30, 59]) {
      const since = new Date(START + i * 1000).toISOString();
      await expect({ updated_since: since }, (product) => product.updated_at >= since);
      await expect({ updated_since: `${since.slice(0, -1)}5Z` }, (product) => product.updated_at > since);
    }
    await expect({ updated_since: '2041-01-01' }, () => false);
  });

  test('filters together, with exact totals whatever the page', async () => {
    const since = new Date(START + 20_000).toISOString();
    await expect(
      { category: 'even', q: 'blue', updated_since: since },
      ({ categories, name, updated_at }) => categories.includes('even') && name.toLowerCase().includes('blue') && updated_at >= since,
    );
    const matches = products.filter((product) => product.categories.includes('even'));
    const { data, total } = await list({ category: 'even', limit: 4, offset: 3 });
    assert.deepEqual(data, matches.slice(3, 7));
    assert.equal(total, matches.length);
  });

  test('offset: to the end and past it', async () => {
    for (const offset of [0, 1, 59, 60, 61, Number.MAX_SAFE_INTEGER]) {
      const { data, total } = await list({ offset, limit: 10 });
      assert.deepEqual(data, products.slice(offset, offset + 10));
      assert.equal(total, 60);
    }
  });

  test('refused: bad paging, unknown parameters, empty values', async () => {
    for (const [query, field] of [
      ['limit=0', 'limit'],
      ['limit=1001', 'limit'],
      ['offset=-1', 'offset'],
      ['cursor=garbage', 'cursor'],
      ['cursor=MTpw&offset=0', 'cursor'],
      ['category=', 'category'],
      ['q=', 'q'],
      ['q=%00', 'q'],
      ['q=a&q=b', 'q'],
      ['updated_since=now', 'updated_since'],
      ['colour=red', 'colour'],
    ] as const) {
      const { status, body } = await service.get(`/api/v1/products?${query}`);
      assert.equal(status, 400, query);
      assert.equal(body.error.code, 'INVALID_PARAMS');
      assert.equal(body.error.details.field, field);
    }
  });

  // It brings more products, so it comes last.
  test('by cursor: every product that was there once, while others arrive', async () => {
    for (const filter of [{}, { category: 'even' }, { q: 'p' }] as Record<string, string>[]) {
      const before = (await list({ ...filter, limit: 1000 })).data;
      const seen: Product[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page = await list({ ...filter, limit: 7, ...(cursor && { cursor }) });
        seen.push(...page.data);
        cursor = page.next_cursor;
        // One before and one after where we are.
        for (const product_id of [`!${seen.length}${filter['q'] ?? ''}`, `zz${seen.length}${filter['q'] ?? ''}`])
          await service.post('/api/v1/products/sync', { product_id, name: 'p', price: 1, categories: ['even'] });
      }
      const ids = new Set(before.map((product) => product.product_id));
      assert.deepEqual(
        seen.filter((product) => ids.has(product.product_id)),
        before,
      );
      assert.equal(new Set(seen.map((product) => product.product_id)).size, seen.length);
    }
  });
});
