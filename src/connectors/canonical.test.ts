import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parseExactly } from '../lib/exact-json.ts';
import { CANONICAL_TYPES, type CanonicalType, comparable, isCanonical, type Row } from './canonical.ts';
import { OutsideError } from '../outside/errors.ts';
import { fromJson, fromText, toJsonText, typeOfJson, widen } from './json-values.ts';
import { countRows, decodeRows, encodeRows, lastRow } from './lines.ts';

describe('lines', () => {
  const value = fc.option(fc.string({ unit: 'binary' }), { nil: null });
  test('any rows come back as they were', () => {
    fc.assert(
      fc.property(fc.array(fc.array(value, { minLength: 1, maxLength: 6 })), (rows) => {
        const lines = encodeRows(rows);
        assert.deepEqual(decodeRows(lines), rows);
        assert.equal(countRows(lines), rows.length);
        assert.deepEqual(lastRow(lines), rows.at(-1));
      }),
    );
  });
  test('null, the empty string and a backslash with N are three things', () => {
    const rows: Row[] = [[null, '', '\\N', 'N']];
    assert.equal(encodeRows(rows).toString(), '\\N\t\t\\\\N\tN\n');
    assert.deepEqual(decodeRows(encodeRows(rows)), rows);
  });
  test('escapes that only PostgreSQL writes are understood', () => {
    assert.deepEqual(decodeRows(Buffer.from('a\\bb\\fc\\vd\n')), [['a\bb\fc\vd']]);
  });
  test('half of a surrogate pair is refused, not replaced', () => {
    assert.throws(() => encodeRows([['\ud800']]), OutsideError);
  });
});

describe('canonical spelling', () => {
  const table: [CanonicalType, string[], string[]][] = [
    ['int64', ['0', '-9223372036854775808', '9223372036854775807'], ['9223372036854775808', '1.0', '', '+1', '1e3']],
    ['decimal', ['123456789012345678901234567890.123', '-0.5', 'NaN', '-Infinity'], ['1e3', '', '.']],
    ['float64', ['1e+308', '-0', 'Infinity', '0.1'], ['1e', 'inf', '1e400', '-1e400']],
    ['boolean', ['t', 'f'], ['true', '1', '']],
    ['date', ['2026-11-15', '0044-03-15 BC', 'infinity'], ['2026-13-01', '0000-00-00x', '2026-11-32']],
    ['time', ['23:59:59.999999', '24:00:00'], ['25:00:00', '23:59']],
    ['timestamp', ['2026-11-15 04:42:11.123456', '-infinity'], ['2026-11-15T04:42:11', '2026-11-15 04:42:11+00']],
    ['timestamptz', ['2026-11-15 04:42:11.123456+00'], ['2026-11-15 04:42:11', '2026-11-15 04:42:11+01']],
    ['uuid', ['6f1c1d4e-0000-4000-8000-000000000000'], ['6F1C1D4E-0000-4000-8000-000000000000', '6f1c']],
    ['json', ['{"a":[1,null]}', '"x"'], ['{a:1}', '']],
    ['binary', ['\\x', '\\x00ff'], ['00ff', '\\x0', '\\xFF']],
  ];
  for (const [type, good, bad] of table) {
    test(type, () => {
      for (const text of good) assert.ok(isCanonical(type, text), `${text} is a ${type}`);
      for (const text of bad) assert.ok(!isCanonical(type, text), `${text} is no ${type}`);
    });
  }
  test('equal values compare as equal texts', () => {
    const equal: [CanonicalType, string, string][] = [
      ['decimal', '1.50', '1.5'],
      ['decimal', '-0.00', '0'],
      ['decimal', '0100.0', '100'],
      ['float64', '1e+15', '1000000000000000'],
      ['timestamp', '2026-11-15 04:42:11.120000', '2026-11-15 04:42:11.12'],
      ['timestamptz', '2026-11-15 04:42:10.000+00', '2026-11-15 04:42:10+00'],
      ['time', '10:00:00.000000', '10:00:00'],
      ['json', '{"b":12345678901234567890, "a":1}', '{"a":1,"b":12345678901234567890}'],
    ];
    for (const [type, a, b] of equal) assert.equal(comparable(type, a), comparable(type, b), `${a} = ${b}`);
    assert.notEqual(comparable('json', '12345678901234567890'), comparable('json', '12345678901234567891'));
    assert.notEqual(comparable('timestamp', '2026-11-15 04:42:10'), comparable('timestamp', '2026-11-15 04:42:01'));
    assert.equal(comparable('decimal', 'NaN'), 'NaN');
  });
});

