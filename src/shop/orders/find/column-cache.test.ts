import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ColumnCache } from './column-cache.ts';

test('columns that were used last are kept, up to so many characters', () => {
  const cache = new ColumnCache(10);
  cache.put(1, 'aaaa', 4);
  cache.put(2, 'bbbb', 4);
  assert.equal(cache.get(1), 'aaaa');
  cache.put(3, 'cccc', 4);
  assert.deepEqual(
    [1, 2, 3].map((version) => cache.get(version)),
    ['aaaa', undefined, 'cccc'],
  );
  cache.put(4, 'much too long', 13);
  assert.equal(cache.get(4), undefined);
  cache.put(5, 'dddd', 4);
  cache.put(5, 'dddd', 4);
  cache.put(6, 'eeee', 4);
  assert.deepEqual([cache.get(5), cache.get(6)], ['dddd', 'eeee']);
});
