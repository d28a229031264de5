import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { OutsideError } from '../../../outside/errors.ts';
import { interpolate, interpolateBoolean, interpolateDeep } from './interpolate.ts';
import { Facade } from './values.ts';

const context = { config: { name: 'Ada', n: 5, none: null, list: [1, 2] }, parameters: { path: 'x' } };

const refused = (template: string, words: RegExp, given: Record<string, unknown> = context): void => {
  assert.throws(
    () => interpolate(template, given),
    (error) => error instanceof OutsideError && error.kind === 'config' && words.test(error.message),
    template.slice(0, 100),
  );
};

test('anything but a text is its own value', () => {
  for (const value of [5, true, null, undefined, ['{{ config.n }}']]) assert.equal(interpolate(value, context), value);
});

test('a rendered text is the value that it is written as, where its type is asked for', () => {
  assert.equal(interpolate('{{ config.n }}', context), 5);
  assert.equal(interpolate('{{ config.n }}', context, { validTypes: ['string'] }), '5');
  assert.equal(interpolate('{{ config.n }}', context, { validTypes: ['integer'] }), 5);
  assert.equal(interpolate('{{ config.n / 2 }}', context, { validTypes: ['integer'] }), '2.5');
  assert.deepEqual(interpolate("{{ ['a'] }}", context, { validTypes: ['list'] }), ['a']);
});

test('where nothing comes out, the default is taken', () => {
  assert.equal(interpolate('{{ config.missing }}', context), null);
  assert.equal(interpolate('{{ config.missing.deeper }}', context), null);
  assert.equal(interpolate('{{ config.missing }}', context, { default: '{{ config.name }}!' }), 'Ada!');
  assert.equal(interpolate('{{ config.missing }}', context, { default: '{{ config.missing }}' }), '');
  assert.throws(() => interpolate('{{ config.a.b }}', context, { default: '{{ config.a.b }}' }), /of a value that is not there/);
});

test('values of the wrong type leave the template as it is, and a name that is not known is refused', () => {
  assert.equal(interpolate("{{ config.n + 'a' }}", context), "{{ config.n + 'a' }}");
  refused('{{ record.id }}', /"record", which is not known here/);
  refused('{% if false %}{{ record }}{% endif %}', /"record"/);
  refused('{{ stream_state.x }}', /stream_state/);
});

test('numbers that a double cannot hold keep their digits', () => {
  const record = { id: JSON.rawJSON('12345678901234567891') };
  const value = interpolate('{{ record.id }}', { ...context, record });
  assert.equal(JSON.stringify({ value }), '{"value":12345678901234567891}');
  assert.equal(interpolate('x{{ record.id + 1 }}', { ...context, record }), 'x12345678901234567892');
});

test('slices and records have attributes beside their members', () => {
  const slice = new Facade({ id: 7, start: 'a' }, { partition: { id: 7 }, extra_fields: { more: 'm' } });
  const given = { ...context, stream_slice: slice, last_record: new Facade({ data: 'own', id: 1 }, { data: {}, associated_slice: slice }) };
  assert.equal(interpolate('{{ stream_partition.id }}-{{ stream_interval.start }}-{{ stream_slice.extra_fields.more }}', given), '7-a-m');
  assert.deepEqual(interpolate('{{ stream_slice.partition }}', given), { id: 7 });
  assert.equal(interpolate("{{ last_record['data'] }}-{{ last_record.id }}", given), 'own-1');
});

test('conditions hold unless they come out empty, zero or false', () => {
  for (const template of ['{{ config.n }}', '{{ config.name }}', '{{ [0] }}', '{{ 1 == 1 }}', 'no'])
    assert.equal(interpolateBoolean(template, context), true, template);
  for (const template of [
    '',
    '{{ 0 }}',
    '{{ 0.0 }}',
    '{{ [] }}',
    '{{ {} }}',
    '{{ none }}',
    '{{ "false" }}',
    '{{ config.missing.x }}',
    'False',
  ])
    assert.equal(interpolateBoolean(template, context), false, template);
  assert.equal(interpolateBoolean(true, context), true);
});

test('all texts of a value are templates, and what comes out as null is left out', () => {
  const value = { '{{ parameters.path }}': ['{{ config.n }}', { a: '{{ config.none }}', b: 'c' }], constant: 1 };
  assert.deepEqual(interpolateDeep(value, context), { x: [5, { b: 'c' }], constant: 1 });
});

