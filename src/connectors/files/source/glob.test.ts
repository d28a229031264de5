import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { segmentTest } from './glob.ts';

test('stars, question marks, classes and choices', () => {
  for (const [pattern, fits, others] of [
    ['*.csv', ['a.csv', '.csv', 'a.b.csv', '😀.csv'], ['a.csvx', 'a.CSV', 'csv']],
    ['a*b*c', ['abc', 'aXbXc', 'abcbc', 'abbcc'], ['ab', 'acb', 'abcd']],
    ['orders-?.csv', ['orders-1.csv', 'orders-😀.csv'], ['orders-.csv', 'orders-12.csv']],
    ['[a-c]*[!0-9]', ['ax', 'bb'], ['a1', 'dx', 'a']],
    ['{one,two}*', ['one', 'two.csv'], ['three']],
    ['a+b(1)[*].csv', ['a+b(1)*.csv'], ['aab1.csv']],
    ['*', ['', 'anything'], []],
  ] as [string, string[], string[]][]) {
    for (const name of fits) assert.equal(segmentTest(pattern)(name), true, `${pattern} ${name}`);
    for (const name of others) assert.equal(segmentTest(pattern)(name), false, `${pattern} ${name}`);
  }
});

test('a pattern of many stars takes a moment', () => {
  const started = performance.now();
  assert.equal(segmentTest(`${'a*'.repeat(100)}b`)('a'.repeat(255)), false);
  assert.ok(performance.now() - started < 1000);
});

test('property: as a regular expression that tries everything', () => {
  const part = fc.constantFrom('a', 'b', '.', '*', '?', '[ab]', '[!a]', '+');
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '.', '+'), maxLength: 8 });
  fc.assert(
    fc.property(fc.array(part, { maxLength: 7 }), text, (parts, name) => {
      const source = parts
        .map((one) => (one === '*' ? '.*' : one === '?' ? '.' : one === '.' || one === '+' ? `\\${one}` : one.replace('!', '^')))
        .join('');
      assert.equal(segmentTest(parts.join(''))(name), new RegExp(`^${source}$`, 'su').test(name), `${parts.join('')} ${name}`);
    }),
    { numRuns: 3000 },
  );
});
