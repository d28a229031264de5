import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { textArray } from './postgres-arrays.ts';

const HEADER_BYTES = 20;

/** What the server reads: of each value its length in bytes, or -1, and the bytes. */
function textsIn(array: Buffer): (string | null)[] {
  const texts: (string | null)[] = [];
  for (let at = HEADER_BYTES; at < array.length; ) {
    const length = array.readInt32BE(at);
    at += 4;
    texts.push(length < 0 ? null : array.toString('utf8', at, at + length));
    at += Math.max(0, length);
  }
  return texts;
}

const value = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary-ascii' }),
  fc.constantFrom('', 'é', 'éa', 'ÿ'),
  fc.integer(),
  fc.constant(null),
);

test('an array of texts has each of them, whatever its characters take', () => {
  fc.assert(
    fc.property(fc.array(value), (values) => {
      const array = textArray(values);
      assert.equal(array.readInt32BE(12), values.length);
      assert.deepEqual(
        textsIn(array),
        values.map((one) => (one === null ? null : String(one))),
      );
    }),
  );
});
