import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { packPatches, unpackPatches } from './packing.ts';

const patch = fc.record(
  {
    product_id: fc.string(),
    name: fc.option(fc.string(), { nil: undefined }),
    price: fc.option(fc.constantFrom('0', '19.99'), { nil: undefined }),
    stock_quantity: fc.option(fc.maxSafeNat(), { nil: undefined }),
    categories: fc.option(fc.constantFrom('[]', '["mugs"]'), { nil: undefined }),
    stock_as_of: fc.option(fc.constant('2026-11-01T10:00:00.000000000Z'), { nil: undefined }),
    more: fc.option(fc.constantFrom({ track_stock: true }, { extras: { sku: '"s"', weight: null } }), { nil: undefined }),
  },
  { noNullPrototype: true },
);

test('patches arrive in another thread as they were sent', () => {
  fc.assert(
    fc.property(fc.array(patch), (patches) => {
      assert.deepEqual(unpackPatches(structuredClone(packPatches(patches))), patches);
    }),
  );
});

test('what a patch leaves out stays left out', () => {
  assert.deepEqual(unpackPatches(packPatches([{ product_id: 'mug' }, { product_id: 'cup', stock_quantity: 0 }])), [
    {
      product_id: 'mug',
      name: undefined,
      price: undefined,
      stock_quantity: undefined,
      categories: undefined,
      stock_as_of: undefined,
      more: undefined,
    },
    {
      product_id: 'cup',
      name: undefined,
      price: undefined,
      stock_quantity: 0,
      categories: undefined,
      stock_as_of: undefined,
      more: undefined,
    },
  ]);
});
