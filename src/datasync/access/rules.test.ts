import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Scope } from '../../http/scopes.ts';
import { hiddenRows, joinShopRows } from './marks.ts';
import { type Act, mayAnything, shopRowsOf, shopScopes } from './rules.ts';

const type = fc.constantFrom('hub', 'postgres', 'files');
const name = fc.constantFrom('orders', 'order_items', 'customers', 'products', 'stock', 'public.orders');
const streams = fc.array(fc.record({ source: name, target: name }), { minLength: 1, maxLength: 4 });
const types = fc.record({ source: type, target: type });
const scopes = fc.subarray<Scope>([
  'datasync:read',
  'datasync:write',
  'orders:read',
  'orders:write',
  'products:read',
  'products:write',
  'admin',
]);

test('what is read at the source is read, what is written at the target is written, what is shown is read wherever it is', () => {
  const one = [{ source: 'order_items', target: 'products' }];
  const needs = (act: Act, source: string, target: string): Scope[] => shopScopes(act, { source, target }, one);
  assert.deepEqual(needs('move', 'hub', 'files'), ['orders:read']);
  assert.deepEqual(needs('move', 'files', 'hub'), ['products:write']);
  assert.deepEqual(needs('move', 'hub', 'hub'), ['orders:read', 'products:write']);
  assert.deepEqual(needs('look', 'files', 'hub'), ['products:read']);
  assert.deepEqual(needs('look', 'hub', 'hub'), ['orders:read', 'products:read']);
  assert.deepEqual(needs('move', 'files', 'postgres'), []);
});

test('nothing is asked for where the shop is at no end, and each scope is asked for once', () => {
  fc.assert(
    fc.property(types, streams, fc.constantFrom<Act>('move', 'look'), (ends, list, act) => {
      const needed = shopScopes(act, ends, list);
      assert.equal(needed.length === 0, ends.source !== 'hub' && ends.target !== 'hub');
      assert.equal(new Set(needed).size, needed.length);
      assert.ok(needed.every((scope) => act === 'move' || scope.endsWith(':read')));
    }),
  );
});

test('a mark keeps rows from exactly those who may not read them, and marks only grow', () => {
  fc.assert(
    fc.property(types, streams, types, streams, scopes, (ends, list, others, more, held) => {
      const asking = { scopes: new Set(held) };
      const mark = shopRowsOf(ends, list);
      const needed = shopScopes('look', ends, list);
      const may = needed.every((scope) => held.includes('admin') || held.includes(scope));
      assert.equal(hiddenRows(asking, mark).length === 0, may);
      const joined = joinShopRows(mark, shopRowsOf(others, more));
      assert.ok(hiddenRows(asking, mark).every((rows) => hiddenRows(asking, joined).includes(rows)));
      assert.equal(joinShopRows(joined, mark), joined);
      if (mayAnything(asking)) assert.deepEqual(hiddenRows(asking, joined), []);
    }),
  );
});

test('of what nobody has looked at, everything is kept back', () => {
  assert.deepEqual(hiddenRows({ scopes: new Set(['datasync:read', 'products:read']) }, null), ['orders']);
  assert.deepEqual(hiddenRows({ scopes: new Set(['datasync:read']) }, null), ['orders', 'products']);
  assert.deepEqual(hiddenRows({ scopes: new Set() }, ''), []);
});
