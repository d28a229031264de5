import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { OutsideError } from '../../../outside/errors.ts';
import { parseYaml } from './yaml.ts';

const refused = (text: string, words: RegExp): void => {
  assert.throws(
    () => parseYaml(text),
    (error) =>
      error instanceof OutsideError &&
      error.kind === 'config' &&
      error.field === 'manifest' &&
      error.hint !== undefined &&
      words.test(error.message),
    text.slice(0, 80),
  );
};

test('words without quotation marks mean what they mean to Python', () => {
  const meanings: [string, unknown][] = [
    ['yes', true],
    ['Off', false],
    ['y', 'y'],
    ['~', null],
    ['', null],
    ['017', 15],
    ['0o17', '0o17'],
    ['0x1F', 31],
    ['0b101', 5],
    ['1_000', 1000],
    ['1:30', 90],
    ['-12', -12],
    ['1.5', 1.5],
    ['1e5', '1e5'],
    ['1.0e+5', 100000],
    ['.inf', Number.POSITIVE_INFINITY],
    ['2024-01-31', '2024-01-31'],
    ['2024-01-31T10:20:30Z', '2024-01-31T10:20:30+00:00'],
    ['2024-1-31', '2024-1-31'],
    ['"yes"', 'yes'],
    ['!!str 12', '12'],
    ['http://a.b/c', 'http://a.b/c'],
    ['a#b', 'a#b'],
    ['a # b', 'a'],
  ];
  for (const [text, meaning] of meanings) assert.deepEqual(parseYaml(`k: ${text}`), { k: meaning }, text);
});

test('maps, lists and texts of every form are read', () => {
  const text = [
    'list:',
    '- a',
    '- - nested',
    '  - items',
    '-',
    '  key: value',
    'flow: {a: [1, "two", \'it\'\'s\'], b: , "c":3}',
    'folded: >-',
    '  one',
    '  two',
    '',
    '  three',
    'kept: |+',
    '  line',
    '    more',
    '',
    'indented: |2',
    '   x',
    'long: plain text',
    '  goes on',
    'quoted: "a\\tb\\u00e9 \\',
    '  c"',
    '? complex',
    ': yes',
    '"quoted key": 1 # comment',
    '12: number',
  ].join('\n');
  assert.deepEqual(parseYaml(text), {
    list: ['a', ['nested', 'items'], { key: 'value' }],
    flow: { a: [1, 'two', "it's"], b: null, c: 3 },
    folded: 'one two\nthree',
    kept: 'line\n  more\n\n',
    indented: ' x\n',
    long: 'plain text goes on',
    quoted: 'a\tbé c',
    complex: true,
    'quoted key': 1,
    '12': 'number',
  });
});

test('anchors, aliases and merges; the last of two members counts', () => {
  const text = 'base: &base {a: 1, b: 2}\nmore: &more\n  c: 3\nall:\n  <<: [*base, *more]\n  b: own\nsame: *base\ntwice: 1\ntwice: 2\n';
  assert.deepEqual(parseYaml(text), {
    base: { a: 1, b: 2 },
    more: { c: 3 },
    all: { a: 1, b: 'own', c: 3 },
    same: { a: 1, b: 2 },
    twice: 2,
  });
});

test('JSON is read as well, with what marks its order of bytes and its line ends', () => {
  assert.deepEqual(parseYaml('\uFEFF{\r\n  "a": ["\\ud83d\\ude00", true, null, -1.5],\r\n\t"b": {}\r\n}\r\n'), {
    a: ['😀', true, null, -1.5],
    b: {},
  });
  assert.equal(parseYaml(''), null);
  assert.deepEqual(parseYaml('%YAML 1.1\n---\na: 1\n...\n'), { a: 1 });
});

test('what is no YAML is refused with its line', () => {
  refused('a: 1\nb: [1, 2', /line 2.*opened in line 2 has no end/);
  refused('a: b: c', /line 1, column 5: a second ":"/);
  refused('a:\n  b: 1\n c: 2', /line 3/);
  refused('a: "x', /line 1.*no end/);
  refused('a: @x', /cannot begin with "@"/);
  refused('a: *nowhere', /no anchor &nowhere/);
  refused('a: &a [*a]', /no anchor &a/);
  refused('a: 1\n---\nb: 2', /line 2.*second document/);
  refused('a: !!python/object:os.system x', /the tag !!python/);
  refused('__proto__: {x: 1}', /__proto__/);
  refused('a: "\\q"', /\\q/);
  refused('\ta: 1', /tab/);
});

test('hostile texts are refused at once', () => {
  const laughs = Array.from({ length: 40 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}, *a${i}]\n`).join('');
  refused(`a0: &a0 [x]\n${laughs}`, /more than \d+ values/);
  refused(Array.from({ length: 20_000 }, (_, i) => `k${i}: &a${i} x\n`).join(''), /anchors/);
  refused('x'.repeat(5_000_000), /characters/);
  refused('['.repeat(100_000), /deeper/);
  refused('- '.repeat(100_000), /deeper/);
  refused('{a: '.repeat(100_000), /deeper/);
  refused(`[${'1,'.repeat(600_000)}]`, /values/);
});

test('any text is read or refused in our own words', () => {
  const word = fc.constantFrom(
    ' ',
    '  ',
    '\n',
    '- ',
    ': ',
    ':',
    '"',
    "'",
    '#',
    '[',
    ']',
    '{',
    '}',
    ',',
    '|',
    '>',
    '&a ',
    '*a',
    '!!str ',
    '? ',
    'x',
    '1',
    '~',
    '%',
    '<<',
    '---',
    '...',
    '\t',
    '\\',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(word, { maxLength: 40 }).map((words) => words.join('')),
        fc.string({ unit: 'binary' }),
      ),
      (text) => {
        try {
          parseYaml(text);
        } catch (error) {
          assert.ok(error instanceof OutsideError, String(error));
        }
      },
    ),
    { numRuns: 500 },
  );
});

test('what JSON writes is read as it was', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      const text = JSON.stringify(value);
      // Numbers with an exponent and the name that no member may have are read in another way.
      fc.pre(!/\d[eE]|__proto__|-0\b/.test(text));
      assert.deepEqual(parseYaml(text), JSON.parse(text));
    }),
    { numRuns: 300 },
  );
});
