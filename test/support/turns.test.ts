import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { takingTurns } from './turns.ts';

const GROUPS = [/^crash\//, /^live\/|crash/];
const file = fc.tuple(fc.constantFrom('crash', 'live', 'other'), fc.nat()).map(([folder, name]) => `${folder}/${name}`);
const files = fc.uniqueArray(file, { maxLength: 30 });

test('of every group a half is there, and all that is in none, in the same order', () => {
  fc.assert(
    fc.property(files, fc.string(), (all, seed) => {
      const some = takingTurns(all, GROUPS, seed);
      assert.deepEqual(
        some,
        all.filter((one) => some.includes(one)),
      );
      const count = (list: readonly string[], folder: string): number => list.filter((one) => one.startsWith(folder)).length;
      for (const folder of ['crash/', 'live/']) assert.equal(count(some, folder), Math.ceil(count(all, folder) / 2));
      assert.equal(count(some, 'other/'), count(all, 'other/'));
      assert.deepEqual(takingTurns(all, GROUPS, seed), some);
    }),
  );
});

test('every file has its turn before long', () => {
  const all = Array.from({ length: 13 }, (_, i) => `crash/${i}`);
  const seen = new Set(Array.from({ length: 40 }, (_, commit) => takingTurns(all, GROUPS, String(commit))).flat());
  assert.equal(seen.size, all.length);
});
