import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { isWhole } from '../support/whole.ts';
import { type Dashboard, startDashboard } from './support/dashboard.ts';
import { PAGES } from './support/pages.ts';
import { makeSampleWorld, type SampleWorld } from './support/sample-world.ts';

/** What browsers call good: the sum of all jumps, each as the share of the screen that moved, by how far. */
const MOST = 0.1;
/** Milliseconds that each request takes at least: what is shown meanwhile is seen. */
const LATENCY = 120;
const IS_WHOLE = isWhole || process.env['SCREENS'] === 'all';
const DESKTOP: BrowserContextOptions = {};
const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 } };
const SCREENS: readonly [name: string, BrowserContextOptions][] = [
  ['desktop', DESKTOP],
  ['phone', PHONE],
];

interface Shift {
  value: number;
  what: string[];
}

/** Runs in the page before its own scripts. */
const WATCH = `
  globalThis.shifts = [];
  const wordsOf = (node) => node instanceof Element ? node.tagName + '.' + node.className + ' ' + (node.textContent ?? '').slice(0, 40) : String(node?.textContent ?? 'gone').slice(0, 40);
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries())
      if (!hadRecentInput) shifts.push({ value, what: sources.map(({ node, previousRect: a, currentRect: b }) => wordsOf(node) + ' ' + [a.x, a.y, b.x, b.y].map(Math.round)) });
  }).observe({ type: 'layout-shift', buffered: true });
`;

describe('what loads does not jump', () => {
  let dashboard: Dashboard;
  let world: SampleWorld;
  before(async () => {
    dashboard = await startDashboard();
    world = await makeSampleWorld(dashboard.service);
  });
  after(() => dashboard.close());

  const pages = new Map<BrowserContextOptions, Promise<Page>>();
  const openOn = async (screen: BrowserContextOptions): Promise<Page> => {
    const page = await dashboard.openSignedIn('/', screen);
    await page.addInitScript(WATCH);
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: LATENCY,
      downloadThroughput: -1,
      uploadThroughput: -1,
    });
    return page;
  };
  const pageOn = (screen: BrowserContextOptions): Promise<Page> => {
    const page = pages.get(screen) ?? openOn(screen);
    pages.set(screen, page);
    return page;
  };

  /** The shifts of a view while it loads, when they are too many. */
  async function tooMany(page: Page, url: string, ready: RegExp | string): Promise<Shift[] | undefined> {
    await page.goto(url);
    await page.getByText(ready).first().waitFor();
    await page.waitForFunction(() => document.querySelector('[role="status"][aria-label^="Loading"], [aria-busy="true"]') === null);
    // What has just come is laid out by the second frame.
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(drawn)))));
    const shifts = await page.evaluate<Shift[]>('shifts');
    return shifts.reduce((all, { value }) => all + value, 0) > MOST ? shifts : undefined;
  }

  for (const [place, { name, path, ready }] of PAGES.entries()) {
    test(name, async () => {
      const found: Record<string, Shift[]> = {};
      for (const [screen, options] of IS_WHOLE ? SCREENS : SCREENS.slice(place % 2, (place % 2) + 1)) {
        const page = await pageOn(options);
        const url = path(world);
        // News that come at that moment make lists longer; what jumps because it loads does so every time.
        const shifts = (await tooMany(page, url, ready)) && (await tooMany(page, url, ready));
        if (shifts) found[screen] = shifts;
      }
      assert.deepEqual(found, {});
    });
  }
});
