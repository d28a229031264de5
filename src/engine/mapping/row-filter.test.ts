import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import fc from 'fast-check';
import type { CanonicalType, Value } from '../../connectors/canonical.ts';
import type { Filter } from '../../connectors/contract.ts';
import { compileFilter, filterFault } from './row-filter.ts';

function passing(type: CanonicalType, op: Filter['op'], value: Filter['value'], values: readonly Value[]): Value[] {
  const filter: Filter = value === undefined ? { field: 'f', op } : { field: 'f', op, value };
  return values.filter(compileFilter({ name: 'f', type }, filter));
}

test('a null passes only is_null', () => {
  const values = ['1', null, '2'];
  assert.deepEqual(passing('int64', 'is_null', undefined, values), [null]);
  assert.deepEqual(passing('int64', 'not_null', undefined, values), ['1', '2']);
  for (const op of ['=', '!=', '<', '<=', '>', '>='] as const) assert.ok(!passing('int64', op, '1', values).includes(null), op);
  assert.deepEqual(passing('int64', 'in', ['1'], values), ['1']);
});

test('values compare by what they mean', () => {
  assert.deepEqual(passing('int64', '>', '9', ['10', '9', '8', '9223372036854775807']), ['10', '9223372036854775807']);
  assert.deepEqual(passing('int64', '=', '9223372036854775807', ['9223372036854775806', '9223372036854775807']), ['9223372036854775807']);
  assert.deepEqual(passing('int64', '<', '1.5', ['1', '2']), ['1']);
  assert.deepEqual(passing('decimal', '=', '1.5', ['1.50', '1.5', '1.500001']), ['1.50', '1.5']);
  assert.deepEqual(passing('decimal', '>', '5', ['NaN', 'Infinity', '-Infinity', '5.0']), ['NaN', 'Infinity']);
  assert.deepEqual(passing('decimal', 'in', ['1.0', '2'], ['1', '2.00', '3']), ['1', '2.00']);
  assert.deepEqual(passing('float64', '=', '1e3', ['1000', '1000.5']), ['1000']);
  assert.deepEqual(passing('boolean', '=', 'true', ['t', 'f']), ['t']);
  assert.deepEqual(passing('date', '<', '0001-01-01', ['0044-03-15 BC', '0100-01-01', '-infinity', 'infinity']), [
    '0044-03-15 BC',
    '-infinity',
  ]);
  assert.deepEqual(passing('date', '<', '0044-03-15 BC', ['0043-03-15 BC', '0045-12-31 BC']), ['0045-12-31 BC']);
  assert.deepEqual(passing('date', '>', '9999-12-31', ['10000-01-01', '2026-01-01']), ['10000-01-01']);
  assert.deepEqual(
    passing('timestamptz', '>=', '2026-11-15T05:00:00.5+01:00', [
      '2026-11-15 04:00:00.500+00',
      '2026-11-15 04:00:00+00',
      '2026-11-15 04:00:00.51+00',
    ]),
    ['2026-11-15 04:00:00.500+00', '2026-11-15 04:00:00.51+00'],
  );
  assert.deepEqual(passing('time', '=', '04:42', ['04:42:00', '04:42:00.0', '04:42:01']), ['04:42:00', '04:42:00.0']);
  assert.deepEqual(passing('json', '=', '{"a":1,"b":2}', ['{"b": 2, "a": 1}', '{}']), ['{"b": 2, "a": 1}']);
  assert.deepEqual(passing('text', '>', '\uffff', ['😀', 'z']), ['😀'], 'by code points, not UTF-16 units');
});

test('a filter that cannot be used says why', () => {
  const amount = { name: 'amount', type: 'decimal' } as const;
  assert.equal(filterFault(amount, { field: 'amount', op: '>', value: 'ten' }), '"ten" is no decimal, which amount is');
  assert.equal(filterFault(amount, { field: 'amount', op: '>' }), '> needs a value');
  assert.equal(filterFault(amount, { field: 'amount', op: 'in', value: '1' }), 'in needs a list of values');
  assert.equal(filterFault(amount, { field: 'amount', op: 'is_null', value: '1' }), 'is_null takes no value');
  assert.equal(filterFault(amount, { field: 'amount', op: 'in', value: ['1', '2.5'] }), undefined);
});

const INT = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const SMALL = fc.bigInt({ min: -3n, max: 3n });
const NUMBERS = {
  int64: fc.oneof(INT, SMALL).map(String),
  float64: fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer({ min: -3, max: 3 })).map(String),
};

test('property: numbers, texts and nulls pass as they do in SQLite', () => {
  const database = new DatabaseSync(':memory:');
  database.exec('create table t (int64 integer, float64 real, text text)');
  const insert = { int64: statement('int64'), float64: statement('float64'), text: statement('text') };
  function statement(type: string): ReturnType<DatabaseSync['prepare']> {
    return database.prepare(`insert into t (${type}) values (?)`);
  }
  const bound = { int64: BigInt, float64: Number, text: String };
  for (const type of ['int64', 'float64', 'text'] as const) {
    const value = type === 'text' ? fc.string({ unit: 'grapheme', maxLength: 4 }).filter((text) => !text.includes('\0')) : NUMBERS[type];
    fc.assert(
      fc.property(
        fc.array(fc.option(value), { maxLength: 10 }),
        fc.constantFrom('=', '!=', '<', '<=', '>', '>=', 'in'),
        fc.array(value, { minLength: 1, maxLength: 3 }),
        (values, op, wanted) => {
          database.exec('delete from t');
          for (const item of values) insert[type].run(item === null ? null : bound[type](item));
          const used = op === 'in' ? wanted : wanted.slice(0, 1);
          const right = op === 'in' ? `(${used.map(() => '?').join(',')})` : '?';
          const select = database.prepare(`select rowid from t where ${type} ${op} ${right} order by rowid`);
          const expected = select.all(...used.map((item) => bound[type](item))).map(({ rowid }) => values[Number(rowid) - 1]);
          assert.deepEqual(passing(type, op as Filter['op'], op === 'in' ? used : used[0], values), expected);
        },
      ),
      { numRuns: 300 },
    );
  }
  database.close();
});
