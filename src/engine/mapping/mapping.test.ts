import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Batch } from '../../connectors/batch.ts';
import { CANONICAL_TYPES, type CanonicalType, type Row } from '../../connectors/canonical.ts';
import type { Field, Filter } from '../../connectors/contract.ts';
import { encodeRows } from '../../connectors/lines.ts';
import { castOf } from '../values/cast.ts';
import { compileMapping, type Mapped, type OutputField } from './mapping.ts';

const FIELDS: readonly Field[] = [
  field('id', 'int64'),
  field('name', 'text'),
  field('price', 'decimal'),
  field('paid', 'boolean'),
  field('updated at', 'timestamptz'),
];
const ROWS: readonly Row[] = [
  ['1', 'Zoë', '19.99', 't', '2026-11-15 04:42:11.5+00'],
  ['2', 'tab\there\\', null, 'f', null],
  ['3', '', '-0.50', null, '2026-11-15 00:00:00+00'],
];

function field(name: string, type: CanonicalType): Field {
  return { name, type, nullable: true };
}

function same(fields: readonly Field[] = FIELDS): OutputField[] {
  return fields.map(({ name, type }, from) => ({ to: name, type, from }));
}

function lines(rows: readonly Row[], operation: 'write' | 'delete' = 'write'): Batch {
  return Batch.ofLines(encodeRows(rows), { position: 'here', operation });
}

function shown({ batch, rejects, origin }: Mapped): unknown {
  return { rows: batch.rows, count: batch.count, position: batch.position, operation: batch.operation, rejects, origin };
}

test('a mapping that changes no spelling passes the batch untouched', () => {
  const batch = lines(ROWS);
  const casts: OutputField[] = same().map((output) =>
    output.type === 'boolean' ? output : { ...output, to: `new ${output.to}`, type: 'text' },
  );
  for (const outputs of [same(), casts]) assert.equal(compileMapping(FIELDS, outputs).map(batch).batch, batch);
});

test('fields are dropped, moved and doubled without becoming strings', () => {
  const outputs = [4, 0, 0, 1].map((from) => same()[from] as OutputField);
  const { batch, origin, rejects } = compileMapping(FIELDS, outputs).map(lines(ROWS));
  assert.equal(batch.hasLines, true);
  assert.deepEqual(batch.rows, [
    ['2026-11-15 04:42:11.5+00', '1', '1', 'Zoë'],
    [null, '2', '2', 'tab\there\\'],
    ['2026-11-15 00:00:00+00', '3', '3', ''],
  ]);
  assert.deepEqual([origin, rejects, batch.position], [undefined, [], 'here']);
});

test('an expression is spliced in, and what cannot be computed is rejected with its row', () => {
  const outputs: OutputField[] = [same()[0] as OutputField, { to: 'label', type: 'text', expression: 'name + ": " + string(int(price))' }];
  const mapping = compileMapping(FIELDS, outputs);
  const rows: Row[] = [...ROWS, ['4', 'x', 'NaN', null, null]];
  const { batch, rejects, origin } = mapping.map(lines(rows));
  assert.deepEqual(batch.rows, [
    ['1', 'Zoë: 19'],
    ['2', null],
    ['3', ': 0'],
  ]);
  assert.deepEqual(origin, [0, 1, 2]);
  assert.deepEqual(rejects, [
    {
      index: 3,
      row: { id: '4', name: 'x', price: 'NaN', paid: null, 'updated at': null },
      field: 'label',
      reason: 'price is NaN, with which nothing can be computed',
    },
  ]);
});

test('a cast that would lose something rejects the row and names the value', () => {
  const outputs: OutputField[] = [{ to: 'whole', type: 'int64', from: 2 }];
  const { batch, rejects } = compileMapping(FIELDS, outputs).map(lines([...ROWS, ['9', null, '7.00', null, null]]));
  assert.deepEqual(batch.rows, [[null], ['7']]);
  assert.deepEqual(
    rejects.map(({ index, field: name, reason }) => [index, name, reason]),
    [0, 2].map((index) => [
      index,
      'whole',
      `"${ROWS[index]?.[2]}" (decimal) cannot become int64 without loss: it needs a whole number between -9223372036854775808 and 9223372036854775807`,
    ]),
  );
});

