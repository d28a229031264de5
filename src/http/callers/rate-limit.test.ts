import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { AppError } from '../../lib/errors.ts';
import { RateLimiter } from './rate-limit.ts';
import type { Principal } from '../scopes.ts';

function caller(id = 'key_a', rateLimit?: number): Principal {
  return { id, scopes: new Set(), rateLimit };
}

/** A limiter with a clock that is turned by hand. */
function limiterOf(perSecond: number): { limiter: RateLimiter; turn: (milliseconds: number) => void } {
  let now = 1_000_000;
  const limiter = new RateLimiter(perSecond, () => now);
  return {
    limiter,
    turn: (milliseconds) => {
      now += milliseconds;
    },
  };
}

/** How many of so many requests are let through. */
function taken(limiter: RateLimiter, requests: number, principal = caller()): number {
  let count = 0;
  for (let i = 0; i < requests; i++) {
    try {
      limiter.take(principal);
      count++;
    } catch (error) {
      assert.ok(error instanceof AppError && error.code === 'RATE_LIMITED');
    }
  }
  return count;
}

describe('RateLimiter', () => {
  test('lets twice the rate through in a burst, and then the rate', () => {
    const { limiter, turn } = limiterOf(100);
    assert.equal(taken(limiter, 500), 200);
    turn(500);
    assert.equal(taken(limiter, 500), 50);
    turn(10);
    assert.equal(taken(limiter, 500), 1);
  });

  test('saves no more than a burst for later', () => {
    const { limiter, turn } = limiterOf(100);
    taken(limiter, 500);
    turn(3_600_000);
    assert.equal(taken(limiter, 1000), 200);
  });

  test('never lets more through than burst and rate allow, and never less', () => {
    const steps = fc.array(fc.tuple(fc.nat(300), fc.nat(50)), { maxLength: 50 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), steps, (rate, moves) => {
        const { limiter, turn } = limiterOf(rate);
        // The same in thousandths of a request, which whole milliseconds and rates never leave.
        let left = rate * 2000;
        for (const [pause, requests] of moves) {
          turn(pause);
          left = Math.min(rate * 2000, left + pause * rate);
          const expected = Math.min(requests, Math.floor(left / 1000));
          const got = taken(limiter, requests);
          // The limiter counts in doubles: at the very moment when one is due it may be a hair early or late.
          assert.ok(Math.abs(got - expected) <= (left % 1000 < 1 || left % 1000 > 999 ? 1 : 0), `${got} instead of ${expected}`);
          left -= got * 1000;
        }
      }),
    );
  });

  test('counts for each caller apart', () => {
    const { limiter } = limiterOf(1);
    assert.equal(taken(limiter, 5, caller('key_a')), 2);
    assert.equal(taken(limiter, 5, caller('key_b')), 2);
    assert.equal(taken(limiter, 5, caller('key_a')), 0);
  });

  test('lets the key itself say otherwise, and 0 switch the limit off', () => {
    const { limiter } = limiterOf(1);
    assert.equal(taken(limiter, 50, caller('key_a', 10)), 20);
    assert.equal(taken(limiter, 5000, caller('key_b', 0)), 5000);
    const { limiter: off } = limiterOf(0);
    assert.equal(taken(off, 5000, caller('key_a')), 5000);
    assert.equal(taken(off, 50, caller('key_b', 3)), 6);
  });

  test('says how fast one may go and how long to wait', () => {
    const { limiter, turn } = limiterOf(2);
    assert.equal(taken(limiter, 4), 4);
    turn(100);
    assert.throws(
      () => limiter.take(caller()),
      (error: unknown) => {
        assert.ok(error instanceof AppError);
        assert.deepEqual(error.headers, { 'retry-after': '1', ratelimit: '"default";r=0;t=1', 'ratelimit-policy': '"default";q=4;w=2' });
        assert.match(error.message, /2 requests a second/);
        return true;
      },
    );
    turn(1000);
    assert.equal(taken(limiter, 5), 2, 'waiting as long as it was told is enough');
  });

  test('does not grow with the number of callers, and forgets in favour of them', () => {
    const { limiter } = limiterOf(1);
    assert.equal(taken(limiter, 5, caller('first')), 2);
    for (let i = 0; i < 9_999; i++) assert.equal(taken(limiter, 1, caller(`key_${i}`)), 1);
    assert.equal(taken(limiter, 5, caller('first')), 0, 'ten thousand are remembered');
    assert.equal(taken(limiter, 1, caller('one more')), 1);
    assert.equal(taken(limiter, 5, caller('first')), 2, 'and of one more, the first is forgotten');
  });
});
