import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CUSTOMERS, end, faultsOf, FIELDS, plan, table } from '../../../test/support/plan-fixture.ts';

describe('a plan', () => {
  test('reads and writes everything, in the order of the source, where nothing else is said', () => {
    const { plan: found, faults } = plan();
    assert.deepEqual(faults, []);
    assert.deepEqual(found?.read, { stream: 'public.customers', fields: FIELDS.map(({ name }) => name), key: ['id'], filters: [] });
    assert.deepEqual(found?.sourceFields, FIELDS);
    assert.deepEqual(
      found?.outputs,
      FIELDS.map(({ name: to, type }, from) => ({ to, type, from })),
    );
    assert.deepEqual(found?.write, { stream: 'customers', fields: FIELDS, key: ['id'], mode: 'mirror', create: true, deletes: 'delete' });
  });

  test('writes an incremental stream by key, and adds to one that is appended to', () => {
    const incremental = plan({ mode: 'incremental', cursor: 'updated_at', deletes: 'keep' }).plan;
    assert.deepEqual([incremental?.read.cursor, incremental?.write.mode, incremental?.write.key], ['updated_at', 'upsert', ['id']]);
    const appended = plan({ mode: 'append', cursor: 'id', deletes: 'keep' }).plan;
    assert.deepEqual([appended?.read.key, appended?.write.mode, appended?.write.key], [['id'], 'append', []]);
  });

  test('renames, casts and computes; what only the cursor, the key, a filter or an expression needs is read and not written', () => {
    const { plan: found, faults } = plan(
      {
        mode: 'append',
        cursor: 'updated_at',
        deletes: 'keep',
        fields: [
          { from: 'name', to: 'full_name' },
          { from: 'id', to: 'number', type: 'text' },
          { to: 'large', expression: 'amount > 10.0' },
        ],
        filter: [{ field: 'active', op: '=', value: 't' }],
      },
      { source: end('files', { ...CUSTOMERS, kind: 'file', cursors: ['updated_at'] }), target: end('postgres') },
    );
    assert.deepEqual(faults, []);
    assert.deepEqual(found?.read.fields, ['name', 'id', 'updated_at', 'active', 'amount']);
    assert.deepEqual(found?.outputs, [
      { to: 'full_name', type: 'text', from: 0 },
      { to: 'number', type: 'text', from: 1 },
      { to: 'large', type: 'boolean', expression: 'amount > 10.0' },
    ]);
    assert.deepEqual(found?.write.fields[0], { name: 'full_name', type: 'text', nullable: true, native: 'character varying(20)' });
    assert.deepEqual(found?.write.fields[1], { name: 'number', type: 'text', nullable: false }, 'a cast field is not of its old type');
    assert.deepEqual([found?.read.filters, found?.engineFilters], [[], [{ field: 'active', op: '=', value: 't' }]]);
  });

  test('lets the source filter where it can', () => {
    const filter = [{ field: 'active', op: '=' as const, value: 't' }];
    const found = plan({ filter, fields: [{ from: 'id', to: 'id' }] }).plan;
    assert.deepEqual([found?.read.filters, found?.engineFilters, found?.read.fields], [filter, [], ['id']]);
  });

  test('calls the key by its names at the target', () => {
    const found = plan({ fields: [{ from: 'id', to: 'customer_number' }] }).plan;
    assert.deepEqual(found?.write.key, ['customer_number']);
  });

  test('writes values in the spelling of a column that holds them all', () => {
    const target = end('sqlite', table({ id: 'text', born: 'timestamp', AMOUNT: 'text' }));
    const found = plan({ fields: ['id', 'born', 'amount'].map((name) => ({ from: name, to: name })) }, { target }).plan;
    assert.deepEqual(
      found?.outputs.map(({ type }) => type),
      ['text', 'timestamp', 'text'],
    );
    assert.deepEqual(found?.write.fields[2], { name: 'amount', type: 'text', nullable: true });
  });

  test('takes the types of files and APIs for guesses', () => {
    const target = end('files', table({ id: 'boolean' }, { kind: 'file' }));
    assert.deepEqual(faultsOf({}, { target }), []);
  });
});

