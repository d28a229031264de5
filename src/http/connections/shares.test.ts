import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { AppError } from '../../lib/errors.ts';
import { type Holder, Shares } from './shares.ts';

const words = { key: (most: number) => `key ${most}`, address: (most: number) => `address ${most}`, all: (most: number) => `all ${most}` };
const sharesOf = (most: number): Shares => new Shares({ most, perKey: 1 / 2, perAddress: 3 / 4, words });
const holder = (key: string, network = 'n', isAdmin = false): Holder => ({ key, network, isAdmin });

/** Takes one at a time until it is refused; answers how many it got, and what it was told. */
function takeAll(shares: Shares, who: Holder): [number, string, string] {
  for (let n = 0; ; n++) {
    try {
      shares.take(who);
    } catch (error) {
      const { code, message } = error as AppError;
      return [n, code, message];
    }
  }
}

describe('shares', () => {
  test('of one key, of one address, of all together, and what is left for administrators', () => {
    const shares = sharesOf(40);
    assert.deepEqual(takeAll(shares, holder('a', 'x')), [20, 'RATE_LIMITED', 'key 20']);
    assert.deepEqual(takeAll(shares, holder('b', 'x')), [10, 'RATE_LIMITED', 'address 30']);
    assert.deepEqual(takeAll(shares, holder('c', 'y')), [6, 'UNAVAILABLE', 'all 36']);
    assert.deepEqual(takeAll(shares, holder('root', 'x', true)), [4, 'UNAVAILABLE', 'all 40']);
    shares.give(holder('a', 'x'));
    assert.deepEqual(takeAll(shares, holder('c', 'y')), [1, 'UNAVAILABLE', 'all 36']);
  });

  test('are at least one, however little there is', () => {
    assert.deepEqual(takeAll(sharesOf(1), holder('a')), [1, 'RATE_LIMITED', 'key 1']);
    assert.deepEqual(takeAll(sharesOf(1), holder('root', 'n', true)), [1, 'UNAVAILABLE', 'all 1']);
  });

  test('let the first one through, even if it is larger than a share', () => {
    const shares = sharesOf(100);
    shares.take(holder('a'), 80);
    assert.throws(() => shares.take(holder('a'), 1), AppError);
    shares.give(holder('a'), 80);
    assert.throws(() => shares.take(holder('a'), 91), /all 90/);
  });

  test('whatever is taken and given back: no holder has more than a share, and administrators find their part', () => {
    const step = fc.record({ key: fc.integer({ min: 0, max: 5 }), network: fc.integer({ min: 0, max: 2 }), gives: fc.boolean() });
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 60 }), fc.array(step, { maxLength: 300 }), (most, steps) => {
        const shares = sharesOf(most);
        const held: Holder[] = [];
        for (const { key, network, gives } of steps) {
          const who = holder(`k${key}`, `n${network}`);
          if (gives) {
            const one = held.pop();
            if (one) shares.give(one);
            continue;
          }
          try {
            shares.take(who);
            held.push(who);
          } catch (error) {
            assert.ok(error instanceof AppError);
          }
          const count = (is: (one: Holder) => boolean): number => held.filter(is).length;
          assert.equal(shares.used, held.length);
          assert.ok(count((one) => one.key === who.key) <= Math.floor(most / 2));
          assert.ok(count((one) => one.network === who.network) <= Math.floor((most * 3) / 4));
          assert.ok(held.length <= most - Math.floor(most / 10));
        }
        for (const one of held) shares.give(one);
        assert.equal(shares.used, 0);
        assert.equal(takeAll(shares, holder('k0', 'n0'))[0], Math.floor(most / 2));
      }),
    );
  });
});
