import assert from 'node:assert/strict';
import { test } from 'node:test';
import { untilTakenOver, whileBusy } from './bustle.ts';
import { howOften } from './faults.ts';

const STOPS = howOften(3);
const STOPPED_WITHIN = 25_000;
const TAKEN_UP_WITHIN = 1_000;

test(`a node that works is told to stop, ${STOPS} times: it hands its runs over, and others go on at once`, async (t) => {
  const outcome = await whileBusy({}, async ({ cluster, witnesses, busyNode }) => {
    for (let stop = 0; stop < STOPS; stop++) {
      const { node, runs } = await busyNode();
      const told = performance.now();
      const exit = await cluster.stop(node);
      assert.deepEqual(exit, { code: 0, signal: null }, node.logs());
      const took = performance.now() - told;
      assert.ok(took < STOPPED_WITHIN, `it took ${took} ms to stop`);
      await untilTakenOver(witnesses, runs);
      await cluster.start();
    }
    const waited = await witnesses.handovers();
    assert.ok(
      waited.every((ms) => ms < TAKEN_UP_WITHIN),
      `runs waited for ${waited.map(Math.round).join(', ')} ms until somebody went on`,
    );
  });
  t.diagnostic(JSON.stringify(outcome));
  assert.ok(outcome.handovers >= STOPS / 2 && outcome.takeovers === 0, JSON.stringify(outcome));
});