test('filters leave rows out, and the origin tells where the others were', () => {
  const filters: Filter[] = [{ field: 'price', op: '<', value: '19.990' }];
  const mapped = compileMapping(FIELDS, same(), { filters }).map(lines(ROWS));
  assert.deepEqual(mapped.batch.rows, [ROWS[2]]);
  assert.deepEqual(mapped.origin, [2]);
});

test('where rows are only added, what is gone is left out, and how far the source was read is kept', () => {
  const read: Field[] = [{ name: 'id', type: 'int64', nullable: false }];
  const mapping = compileMapping(read, [{ to: 'n', type: 'text', expression: '"x"' }]);
  const { batch } = mapping.map(Batch.ofRows([['1']], { position: 'here', operation: 'delete' }));
  assert.deepEqual([batch.rows, batch.operation, batch.position], [[], 'write', 'here']);
});

test('the rows of a delete are the key in its order, cast like its fields', () => {
  const fields = [field('note', 'text'), field('id', 'int64'), field('paid', 'boolean')];
  const outputs: OutputField[] = [
    { to: 'paid', type: 'int64', from: 2 },
    { to: 'number', type: 'text', from: 1 },
  ];
  const mapping = compileMapping(fields, outputs, { key: ['id', 'paid'], filters: [{ field: 'note', op: 'not_null' }] });
  const deletes: Row[] = [
    ['7', 't'],
    ['8', 'f'],
  ];
  const expected = [
    ['7', '1'],
    ['8', '0'],
  ];
  for (const batch of [lines(deletes, 'delete'), Batch.ofRows(deletes, { position: 'here', operation: 'delete' })]) {
    const mapped = mapping.map(batch);
    assert.deepEqual([mapped.batch.rows, mapped.batch.operation], [expected, 'delete']);
  }
  assert.throws(() => compileMapping(fields, [], { key: ['id'] }), /id of the key is not written/);
});

test('what can never work is refused when the mapping is made', () => {
  assert.throws(() => compileMapping(FIELDS, [{ to: 'x', type: 'uuid', from: 0 }]), /int64 does not become uuid/);
  assert.throws(() => compileMapping(FIELDS, [{ to: 'x', type: 'text' }]), /comes from nowhere/);
  assert.throws(() => compileMapping(FIELDS, [{ to: 'x', type: 'text', expression: 'nmae' }]), /did you mean name\?/);
  assert.throws(() => compileMapping(FIELDS, same(), { filters: [{ field: 'id', op: '=', value: 'x' }] }), /"x" is no int64/);
});

/** Rows of very different sizes, some larger than the pieces in which lines are mapped; every tenth is left out, every seventh cannot be cast. */
function manyRows(): Row[] {
  const sizes = [0, 10, 1_000, 30_000, 65_535, 65_536, 200_000];
  return Array.from({ length: 100 }, (_, i): Row => {
    const name = (i % 3 === 0 ? 'é' : 'e').repeat(sizes[(i * 5) % sizes.length] as number);
    return [String(i), name, i % 7 === 0 ? 'NaN' : `${i}.00`, i % 10 === 0 ? null : 't', null];
  });
}

const CHANGING: readonly OutputField[] = [
  { to: 'name', type: 'text', from: 1 },
  { to: 'price', type: 'int64', from: 2 },
  { to: 'label', type: 'text', expression: 'string(id) + "!"' },
];
const PAID: readonly Filter[] = [{ field: 'paid', op: 'not_null' }];

