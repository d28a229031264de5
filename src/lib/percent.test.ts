import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { percentText } from './percent.ts';

test('a part is rounded to one decimal', () => {
  assert.equal(percentText(100, 300), '33.3');
  assert.equal(percentText(200, 300), '66.7');
  assert.equal(percentText(21, 100), '21');
  assert.equal(percentText(0, 7), '0');
  assert.equal(percentText(7, 7), '100');
  assert.equal(percentText(0, 0), '0');
});

test('but never to what it is not', () => {
  assert.equal(percentText(2004, 10_000, 20), '20.04');
  assert.equal(percentText(200_001, 1_000_000, 20), '20.0001');
  assert.equal(percentText(2000, 10_000, 20), '20');
  assert.equal(percentText(99_999, 100_000), '99.999');
  assert.equal(percentText(1, 1_000_000), '0.0001');
});

test('whatever the numbers: it is on the true side of nothing, all and the limit, and never far off', () => {
  const counts = fc.integer({ min: 1, max: 1_000_000_000 }).chain((whole) => fc.tuple(fc.nat({ max: whole }), fc.constant(whole)));
  fc.assert(
    fc.property(counts, fc.integer({ min: 0, max: 100 }), ([part, whole], limit) => {
      const shown = Number(percentText(part, whole, limit));
      assert.ok(Math.abs(shown - (part / whole) * 100) <= 0.05 + 1e-9);
      for (const mark of [0, 100, limit])
        assert.equal(Math.sign(shown - mark), Math.sign(part * 100 - mark * whole), `${part}/${whole}: ${shown}`);
    }),
  );
});
