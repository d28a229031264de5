import { after, before, describe, test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { assertAccessible, assertFits, type Dashboard, goWithin, startDashboard } from './support/dashboard.ts';
import { PAGES } from './support/pages.ts';
import { makeSampleWorld, type SampleWorld } from './support/sample-world.ts';

// With SCREENS=all every view is looked at on both screens; else the first view of everything (`sync`, not `sync-edit`), on one of them in turns.
const IS_WHOLE = process.env['SCREENS'] === 'all';
const SCREENS = [{ colorScheme: 'light' as const }, { colorScheme: 'dark' as const, viewport: { width: 360, height: 740 } }];
const VIEWS = IS_WHOLE ? PAGES : PAGES.filter(({ name }) => !name.includes('-'));
const screensOf = (place: number) => (IS_WHOLE ? SCREENS : SCREENS.slice(place % 2, (place % 2) + 1));

describe('every view', () => {
  let dashboard: Dashboard;
  let world: SampleWorld;
  before(async () => {
    dashboard = await startDashboard();
    world = await makeSampleWorld(dashboard.service);
  });
  after(() => dashboard.close());

  // A browser without a past takes longer to open than most views.
  const pages = new Map<BrowserContextOptions, Promise<Page>>();
  const pageOn = (screen: BrowserContextOptions): Promise<Page> => {
    const page = pages.get(screen) ?? dashboard.openSignedIn('/', screen);
    pages.set(screen, page);
    return page;
  };

  for (const [place, { name, path, ready }] of VIEWS.entries()) {
    test(`${name}: accessible in its colours, and fits on the screen`, async () => {
      for (const screen of screensOf(place)) {
        const page = await pageOn(screen);
        await goWithin(page, path(world));
        await page.getByText(ready).first().waitFor();
        await page.waitForFunction(() => document.querySelector('[role="status"][aria-label^="Loading"]') === null);
        await assertAccessible(page);
        await assertFits(page);
      }
    });
  }

  test('nothing was wrong in any script, and nothing was against the security policy', () => dashboard.assertNoFaults());
});
