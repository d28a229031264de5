import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPace } from './pace.ts';

test('tells how many have ended in half a second, and forgets it when no more do', () => {
  let now = 0;
  const pace = createPace(() => now);
  assert.equal(pace.lately(), 0);
  for (now = 0; now < 500; now += 50) pace.count();
  assert.equal(pace.lately(), 10);
  now = 700;
  pace.count();
  assert.equal(pace.lately(), 10, 'the half second before counts until this one is over');
  now = 1_000;
  assert.equal(pace.lately(), 1);
  now = 5_000;
  assert.equal(pace.lately(), 0);
});