describe('a plan says what stands against it, and where:', () => {
  const cases: [string, Parameters<typeof plan>, string[]][] = [
    ['a stream that is gone', [{}, { source: end('postgres') }], ['streams[2].source does not exist at the source']],
    [
      'a field that is not there',
      [
        {
          fields: [
            { from: 'id', to: 'id' },
            { from: 'nam', to: 'n' },
          ],
        },
      ],
      ['streams[2].fields[1].from names "nam", which "public.customers" does not have. Did you mean "name"?'],
    ],
    [
      'a cast that there is not',
      [{ fields: [{ from: 'id', to: 'id', type: 'date' }] }],
      ['streams[2].fields[0].type cannot be date: int64 can become text, int64, decimal, float64, boolean, json'],
    ],
    [
      'two fields of one name',
      [
        {
          fields: [
            { from: 'id', to: 'id' },
            { from: 'name', to: 'ID' },
          ],
        },
      ],
      [
        'streams[2].fields[1].to cannot be "ID": "id" and "ID" are one column at the target, which does not tell upper and lower case apart',
      ],
    ],
    [
      'the place of the mark',
      [
        {
          fields: [
            { from: 'id', to: 'id' },
            { from: 'updated_at', to: '_deleted_at' },
          ],
          deletes: 'mark',
        },
      ],
      ['streams[2].fields[1].to cannot be "_deleted_at": that is where rows that are gone are marked'],
    ],
    [
      'a key that is not there',
      [{ key: ['idd'] }],
      ['streams[2].key names "idd", which "public.customers" does not have. Did you mean "id"?'],
    ],
    [
      'a key that is not written',
      [{ fields: [{ from: 'name', to: 'name' }] }],
      ['streams[2].key names "id", which is not among the fields that are written: rows are found by it'],
    ],
    [
      'no key for incremental',
      [{ mode: 'incremental', key: [], cursor: 'id', deletes: 'keep' }],
      [
        'streams[2].key is mandatory: "public.customers" has none of its own, and changed rows are found by it. Name the fields that tell rows apart, such as ["id"], or use mode append, which only adds rows',
      ],
    ],
    [
      'no key where the target needs one',
      [{ key: [] }],
      [
        'streams[2].key is mandatory: "public.customers" has none of its own, and sqlite finds rows by it. Name the fields that tell rows apart, such as ["id"], or use mode append, which only adds rows',
      ],
    ],
    [
      'no key to mark rows by',
      [{ key: [], deletes: 'mark' }, { target: end('postgres') }],
      ['streams[2].key is mandatory with deletes "mark": "public.customers" has none of its own to find rows by'],
    ],
    [
      'no cursor',
      [{ mode: 'incremental', deletes: 'keep' }],
      [
        'streams[2].cursor is mandatory for incremental: no field tells for certain which rows are new or changed; it can be "updated_at" or "id" (finds new rows only)',
      ],
    ],
    [
      'a cursor that is not there',
      [{ mode: 'append', cursor: 'changed_at', deletes: 'keep' }],
      [
        'streams[2].cursor names "changed_at", which "public.customers" does not have. It has "id", "name", "amount", "active", "born", "details" and "updated_at"',
      ],
    ],
    [
      'a cursor that does not grow',
      [{ mode: 'append', cursor: 'active', deletes: 'keep' }],
      ['streams[2].cursor cannot be "active" (boolean), which does not tell what is new; it can be "updated_at" or "id"'],
    ],
    [
      'a cursor that an API does not know',
      [
        { mode: 'append', cursor: 'id', deletes: 'keep' },
        { source: end('http', { ...CUSTOMERS, kind: 'resource', cursors: ['updated_at'] }) },
      ],
      ['streams[2].cursor cannot be "id" (int64), which does not tell what is new; it can be "updated_at"'],
    ],
    ['a cursor for a mirror', [{ cursor: 'id' }], ['streams[2].cursor is of no use to a mirror, which reads everything. Leave it out']],
    [
      'a mode that the target cannot do',
      [{}, { target: end('hub', table({ id: 'int64' }, { kind: 'resource', takes: { modes: ['append'] } })) }],
      ['streams[2].mode cannot be mirror for the target: "customers" takes mode append'],
    ],
    [
      'deletes that nobody sees',
      [{ mode: 'incremental', cursor: 'id' }],
      ['streams[2].deletes cannot be "delete": what was deleted is not found by a cursor. Use mode mirror, or deletes keep'],
    ],
    [
      'deletes of what is only added to',
      [{ mode: 'append', cursor: 'id', deletes: 'mark' }],
      ['streams[2].deletes cannot be "mark": append only adds rows. Leave it out, or use keep'],
    ],
    [
      'a mark that has no place',
      [
        { mode: 'incremental', cursor: 'updated_at', deletes: 'mark' },
        { source: end('hub', { ...CUSTOMERS, kind: 'resource' }), target: end('http', table({ id: 'int64' }, { kind: 'resource' })) },
      ],
      ['streams[2].deletes cannot be "mark": http has no place for the mark. Use delete or keep'],
    ],
    [
      'a target that is a view',
      [{}, { target: end('sqlite', table({ id: 'int64' }, { kind: 'view', writable: false })) }],
      ['streams[2].target cannot be written to: it is a view'],
    ],
    [
      'a target that cannot be made',
      [{ mode: 'incremental', cursor: 'id', deletes: 'keep' }, { target: end('http') }],
      ['streams[2].target does not exist at the target, and http cannot make it'],
    ],
    [
      'a filter on a field that is not there',
      [{ filter: [{ field: 'activ', op: 'is_null' }] }],
      ['streams[2].filter[0].field names "activ", which "public.customers" does not have. Did you mean "active"?'],
    ],
    [
      'an order of what has none',
      [{ filter: [{ field: 'active', op: '<', value: 't' }] }],
      ['streams[2].filter[0].op cannot be "<" for a field of the type boolean, which has no order'],
    ],
    [
      'values that are none',
      [
        {
          filter: [
            { field: 'id', op: '=', value: 'x' },
            { field: 'id', op: 'in', value: '1' },
            { field: 'id', op: '=', value: ['1'] },
            { field: 'id', op: '>' },
            { field: 'id', op: 'is_null', value: '1' },
            { field: 'id', op: 'in', value: [] },
          ],
        },
      ],
      [
        'streams[2].filter[0].value is not of the type int64 of the field: "x"',
        'streams[2].filter[1].value must be a list for "in"',
        'streams[2].filter[2].value must be one value',
        'streams[2].filter[3].value is mandatory',
        'streams[2].filter[4].value must be left out with "is_null"',
        'streams[2].filter[5].value must not be an empty list: no row would be read',
      ],
    ],
    [
      'a column of another type',
      [{}, { target: end('sqlite', table({ id: 'int64', name: 'int64' })) }],
      [
        'streams[2].fields does not fit: "name" is text at the source, and the column "name" of "customers" is int64. To cast it, map the field as int64: {"from":"name","to":"name","type":"int64"} in fields',
      ],
    ],
    [
      'a column of a type that it cannot be cast to',
      [{ fields: [{ from: 'id', to: 'id' }] }, { target: end('sqlite', table({ id: 'date' })) }],
      [
        'streams[2].fields[0] does not fit: "id" is int64 at the source, and the column "id" of "customers" is date. Write it to another column',
      ],
    ],
    [
      'a column that is missing and may not be added',
      [{ fields: [{ from: 'id', to: 'number' }] }, { target: end('sqlite', table({ id: 'int64' })), schemaChanges: 'ignore' }],
      [
        'streams[2].fields[0].to cannot be written: "customers" has no column "number". Add it there, leave the field out, or set schema_changes to apply',
      ],
    ],
  ];
  for (const [name, given, expected] of cases) test(name, () => assert.deepEqual(faultsOf(...given), expected));

  test('an expression with a fault', () => {
    const [fault = '', ...others] = faultsOf({
      fields: [
        { from: 'id', to: 'id' },
        { to: 'x', expression: 'nobody + 1' },
      ],
    });
    assert.match(fault, /^streams\[2\]\.fields\[1\]\.expression .*nobody/);
    assert.deepEqual(others, []);
  });
});
