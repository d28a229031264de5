import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Field, Stream } from '../../connectors/contract.ts';
import { completeStream, type StreamWish } from './defaults.ts';
import type { StreamDefinition } from '../definition.ts';
import * as fixture from '../../../test/support/plan-fixture.ts';
import type { EndView } from './end-view.ts';
import { planStream } from './plan.ts';

const STREAM: Stream = {
  name: 's',
  kind: 'table',
  fields: [
    { name: 'id', type: 'int64', nullable: false },
    { name: 'at', type: 'timestamptz', nullable: false },
    { name: 'on', type: 'boolean', nullable: false },
  ],
  key: ['id'],
  cursors: ['at', 'id'],
  writable: true,
  estimatedRows: null,
};

function end(type: string, stream?: Partial<Stream>): EndView {
  return fixture.end(type, stream && { ...STREAM, ...stream });
}

function complete(source: EndView, target: EndView, wish: Partial<StreamWish> = {}): StreamDefinition {
  return completeStream({ source: 's', target: 's', ...wish }, source, target);
}

const file = { kind: 'file', key: [], cursors: [] } as const;
const resource = { kind: 'resource' } as const;

describe('what is left out is filled in with what serves most:', () => {
  const cases: [string, EndView, EndView, Partial<StreamWish>, Partial<StreamDefinition>][] = [
    ['a table is mirrored', end('postgres', {}), end('mysql'), {}, { mode: 'mirror', key: ['id'], cursor: null, deletes: 'delete' }],
    ['also without a key, where that can be', end('postgres', { key: [] }), end('postgres'), {}, { mode: 'mirror', key: [] }],
    [
      'a file that cannot be mirrored is appended to',
      end('files', file),
      end('sqlite'),
      {},
      { mode: 'append', cursor: null, deletes: 'keep' },
    ],
    ['a file with a key is mirrored', end('files', file), end('sqlite'), { key: ['id'] }, { mode: 'mirror', key: ['id'] }],
    [
      'what cannot be read back follows changes',
      end('mysql', {}),
      end('http', resource),
      {},
      { mode: 'incremental', cursor: 'at', deletes: 'keep' },
    ],
    [
      'and is mirrored by what it has accepted where none are told',
      end('mysql', { cursors: [] }),
      end('http', resource),
      {},
      { mode: 'mirror', cursor: null, deletes: 'delete' },
    ],
    [
      'the shop is followed by its changes',
      end('hub', resource),
      end('postgres'),
      {},
      { mode: 'incremental', cursor: 'at', deletes: 'delete' },
    ],
    ['but into files it is mirrored', end('hub', resource), end('files'), {}, { mode: 'mirror', cursor: null, deletes: 'delete' }],
    ['a cursor is used', end('postgres', {}), end('mysql'), { cursor: 'id' }, { mode: 'incremental', cursor: 'id', deletes: 'keep' }],
    [
      'an API that only adds is added to',
      end('mysql', {}),
      end('http', { ...resource, takes: { modes: ['append'] } }),
      {},
      { mode: 'append' },
    ],
    [
      'nothing is removed where nothing can be',
      end('hub', resource),
      end('http', { ...resource, takes: { deletes: false } }),
      {},
      { mode: 'incremental', deletes: 'keep' },
    ],
    ['a mode is kept', end('postgres', {}), end('mysql'), { mode: 'append' }, { mode: 'append', cursor: 'at', deletes: 'keep' }],
    ['deletes are kept', end('postgres', {}), end('mysql'), { deletes: 'mark' }, { mode: 'mirror', deletes: 'mark' }],
  ];
  for (const [name, source, target, wish, expected] of cases) {
    test(name, () => {
      const definition = complete(source, target, wish);
      assert.deepEqual({ ...definition, ...expected }, definition);
      const spare = target.abilities.createsStreams ? target : { ...target, stream: { ...STREAM, kind: 'resource' as const } };
      const { faults } = planStream({ index: 0, definition, source, target: spare, schemaChanges: 'apply', known: null });
      assert.deepEqual(faults, [], 'and it can be done');
    });
  }

  test('nothing is known of a stream that is not there', () => {
    const definition = complete(end('postgres'), end('postgres'));
    assert.deepEqual(definition, {
      source: 's',
      target: 's',
      mode: 'mirror',
      key: [],
      cursor: null,
      fields: null,
      filter: [],
      deletes: 'delete',
    });
  });
});