test('large batches are mapped in pieces to what their rows are mapped to, with every row in its place', () => {
  const rows = manyRows();
  const mapping = compileMapping(FIELDS, CHANGING, { filters: PAID });
  const mapped = mapping.map(lines(rows));
  assert.deepEqual(shown(mapped), shown(mapping.map(Batch.ofRows(rows, { position: 'here' }))));
  assert.ok(mapped.rejects.length > 5 && mapped.batch.count > 50);
});

test('the memory of what was made of a batch is used again once it is released, and not before', () => {
  const rows = Array.from({ length: 10_000 }, (_, i): Row => [String(i), 'x'.repeat(50), '1.00', 't', null]);
  const mapping = compileMapping(FIELDS, CHANGING);
  const [first, second] = [mapping.map(lines(rows)).batch, mapping.map(lines(rows)).batch];
  const [made, other] = [first.lines, second.lines];
  assert.deepEqual(made, other);
  first.release();
  assert.equal(made.length, 0);
  assert.deepEqual(mapping.map(lines(rows)).batch.lines, other);
});

const TEXT = fc.oneof(
  fc.string({ unit: fc.constantFrom('\t', '\n', '\r', '\\', 'N', '.', 'a', 'é', '漢', '😀', '\b', '') }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('', '\\N', '\\.', '12', '12.5', 'true', '2026-11-15', '2026-11-15T10:00Z', '{"a":[1]}'),
);
const VALUES: Partial<Record<CanonicalType, fc.Arbitrary<string>>> = {
  text: TEXT,
  int64: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
  decimal: fc.oneof(
    fc.tuple(fc.integer(), fc.nat(99)).map(([a, b]) => `${a}.${b}`),
    fc.constantFrom('NaN', '5.000', '123456789012345678.5'),
  ),
  float64: fc.double().map(String),
  boolean: fc.constantFrom('t', 'f'),
  timestamptz: fc
    .date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
    .map((date) => date.toISOString().replace('T', ' ').replace('Z', '+00')),
  json: fc.json(),
};

/** A table with its mapping: copies, casts that exist, expressions and a filter. */
const CASE = fc.array(fc.constantFrom(...(Object.keys(VALUES) as CanonicalType[])), { minLength: 1, maxLength: 6 }).chain((types) => {
  const fields = types.map((type, i) => field(`f${i}`, type));
  const row = fc.tuple(...types.map((type) => fc.option(VALUES[type] as fc.Arbitrary<string>, { freq: 4 })));
  const output = fc.nat(types.length - 1).chain((from): fc.Arbitrary<OutputField> => {
    const casts = CANONICAL_TYPES.filter((to) => castOf(types[from] as CanonicalType, to));
    return fc.oneof(
      fc.constant<OutputField>({ to: 'copy', type: types[from] as CanonicalType, from }),
      fc.constantFrom(...casts).map((type): OutputField => ({ to: `as ${type}`, type, from })),
      fc
        .constantFrom('json(f0)', '[f0 == null]', 'json(row)', 'size(json(f0))', 'coalesce(string(f0), "none") + "\\t\\n\\\\é"')
        .map((expression): OutputField => ({ to: 'computed', type: 'text', expression })),
    );
  });
  const filter = fc
    .nat(types.length - 1)
    .chain((i) => fc.constantFrom<Filter[]>([], [], [{ field: `f${i}`, op: 'not_null' }], [{ field: `f${i}`, op: 'is_null' }]));
  return fc.record({
    fields: fc.constant(fields),
    rows: fc.array(row, { maxLength: 8 }),
    outputs: fc.array(output, { minLength: 1, maxLength: 6 }),
    filters: filter,
  });
});

test('property: rows as bytes are mapped to what rows as values are mapped to', () => {
  fc.assert(
    fc.property(CASE, ({ fields, rows, outputs, filters }) => {
      const mapping = compileMapping(fields, outputs, { filters });
      const asRows = mapping.map(Batch.ofRows(rows, { position: 'here' }));
      assert.deepEqual(shown(mapping.map(lines(rows))), shown(asRows));
    }),
    { numRuns: 2000 },
  );
});
