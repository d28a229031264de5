import { after, before, describe, test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { isWhole } from '../support/whole.ts';
import { assertAccessible, assertFits, type Dashboard, goWithin, setWidth, startDashboard } from './support/dashboard.ts';
import { PAGES } from './support/pages.ts';
import { makeSampleWorld, type SampleWorld } from './support/sample-world.ts';

// With SCREENS=all or WHOLE=1 every view is looked at on all screens; else the first view of everything (`sync`, not `sync-edit`), on two of them in turns.
const IS_WHOLE = isWhole || process.env['SCREENS'] === 'all';
const LIGHT = { colorScheme: 'light' as const };
const PHONE = { colorScheme: 'dark' as const, viewport: { width: 360, height: 740 } };
/** What is asked of accessibility does not change with every pixel, so it is looked at on some; that all fits, on each. */
const SCREENS: readonly BrowserContextOptions[] = [LIGHT, PHONE];
const WIDTHS = [360, 390, 768, 1440, 2560];
const VIEWS = IS_WHOLE ? PAGES : PAGES.filter(({ name }) => !name.includes('-'));
const screensOf = (place: number) => (IS_WHOLE ? SCREENS : SCREENS.slice(place % 2, (place % 2) + 1));
/** In `npm test` one width more than that of the screen, another one for each view. */
const widthsOf = (place: number) => (IS_WHOLE ? WIDTHS : WIDTHS.slice(place % WIDTHS.length, (place % WIDTHS.length) + 1));

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
        const { width = 1280 } = page.viewportSize() ?? {};
        for (const other of widthsOf(place)) {
          await setWidth(page, other);
          await assertFits(page);
        }
        await setWidth(page, width);
      }
    });
  }

  test('nothing was wrong in any script, and nothing was against the security policy', () => dashboard.assertNoFaults());
});
