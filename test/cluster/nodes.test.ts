import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Cluster } from '../support/cluster.ts';
import { type Outcome, whileBusy } from './bustle.ts';
import { FAULTS, strike, WiredNodes } from './nodes.ts';
import { howOften, isLarge } from './sizes.ts';

// Each test has three nodes whose clocks disagree.

/** So long after the end of a lease another node has the run, at the latest, in milliseconds. */
const TAKEN_OVER_WITHIN = 5_000;
const TAKEN_UP_WITHIN = 5_000;
/** Of so many faults, one waits for the lease to be over by itself; of the others it is ended at once. */
const REAL_LEASES = 5;
const LONGEST_WORK = 500;

const names = Object.keys(FAULTS);

/** Lets these things happen, one after the other. */
async function suffer(...kinds: readonly string[]): Promise<Outcome & { handedOver: number[] }> {
  const wired = new WiredNodes();
  const start = async (cluster: Cluster): Promise<void> => {
    await Promise.all([1, 2, 3].map(() => wired.start(cluster)));
  };
  let handedOver: number[] = [];
  try {
    const outcome = await whileBusy({ start }, async ({ cluster, witnesses, random }) => {
      for (const [at, kind] of kinds.entries()) {
        const options = { after: random() * LONGEST_WORK, waitsForLease: at % REAL_LEASES === 0 };
        await strike(FAULTS[kind] as (typeof FAULTS)[string], { cluster, witnesses, wired }, options);
      }
      handedOver = await witnesses.handovers();
    });
    return { ...outcome, handedOver };
  } finally {
    await wired.close();
  }
}

function check({ slowest, handedOver, ...outcome }: Awaited<ReturnType<typeof suffer>>, faults: number): void {
  assert.ok(slowest <= TAKEN_OVER_WITHIN, `a run waited for ${slowest} ms after its lease was over`);
  for (const wait of handedOver) assert.ok(wait < TAKEN_UP_WITHIN, `a run that was handed over waited for ${wait} ms`);
  // It proves something only when there was much to lose.
  assert.ok(outcome.takeovers + outcome.handovers >= faults / 2 && outcome.orders > 5 * faults, JSON.stringify(outcome));
}

if (isLarge) {
  for (const name of names)
    test(`a node ${name}, ${howOften(1)} times: nothing is lost, doubled or done by two`, async (t) => {
      const faults = Array.from({ length: howOften(1) }, () => name);
      const outcome = await suffer(...faults);
      t.diagnostic(JSON.stringify(outcome));
      check(outcome, faults.length);
    });
} else {
  // Another one beside the kill every time: over some runs, all of them.
  const some = [names[0] as string, names[1 + Math.floor(Math.random() * (names.length - 1))] as string];
  test(`a node ${some.join(', another ')}: nothing is lost, doubled or done by two`, async (t) => {
    const outcome = await suffer(...some);
    t.diagnostic(JSON.stringify(outcome));
    check(outcome, some.length);
  });
}
