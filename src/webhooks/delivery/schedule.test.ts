import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FAILURES_THAT_OPEN, nextAttemptAt, nextProbeAt, retryAfterOf, TIMING } from './schedule.ts';

const HOUR = 3_600_000;
const chance = fc.double({ min: 0, max: 1, noNaN: true });

test('there are ten attempts over 75 hours', () => {
  const times = [0];
  for (let attempts = 1; ; attempts++) {
    const at = nextAttemptAt(TIMING, attempts, times.at(-1) ?? 0, 0, 0.5);
    if (at === undefined) break;
    times.push(at);
  }
  const delays = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  assert.deepEqual(delays, [5_000, 300_000, HOUR / 2, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR]);
  assert.equal(times.length, 10);
  assert.equal(Math.round((times.at(-1) ?? 0) / HOUR), 76);
});

test('each attempt comes within a tenth of its time, and never before the receiver wants it', () => {
  const input = [fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 2e12 }), fc.integer({ min: -5, max: 1e9 }), chance] as const;
  fc.assert(
    fc.property(...input, (attempts, now, retryAfter, luck) => {
      const delay = TIMING.delays[attempts - 1] ?? 0;
      const waited = (nextAttemptAt(TIMING, attempts, now, retryAfter, luck) ?? 0) - now;
      const asked = Math.min(Math.max(retryAfter, 0), 24 * HOUR);
      assert.ok(waited >= asked);
      assert.ok(waited >= Math.floor(delay * 0.9));
      assert.ok(waited <= Math.max(Math.ceil(delay * 1.1), asked));
    }),
  );
});

test('after the last attempt there is none, whatever the receiver asks for', () => {
  fc.assert(
    fc.property(fc.integer({ min: 10, max: 1000 }), fc.integer({ min: 0, max: 1e9 }), chance, (attempts, retryAfter, luck) => {
      assert.equal(nextAttemptAt(TIMING, attempts, 0, retryAfter, luck), undefined);
    }),
  );
});

test('an endpoint that only fails is probed ever less often, up to every five minutes', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10_000 }), fc.integer({ min: 0, max: 2e12 }), chance, (failures, now, luck) => {
      const at = nextProbeAt(TIMING, failures, now, luck);
      if (failures < FAILURES_THAT_OPEN) return assert.equal(at, undefined);
      const usual = Math.min(300_000, 5_000 * 2 ** (failures - FAILURES_THAT_OPEN));
      const waited = (at ?? 0) - now;
      assert.ok(waited >= usual * 0.9 - 1 && waited <= usual * 1.1 + 1);
    }),
  );
});

test('Retry-After is seconds or a date, and anything else is as if it were not there', () => {
  const now = Date.parse('2026-11-16T10:00:00.000Z');
  assert.equal(retryAfterOf('120', now), 120_000);
  assert.equal(retryAfterOf(' 0 ', now), 0);
  assert.ok(retryAfterOf('99999999999', now) > TIMING.mostRetryAfter, 'it is bounded later');
  for (const words of ['try in May 2030', 'soon', '-5', '1e3', '']) assert.equal(retryAfterOf(words, now), 0, words);
  assert.equal(retryAfterOf('Mon, 16 Nov 2026 10:01:00 GMT', now), 60_000);
  assert.equal(retryAfterOf('Mon, 16 Nov 2026 09:00:00 GMT', now), 0);
  for (const odd of [undefined, '', 'soon', '-5', '1e9', 'NaN']) assert.equal(retryAfterOf(odd, now), 0, String(odd));
});
