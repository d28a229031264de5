import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AirbyteSession } from '../session.ts';
import { putAt, removeAt, valueAt, valuesAt } from './dpath.ts';
import { extractorOf } from './extract.ts';
import { normalize } from './normalize.ts';
import { rowOf } from './rows.ts';
import { transformOf } from './transform.ts';
import type { CanonicalType } from '../../../canonical.ts';

const session = { config: { suffix: '_x' } } as unknown as AirbyteSession;

function transformed(part: object, record: Record<string, unknown>, slice: unknown = {}): Record<string, unknown> {
  transformOf(session, part as never)(record, slice);
  return record;
}

test('paths with wildcards', () => {
  const value = { a: [{ b: [1, 2] }, { b: [3] }], c: { x: 1, y: 2 } };
  assert.deepEqual(valuesAt(value, ['a', '*', 'b']), [[1, 2], [3]]);
  assert.deepEqual(valuesAt(value, ['c', '*']), [1, 2]);
  assert.deepEqual(valuesAt(value, ['**', 'b']), [[1, 2], [3]]);
  assert.equal(valueAt(value, ['a', '1', 'b', '0']), 3);
  assert.equal(valueAt(value, ['a', 'length']), undefined);
  const record: Record<string, unknown> = { a: [1, 2, 3], b: { c: null, d: 2 }, e: null };
  removeAt(record, ['a', '*']);
  removeAt(record, ['**'], (found) => found === null);
  assert.deepEqual(record, { a: [null], b: { d: 2 } }, 'of a list only the last entry goes');
  assert.equal(putAt(record, ['b', 'd', 'e'], 1), false);
  putAt(record, ['list', '1', 'x'], 5);
  assert.deepEqual(valueAt(record, ['list']), [null, { x: 5 }]);
});

test('records are found where the extractor says, and made of lists within them', () => {
  const at = (part: object, body: unknown): readonly unknown[] => extractorOf(session, part as never)(body);
  const dpath = (...field_path: string[]): object => ({ type: 'DpathExtractor', field_path });
  assert.deepEqual(at(dpath('data'), { data: [1, 2] }), [1, 2]);
  assert.deepEqual(at(dpath('data'), { data: { id: 1 } }), [{ id: 1 }]);
  assert.deepEqual(at(dpath('data'), { data: {} }), []);
  assert.deepEqual(at(dpath('no', 'such'), { data: 1 }), []);
  assert.deepEqual(at(dpath('data', '*', 'items'), { data: [{ items: [1] }, { items: [2] }] }), [[1], [2]]);
  const union = { type: 'CombinedExtractor', extractors: [dpath('a'), dpath('b')] };
  assert.deepEqual(at(union, { a: [1], b: [2] }), [1, 2]);
  assert.deepEqual(at({ ...union, mode: 'first_match' }, { a: [], b: [2] }), [2]);
  const expander = {
    type: 'RecordExpander',
    expand_records_from_field: ['lines'],
    parent_fields: [{ parent_path: ['id'], record_path: ['order_id'] }],
  };
  assert.deepEqual(at({ ...dpath('data'), record_expander: expander }, { data: [{ id: 7, lines: [{ sku: 'a' }, { sku: 'b' }] }] }), [
    { sku: 'a', order_id: 7 },
    { sku: 'b', order_id: 7 },
  ]);
});

