import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fitName, NameChoice } from './fit-name.ts';

test('a name that fits stays as it is; two that begin alike stay two when they are cut', () => {
  const long = 'é'.repeat(80);
  assert.equal(fitName('short', 63), 'short');
  const cut = [`${long}a`, `${long}b`].map((name) => fitName(name, 63, (text) => Buffer.byteLength(text)));
  assert.equal(new Set(cut).size, 2);
  for (const name of cut) assert.ok(Buffer.byteLength(name) <= 63 && name.startsWith('é'.repeat(20)), name);
});

test('names that are chosen fit and are told apart, and are the same when they are asked for again', () => {
  const wanted = fc.array(fc.constantFrom('a', 'A', 'a_2', 'A_2', 'b', 'a'.repeat(30), 'A'.repeat(30), `${'a'.repeat(30)}_2`), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(wanted, fc.boolean(), (names, folds) => {
      const all = (): string[] => {
        const choice = new NameChoice({ most: 20, ...(folds && { foldsCase: true }) }, ['b']);
        return names.map((name) => choice.choose([name]));
      };
      const chosen = all();
      assert.deepEqual(all(), chosen);
      assert.ok(chosen.every((name) => name.length <= 20 && name !== 'b'));
      assert.equal(new Set(chosen.map((name) => (folds ? name.toLowerCase() : name))).size, names.length);
    }),
  );
});

test('a name that is taken gives way to the next that would do, and then to numbers', () => {
  const choice = new NameChoice({ most: 20 }, ['one']);
  assert.deepEqual(
    [1, 2, 3].map(() => choice.choose(['one', 'two'])),
    ['two', 'two_2', 'two_3'],
  );
});
