import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Recycler } from './recycler.ts';

const SIZE = 16;

test('nobody sees what another one writes, whatever is given back when', () => {
  const step = fc.record({ gives: fc.boolean(), which: fc.nat(), size: fc.integer({ min: 0, max: SIZE }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const memory = new Recycler(SIZE);
      const held: { bytes: Buffer; mark: number }[] = [];
      const stale: Buffer[] = [];
      for (const [at, { gives, which, size }] of steps.entries()) {
        if (gives && held.length > 0) {
          const [{ bytes } = { bytes: Buffer.alloc(0) }] = held.splice(which % held.length, 1);
          // A part of it will do, and twice is no more than once.
          memory.giveBack(bytes.subarray(0, size));
          memory.giveBack(bytes);
          stale.push(bytes);
        } else {
          const bytes = memory.take();
          assert.equal(bytes.length, SIZE);
          held.push({ bytes: bytes.fill(at), mark: at });
        }
        for (const { bytes, mark } of held) assert.deepEqual(bytes, Buffer.alloc(SIZE, mark));
      }
      // What was dropped for want of use is seen as it was; what is used again is not seen at all.
      for (const bytes of stale) assert.ok(bytes.length === 0 || new Set(bytes).size === 1);
    }),
  );
});

test('memory is used again, but not hoarded, and none that is another’s', () => {
  const memory = new Recycler(SIZE);
  const taken = Array.from({ length: 20 }, () => memory.take());
  for (const bytes of taken) memory.giveBack(bytes);
  assert.equal(taken.filter((bytes) => bytes.length === 0).length, 8);
  const used = memory.take();
  memory.giveBack(used.subarray(0, 0));
  assert.equal(used.length, SIZE);
  const other = Buffer.allocUnsafeSlow(SIZE);
  memory.giveBack(other);
  assert.equal(other.length, SIZE);
  assert.equal(memory.take().length, SIZE);
});