describe('JSON', () => {
  test('no digit is lost on the way through', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (number) => {
        const text = toJsonText('int64', number.toString());
        assert.equal(fromJson('int64', parseExactly(text)), number.toString());
      }),
    );
    assert.equal(fromJson('decimal', parseExactly('12345678901234567890.123456789')), '12345678901234567890.123456789');
    assert.equal(fromJson('json', parseExactly('{"n":12345678901234567890}')), '{"n":12345678901234567890}');
    assert.equal(fromJson('float64', parseExactly('1e400')), undefined, 'it is not infinity');
    assert.equal(fromJson('json', parseExactly('[1e400]')), '[1e400]');
  });
  test('texts are read as people write them', () => {
    assert.equal(fromText('timestamptz', '2026-11-15T05:42:11.123456+01:00'), '2026-11-15 04:42:11.123456+00');
    assert.equal(fromText('timestamptz', '2026-11-15T04:42Z'), '2026-11-15 04:42:00+00');
    assert.equal(fromText('int64', '+007'), '7');
    assert.equal(fromText('int64', '-0'), '0');
    assert.equal(fromText('decimal', '1.5e3'), '1500');
    assert.equal(fromText('decimal', '1.25e-3'), '0.00125');
    assert.equal(fromText('boolean', 'TRUE'), 't');
    assert.equal(fromText('int64', '1.5'), undefined);
    assert.equal(fromText('boolean', 'constructor'), undefined, 'what every object has is no boolean');
    assert.equal(fromText('timestamptz', '2026-11-15T04:42:11.123456000Z'), '2026-11-15 04:42:11.123456+00');
    assert.equal(fromText('timestamptz', '2026-11-15T04:42:11.123456789Z'), undefined, 'nanoseconds are not cut off in silence');
    for (const odd of ['0044-03-15 12:00:00+00 BC', '10000-01-01 00:00:00+00'])
      assert.equal(fromJson('timestamptz', JSON.parse(toJsonText('timestamptz', odd))), odd);
    assert.equal(fromText('timestamptz', '2026-11-15T04:42:11'), undefined, 'a time without its zone is not guessed');
  });
  test('types are told from values, and widened', () => {
    assert.equal(typeOfJson(1), 'int64');
    assert.equal(typeOfJson(1.5), 'decimal');
    assert.equal(typeOfJson('2026-11-15T04:42:11Z'), 'timestamptz');
    assert.equal(typeOfJson('hello'), 'text');
    assert.equal(typeOfJson(null), undefined);
    assert.equal(widen('int64', 'decimal'), 'decimal');
    assert.equal(widen(undefined, 'date'), 'date');
    assert.equal(widen('int64', 'date'), 'text');
    assert.equal(widen('json', 'int64'), 'json');
  });
});

test('a hostile text of a megabyte is judged at once, as any type', () => {
  const many = 1_000_000;
  const texts = [
    `${'0'.repeat(many)}x`,
    `${'1'.repeat(many)}x`,
    `0.${'0'.repeat(many)}1`,
    `0.${'0'.repeat(many)}x`,
    `${'1'.repeat(many)}e5`,
    `${' '.repeat(many)}x`,
    '-'.repeat(many),
    `2026-11-15T04:42:11.${'0'.repeat(many)}x`,
    `\\x${'ab'.repeat(many)}z`,
  ];
  for (const text of texts) {
    for (const type of CANONICAL_TYPES) {
      const started = performance.now();
      isCanonical(type, text);
      const value = fromText(type, text);
      if (value !== undefined && type !== 'json') comparable(type, value);
      typeOfJson(text);
      assert.ok(performance.now() - started < 1000, `${type} ${text.slice(0, 20)}…`);
    }
  }
});
