import assert from 'node:assert/strict';
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { preparedPlace } from '../../support/databases.ts';
import { type Service, type ServiceOptions, startService } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { startBrowser } from './chromium.ts';

const DESKTOP = { width: 1280, height: 860 };
/** A machine that has much else to do must not make a test fail. */
const PATIENCE = 30_000;
/** What measures itself has followed long before this. */
const FOLLOWS = 5000;

/** A running service and a browser that looks at it. */
export interface Dashboard {
  readonly service: Service;
  /** A new tab in a browser without a past, on this page. */
  open(path?: string, options?: BrowserContextOptions): Promise<Page>;
  /** The same, signed in: with the admin key unless another is given. */
  openSignedIn(path?: string, options?: BrowserContextOptions & { key?: string }): Promise<Page>;
  /** Stops the service, as an operator would; `start` lets it come back at the same address, with the same data. */
  stopService(): Promise<{ start: () => Promise<void> }>;
  /** Fails when a page has had anything to complain of: errors in scripts, what the security policy has refused. */
  assertNoFaults(): void;
  close(): Promise<void>;
}

export async function startDashboard(options: ServiceOptions = {}): Promise<Dashboard> {
  const place = options.place ?? (await preparedPlace('sqlite'));
  let service = await startService('sqlite', { ...options, place });
  let browser: Browser;
  try {
    browser = await startBrowser();
  } catch (error) {
    await service.close();
    await place.remove();
    throw error;
  }
  const faults: string[] = [];

  const open = async (path = '/', contextOptions: BrowserContextOptions = {}): Promise<Page> => {
    const context = await browser.newContext({
      viewport: DESKTOP,
      locale: 'en-GB',
      timezoneId: 'UTC',
      baseURL: service.url,
      ...contextOptions,
    });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('console', (message) => {
      // That a request was refused (401, 409 …) is no fault of the page: it says so in words.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) faults.push(message.text());
    });
    await page.goto(path);
    return page;
  };
  return {
    get service() {
      return service;
    },
    open,
    openSignedIn: async (path = '/', { key = service.adminKey, ...contextOptions } = {}) => {
      const page = await open('/static/icon.svg', contextOptions);
      await signIn(page, key);
      await page.goto(path);
      return page;
    },
    stopService: async () => {
      const { port } = new URL(service.url);
      await service.close();
      return {
        start: async () => {
          service = await startService('sqlite', { ...options, place, environment: { ...options.environment, PORT: port } });
        },
      };
    },
    assertNoFaults: () => assert.deepEqual(faults, []),
    close: async () => {
      await browser.close();
      await service.close();
      await place.remove();
    },
  };
}

/** Signs the browser of this page in, as the page itself does. */
export async function signIn(page: Page, key: string): Promise<void> {
  const answer = await page.request.post('/api/v1/sessions', { headers: { authorization: `Bearer ${key}` } });
  assert.equal(answer.status(), 200, await answer.text());
}

/** Goes to another view as a link does: the page stays, and need not be loaded again. */
export async function goWithin(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => history.pushState(null, '', to), path);
}

/** Holds a page against the rules of accessibility: nothing serious or critical, in its present colours. */
export async function assertAccessible(page: Page): Promise<void> {
  // What moves is half transparent for a moment, and would be taken for pale.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.waitForFunction(() => document.getAnimations().every(({ playState }) => playState !== 'running'));
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  const found = await page.evaluate(async () => {
    // oxlint-disable-next-line no-explicit-any -- a name that the script has just put there
    const { violations } = await (globalThis as any).axe.run(document, { resultTypes: ['violations'] });
    return (violations as { id: string; impact: string; help: string; nodes: { html: string; failureSummary: string }[] }[])
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, help, nodes }) => ({
        id,
        help,
        nodes: nodes.slice(0, 3).map(({ html, failureSummary }) => `${html} ${failureSummary}`),
      }));
  });
  assert.deepEqual(found, [], page.url());
}

/** Nothing may be wider than the screen: the page never scrolls sideways. What measures the room that it has follows a moment after a change. */
export async function assertFits(page: Page): Promise<void> {
  let { wide, screen, cut } = await page.evaluate(sideways);
  await until(
    'the page fits',
    async () => {
      ({ wide, screen, cut } = await page.evaluate(sideways));
      return wide <= screen && cut.length === 0;
    },
    FOLLOWS,
  ).catch(() => undefined);
  assert.ok(wide <= screen, `${page.url()} is ${wide} px wide on a screen of ${screen} px`);
  assert.deepEqual(cut, [], `of lists on ${page.url()} a part is out of sight at ${screen} px`);
}

/** Runs in the page: how wide it is, and of which lists a part is out of sight. */
function sideways(): { wide: number; screen: number; cut: (string | null)[] } {
  return {
    wide: document.documentElement.scrollWidth,
    screen: innerWidth,
    // What has one line a row scrolls by itself where there is too little room, and what a row is of stays in sight.
    cut: [...document.querySelectorAll('.data-table:not(.one-line)')]
      .filter((list) => list.scrollWidth > list.clientWidth)
      .map((list) => list.getAttribute('aria-label')),
  };
}

/** Makes the window as wide as this, and waits until what measures itself has followed: charts are drawn anew a moment later. */
export async function setWidth(page: Page, width: number): Promise<void> {
  await page.setViewportSize({ width, height: page.viewportSize()?.height ?? DESKTOP.height });
  await page.evaluate(drawnAnew);
}

/** Runs in the page. */
async function drawnAnew(): Promise<void> {
  const isOld = (drawing: Element): boolean => Math.abs(drawing.clientWidth - (drawing.parentElement?.clientWidth ?? 0)) > 1;
  for (let frame = 0; frame < 4 || (frame < 300 && [...document.querySelectorAll('.chart > svg')].some(isOld)); frame++)
    await new Promise((next) => requestAnimationFrame(next));
}
