import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCase } from '../conformance.ts';
import type { Case } from '../conformance/kit.ts';
import { harness } from './harness.ts';

/** The suite is tested: the fake is broken in one way by how it is opened, and one of the cases has to notice. */
export function testNoticed(name: string, open: typeof harness.connector.open, cases: readonly Case[]): void {
  test(name, async (t) => {
    const broken = { ...harness, connector: { ...harness.connector, open } };
    const system = await broken.start();
    for (const one of cases) {
      const isHeld = await runCase(one, broken, system).then(
        () => true,
        () => false,
      );
      if (!isHeld) return t.diagnostic(`noticed by: ${one.name}`);
    }
    return assert.fail('nothing was noticed');
  });
}
