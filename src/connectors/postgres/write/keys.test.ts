import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { CanonicalType, Row } from '../../canonical.ts';
import { encodeRows } from '../../lines.ts';
import { ascentOf, demandFitKeys, keyPlaces, sortOutKeys, UnfitKeys } from './keys.ts';
import { isWidening } from '../catalogue/column-types.ts';

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

test('keys of several columns are fit however their numbers are spelled, in their order and in any other', () => {
  const fields = [field('n', 'int64'), field('x', 'text'), field('m', 'int64')];
  const number = fc.oneof(fc.integer({ min: -2, max: 12 }).map(String), fc.constantFrom('-0', '00', '07', '-07', '012'));
  fc.assert(
    fc.property(fc.array(fc.tuple(number, fc.constantFrom('', 'a\tb', 'c'), number), { maxLength: 12 }), fc.boolean(), (rows, isSorted) => {
      const met = (row: readonly string[]): number[] => [Number(row[2]) + 0, Number(row[0]) + 0];
      const order = (one: readonly string[], other: readonly string[]): number => {
        const [[a = 0, b = 0], [c = 0, d = 0]] = [met(one), met(other)];
        return a - c || b - d;
      };
      const given = isSorted ? [...rows].sort(order) : rows;
      assert.equal(isFit(given, fields, ['m', 'n']), new Set(given.map((row) => met(row).join())).size === given.length);
    }),
    { numRuns: 2000 },
  );
});

test('an ascent that has all rows has no key twice, however numbers are spelled; rows in order are an ascent', () => {
  const fields = [field('a', 'text'), field('id', 'int64')];
  const keys = keyPlaces(fields, ['id']);
  const number = fc.oneof(fc.integer({ min: -3, max: 30 }).map(String), fc.constantFrom('-0', '00', '07', '-07', '030'));
  const hasAll = (batches: string[][]): boolean => {
    const ascent = ascentOf(keys, [{ base: 'int8' }]);
    for (const ids of batches)
      try {
        demandFitKeys(encodeRows(ids.map((id) => ['x', id])), keys, ascent);
      } catch (error) {
        assert.ok(error instanceof UnfitKeys);
      }
    return ascent?.hasAll(batches.flat().length) ?? false;
  };
  fc.assert(
    fc.property(fc.array(fc.array(number, { minLength: 1, maxLength: 4 }), { maxLength: 4 }), (batches) => {
      const ids = batches.flat().map(Number).map(Math.abs);
      const isUnique = new Set(batches.flat().map((id) => Number(id) + 0)).size === ids.length;
      if (hasAll(batches)) assert.ok(isUnique, JSON.stringify(batches));
      const sorted = [...new Set(ids)].sort((a, b) => a - b).map(String);
      assert.ok(hasAll([sorted.slice(0, 2), sorted.slice(2, 5), sorted.slice(5)].filter((batch) => batch.length > 0)));
    }),
    { numRuns: 2000 },
  );
});

test('where other spellings or other rows may be the same, nothing is an ascent', () => {
  const ascent = (type: CanonicalType, base: string) => ascentOf(keyPlaces([field('id', type)], ['id']), [{ base }]);
  assert.deepEqual(
    [ascent('int64', 'int4'), ascent('uuid', 'uuid')].map((one) => one !== undefined),
    [true, true],
  );
  for (const [type, base] of [
    ['int64', 'float8'],
    ['int64', ''],
    ['text', 'text'],
    ['text', 'int8'],
    ['decimal', 'numeric'],
  ] as const)
    assert.equal(ascent(type, base), undefined, `${type} into ${base}`);
  const pair = [field('a', 'int64'), field('b', 'int64')];
  assert.equal(ascentOf(keyPlaces(pair, ['a', 'b']), [{ base: 'int8' }, { base: 'int8' }]), undefined);
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
