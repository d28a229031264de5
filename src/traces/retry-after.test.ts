import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retryAfterOf } from './retry-after.ts';

test('Retry-After is seconds or a date', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  const cases: [string | undefined, number][] = [
    ['5', 5_000],
    [' 0.5 ', 500],
    ['Thu, 01 Jan 2026 00:00:07 GMT', 7_000],
    // Over already.
    ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
    ['0', 0],
    ['soon', 0],
    ['', 0],
    [undefined, 0],
  ];
  for (const [text, wait] of cases) assert.equal(retryAfterOf(text, now), wait, String(text));
});
