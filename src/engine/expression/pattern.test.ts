import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { beginRow } from './work.ts';
import { patternOf } from './pattern.ts';

test('patterns match as JavaScript does', () => {
  const patterns = [
    '^a+b?$',
    'a|bc|',
    '[a-c]{2,3}x',
    '[^a-c\\d]',
    '(?:ab)*c',
    '\\bfoo\\b',
    '^$',
    'a.c',
    '\\.\\$',
    '[\\]-]',
    'x{0}y',
    '(a*)*b',
    '[.]+',
    'a{,2}',
    'é+',
    '^\\w+@\\w+\\.com$',
  ];
  const texts = [
    '',
    'a',
    'aab',
    'abc',
    'bcx',
    'a foo b',
    'afoo',
    'a\nc',
    '.$',
    ']',
    '-',
    'y',
    'aaab',
    'a{,2}',
    'éé',
    'me@example.com',
    '😀c',
  ];
  for (const pattern of patterns) {
    for (const text of texts)
      assert.equal(
        patternOf(pattern)(text),
        new RegExp(pattern, 'u'.repeat(pattern.includes('{,') ? 0 : 1)).test(text),
        `${pattern} on ${JSON.stringify(text)}`,
      );
  }
  assert.equal(patternOf('(?i)^STRASSE [a-z]$')('Strasse Q'), true);
  assert.equal(patternOf('(?s)a.b')('a\nb'), true);
});

test('what cannot be matched in bounded time is refused by name', () => {
  for (const [pattern, reason] of [
    ['(a)\\1', /\\1 is not supported/],
    ['(?=a)', /only \(\?:…\) is supported/],
    ['*a', /nothing stands before \*/],
    ['(a', /a \( without a \)/],
    ['a)', /a \) without a \(/],
    ['[a', /ends too early/],
    ['[z-a]', /wrong way round/],
    ['(a{1000}){1000}', /too large/],
    ['a'.repeat(1001), /longer than 1000/],
    ['a\\', /ends too early/],
  ] as const) {
    assert.throws(() => patternOf(pattern), reason, pattern);
  }
});

test('a pattern that keeps others busy for years takes a moment', () => {
  const text = `${'a'.repeat(20_000)}!`;
  const started = performance.now();
  for (const pattern of ['^(a+)+$', '^(a|aa)+$', '^(a|a?)+$', '(.*)*x']) assert.equal(patternOf(pattern)(text), false, pattern);
  assert.ok(performance.now() - started < 5000);
});

const LETTER = fc.constantFrom('a', 'b', 'c', '.', '[ab]', '[^a]', '\\w', '(?:ab)', '(?:a|bc)', '(a*b)', '\\b');
const PATTERN = fc
  .array(fc.tuple(LETTER, fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,3}', '+?')), { maxLength: 5 })
  .map((parts) => parts.map(([letter, times]) => (letter === '\\b' ? letter : letter + times)).join(''));

test('property: the answer is that of a backtracking matcher', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('', '^'),
      PATTERN,
      fc.constantFrom('', '$'),
      fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' ', '\n'), maxLength: 12 }),
      (start, middle, end, text) => {
        const pattern = start + middle + end;
        assert.equal(patternOf(pattern)(text), new RegExp(pattern).test(text), `${pattern} on ${JSON.stringify(text)}`);
      },
    ),
    { numRuns: 2000 },
  );
});

test('what a pattern costs is counted: nasty ones end soon, whatever the text', () => {
  const nasty: [string, string][] = [
    ['(a?){390}b', 'a'.repeat(1_000_000)],
    ['(a*){300}b', 'a'.repeat(1_000_000)],
    [`[${'bcdefghij'.repeat(100)}]{0,600}x`, 'b'.repeat(1_000_000)],
    [`(?i)[${'bcdefghij'.repeat(100)}]{0,600}x`, 'b'.repeat(1_000_000)],
    ['(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)[^a]', 'a'.repeat(20_000_000)],
    ['(\\b|\\B|a?){150}!', 'ab '.repeat(500_000)],
  ];
  for (const [pattern, text] of nasty) {
    beginRow();
    const started = performance.now();
    assert.throws(() => patternOf(pattern)(text), /too much work/, pattern);
    assert.ok(performance.now() - started < 10_000, `${pattern} took ${performance.now() - started} ms`);
  }
});

test('tests of one row share what it may cost', () => {
  beginRow();
  const test = patternOf('(a?){390}b');
  const text = 'a'.repeat(15_000);
  let done = 0;
  assert.throws(() => {
    for (; done < 200; done++) test(text);
  }, /too much work/);
  assert.ok(done < 20, `${done} tests`);
  beginRow();
  assert.equal(test('aab'), true);
});
