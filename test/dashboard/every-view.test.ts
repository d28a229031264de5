import { after, before, describe, test } from 'node:test';
import { assertAccessible, assertFits, type Dashboard, startDashboard } from './support/dashboard.ts';
import { PAGES } from './support/pages.ts';
import { makeSampleWorld, type SampleWorld } from './support/sample-world.ts';

// By default each view is looked at on one of these screens, in turns; with SCREENS=all on both.
const SCREENS = [{ colorScheme: 'light' as const }, { colorScheme: 'dark' as const, viewport: { width: 360, height: 740 } }];
const screensOf = (place: number) => (process.env['SCREENS'] === 'all' ? SCREENS : SCREENS.slice(place % 2, (place % 2) + 1));

describe('every view', () => {
  let dashboard: Dashboard;
  let world: SampleWorld;
  before(async () => {
    dashboard = await startDashboard();
    world = await makeSampleWorld(dashboard.service);
  });
  after(() => dashboard.close());

  for (const [place, { name, path, ready }] of PAGES.entries()) {
    test(`${name}: accessible in its colours, and fits on the screen`, async () => {
      for (const options of screensOf(place)) {
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