test('transformations', () => {
  const fields = [
    { path: ['full', 'name'], value: "{{ record['first'] }} {{ record.last }}" },
    { path: ['shop'], value: '{{ stream_slice.shop }}' },
    { path: ['code'], value: '{{ "007" }}', value_type: 'string' },
    { path: ['count'], value: '{{ 3 + 4 }}' },
  ];
  assert.deepEqual(transformed({ type: 'AddFields', fields }, { first: 'A', last: 'B' }, { shop: 'north' }), {
    first: 'A',
    last: 'B',
    full: { name: 'A B' },
    shop: 'north',
    code: '007',
    count: 7,
  });
  assert.deepEqual(transformed({ type: 'AddFields', condition: '{{ record.id > 1 }}', fields: [{ path: ['x'], value: '1' }] }, { id: 1 }), {
    id: 1,
  });
  assert.deepEqual(transformed({ type: 'RemoveFields', field_pointers: [['a'], ['b', 'c'], ['no']] }, { a: 1, b: { c: 1, d: 2 } }), {
    b: { d: 2 },
  });
  assert.deepEqual(
    transformed({ type: 'RemoveFields', field_pointers: [['**']], condition: '{{ property is none }}' }, { a: null, b: { c: null, d: 1 } }),
    { b: { d: 1 } },
  );
  assert.deepEqual(transformed({ type: 'KeysToLower' }, { AbC: 1 }), { abc: 1 });
  assert.deepEqual(transformed({ type: 'KeysToSnakeCase' }, { FirstName: 1, 'Last-Name': 2, '2ndStreet': 3, Größe: { InnerKey: 4 } }), {
    first_name: 1,
    last_name: 2,
    _2_nd_street: 3,
    grosse: { inner_key: 4 },
  });
  assert.deepEqual(transformed({ type: 'KeysReplace', old: ' ', new: '_' }, { 'a b': { 'c d': 1 } }), { a_b: { c_d: 1 } });
  assert.deepEqual(transformed({ type: 'FlattenFields' }, { a: { b: 1, c: [1, { d: 2 }] }, b: 3 }), {
    b: 3,
    'c.1.d': 2,
    'c.0': 1,
    'a.b': 1,
  });
  const flatten = {
    type: 'DpathFlattenFields',
    field_path: ['a'],
    delete_origin_value: true,
    key_transformation: { prefix: 'p_', suffix: "{{ config['suffix'] }}" },
  };
  assert.deepEqual(transformed(flatten, { id: 1, a: { b: 2 } }), { id: 1, p_b_x: 2 });
  assert.deepEqual(transformed({ type: 'DpathFlattenFields', field_path: ['a'] }, { b: 1, a: { b: 2 } }), { b: 1, a: { b: 2 } });
  assert.deepEqual(transformed({ type: 'DpathFlattenFields', field_path: ['a'], replace_record: true }, { b: 1, a: { c: 2 } }), { c: 2 });
});

test('values become what the schema says, where that is possible', () => {
  const schema = {
    properties: {
      n: { type: ['null', 'number'] },
      i: { type: 'integer' },
      s: { type: ['string', 'null'] },
      b: { type: 'boolean' },
      list: { type: 'array', items: { type: 'string' } },
      many: { type: ['string', 'integer'] },
      inner: { type: 'object', properties: { i: { type: 'integer' } } },
    },
  };
  const record = { n: '1.5', i: '007', s: 5, b: 'yes', list: 3, many: 4, inner: { i: '8' } };
  normalize(record, schema);
  assert.deepEqual(record, { n: 1.5, i: 7, s: '5', b: true, list: ['3'], many: 4, inner: { i: 8 } });
  const other = { n: null, i: 'x', s: null, b: 'perhaps' };
  normalize(other, schema);
  assert.deepEqual(other, { n: null, i: 'x', s: null, b: 'perhaps' });
});

test('rows: generous with times, exact with the rest, and a missing key is a reject', () => {
  const value = (type: CanonicalType, given: unknown): unknown => {
    const made = rowOf({ x: given }, [{ name: 'x', type, nullable: true, path: ['x'] }]);
    return 'row' in made ? made.row[0] : made.reject.reason;
  };
  assert.equal(value('timestamptz', '2024-01-02T03:04:05'), '2024-01-02 03:04:05+00');
  assert.equal(value('timestamptz', '2024-01-02'), '2024-01-02 00:00:00+00');
  assert.equal(value('timestamptz', '2024-01-02T03:04:05.1234567Z'), '2024-01-02 03:04:05.123456+00');
  assert.equal(value('timestamptz', '2024-01-02 03:04:05 +0200'), '2024-01-02 01:04:05+00');
  assert.equal(value('date', '2024-01-02T03:04:05Z'), '2024-01-02');
  assert.equal(value('int64', ''), null);
  assert.equal(value('text', ''), '');
  assert.equal(value('text', { a: 1 }), '{"a":1}');
  assert.match(String(value('int64', 1.5)), /is not of the type int64: 1.5/);
  assert.match(String(value('date', 'noon')), /is not of the type date/);
  const missing = rowOf({}, [{ name: 'a.id', type: 'int64', nullable: false, path: ['a', 'id'] }]);
  assert.ok('reject' in missing && missing.reject.field === 'a.id');
});
