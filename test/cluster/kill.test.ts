import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { untilTakenOver, whileBusy } from './bustle.ts';
import { howOften, TAKEN_OVER_WITHIN, waitsForLease } from './faults.ts';

const KILLS = howOften(3);
const LONGEST_WORK = 500;

test(`kill -9 of a node that works, ${KILLS} times: another goes on in time, and nothing is lost, doubled or done by two`, async (t) => {
  const outcome = await whileBusy({}, async ({ cluster, witnesses, random, busyNode }) => {
    for (let kill = 0; kill < KILLS; kill++) {
      await pause(random() * LONGEST_WORK);
      const { node, runs } = await busyNode();
      await cluster.kill(node);
      if (!waitsForLease(kill)) await witnesses.endLeases(runs);
      await untilTakenOver(witnesses, runs);
      await cluster.start();
    }
  });
  t.diagnostic(JSON.stringify(outcome));
  assert.ok(outcome.slowest <= TAKEN_OVER_WITHIN, `a run waited for ${outcome.slowest} ms after its lease was over`);
  assert.ok(outcome.takeovers >= KILLS / 2 && outcome.orders > 10 * KILLS, JSON.stringify(outcome));
});