describe('what is left out is never filled in with what could lose rows:', () => {
  const at = (change: Partial<Field>, name = 'at'): Partial<Stream> => ({
    fields: [
      { name: 'id', type: 'int64', nullable: false },
      { name, type: 'timestamptz', nullable: false, ...change },
    ],
    cursors: [name, 'id'],
  });
  const cursors: [string, Partial<Stream>, StreamWish['mode'], string | null][] = [
    ['a time of change', at({}, 'updated_at'), 'incremental', 'updated_at'],
    ['a time that may be null', at({ nullable: true }), 'incremental', null],
    ['in append the next one', at({ nullable: true }), 'append', 'id'],
    ['a number is no time of change', { ...at({}), cursors: ['id'] }, 'incremental', null],
    ['but tells what was added', { ...at({}), cursors: ['id'] }, 'append', 'id'],
    ['a time of creation', at({}, 'created_at'), 'incremental', null],
    ['a number that tells of changes', at({ type: 'int64' }, 'updated_ms'), 'incremental', 'updated_ms'],
    ['nothing of a view is certain', { ...at({ nullable: true }), kind: 'view' }, 'incremental', null],
    ['an API is asked as it declares', { ...at({ nullable: true }), kind: 'resource' }, 'incremental', 'at'],
  ];
  for (const [name, stream, mode, expected] of cursors)
    test(`${name}: the cursor of ${mode} is ${expected}`, () =>
      assert.equal(complete(end('postgres', stream), end('mysql'), { mode }).cursor, expected));

  const faults: [string, Partial<Stream>, EndView, Partial<StreamWish>, string[]][] = [
    [
      'a table without a key is not appended to',
      { ...at({ nullable: true }), key: [] },
      end('sqlite'),
      {},
      [
        'streams[0].key is mandatory: "s" has none of its own, and sqlite finds rows by it. Name the fields that tell rows apart, such as ["id"], or use mode append, which only adds rows',
      ],
    ],
    [
      'nor with a cursor',
      { ...at({}), key: [] },
      end('postgres'),
      { cursor: 'at' },
      [
        'streams[0].key is mandatory: "s" has none of its own, and changed rows are found by it. Name the fields that tell rows apart, such as ["id"], or use mode mirror or mode append, which only adds rows',
      ],
    ],
    [
      'incremental needs a time of change',
      at({ nullable: true }),
      end('hub', { kind: 'resource' }),
      { mode: 'incremental' },
      [
        'streams[0].cursor is mandatory for incremental: no field tells for certain which rows are new or changed; it can be "at" (misses rows in which it is null) or "id" (finds new rows only)',
      ],
    ],
    [
      'and what cannot be mirrored is not told to be',
      { ...at({ type: 'text' }), cursors: [] },
      end('hub', { kind: 'resource', takes: { modes: ['append'] } }),
      { mode: 'append' },
      ['streams[0].cursor is mandatory for append, and "s" has no field that tells which rows are new'],
    ],
    [
      'unless it can',
      { ...at({ type: 'text' }), cursors: [] },
      end('sqlite'),
      { mode: 'incremental' },
      ['streams[0].cursor is mandatory for incremental, and "s" has no field that tells which rows are new or changed. Use mirror'],
    ],
  ];
  for (const [name, stream, target, wish, expected] of faults)
    test(name, () => {
      const source = end('postgres', stream);
      const definition = complete(source, target, wish);
      const found = planStream({ index: 0, definition, source, target, schemaChanges: 'apply', known: null }).faults;
      assert.deepEqual(
        found.map(({ field, reason }) => `${field} ${reason}`),
        expected,
      );
    });

  test('a cursor that may be null can be chosen, and every run tells what that means', () => {
    const source = end('postgres', at({ nullable: true }));
    const definition = complete(source, end('mysql'), { cursor: 'at' });
    const { plan, notices } = planStream({ index: 0, definition, source, target: end('mysql'), schemaChanges: 'apply', known: null });
    assert.equal(plan?.read.cursor, 'at');
    assert.deepEqual(notices, ['The cursor "at" can be null at the source: rows in which it is null are not found.']);
  });
});

test('the values of filters are spelled as their field spells them', () => {
  const { filter } = complete(end('postgres', {}), end('mysql'), {
    filter: [
      { field: 'on', op: '=', value: true },
      { field: 'at', op: '>=', value: '2026-11-15T04:42:11Z' },
      { field: 'id', op: 'in', value: [1, '2', 'three'] },
      { field: 'id', op: 'not_null' },
      { field: 'unknown', op: '=', value: 5 },
    ],
  });
  assert.deepEqual(filter, [
    { field: 'on', op: '=', value: 't', type: 'boolean' },
    { field: 'at', op: '>=', value: '2026-11-15 04:42:11+00' },
    { field: 'id', op: 'in', value: ['1', '2', 'three'] },
    { field: 'id', op: 'not_null' },
    { field: 'unknown', op: '=', value: '5' },
  ]);
});
