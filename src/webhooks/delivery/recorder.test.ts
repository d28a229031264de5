import assert from 'node:assert/strict';
import { test } from 'node:test';
import { intervalAfter } from './recorder.ts';

test('what comes of attempts is written at once by and large, more seldom when it takes long, and twice a second while the API is busy', () => {
  assert.equal(intervalAfter(0, 0), 40);
  assert.equal(intervalAfter(3, 0.4), 40);
  assert.equal(intervalAfter(12, 0.4), 120);
  assert.equal(intervalAfter(900, 0), 500);
  assert.equal(intervalAfter(0, 0.41), 500);
  assert.equal(intervalAfter(3, 1), 500);
});
