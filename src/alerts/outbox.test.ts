import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sendingDelay } from './outbox.ts';

test('what did not get through is tried after 10 s, twice as long each time, an hour at most, and not before the other side wants it', () => {
  const middle = (): number => 0.5;
  const delays = [1, 2, 3, 4, 9, 10, 100].map((attempts) => sendingDelay(attempts, 0, middle));
  assert.deepEqual(delays, [10_000, 20_000, 40_000, 80_000, 2_560_000, 3_600_000, 3_600_000]);
  assert.equal(
    sendingDelay(1, 0, () => 0),
    9_000,
  );
  assert.equal(
    sendingDelay(1, 0, () => 1),
    11_000,
  );
  assert.equal(sendingDelay(1, 7200, middle), 7_200_000);
});
