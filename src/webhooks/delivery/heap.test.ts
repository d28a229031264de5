import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Heap } from './heap.ts';

test('what was put in comes out by its time, whatever is put in between', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.integer({ min: 0, max: 50 }), fc.constant('pop' as const))), (steps) => {
      const heap = new Heap<number>();
      const model: number[] = [];
      for (const step of steps) {
        if (step === 'pop') assert.equal(heap.pop(), model.shift());
        else {
          heap.push(step, step);
          model.push(step);
          model.sort((a, b) => a - b);
        }
        assert.equal(heap.size, model.length);
        assert.equal(heap.peek()?.at, model[0]);
      }
    }),
  );
});
