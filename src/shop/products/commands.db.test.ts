import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { preparedPlace, onBothEngines, type Place } from '../../../test/support/databases.ts';
import type { Database } from '../../db/database.ts';
import { openDatabase } from '../../db/open.ts';
import { sql } from '../../db/sql.ts';
import { createLog } from '../../lib/log.ts';
import { deleteProduct, type SyncRefusal, syncProducts } from './commands.ts';
import { packPatches } from './packing.ts';
import { listProducts, type ProductPage } from './queries.ts';
import type { ProductPatch } from './rules.ts';

const NOW = '2026-11-01T12:00:00.000Z';
const LATER = '2026-11-02T12:00:00.000Z';

interface Synced {
  product_id: string;
  stock_quantity: number;
  categories: string[];
  version: number;
  updated_at: string;
  result: string;
  changed: string[];
}

onBothEngines('products', (engine) => {
  let place: Place;
  let nodes: Database[];
  before(async () => {
    place = await preparedPlace(engine);
    // PostgreSQL may have several nodes; an SQLite file has one.
    const open = (): Promise<Database> => openDatabase({ ...place, poolSize: 8 }, createLog('silent'));
    nodes = engine === 'postgres' ? [await open(), await open()] : [await open()];
  });
  after(async () => {
    await Promise.all(nodes.map((node) => node.close()));
    await place.remove();
  });

  const db = (n = 0): Database => nodes[n % nodes.length] as Database;

  async function sync(patches: ProductPatch[], { now = NOW, node = 0 } = {}): Promise<(Synced | SyncRefusal)[]> {
    const outcomes = await db(node).write(syncProducts, { patches: packPatches(patches), now });
    return outcomes.map((outcome) => (typeof outcome === 'string' ? (JSON.parse(outcome) as Synced) : outcome));
  }

  async function syncOne(patch: ProductPatch, options?: { now?: string; node?: number }): Promise<Synced> {
    const [outcome] = await sync([patch], options);
    assert.ok(outcome && !('kind' in outcome), JSON.stringify(outcome));
    return outcome;
  }

  const eventsOf = (id: string) =>
    db().read.all<{ type: string; data: string }>(sql`select type, data from events where object_id = ${id} order by seq`);
  const typesOf = async (id: string): Promise<string[]> => (await eventsOf(id)).map((event) => event.type);
  const categoriesOf = async (id: string): Promise<string[]> => {
    const rows = await db().read.all<{ category: string }>(
      sql`select category from product_categories where product_id = ${id} order by category`,
    );
    return rows.map((row) => row.category);
  };
  const counted = async (): Promise<number> =>
    (await db().read.all<{ n: number }>(sql`select n from counters where name = 'products'`))[0]?.n ?? 0;
  const stored = async (): Promise<number> => (await db().read.all<{ n: number }>(sql`select count(*) as n from products`))[0]?.n ?? 0;

  /** Everything that a write could leave behind. */
  const traces = async (): Promise<unknown[]> => [
    await db().read.all(sql`select * from products order by product_id`),
    await db().read.all(sql`select * from counters order by name`),
    await db().read.all(sql`select seq from events order by seq`),
  ];

  test('are created, updated and left alone, and each change is told once', async () => {
    const made = await syncOne({ product_id: 'mug', name: 'Mug', price: '19.99', categories: '["mugs","blue"]' });
    assert.deepEqual([made.result, made.version, made.stock_quantity], ['created', 1, 0]);
    const same = await syncOne({ product_id: 'mug', name: 'Mug', price: '19.99' }, { now: LATER });
    assert.deepEqual([same.result, same.changed, same.version, same.updated_at], ['unchanged', [], 1, NOW]);
    const moved = await syncOne({ product_id: 'mug', stock_quantity: 4, categories: '["mugs","sale"]' }, { now: LATER });
    assert.deepEqual([moved.result, moved.changed, moved.version], ['updated', ['stock_quantity', 'categories'], 2]);
    assert.equal(moved.updated_at, LATER);
    assert.deepEqual(await categoriesOf('mug'), ['mugs', 'sale']);
    const events = await eventsOf('mug');
    assert.deepEqual(
      events.map((event) => event.type),
      ['product.created', 'product.updated'],
    );
    const { result: _, changed: __, ...product } = moved;
    assert.deepEqual(JSON.parse(events[1]?.data ?? ''), product);
    assert.deepEqual([await counted(), await stored()], [1, 1]);
  });

  test('that do not change leave no trace at all', async () => {
    const before = await traces();
    for (let i = 0; i < 3; i++) await syncOne({ product_id: 'mug', stock_quantity: 4, price: '19.99' }, { now: LATER });
    assert.deepEqual(await traces(), before);
  });

  test('that cannot be made for want of a name do not stop the others of the batch', async () => {
    const outcomes = await sync([
      { product_id: 'b1', name: 'B', price: '1' },
      { product_id: 'b2', price: '1' },
      { product_id: 'b3' },
      { product_id: 'b4', name: 'B', price: '2' },
    ]);
    assert.deepEqual(
      outcomes.map((outcome) => ('kind' in outcome ? outcome : outcome.result)),
      ['created', { kind: 'incomplete', missing: ['name'] }, { kind: 'incomplete', missing: ['name', 'price'] }, 'created'],
    );
    assert.deepEqual([await typesOf('b2'), await counted(), await stored()], [[], 3, 3]);
  });

  test('that are told of several times in one batch take their turn', async () => {
    const outcomes = await sync([
      { product_id: 'turn', stock_quantity: 9 },
      { product_id: 'turn', name: 'T', price: '1', stock_quantity: 1, categories: '["a"]' },
      { product_id: 'turn', stock_quantity: 1 },
      { product_id: 'turn', stock_quantity: 2, categories: '["b"]' },
      { product_id: 'turn', categories: '["a","c"]' },
    ]);
    assert.deepEqual(
      outcomes.map((outcome) => ('kind' in outcome ? 'incomplete' : `${outcome.result} ${outcome.version}`)),
      ['incomplete', 'created 1', 'unchanged 1', 'updated 2', 'updated 3'],
    );
    assert.deepEqual(await typesOf('turn'), ['product.created', 'product.updated', 'product.updated']);
    assert.deepEqual(await categoriesOf('turn'), ['a', 'c']);
  });

  test('keep the newest stock when messages come late, also from one batch to the next', async () => {
    const at = (second: number): string => `2026-11-01T10:00:0${second}.000000000Z`;
    await syncOne({ product_id: 'late', name: 'L', price: '1', stock_quantity: 5, stock_as_of: at(5) });
    // Seen again unchanged, later: remembered without an event, so that what comes from in between stays late.
    assert.equal((await syncOne({ product_id: 'late', stock_quantity: 5, stock_as_of: at(8) })).result, 'unchanged');
    assert.equal((await syncOne({ product_id: 'late', stock_quantity: 7, stock_as_of: at(7) })).result, 'unchanged');
    assert.equal((await syncOne({ product_id: 'late', stock_quantity: 8, stock_as_of: at(9) })).result, 'updated');
    assert.deepEqual(await typesOf('late'), ['product.created', 'product.updated']);
  });

  test('that are deleted are gone with their categories, told of once, and may come again', async () => {
    await syncOne({ product_id: 'gone', name: 'G', price: '1', categories: '["x"]' });
    const before = await counted();
    const deleted = await Promise.all([0, 1, 2, 3].map((node) => db(node).write(deleteProduct, { productId: 'gone', now: LATER })));
    assert.deepEqual(deleted.filter(Boolean).length, 1, 'deleted once');
    assert.deepEqual([await counted(), await stored(), await categoriesOf('gone')], [before - 1, before - 1, []]);
    assert.equal((await syncOne({ product_id: 'gone', name: 'G', price: '1' })).result, 'created');
    assert.deepEqual(await typesOf('gone'), ['product.created', 'product.deleted', 'product.created']);
  });

  test('that many create at once are created once', async () => {
    for (let round = 0; round < 8; round++) {
      // Sent in different orders and with categories, so that there is much to collide in.
      const ids = Array.from({ length: 6 }, (_, n) => `race-${round}-${n}`);
      const patches = ids.map((product_id) => ({ product_id, name: 'R', price: '1', categories: '["all","new"]' }));
      const answers = await Promise.all(Array.from({ length: 6 }, (_, n) => sync(n % 2 ? patches : patches.toReversed(), { node: n })));
      const results = answers.flat().map((outcome) => ('kind' in outcome ? 'incomplete' : `${outcome.product_id} ${outcome.result}`));
      for (const id of ids) {
        assert.equal(results.filter((result) => result === `${id} created`).length, 1, id);
        assert.equal(results.filter((result) => result === `${id} unchanged`).length, 5, id);
        assert.deepEqual(await typesOf(id), ['product.created']);
      }
    }
    assert.equal(await counted(), await stored());
  });

  test('that many change at once lose no change', async () => {
    await syncOne({ product_id: 'busy', name: 'B', price: '1' });
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) => syncOne({ product_id: 'busy', stock_quantity: n + 1 }, { node: n })),
    );
    assert.deepEqual(
      answers.map((answer) => answer.version).sort((a, b) => a - b),
      Array.from({ length: 40 }, (_, n) => n + 2),
    );
    const events = (await eventsOf('busy')).map((event) => JSON.parse(event.data) as Synced);
    assert.deepEqual(
      events.map((event) => event.version),
      Array.from({ length: 41 }, (_, n) => n + 1),
    );
    for (const { version, stock_quantity } of answers) assert.equal(events[version - 1]?.stock_quantity, stock_quantity);
  });

  test('of one batch are told of in their order, each with its own kind and time', async () => {
    await sync([
      { product_id: 'kind-a', name: 'A', price: '1' },
      { product_id: 'kind-b', name: 'B', price: '1' },
    ]);
    const outcomes = await sync(
      [
        { product_id: 'kind-c', name: 'C', price: '1' },
        { product_id: 'kind-b', price: '2' },
        { product_id: 'kind-a', price: '3', stock_quantity: 5 },
      ],
      { now: LATER },
    );
    assert.equal(outcomes.length, 3);
    const told = await db().read.all<{ type: string; object_id: string; created_at: string }>(
      sql`select type, object_id, created_at from events where object_id like 'kind-%' order by seq`,
    );
    assert.deepEqual(
      told.map(({ type, object_id, created_at }) => [type, object_id, created_at]),
      [
        ['product.created', 'kind-a', NOW],
        ['product.created', 'kind-b', NOW],
        ['product.created', 'kind-c', LATER],
        ['product.updated', 'kind-b', LATER],
        ['product.updated', 'kind-a', LATER],
      ],
    );
    const rows = await db().read.all<{ product_id: string; price: string; version: number; created_at: string; updated_at: string }>(
      sql`select * from products where product_id like 'kind-%' order by product_id`,
    );
    assert.deepEqual(
      rows.map(({ product_id, price, version, created_at, updated_at }) => [product_id, price, version, created_at, updated_at]),
      [
        ['kind-a', '3', 2, NOW, LATER],
        ['kind-b', '2', 2, NOW, LATER],
        ['kind-c', '1', 1, LATER, LATER],
      ],
    );
  });

  test('are listed by category, alone and with another filter, with the exact total', async () => {
    const ids = ['list-1', 'list-2', 'list-3', 'list-4'];
    await sync(ids.map((product_id, n) => ({ product_id, name: n % 2 ? 'Odd' : 'Even', price: '1', categories: '["listed","x"]' })));
    await sync([{ product_id: 'list-3', stock_quantity: 1 }], { now: LATER });
    const page = async (filter: ProductPage['filter'], from: Partial<ProductPage> = {}): Promise<unknown[]> => {
      const { products, total, next } = await db().query(listProducts, { filter, limit: 2, offset: 0, ...from });
      return [products.map((json) => (JSON.parse(json) as Synced).product_id), total, next];
    };
    assert.deepEqual(await page({ category: 'listed' }), [['list-1', 'list-2'], 4, 'list-2']);
    assert.deepEqual(await page({ category: 'listed' }, { after: 'list-2' }), [['list-3', 'list-4'], 4, undefined]);
    assert.deepEqual(await page({ category: 'listed' }, { offset: 1 }), [['list-2', 'list-3'], 4, 'list-3']);
    assert.deepEqual(await page({ category: 'listed', q: 'odd' }), [['list-2', 'list-4'], 2, undefined]);
    assert.deepEqual(await page({ category: 'listed', updated_since: LATER }), [['list-3'], 1, undefined]);
    assert.deepEqual(await page({ category: 'list' }), [[], 0, undefined]);
  });
});
