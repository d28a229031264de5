import assert from 'node:assert/strict';
import { test } from 'node:test';
import { successRate } from './figures.ts';

test('the part of runs that went well is all or nothing only where it was', () => {
  assert.equal(successRate(96, 4), 0.96);
  assert.equal(successRate(5, 0), 1);
  assert.equal(successRate(0, 5), 0);
  assert.equal(successRate(999_999, 1), 0.9999);
  assert.equal(successRate(1, 999_999), 0.0001);
});
