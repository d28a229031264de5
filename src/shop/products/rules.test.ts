import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { applyPatch, type Product, type ProductPatch } from './rules.ts';

// When a property fails, fast-check tells the seed, the number that its random choices come from; with `{ seed }` it makes
// the same choices again.

const NOW = '2026-11-01T12:00:00.000Z';
const LATER = '2026-11-01T13:00:00.000Z';

const time = fc.integer({ min: 0, max: 40 }).map((second) => `2026-11-01T10:00:${String(second).padStart(2, '0')}.000000000Z`);
const content = {
  name: fc.constantFrom('Mug', 'Cup', 'Jug'),
  price: fc.constantFrom('0', '19.99', '20'),
  stock_quantity: fc.nat(3),
  categories: fc.constantFrom('[]', '["mugs"]', '["mugs","blue"]'),
};
const message = fc.record({ product_id: fc.constant('p'), ...content }, { requiredKeys: ['product_id', 'name', 'price'] });
const patch = fc.record({ product_id: fc.constant('p'), ...content, stock_as_of: time }, { requiredKeys: ['product_id'] });
const product = fc.record({
  product_id: fc.constant('p'),
  ...content,
  version: fc.integer({ min: 1, max: 9 }),
  created_at: fc.constant('2026-10-01T00:00:00.000Z'),
  updated_at: fc.constantFrom('2026-10-02T00:00:00.000Z', '2026-12-01T00:00:00.000Z'),
  stock_as_of: fc.option(time),
  extra: fc.constantFrom(null, '{"sku":"s"}'),
  track_stock: fc.constantFrom(null, 0, 1),
  allow_backorder: fc.constantFrom(null, 0, 1),
});

function applied(present: Product | undefined, given: ProductPatch, now = NOW) {
  const verdict = applyPatch(present, given, now);
  assert.ok(verdict.kind === 'applied');
  return verdict;
}

describe('a message about a product', () => {
  test('that is new needs a name and a price, and names each that is missing', () => {
    assert.deepEqual(applyPatch(undefined, { product_id: 'p' }, NOW), { kind: 'incomplete', missing: ['name', 'price'] });
    assert.deepEqual(applyPatch(undefined, { product_id: 'p', name: 'P' }, NOW), { kind: 'incomplete', missing: ['price'] });
    assert.deepEqual(applyPatch(undefined, { product_id: 'p', price: '1' }, NOW), { kind: 'incomplete', missing: ['name'] });
  });

  test('that is new is stored as told, with nothing in stock and in no category unless it says so', () => {
    fc.assert(
      fc.property(message, (given) => {
        const { result, writes, product: made } = applied(undefined, given);
        assert.deepEqual([result, writes], ['created', true]);
        assert.deepEqual(made, {
          stock_quantity: 0,
          categories: '[]',
          ...given,
          version: 1,
          created_at: NOW,
          updated_at: NOW,
          stock_as_of: null,
          extra: null,
          track_stock: null,
          allow_backorder: null,
        });
      }),
    );
  });

  test('changes what it names and nothing else, and says what that was', () => {
    fc.assert(
      fc.property(product, patch, (present, given) => {
        const { result, changed, product: made, writes } = applied(present, given);
        const fields = ['name', 'price', 'stock_quantity', 'categories'] as const;
        assert.deepEqual(
          changed,
          fields.filter((field) => made[field] !== present[field]),
        );
        for (const field of fields) assert.ok(made[field] === present[field] || made[field] === given[field]);
        assert.equal(result, changed.length > 0 ? 'updated' : 'unchanged');
        assert.equal(made.version, present.version + (changed.length > 0 ? 1 : 0));
        assert.ok(made.updated_at >= present.updated_at, 'a clock that was set back must not make a product younger');
        if (!writes) assert.equal(made, present);
      }),
    );
  });

  test('told twice changes nothing the second time', () => {
    fc.assert(
      fc.property(fc.option(product, { nil: undefined }), patch, (present, given) => {
        const once = applyPatch(present, given, NOW);
        fc.pre(once.kind === 'applied');
        const twice = applied(once.product, given, LATER);
        assert.deepEqual([twice.result, twice.changed, twice.writes], ['unchanged', [], false]);
        assert.equal(twice.product, once.product);
      }),
    );
  });

  test('that is late is harmless: in whatever order messages arrive, what the newest says holds', () => {
    const full = fc.record({ product_id: fc.constant('p'), ...content, stock_as_of: time });
    const messages = fc.uniqueArray(full, { selector: (given) => given.stock_as_of, minLength: 1, maxLength: 8 });
    const shuffled = messages.chain((given) => fc.shuffledSubarray(given, { minLength: given.length, maxLength: given.length }));
    fc.assert(
      fc.property(shuffled, (arriving) => {
        let present: Product | undefined;
        for (const given of arriving) ({ product: present } = applied(present, given));
        const newest = arriving.toSorted((a, b) => (a.stock_as_of < b.stock_as_of ? -1 : 1)).at(-1);
        const { version: _, created_at: __, updated_at: ___, ...told } = present as Product;
        assert.deepEqual(told, { ...newest, extra: null, track_stock: null, allow_backorder: null });
      }),
      { numRuns: 500 },
    );
  });

  test('that is late changes nothing, not even what it could not know better', () => {
    fc.assert(
      fc.property(product, patch, (present, given) => {
        fc.pre(given.stock_as_of !== undefined && present.stock_as_of !== null && given.stock_as_of < present.stock_as_of);
        const { result, product: made, writes } = applied(present, given);
        assert.deepEqual([result, writes], ['unchanged', false]);
        assert.equal(made, present);
      }),
    );
  });

  test('of a newer look at an unchanged product is remembered, and nobody is told', () => {
    const seen = (second: number) => `2026-11-01T10:00:0${second}.000000000Z`;
    const first = applied(undefined, { product_id: 'p', name: 'P', price: '1', stock_quantity: 5, stock_as_of: seen(1) }).product;
    const same = applied(first, { product_id: 'p', stock_quantity: 5, stock_as_of: seen(3) });
    assert.deepEqual([same.result, same.writes, same.product.stock_as_of], ['unchanged', true, seen(3)]);
    const between = applied(same.product, { product_id: 'p', stock_quantity: 9, stock_as_of: seen(2) });
    assert.deepEqual([between.result, between.product.stock_quantity], ['unchanged', 5]);
  });
});
