import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Pace, paceAt } from './pace.ts';

test('the busier the API, the slower deliveries go, but they never stop', () => {
  const busy = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(busy, busy, (one, other) => {
      const [calm, hectic] = one < other ? [one, other] : [other, one];
      assert.ok(paceAt(calm) >= paceAt(hectic));
      assert.ok(paceAt(hectic) >= 50);
    }),
  );
  assert.equal(paceAt(0.3), Number.POSITIVE_INFINITY);
  assert.equal(Math.round(paceAt(1)), 50);
});

test('no more begin than the pace allows, and hardly fewer', () => {
  let [now, busy] = [0, 1];
  const pace = new Pace(
    () => busy,
    () => now,
  );
  const during = (milliseconds: number): number => {
    let begun = 0;
    for (const until = now + milliseconds; now < until; now++)
      while (begun < 100_000 && pace.allows()) {
        pace.begin();
        begun++;
      }
    return begun;
  };
  const inSecond = (): number => during(1000);
  const isAbout = (begun: number, pace: number): void =>
    assert.ok(begun >= pace * 0.93 && begun <= pace * 1.1 + 4, `${begun}, not ${pace}`);
  isAbout(inSecond(), 50);
  // Busy all the time: what waits goes quicker and quicker.
  during(9_000);
  isAbout(inSecond(), 100);
  for (let second = 0; second < 89; second++) inSecond();
  isAbout(inSecond(), 4_000);
  busy = 0;
  assert.equal(during(1), 100_000, 'without a limit');
  busy = 1;
  isAbout(inSecond(), 50);
  now += 60_000;
  isAbout(inSecond(), 50);
});
