import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ColumnCache } from './column-cache.ts';

test('columns that were used last are kept, up to so many characters', () => {
  const cache = new ColumnCache(10);
  cache.put(1, 'aaaa');
  cache.put(2, 'bbbb');
  assert.equal(cache.get(1), 'aaaa');
  cache.put(3, 'cccc');
  assert.deepEqual(
    [1, 2, 3].map((version) => cache.get(version)),
    ['aaaa', undefined, 'cccc'],
  );
  cache.put(4, 'much too long');
  assert.equal(cache.get(4), undefined);
  cache.put(5, 'dddd');
  cache.put(5, 'dddd');
  cache.put(6, 'eeee');
  assert.deepEqual([cache.get(5), cache.get(6)], ['dddd', 'eeee']);
});