test('templates do not get at the program around them', () => {
  const templates = [
    '{{ config.constructor }}',
    '{{ config.__proto__ }}',
    '{{ config.name.constructor }}',
    "{{ config['constructor'] }}",
    '{{ config.list.length }}',
    '{{ config.toString }}',
    '{{ config.hasOwnProperty }}',
    "{{ ''.__class__ }}",
    '{{ config.name.lower.constructor }}',
    '{{ now_utc.call }}',
    '{{ config.list.map }}',
    '{{ self.constructor }}',
  ];
  for (const template of templates) assert.equal(interpolate(template, context), null, template);
  assert.equal(interpolate("{{ {'__proto__': {'x': 1}} }}.x", context), "{'__proto__': {'x': 1}}.x");
  const made = interpolate("{{ {'__proto__': {'polluted': 1}} }}", context) as object;
  assert.equal(Object.getPrototypeOf(made), Object.prototype);
  assert.equal('polluted' in made, false);
  for (const name of ['process', 'require', 'globalThis', 'range', 'lipsum', 'open', '__import__'])
    refused(`{{ ${name} }}`, /not known here/);
  for (const tag of ['include "/etc/passwd"', 'import "x" as y', 'extends "x"', 'macro f()']) refused(`{% ${tag} %}`, /not supported/);
});

test('what a template was given is not changed by it', () => {
  const given = { ...context, record: { list: [1], map: { a: 1 } } };
  refused('{{ record.list.append(2) }}', /changes a list/, given);
  refused("{{ record.map.update({'b': 2}) }}", /changes a record/, given);
  assert.deepEqual(given.record, { list: [1], map: { a: 1 } });
});

test('hostile templates are refused before they take time or memory', () => {
  const large = { config: { text: 'x'.repeat(500_000), list: Array.from({ length: 50_000 }, (_, i) => i) }, parameters: {} };
  const templates = [
    "{{ 'x' * 10 ** 9 }}",
    '{{ [1] * 10 ** 9 }}',
    '{{ 9 ** 99999 }}',
    '{{ config.list | join(config.text) }}',
    '{% for a in config.list %}{% for b in config.list %}{{ a }}{% endfor %}{% endfor %}',
    "{{ config.text | regex_replace('x', config.text) }}",
    "{{ config.text | replace('x', config.text) }}",
    "{{ '%999999999d' % 1 }}",
    "{{ '{:999999999}'.format(1) }}",
    "{{ 'x'.zfill(10 ** 12) }}",
    "{{ config.text | regex_search('x{0,900}x{0,900}(y)') }}",
    "{{ config.text | regex_search('(x+x+)+y') }}",
    "{{ config.text | regex_search('(((x{0,99}){0,99}){0,99}){0,99}') }}",
    `{{ ${'('.repeat(5000)}1${')'.repeat(5000)} }}`,
    `{{ 1${' + 1'.repeat(5000)} }}`,
    `{{ config${'.a'.repeat(5000)} }}`,
    `{{ ${'not '.repeat(5000)}1 }}`,
    `${'{% if 1 %}'.repeat(5000)}${'{% endif %}'.repeat(5000)}`,
    `{{ ${'1'.repeat(200_000)} }}`,
  ];
  for (const template of templates) refused(template, /./, large);
  assert.equal(interpolate("{{ ('x' * 5000) | regex_search('(x+x+)+y') }}-", large), '-');
  const circle = '{% set a = [] %}{% set b = [a] %}{% set _ = a.append(b) %}{{ a == b }}';
  assert.equal(interpolate(circle, large), circle);
});

const WORDS =
  "{{ }} {% %} {# #} - config . n list [ ] ( ) { } , : | ~ + * ** / % == < 'a' 1 2.5 if else is not in and for endfor set endif defined lower join map sort none true now_utc() max = \\ \n"
    .split(' ')
    .flatMap((word) => [word, ` ${word} `]);

test('any template gives a value or a failure in our own words', () => {
  const word = fc.constantFrom(...WORDS);
  const template = fc.oneof(
    fc.array(word, { maxLength: 25 }).map((words) => words.join('')),
    fc.array(word, { maxLength: 12 }).map((words) => `{{ ${words.join('')} }}`),
    fc.string({ unit: 'binary' }),
  );
  fc.assert(
    fc.property(template, (text) => {
      try {
        JSON.stringify(interpolate(text, context));
      } catch (error) {
        assert.ok(error instanceof OutsideError, String((error as Error).stack));
      }
    }),
    { numRuns: 1000 },
  );
});
