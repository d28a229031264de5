import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { replacePattern, searchPattern } from './pattern.ts';
import { beginTemplate } from './work.ts';

const PATTERNS = [
  '(a)(b)?',
  'a*?(b|c)',
  '(a|ab)(c|bcd)(d*)',
  '^(a+)$',
  '[^,]+,(.*)',
  '(x)|(y)',
  '(a{1,2}){2}',
  '\\b(b)',
  '(?:ab)+(c)?',
  '(a*)(a*)',
];

test('matches and groups are those that JavaScript finds', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...PATTERNS),
      fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'x', 'y', ',', ' ')).map((letters) => letters.join('')),
      (pattern, text) => {
        beginTemplate();
        const found = new RegExp(pattern, 'u').exec(text);
        const own = searchPattern(pattern, text);
        assert.equal(own?.[0], found?.[0], `${pattern} in ${text}`);
        // A group in a repeat keeps its last match here and in Python; JavaScript forgets it.
        if (found && !/\)[*+{]/.test(pattern)) assert.deepEqual(own, [...found], `${pattern} in ${text}`);
      },
    ),
    { numRuns: 500 },
  );
});

test('what Python writes in its own way', () => {
  beginTemplate();
  assert.deepEqual(searchPattern('(?P<year>\\d{4})-(?P<month>\\d\\d)', 'on 2024-05-06'), ['2024-05', '2024', '05']);
  assert.deepEqual(searchPattern('(?i)ABC$', 'xabc\n'), ['abc']);
  assert.equal(searchPattern('abc\\Z', 'abc\n'), undefined);
  assert.deepEqual(searchPattern('(?s)a.b', 'a\nb'), ['a\nb']);
  assert.equal(replacePattern('(?P<a>\\w)(\\d)', 'a1 b2', '\\2\\g<a>'), '1a 2b');
  assert.equal(replacePattern('x*', 'axb', '-'), '-a--b-');
});

test('what could take for ever is refused by name', () => {
  for (const [pattern, words] of [
    ['(?=a)', /only/],
    ['(a)\\1', /\\1 is not supported/],
    ['a**', /repeat/],
    ['(a', /without/],
    ['[b-a]', /wrong way/],
    ['a{9999}', /count/],
  ] as const)
    assert.throws(() => searchPattern(pattern, 'a'), words);
});
