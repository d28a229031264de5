import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { CanonicalType, Row } from '../canonical.ts';
import { encodeRows } from '../lines.ts';
import { demandFitKeys, keyPlaces, sortOutKeys, UnfitKeys } from './keys.ts';
import { isWidening } from './column-types.ts';

const field = (name: string, type: CanonicalType) => ({ name, type, nullable: true });

function isFit(rows: Row[], fields: ReturnType<typeof field>[], key: string[]): boolean {
  try {
    demandFitKeys(encodeRows(rows), keyPlaces(fields, key));
    return true;
  } catch (error) {
    assert.ok(error instanceof UnfitKeys);
    return false;
  }
}

test('keys are fit when none is null and none is there twice, in whatever order they come', () => {
  const value = fc.oneof(fc.integer({ min: -20, max: 20 }).map(String), fc.constantFrom('\\N', '\t', 'a\nb', ''), fc.constant(null));
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constant('x\ty'), value, value), { maxLength: 12 }), fc.boolean(), (rows, isPair) => {
      const fields = [field('a', 'text'), field('b', 'text'), field('c', 'text')];
      const key = isPair ? ['b', 'c'] : ['b'];
      const keys = rows.map(([, b, c]) => (isPair ? [b, c] : [b]));
      const isUnique = new Set(keys.map((one) => JSON.stringify(one))).size === keys.length;
      assert.equal(isFit(rows, fields, key), isUnique && !keys.flat().includes(null));
    }),
  );
});

test('keys that are spelled differently and mean the same are the same', () => {
  const fields = [field('id', 'decimal')];
  assert.equal(isFit([['1.0'], ['1.00']], fields, ['id']), false);
  assert.equal(isFit([['1.0'], ['1.01']], fields, ['id']), true);
  const { kept, rejects } = sortOutKeys([['1.0'], [null], ['2'], ['1.00']], fields, keyPlaces(fields, ['id']));
  assert.deepEqual([kept, rejects.map(({ index, field: name }) => [index, name])], [[2, 3], [[1, 'id']]]);
});

test('a type is widened only where nothing can get lost', () => {
  for (const [from, to, expected] of [
    ['int2', 'int4', true],
    ['int4', 'int2', false],
    ['int8', 'numeric', true],
    ['int8', 'numeric(18,0)', false],
    ['int4', 'numeric(12,2)', true],
    ['numeric(10,2)', 'numeric(12,4)', true],
    ['numeric(10,2)', 'numeric(10,4)', false],
    ['numeric', 'numeric(10,2)', false],
    ['float4', 'float8', true],
    ['character varying(5)', 'character varying(9)', true],
    ['character varying(9)', 'character varying(5)', false],
    ['character varying(9)', 'text', true],
    ['text', 'character varying(9)', false],
    ['int8', 'text', false],
    ['date', 'timestamp without time zone', false],
  ] as const)
    assert.equal(isWidening(from, to), expected, `${from} to ${to}`);
});
