import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergePatch } from './merge.ts';

// The examples of RFC 7396, appendix A, but for those whose document is no object.
const EXAMPLES: [target: unknown, patch: unknown, result: unknown][] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

test('objects are merged as RFC 7396 says', () => {
  for (const [target, patch, result] of EXAMPLES) assert.deepEqual(mergePatch(target, patch), result);
});

test('a number that no double holds is taken as it was written', () => {
  const long = JSON.rawJSON('12345678901234567890.5');
  assert.equal(JSON.stringify(mergePatch({ a: { b: 1 } }, { a: { c: long } })), '{"a":{"b":1,"c":12345678901234567890.5}}');
});
