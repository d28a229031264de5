import { after, before, describe, test } from 'node:test';
import { assertAccessible, assertFits, type Dashboard, startDashboard } from './support/dashboard.ts';
import { PAGES } from './support/pages.ts';
import { makeSampleWorld, type SampleWorld } from './support/sample-world.ts';

const PHONE = { width: 360, height: 740 };

describe('every view', () => {
  let dashboard: Dashboard;
  let world: SampleWorld;
  before(async () => {
    dashboard = await startDashboard();
    world = await makeSampleWorld(dashboard.service);
  });
  after(() => dashboard.close());

  for (const { name, path, ready } of PAGES) {
    test(`${name}: accessible in both colours, and fits on a phone`, async () => {
      for (const options of [{ colorScheme: 'light' as const }, { colorScheme: 'dark' as const, viewport: PHONE }]) {
        const page = await dashboard.openSignedIn(path(world), options);
        await page.getByText(ready).first().waitFor();
        await page.waitForFunction(() => document.querySelector('[role="status"][aria-label^="Loading"]') === null);
        await assertAccessible(page);
        await assertFits(page);
        await page.context().close();
      }
    });
  }

  test('nothing was wrong in any script, and nothing was against the security policy', () => dashboard.assertNoFaults());
});
