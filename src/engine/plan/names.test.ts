import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Field, Intake, Stream } from '../../connectors/contract.ts';
import { end } from '../../../test/support/plan-fixture.ts';
import type { FieldMapping, StreamDefinition } from '../definition.ts';
import type { EndView } from './end-view.ts';
import { planStream } from './plan.ts';
import { ownStreamFault } from './names.ts';

const LONG = 'n'.repeat(64);

function stream(names: readonly string[], change: Partial<Stream> = {}): Stream {
  const fields = names.map((name): Field => ({ name, type: 'int64', nullable: false }));
  return { name: 's', kind: 'table', fields, key: ['id'], cursors: [], writable: true, estimatedRows: null, ...change };
}

function faultsOf(source: Stream, target: EndView, change: Partial<StreamDefinition>): string[] {
  const definition: StreamDefinition = {
    source: 's',
    target: 't',
    mode: 'mirror',
    key: ['id'],
    cursor: null,
    fields: null,
    filter: [],
    deletes: 'delete',
    ...change,
  };
  const { faults } = planStream({ index: 0, definition, source: end('postgres', source), target, schemaChanges: 'apply', known: null });
  return faults.map(({ field, reason }) => `${field.replace('streams[0].', '')} ${reason}`);
}

describe('a target that cannot be called so is a fault:', () => {
  const bad: [string, string, RegExp][] = [
    ['postgres', 'a.b.c', /^target cannot be "a\.b\.c": write schema\.table/],
    ['postgres', 'public.', /^target cannot be "public\.": write schema\.table/],
    ['postgres', `public.${LONG}`, /PostgreSQL allows names of 63 bytes, and "n+" has 64$/],
    ['postgres', `public.${'é'.repeat(32)}`, /63 bytes, and "é+" has 64$/],
    ['postgres', `${LONG}.t`, /63 bytes/],
    ['postgres', 'pg_catalog.t', /the schema "pg_catalog" belongs to PostgreSQL/],
    ['postgres', 'information_schema.t', /belongs to PostgreSQL/],
    ['postgres', 'public._syncline_checkpoints', /^target is one of Syncline's own tables/],
    ['mysql', `${LONG}n`, /MySQL allows names of 64 characters, and this one has 65$/],
    ['mysql', 'ends with ', /does not end with a space/],
    ['mysql', '_syncline_kept', /Syncline's own/],
    ['sqlite', '_Syncline_checkpoints', /Syncline's own/],
    ['sqlite', 'sqlite_sequence', /belong to SQLite/],
    ['sqlite', 'a\0b', /NUL/],
    ['files', '../esc', /begins with a dot/],
    ['files', 'a/b', /a slash would be a folder/],
    ['files', '.hidden', /begins with a dot/],
    ['files', 'n'.repeat(231), /230 bytes/],
  ];
  for (const [type, target, expected] of bad)
    test(`${JSON.stringify(target.slice(0, 40))} in ${type}`, () => {
      const [first = '', ...others] = faultsOf(stream(['id']), end(type), { target });
      assert.match(first, expected);
      assert.deepEqual(others, []);
    });

  test('and what fits exactly is none', () => {
    for (const [type, target] of [
      ['postgres', `public.${LONG.slice(1)}`],
      ['postgres', 'public."a.b"'],
      ['mysql', LONG],
      ['sqlite', `${LONG}.${LONG}`],
      ['files', 'a.b'],
    ] as const)
      assert.deepEqual(faultsOf(stream(['id']), end(type), { target }), [], target);
  });

  test('what is there is called as it is', () => {
    assert.deepEqual(faultsOf(stream(['id']), end('files', stream(['id'], { kind: 'file' })), { target: 'a/' }), []);
  });
});

test('what Syncline keeps in a database is no source', () => {
  for (const [type, name] of [
    ['postgres', 'public._syncline_checkpoints'],
    ['mysql', '_syncline_kept'],
    ['sqlite', '_syncline_stage_x'],
  ] as const)
    assert.match(ownStreamFault(name, end(type)) ?? '', /is one of Syncline's own tables/);
  assert.equal(ownStreamFault('_syncline_log', end('files')), undefined);
});

describe('a column that cannot be called so is a fault:', () => {
  const fields: FieldMapping[] = [
    { from: 'id', to: 'id' },
    { from: 'id', to: 'xmin' },
    { from: 'id', to: LONG },
  ];

  test('in PostgreSQL', () => {
    assert.deepEqual(faultsOf(stream(['id']), end('postgres'), { fields }), [
      'fields[1].to cannot be "xmin": every table of PostgreSQL has a hidden column of that name',
      `fields[2].to cannot be "${LONG}": PostgreSQL allows names of 63 bytes, and "${LONG}" has 64`,
    ]);
  });

  test('also where nobody has named it', () => {
    assert.deepEqual(faultsOf(stream(['id', 'xmin']), end('postgres'), {}), [
      'fields cannot be left out: "xmin" needs another name, as every table of PostgreSQL has a hidden column of that name. Write them out, this one as {"from": "xmin", "to": "another_name"}',
    ]);
    assert.match(faultsOf(stream(['id', `${LONG}n`]), end('mysql'), {})[0] ?? '', /64 characters, and this one has 65/);
    assert.deepEqual(faultsOf(stream(['id', 'xmin', `${LONG}n`]), end('sqlite'), {}), []);
  });
});

describe('a stream that takes certain fields', () => {
  const into = (takes: Intake): EndView => end('http', stream(['sku'], { name: 'goods', kind: 'resource', takes }));
  const source = stream(['id', 'name', 'at'], { cursors: ['at'] });
  const append = { mode: 'append', cursor: 'at', deletes: 'keep' } as const;
  const takes = { fields: ['sku', 'name', 'price'], needs: ['sku'] };

  test('is not sent all of them', () => {
    assert.deepEqual(faultsOf(source, into(takes), append), [
      'fields cannot be left out: the target does not know "id" and "at"; "goods" takes "sku", "name" and "price". Write those that are meant, such as [{"from":"name","to":"sku"}]',
    ]);
  });

  test('is told which one is meant', () => {
    const fields = [
      { from: 'id', to: 'sku' },
      { from: 'name', to: 'title' },
    ];
    assert.deepEqual(faultsOf(source, into(takes), { ...append, fields }), [
      'fields[1].to cannot be "title": "goods" takes "sku", "name" and "price"',
    ]);
  });

  test('is not sent what it makes itself, and says what it takes', () => {
    const made = stream(['sku', 'name', 'price', 'id', 'at'], { name: 'goods', kind: 'resource', takes });
    const fields = ['id', 'at', 'name'].map((name) => ({ from: name, to: name === 'id' ? 'sku' : name }));
    assert.deepEqual(faultsOf(source, end('http', made), { ...append, fields }), [
      'fields[1].to cannot be "at": it is made there and cannot be written; "goods" takes "sku", "name" and "price". Leave it out',
    ]);
    const alike = stream(['sku', 'name', 'at', 'extra'], { cursors: ['at'], key: ['sku'] });
    assert.deepEqual(faultsOf(alike, end('http', made), { ...append, key: ['sku'] }), [
      'fields cannot be left out: the target does not know "extra", and the target makes "at" itself; "goods" takes "sku", "name" and "price". Write those that are meant, such as [{"from":"sku","to":"sku"},{"from":"name","to":"name"}]',
    ]);
  });

  test('gets what it needs', () => {
    const fields = [{ from: 'name', to: 'name' }];
    assert.deepEqual(faultsOf(source, into(takes), { ...append, fields }), ['fields must write "sku": "goods" takes nothing without it']);
  });

  test('and certain modes', () => {
    const incremental = { mode: 'incremental', cursor: 'at', deletes: 'keep' } as const;
    assert.deepEqual(faultsOf(source, into({ modes: ['append'] }), incremental), [
      'mode cannot be incremental for the target: "goods" takes mode append',
    ]);
  });
});
