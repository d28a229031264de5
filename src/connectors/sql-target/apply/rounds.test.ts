import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { TargetChange } from '../../changes.ts';
import type { Field } from '../../contract.ts';
import { placed, type Placed } from './placed.ts';
import { cutIntoRounds } from './rounds.ts';

const FIELDS: Field[] = [
  { name: 'id', type: 'int64', nullable: false },
  { name: 'v', type: 'text', nullable: true },
];
const STREAM = { fields: FIELDS, key: ['id'] };
const STREAMS = [STREAM, STREAM];
const SHAPES = STREAMS.map(({ fields }) => fields);

const key = fc.integer({ min: 1, max: 12 }).map(String);
const stream = fc.integer({ min: 0, max: 1 });
const value = fc.constantFrom('a', null, undefined);
const change: fc.Arbitrary<TargetChange> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ op: fc.constant('insert' as const), stream, row: fc.tuple(key, value) }) },
  { weight: 4, arbitrary: fc.record({ op: fc.constant('update' as const), stream, row: fc.tuple(key, value) }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('update' as const), stream, row: fc.tuple(key, value), key: fc.tuple(key) }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('delete' as const), stream, key: fc.tuple(key) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('truncate' as const), stream }) },
);

/** What each key has seen, by the places of the changes, in the order in which they are made. A truncate is seen by all. */
function seenBy(changes: readonly Placed[]): string[] {
  const seen = new Map<string, number[]>();
  for (const at of [0, 1]) for (let id = 1; id <= 12; id++) seen.set(`${at} ${id}`, []);
  for (const { change, place, key, before } of changes) {
    const names =
      change.op === 'truncate'
        ? [...seen.keys()].filter((name) => name.startsWith(`${change.stream} `))
        : [before, key].flatMap((id) => (id === undefined ? [] : [`${change.stream} ${id}`]));
    for (const name of names) seen.get(name)?.push(place);
  }
  return [...seen].map(([name, places]) => `${name}: ${places.join(' ')}`);
}

describe('changes cut into rounds', () => {
  test('are each made once, and in their order as every key sees it', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 200 }), fc.integer({ min: 0, max: 40 }), (changes, waiting) => {
        const { good } = placed(STREAMS, changes);
        const { rounds, rest } = cutIntoRounds(good, SHAPES, ({ place }) => waiting > 0 && place % waiting === 7);
        const made = [...rounds.flat().flatMap((group) => group.changes), ...rest];
        assert.deepEqual(seenBy(made), seenBy(good));
        assert.equal(new Set(made.map(({ place }) => place)).size, changes.length);
        assert.equal(made.length, changes.length);
      }),
      { numRuns: 500 },
    );
  });

  test('have no key twice in a round', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 200 }), (changes) => {
        for (const round of cutIntoRounds(placed(STREAMS, changes).good, SHAPES).rounds) {
          const keys = round.flatMap((group) =>
            group.changes.flatMap(({ change: one, key, before }) =>
              [before, key].flatMap((id) => (id === undefined ? [] : [`${one.stream} ${id}`])),
            ),
          );
          assert.equal(new Set(keys).size, keys.length);
        }
      }),
    );
  });

  test('stand in groups of a kind, in the order of their first ones', () => {
    const insert = (at: number, id: string): TargetChange => ({ op: 'insert', stream: at, row: [id, 'a'] });
    const { rounds } = cutIntoRounds(
      placed(STREAMS, [
        insert(1, '1'),
        insert(0, '1'),
        { op: 'delete', stream: 1, key: ['2'] },
        insert(1, '3'),
        { op: 'update', stream: 1, row: ['1', undefined] },
      ]).good,
      SHAPES,
    );
    assert.deepEqual(
      rounds.map((groups) => groups.map((group) => [group.stream, group.kind, group.absent, group.changes.map(({ place }) => place)])),
      [
        [
          [1, 'insert', '', [0, 3]],
          [0, 'insert', '', [1]],
          [1, 'delete', '', [2]],
        ],
        [[1, 'update', '1', [4]]],
      ],
    );
  });

  test('leave the rest as it is where one key changes again and again', () => {
    const hot = Array.from({ length: 1000 }, (): TargetChange => ({ op: 'update', stream: 0, row: ['1', 'a'] }));
    const { rounds, rest } = cutIntoRounds(placed(STREAMS, hot).good, SHAPES);
    assert.equal(rounds.length, 3);
    assert.equal(rest.length, 997);
  });
});

describe('keys', () => {
  const textKey = { fields: [{ name: 'id', type: 'text' as const, nullable: false }], key: ['id'] };
  const keysOf = (changes: TargetChange[]): unknown[] => placed([textKey], changes).good.map(({ key }) => key);

  test('that a target may take for the same are the same', () => {
    const [one, other, third] = keysOf([
      { op: 'delete', stream: 0, key: ['Müller '] },
      { op: 'delete', stream: 0, key: ['muller'] },
      { op: 'delete', stream: 0, key: ['mueller'] },
    ]);
    assert.deepEqual(one, other);
    assert.notDeepEqual(one, third);
  });

  test('of several fields do not run into each other', () => {
    const two = { fields: [...textKey.fields, { name: 'b', type: 'text' as const, nullable: false }], key: ['id', 'b'] };
    const { good } = placed(
      [two],
      [
        { op: 'delete', stream: 0, key: ['1', '12'] },
        { op: 'delete', stream: 0, key: ['11', '2'] },
      ],
    );
    assert.notEqual(good[0]?.key, good[1]?.key);
  });

  test('that are empty make rejects', () => {
    const { good, rejects } = placed(STREAMS, [
      { op: 'insert', stream: 1, row: [null, 'a'] },
      { op: 'update', stream: 0, row: ['1', 'a'] },
    ]);
    assert.equal(good.length, 1);
    assert.deepEqual(rejects, [
      { row: { id: null, v: 'a' }, field: 'id', reason: '"id" is part of the key and may not be empty.', index: 0, stream: 1 },
    ]);
  });
});
