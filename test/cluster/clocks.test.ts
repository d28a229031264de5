import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { clockOff } from '../support/cluster-clock.ts';
import { untilTakenOver, whileBusy } from './bustle.ts';
import { howOften, TAKEN_OVER_WITHIN, waitsForLease } from './faults.ts';

const KILLS = howOften(1);
const OFF = 600;
const UNDISTURBED = 3_000;

test(`clocks that are ten minutes ahead and behind: nobody takes a run from a living node, and one that dies is missed in time, ${KILLS} times`, async (t) => {
  const clocks = [0, OFF, -OFF].map((seconds) => (seconds === 0 ? {} : clockOff(seconds)));
  const outcome = await whileBusy(
    { start: async (cluster) => void (await Promise.all(clocks.map((clock) => cluster.start(clock)))) },
    async ({ cluster, witnesses, busyNode }) => {
      for (let kill = 0; kill < KILLS; kill++) {
        await pause(UNDISTURBED);
        const { takeovers } = await witnesses.testify();
        assert.ok(takeovers <= kill * 2, `${takeovers} runs were taken over and ${kill} nodes had died`);
        const { node, runs } = await busyNode();
        await cluster.kill(node);
        if (!waitsForLease(kill)) await witnesses.endLeases(runs);
        await untilTakenOver(witnesses, runs);
        await cluster.start(clocks[kill % clocks.length]);
      }
    },
  );
  t.diagnostic(JSON.stringify(outcome));
  assert.ok(outcome.slowest <= TAKEN_OVER_WITHIN, `a run waited for ${outcome.slowest} ms after its lease was over`);
  assert.ok(outcome.takeovers >= KILLS / 2, JSON.stringify(outcome));
});
