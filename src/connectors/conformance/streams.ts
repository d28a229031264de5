import { CANONICAL_TYPES, type CanonicalType, type Row } from '../canonical.ts';
import type { Field } from '../contract.ts';
import type { StreamShape } from './harness.ts';

const field = (name: string, type: CanonicalType, nullable = true): Field => ({ name, type, nullable });

/** The stream that most cases use. */
export const plainShape: StreamShape = {
  fields: [
    field('id', 'int64', false),
    field('name', 'text'),
    { ...field('amount', 'decimal'), precision: 18, scale: 4 },
    field('note', 'text'),
    field('changed_at', 'timestamp'),
  ],
  key: ['id'],
  cursor: 'changed_at',
  text: 'note',
  row: (n, version = 0) => [
    String(n),
    `row ${n} of version ${version} ${'.'.repeat(80)}`,
    `${n}.${String(1000 + version).slice(0, 4)}`,
    n % 3 === 0 ? null : n % 3 === 1 ? '' : `note ${n}`,
    moment(n, version),
  ],
  bad: [
    ['many', 'a key that is no number', '1.0000', null, moment(1, 0)],
    ['1000002', 'an amount that is none', 'much', null, moment(1, 0)],
    ['1000003', 'a time that is none', '1.0000', null, 'noon'],
  ],
};

function moment(n: number, version: number): string {
  const seconds = String(n % 60).padStart(2, '0');
  const minutes = String(Math.floor(n / 60) % 60).padStart(2, '0');
  const hours = String(Math.floor(n / 3600) % 24).padStart(2, '0');
  return `2026-01-${String(1 + version).padStart(2, '0')} ${hours}:${minutes}:${seconds}.123456`;
}

/** Values at the bounds of every type, and those that programs like to spoil. */
export const NASTY_VALUES: Readonly<Record<CanonicalType, readonly string[]>> = {
  text: [
    '',
    ' ',
    ' leading and trailing ',
    'tab\tnewline\nreturn\rcrlf\r\nvertical\vform\fbell\b',
    'back\\slash \\N \\. \\n \\t',
    '\\N',
    '\\.',
    '\\',
    `quotes ' " \` '' "" $$ $tag$ ; -- /* */ # %s ? $1 :name @x`,
    'NULL',
    'null',
    'äöü ß ñ',
    '日本語テキスト',
    '😀🏳️‍🌈👨‍👩‍👧‍👦 𝕊𝕪𝕟𝕔 𐍈',
    'e\u0301 \u00e9',
    '\u200b\u202e\ufeff',
    '\ufffd \ufffe',
    '\u0001\u001f\u007f\u0080',
    '0',
    'true',
    '{"a":1}',
    'x'.repeat(70_000),
  ],
  int64: [
    '0',
    '1',
    '-1',
    '2147483648',
    '9007199254740991',
    '9007199254740993',
    '-9007199254740993',
    '9223372036854775807',
    '-9223372036854775808',
  ],
  decimal: [
    '0',
    '0.1',
    '-0.1',
    '12345.6700',
    '9007199254740993.0000000001',
    '0.0000000000000000001',
    '9999999999999999999999999999.9999999999',
    '-9999999999999999999999999999.9999999999',
    '1234567890123456789012345678.0123456789',
    'NaN',
    'Infinity',
    '-Infinity',
  ],
  float64: [
    '0',
    '-1.5',
    '0.1',
    '0.30000000000000004',
    '1.7976931348623157e308',
    '2.2250738585072014e-308',
    '5e-324',
    '123456789012345680000',
    '9007199254740992',
    'NaN',
    'Infinity',
    '-Infinity',
  ],
  boolean: ['t', 'f'],
  date: [
    '1970-01-01',
    '2026-11-15',
    '2024-02-29',
    '1000-01-01',
    '9999-12-31',
    '0001-01-01',
    '0044-03-15 BC',
    '10000-01-01',
    'infinity',
    '-infinity',
  ],
  time: ['00:00:00', '04:42:11.123456', '23:59:59.999999', '12:00:00.1', '24:00:00'],
  timestamp: [
    '1970-01-01 00:00:00',
    '2026-11-15 04:42:11.123456',
    '2026-03-29 02:30:00',
    '1969-12-31 23:59:59.999999',
    '1000-01-01 00:00:00',
    '9999-12-31 23:59:59.999999',
    '0044-03-15 12:00:00 BC',
    'infinity',
    '-infinity',
  ],
  timestamptz: [
    '1970-01-01 00:00:00+00',
    '2026-11-15 04:42:11.123456+00',
    '2026-10-25 01:30:00+00',
    '1969-12-31 23:59:59.999999+00',
    '1000-01-01 00:00:00+00',
    '9999-12-31 23:59:59.999999+00',
    '0044-03-15 12:00:00+00 BC',
    'infinity',
    '-infinity',
  ],
  uuid: ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', '6f1c1d4e-0a1b-4c2d-8e3f-9a0b1c2d3e4f'],
  json: [
    '{}',
    '[]',
    'null',
    '"text"',
    '0',
    'true',
    '{"a":{"b":[1,2.50,null,"x"]},"ü":"😀\\n\\t\\\\\\""}',
    '{"big":12345678901234567890.12345678901234567890}',
    '{"sql":"\'; drop table x; --"}',
  ],
  binary: [
    '\\x',
    '\\x00',
    '\\x0000ff00',
    '\\xdeadbeef',
    '\\x5c',
    '\\x0a0d095c4e',
    `\\x${Buffer.from(Array.from({ length: 256 }, (_, at) => at)).toString('hex')}`,
  ],
};

/** Names that break a connector that forgets to quote. */
export const NASTY_NAMES = [
  'select',
  'Order',
  'user',
  'with space',
  ' leading',
  'quo"te',
  `apos'trophe`,
  'back`tick',
  'back\\slash',
  'semi;colon -- x',
  'per%cent %s',
  'a.b',
  '$1',
  '?',
  ':colon',
  '[bracket]',
  'comma,name',
  'ünïcödé',
  '日本',
  'e\u0301',
  '😀',
  '1',
  '__proto__',
  'constructor',
] as const;

/** A field of every type, named after it, behind a number as key. */
export const everyTypeFields: readonly Field[] = [field('id', 'int64', false), ...CANONICAL_TYPES.map((type) => field(`a_${type}`, type))];

/** Rows in which each nasty value stands alone; the last one is all null. */
export function everyTypeRows(lacks: (type: CanonicalType, value: string) => boolean): { good: Row[]; lacking: Row[] } {
  const [good, lacking]: [Row[], Row[]] = [[], []];
  let id = 0;
  for (const [at, type] of CANONICAL_TYPES.entries()) {
    for (const value of NASTY_VALUES[type]) {
      const row = [String(++id), ...CANONICAL_TYPES.map((_, other) => (other === at ? value : null))];
      (lacks(type, value) ? lacking : good).push(row);
    }
  }
  good.push([String(++id), ...CANONICAL_TYPES.map(() => null)]);
  return { good, lacking };
}
