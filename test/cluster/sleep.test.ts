import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { putToSleep, wakeUp } from '../support/cluster.ts';
import { untilTakenOver, whileBusy } from './bustle.ts';
import { howOften, isLarge, TAKEN_OVER_WITHIN, waitsForLease } from './faults.ts';

const STOPS = howOften(3);
const LONGEST_WORK = 500;

test(`a node sleeps until its runs are another's and wakes up, ${STOPS} times: it writes nothing any more`, async (t) => {
  const outcome = await whileBusy({}, async ({ witnesses, random, busyNode }) => {
    for (let stop = 0; stop < STOPS; stop++) {
      await pause(random() * LONGEST_WORK);
      const { node, runs } = await busyNode();
      putToSleep(node);
      if (!waitsForLease(stop)) await witnesses.endLeases(runs);
      await untilTakenOver(witnesses, runs);
      wakeUp(node);
    }
  });
  t.diagnostic(JSON.stringify(outcome));
  assert.ok(outcome.slowest <= TAKEN_OVER_WITHIN, `a run waited for ${outcome.slowest} ms after its lease was over`);
  // Whoever wakes up hears soon that the run is not his; only some come to try.
  if (isLarge) assert.ok(outcome.refused > 0, JSON.stringify(outcome));
  assert.ok(outcome.takeovers >= STOPS / 2 && outcome.orders > 10 * STOPS, JSON.stringify(outcome));
});
