import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holdTemplateClock, templateContext as context } from '../../../../test/support/airbyte/template-context.ts';
import { interpolate } from './interpolate.ts';

// Templates of every kind, and what Airbyte's own implementation makes of them.

holdTemplateClock();

const VALUES: readonly (readonly [string, unknown])[] = [
  ["{{ config.s }}|{{ config['s'] }}|{{ config.s|lower }}", 'Hello World|Hello World|hello world'],
  ['{{ config.s|upper }}', 'HELLO WORLD'],
  ['{{ config.s|title }} {{ "they\'re bill\'s-x (foo)"|title }}', "Hello World They're Bill's-X (Foo)"],
  ['{{ config.s|capitalize }}', 'Hello world'],
  ['{{ config.s|length }}', 11],
  ['{{ config.l|sort }}', [1, 2, 3]],
  ['{{ config.ls|sort }}', ['A', 'b', 'b', 'c']],
  ['{{ config.ls|sort(case_sensitive=true) }}', ['A', 'b', 'b', 'c']],
  ['{{ config.ls|sort(reverse=true) }}', ['c', 'b', 'b', 'A']],
  [
    "{{ config.ld|sort(attribute='v',reverse=true) }}",
    [
      { n: 'x', v: 3 },
      { n: 'y', v: 2 },
      { n: 'x', v: 1 },
    ],
  ],
  ["{{ config.ld|map(attribute='n')|list }}", ['x', 'y', 'x']],
  ["{{ config.ld|map(attribute='q')|list }}", '[Undefined, Undefined, Undefined]'],
  ["{{ config.ld|map(attribute='q',default='-')|list }}", ['-', '-', '-']],
  ["{{ config.ls|map('upper')|list }}", ['B', 'A', 'C', 'B']],
  ["{{ config.ls|map('replace','b','z')|join(',') }}", 'z,A,c,z'],
  ["{{ config.l|select('odd')|list }}", [3, 1]],
  ["{{ config.l|reject('even')|list }}", [3, 1]],
  ['{{ config.l|select|list }}', [3, 1, 2]],
  ['{{ config.ls|unique|list }}', ['b', 'A', 'c']],
  [
    "{{ config.ld|groupby('n') }}",
    [
      [
        'x',
        [
          { n: 'x', v: 1 },
          { n: 'x', v: 3 },
        ],
      ],
      ['y', [{ n: 'y', v: 2 }]],
    ],
  ],
  [
    '{{ config.d|dictsort }}',
    [
      ['a', 1],
      ['b', 2],
    ],
  ],
  [
    "{{ config.d|dictsort(by='value') }}",
    [
      ['a', 1],
      ['b', 2],
    ],
  ],
  [
    '{{ config.d|items|list }}',
    [
      ['b', 2],
      ['a', 1],
    ],
  ],
  [
    '{{ config.d.items()|list }}',
    [
      ['b', 2],
      ['a', 1],
    ],
  ],
  ['{{ config.d.keys()|list }} {{ config.d.values()|list }}', "['b', 'a'] [2, 1]"],
  ["{{ config.l|sum }} {{ config.ld|sum(attribute='v') }} {{ config.l|sum(start=10) }}", '6 6 16'],
  ["{{ config.l|min }} {{ config.l|max }} {{ config.ld|max(attribute='v') }}", "1 3 {'n': 'x', 'v': 3}"],
  ['{{ config.l|first }} {{ config.l|last }}', '3 2'],
  ['{{ config.el|first }}x', 'x'],
  ['{{ config.l|reverse|list }} {{ config.s|reverse }}', '[2, 1, 3] dlroW olleH'],
  ["{{ config.l|batch(2)|list }} {{ config.l|batch(2,'f')|list }}", "[[3, 1], [2]] [[3, 1], [2, 'f']]"],
  [
    "{{ config.f|round }} {{ 2.567|round(2) }} {{ 2.5|round|int }} {{ 3.5|round }} {{ 2.1|round(0,'ceil') }} {{ 2.9|round(method='floor') }} {{ 7|round }}",
    '2.0 2.57 2 4.0 3.0 2.0 7',
  ],
  ['{{ -3|abs }} {{ config.neg|abs }} {{ (-3.5)|abs }}', '3 3 3.5'],
  [
    "{{ config.num|int }} {{ config.fl|int }} {{ 'x'|int }} {{ 'x'|int(5) }} {{ 'ff'|int(base=16) }} {{ '0x1f'|int(base=16) }} {{ none|int }}",
    '42 3 0 5 255 31 0',
  ],
  ["{{ config.fl|float }} {{ 'x'|float }} {{ 'x'|float(1.5) }} {{ 3|float }}", '3.7 0.0 1.5 3.0'],
  [
    "{{ config.missing|default('d') }} {{ config.e|default('d') }} {{ config.e|default('d',true) }} {{ config.none|default('d') }} {{ config.missing|d(none) }}",
    'd  d None None',
  ],
  ["{{ config.s|replace('o','0') }} {{ config.s|replace('o','0',1) }}", 'Hell0 W0rld Hell0 World'],
  [
    "{{ config.s|truncate(5) }} {{ 'foo bar baz qux'|truncate(9) }} {{ 'foo bar baz qux'|truncate(9,True) }} {{ 'foo bar baz qux'|truncate(11, False, '..', 0) }}",
    'He... foo... foo ba... foo bar..',
  ],
  [
    '{{ config.html|escape }} {{ config.html|e }} ',
    '&lt;a href=&#34;x&#34;&gt;&amp;&#39;&lt;/a&gt; &lt;a href=&#34;x&#34;&gt;&amp;&#39;&lt;/a&gt; ',
  ],
  ['{{ config.html|striptags }}', "&'"],
  ['{{ config.s|wordcount }}', 2],
  [
    "{{ '%s-%s'|format('a',3) }} {{ '%05.2f' % 3.14159 }} {{ '%d items' % 5 }} {{ '%s' % config.l }} {{ '%x' % 255 }} {{ '%5s|%-5s|' % ('a','b') }} {{ '%%' % () }}",
    'a-3 03.14 5 items [3, 1, 2] ff     a|b    | %',
  ],
  [
    '{{ config.d|tojson }} {{ config.ld|tojson }} {{ config.u|tojson }} {{ config.html|tojson }} {{ none|tojson }} {{ 1.0|tojson }}',
    '{"a": 1, "b": 2} [{"n": "x", "v": 1}, {"n": "y", "v": 2}, {"n": "x", "v": 3}] "\\u00e9\\ud83d\\ude00\\u00df" "\\u003ca href=\\"x\\"\\u003e\\u0026\\u0027\\u003c/a\\u003e" null 1.0',
  ],
  ['{{ config.d|tojson(indent=2) }}', { a: 1, b: 2 }],
  [
    '{{ config.l|string }} {{ config.s|string }} {{ 5|string }} {{ config.d|string }}',
    '"""[3, 1, 2]""" Hello World """5""" """{"b": 2, "a": 1}"""',
  ],
  [
    "{{ config.s|hash }} {{ config.s|hash('sha256') }} {{ config.s|hash('sha256','salt') }} {{ 5|hash('sha1') }} {{ config.l|hash('sha512') }}",
    'b10a8db164e0754105b7a99be72e3fe5 a591a6d40bf420404a011733cfb7b190d62c65bf0bcda32b57b277d9ad9f146e 0a1f3d2e66e6b849370bdb0bf6e46ef03c0697fdfff3524516232a3bbf5af5c3 ac3478d69a3c81fa62e60f5c3696165a4e5e6ac4 3c592e2544c5cb9ad8fee61c851db18af9a634b3508a545d84c480f8efa67788ef3112bc2211ea0c856ec77e7a3604fb15a2ece780b14d580f4b2362208dfa8e',
  ],
  [
    "{{ config.s|hmac('key') }} {{ config.s|hmac('key','sha256') }}",
    '42274f72808392e58b57d728d7e3c0e5163eaf07d165dc03105f62abbe1a7d11 42274f72808392e58b57d728d7e3c0e5163eaf07d165dc03105f62abbe1a7d11',
  ],
  [
    "{{ config.s|base64encode }} {{ 'SGVsbG8='|base64decode }} {{ config.u|base64encode }} {{ 'abc'|base64binascii_decode }}",
    'SGVsbG8gV29ybGQ= Hello w6nwn5iAw58= YWJj',
  ],
  [
    "{{ config.s.split() }} {{ config.csv.split(',') }} {{ 'a,b,c'.split(',',1) }} {{ 'a,b,c'.rsplit(',',1) }} {{ ' a  b '.split(' ') }} {{ 'a b  c'.split(None,1) }}",
    "['Hello', 'World'] ['a', ' b', 'c'] ['a', 'b,c'] ['a,b', 'c'] ['', 'a', '', 'b', ''] ['a', 'b  c']",
  ],
  ["{{ config.s.split('o')[0] }} {{ config.s.split('o')[-1] }} {{ config.s.split('o')[9] }}x", 'Hell rld x'],
  [
    '{{ config.s[0] }} {{ config.s[-1] }} {{ config.s[1:4] }} {{ config.s[::-1] }} {{ config.s[:5] }} {{ config.s[-5:] }} {{ config.l[1:] }} {{ config.l[::2] }} {{ config.u[1] }} {{ config.u[0:2] }}',
    'H d ell dlroW olleH Hello World [1, 2] [3, 2] 😀 é😀',
  ],
  [
    '{{ config.s.lower() }} {{ config.s.upper() }} {{ config.s.title() }} {{ config.s.swapcase() }} {{ config.s.capitalize() }}',
    'hello world HELLO WORLD Hello World hELLO wORLD Hello world',
  ],
  [
    "{{ config.s.startswith('He') }} {{ config.s.endswith(('x','ld')) }} {{ config.s.find('o') }} {{ config.s.rfind('o') }} {{ config.s.find('zz') }} {{ config.s.index('W') }} {{ config.s.count('l') }}",
    'True True 4 7 -1 6 3',
  ],
  ["{{ config.s.replace('l','L',2) }} {{ 'abc'.replace('','-') }}", 'HeLLo World -a-b-c-'],
  ["{{ '-'.join(config.ls) }} {{ ','.join(['a','b']) }}", 'b-A-c-b a,b'],
  ["{{ config.d.get('a') }} {{ config.d.get('zz') }} {{ config.d.get('zz','q') }} {{ config.get('none','q') }}", '1 None q None'],
  ["{{ config['items'] }}", 'field'],
  ["{{ config.nested['items'] }}", [1, 2]],
  ["{{ config.nested.deep.x[0].y }} {{ config['nested']['deep']['x'][0]['y'] }}", 'z z'],
  ['{{ config.nope }} ', ' '],
  ['{{ config.nope.nope }}', null],
  ["{{ config.nope['x'] }}", null],
  ['{{ config.nope + 1 }}', null],
  ['{{ config.nope < 1 }}', null],
  [
    "{{ config.nope == none }} {{ config.nope is defined }} {{ config.none is none }} {{ config.nope or 'x' }} {{ not config.nope }}",
    'False False True x True',
  ],
  ['{{ config.none.x }}y', 'y'],
  ["{{ config.none['x'] }}y", 'y'],
  [
    '{{ config.n + 1 }} {{ config.n - 10 }} {{ config.n * 2 }} {{ config.n / 2 }} {{ config.n // 2 }} {{ config.n % 4 }} {{ config.n ** 2 }} {{ -config.n }} {{ +config.n }}',
    '8 -3 14 3.5 3 3 49 -7 7',
  ],
  ["{{ 1 if true else 2 }} {{ 1 if false }} {{ 'a' if config.e else 'b' }} {{ 1 if 0 else 2 if 0 else 3 }}", '1  b 3'],
  ["{{ 2 in [1,2] }} {{ 'a' in 'abc' }} {{ 'a' in {'a':1} }} {{ 3 not in [1,2] }} {{ 'x' in config.nope }}", 'True True True True False'],
  [
    "{{ 5 is odd }} {{ 4 is even }} {{ 9 is divisibleby 3 }} {{ 9 is divisibleby(2) }} {{ 'a' is string }} {{ 1 is number }} {{ 1.0 is float }} {{ 1 is integer }} {{ true is boolean }} {{ true is integer }} {{ {} is mapping }} {{ [] is sequence }} {{ 'a' is iterable }} {{ 1 is iterable }} {{ 'a' is lower }} {{ 'A' is upper }} {{ 1 is sameas 1 }} {{ true is true }} {{ false is false }} {{ 1 is eq 1 }} {{ 1 is in [1] }} {{ 3 is gt 2 }} {{ config.s is callable }} {{ config.s.lower is callable }}",
    'True True True False True True True True True False True True True False True True True True True True True True False True',
  ],
  ['{{ config.nope() }}', null],
  ['{{ config.s() }}', '{{ config.s() }}'],
  [
    "{{ timestamp(config.date) }} {{ timestamp(config.dt) }} {{ timestamp(1658505815.223235) }} {{ timestamp(5) }} {{ timestamp('2022-02-28T00:00:00Z')|int }}",
    '1706659200.0 1706689230.5 1658505815 5 1646006400',
  ],
  [
    "{{ str_to_datetime(config.date) }} {{ str_to_datetime(config.dt) }} {{ str_to_datetime(config.dt).strftime('%A %B %j %U %W %V %G %p %I %a %b %y %Z %z %%') }} {{ str_to_datetime('2024-W05-2') }} {{ str_to_datetime('20240131T102030Z') }} {{ str_to_datetime('2024-01') }} {{ str_to_datetime('2024') }} {{ str_to_datetime('2024-01-31 10:20') }} {{ str_to_datetime('2024-01-31T24:00') }} {{ str_to_datetime('2024-031') }}",
    '2024-01-31 00:00:00+00:00 2024-01-31 08:20:30.500000+00:00 Wednesday January 031 04 05 05 2024 AM 08 Wed Jan 24 UTC +0000 % 2024-01-30 00:00:00+00:00 2024-01-31 10:20:30+00:00 2024-01-01 00:00:00+00:00 2024-01-01 00:00:00+00:00 2024-01-31 10:20:00+00:00 2024-02-01 00:00:00+00:00 2024-01-31 00:00:00+00:00',
  ],
  [
    "{{ format_datetime(config.date,'%Y/%m/%d') }} {{ format_datetime(config.dt,'%s') }} {{ format_datetime(config.dt,'%ms') }} {{ format_datetime(config.dt,'%s_as_float') }} {{ format_datetime(config.dt,'%epoch_microseconds') }} {{ format_datetime(config.dt,'%H:%M:%S.%_ms') }} {{ format_datetime(1700000000,'%Y-%m-%d') }} {{ format_datetime(1700000000123,'%Y-%m-%d','%ms') }} {{ format_datetime('31.01.2024','%Y-%m-%d','%d.%m.%Y') }} {{ format_datetime('Wed, 31 Jan 2024 10:20:30 +0000','%Y-%m-%dT%H:%M:%SZ','%a, %d %b %Y %H:%M:%S %z') }} {{ format_datetime(now_utc(),'%Y') }}",
    '2024/01/31 1706689230 1706689230500 1706689230.5 1706689230500000 08:20:30.500 2023-11-14 2023-11-14 2024-01-31 2024-01-31T10:20:30Z 2024',
  ],
  [
    "{{ format_datetime(config.date, '%Y-%m-%dT%H:%M:%SZ') }} {{ format_datetime(now_utc() - duration('PT1H'), '%H') }}",
    '2024-01-31T00:00:00Z 06',
  ],
  [
    '{{ (str_to_datetime(config.dt) - str_to_datetime(config.date)).days }} {{ (str_to_datetime(config.dt) - str_to_datetime(config.date)).total_seconds() }} {{ str_to_datetime(config.dt) - str_to_datetime(config.date) }} {{ str_to_datetime(config.dt) > str_to_datetime(config.date) }}',
    '0 30030.5 8:20:30.500000 True',
  ],
  ["{{ max(1,2,3) }} {{ min([4,2]) }} {{ max('a','b') }} {{ max(config.l) }} {{ max('2024-01-01', config.date) }}", '3 2 b 3 2024-01-31'],
  ["{{ dict(a=1, b=2) }} {{ dict([('a',1)]) }} {{ dict(config.d, c=3) }}", "{'a': 1, 'b': 2} {'a': 1} {'b': 2, 'a': 1, 'c': 3}"],
  ['{{ config.__class__ }}x', 'x'],
  ['{{ config.constructor }}x', 'x'],
  ['{{ config.toString }}x', 'x'],
  ["{{ config['__proto__'] }}x", 'x'],
  ['{{ config.s.constructor }}x', 'x'],
  ['{{ config.l.length }}x', 'x'],
  ['{{ config.l.0 }}', 3],
  ['{{ config.l.0 + 1 }} {{ config.ld.0.n }}', '4 x'],
  ['{{ config.u }} {{ config.u|upper }} {{ config.u|length }} {{ [config.u] }}', "é😀ß É😀SS 3 ['é😀ß']"],
  ["{{ config.l|join }} {{ config.l|join('-') }} {{ config.ld|join(',', attribute='n') }}", '312 3-1-2 x,y,x'],
  ["{{ config.csv.split(',')|map('trim')|list }}", ['a', 'b', 'c']],
  ['{{ config.d|list }} {{ config.s|list }}', "['b', 'a'] ['H', 'e', 'l', 'l', 'o', ' ', 'W', 'o', 'r', 'l', 'd']"],
  ["{{ 'a' if config.n == 7 and config.b and not config.none else 'z' }}", 'a'],
  ["{{ (config.l|length > 2) and 'yes' or 'no' }}", 'yes'],
  [
    "{{ config.l | length > 2 }} {{ -config.n|abs }} {{ 2 * 3 | int + 1 }} {{ 'a' ~ 'b' | upper }} {{ 1 + 2 ~ 3 }} {{ 2 ** 3 ** 2 }} {{ not 1 == 2 }} {{ -2 ** 2 }}",
    "{{ config.l | length > 2 }} {{ -config.n|abs }} {{ 2 * 3 | int + 1 }} {{ 'a' ~ 'b' | upper }} {{ 1 + 2 ~ 3 }} {{ 2 ** 3 ** 2 }} {{ not 1 == 2 }} {{ -2 ** 2 }}",
  ],
  ['{{ config.s is not none }} {{ config.s is not string }} {{ config.nope is not defined or config.nope.x }}', 'True False True'],
  ["{{ config['n'] | int if config['n'] else 1 }}", 7],
  ['{"a": "{{ config.n }}", "b": {{ config.l }}}', { a: '7', b: [3, 1, 2] }],
  ['[{{ config.n }}, "{{ config.s }}"]', [7, 'Hello World']],
  ['{{ config.n }},{{ config.n }}', [7, 7]],
  ['{{ config.date }}', '2024-01-31'],
  ['{{ config.e }}', null],
  ['x{{ config.e }}', 'x'],
  ['"{{ config.s }}"', 'Hello World'],
  ["'{{ config.s }}'", 'Hello World'],
  ['{{ config.s,config.n }}', ['Hello World', 7]],
  ['{{ config.b }}', true],
  ["{{ config.d == {'a':1,'b':2} }} {{ config.l == [3,1,2] }}", 'True True'],
  ['{{ config.ls[config.n - 7] }} {{ config[config.items] }}x', 'b x'],
  ["{{ config.s.split(' ')|last|lower }}", 'world'],
  ['{{ config.l[0] if config.l else none }}', 3],
  ["{{ config.get('d', {}).get('a', 0) + 1 }} {{ config.get('nope', {}).get('a') }}", '2 None'],
  ["{{ config.nested.deep.x|map(attribute='y')|first }} {{ config|length }}", 'z 22'],
  [
    "{{ 'x' if config.nope is defined else 'y' }} {{ config.nope|length }} {{ config.nope|list }} {{ config.nope|join(',') }}z {{ config.nope|upper }}z",
    'y 0 [] z z',
  ],
  ['{{ config.nope|int }}', null],
  ['{{ config.nope|float }}', null],
  [
    '{{ config.none|int }} {{ config.none|upper }} {{ config.none|length }}',
    '{{ config.none|int }} {{ config.none|upper }} {{ config.none|length }}',
  ],
  ['{{ config.none|length }}', '{{ config.none|length }}'],
  ['{{ config.s|round }}', '{{ config.s|round }}'],
  ['{{ config.s|abs }}', '{{ config.s|abs }}'],
  ['{{ config.n|length }}', '{{ config.n|length }}'],
  ['{{ config.nope|abs }}', '{{ config.nope|abs }}'],
  ['{{ config.nope|round }}', '{{ config.nope|round }}'],
  ['{{ config.nope|string }}', '{{ config.nope|string }}'],
  ['{{ config.nope|tojson }}', '{{ config.nope|tojson }}'],
  ["{{ config.nope|regex_search('a(b)') }}", "{{ config.nope|regex_search('a(b)') }}"],
  ['{{ config.nope|base64encode }}', null],
  ['{{ config.nope|hash }}', 'd41d8cd98f00b204e9800998ecf8427e'],
  ["{{ config.nope|sort }} {{ config.nope|first }} {{ config.nope|map('upper')|list }} {{ config.nope|default(5)|int }}", '[]  [] 5'],
  ["{{ config.none|map('upper')|list }}", []],
  ["{{ config.none|join(',') }}", "{{ config.none|join(',') }}"],
  ['{{ config.none|first }}', '{{ config.none|first }}'],
  ['{{ config.none|list }}', '{{ config.none|list }}'],
  ['{{ config.n }}\n', 7],
  ['{{ config.s }}\n\n', 'Hello World\n'],
  ['line\r\nx{{ config.n }}\r\n', 'line\nx7'],
  [' {{ config.n }} ', 7],
  ['{{\n config.n\n}}', 7],
  ['{{ config.n }}\t', 7],
  ['# {{ config.n }}', '# 7'],
  ["'''{{ config.s }}'''", 'Hello World'],
  ['{{ config.d }}{{ config.d }}', "{'b': 2, 'a': 1}{'b': 2, 'a': 1}"],
  ['{{ [config.date] }}', ['2024-01-31']],
];

test('settings and their members are filtered, cut and written as in the original', () => {
  for (const [template, value] of VALUES) assert.deepEqual(interpolate(template, context), value, template);
});
