import type { Page } from 'playwright-core';
import { startBrowser } from '../../test/dashboard/support/chromium.ts';
import { atEnd } from '../support/cleanup.ts';
import { interactionsOf, type Interaction } from '../support/page-interactions.ts';
import { pageWorld, type PageWorldSize } from '../support/page-world.ts';
import { limit, measure } from '../support/report.ts';
import { percentile } from '../support/statistics.ts';
import { type Syncline, startSyncline } from '../support/syncline.ts';

const DESKTOP = { width: 1440, height: 900 };
const PATIENCE = 30_000;
/** Below this many milliseconds a browser tells nothing of an interaction. */
const UNTOLD = 16;
/** In milliseconds, for 95 of 100 interactions. */
const WANTED = 100;

/**
 * Runs in the page before its own scripts: keeps how long each interaction took until the next frame was shown, as the browser itself tells it
 * (Event Timing, of which "interaction to next paint" is made), and the longest piece of work that would have kept another one waiting.
 */
const WATCH = `
  globalThis.seen = { events: [], tasks: [] };
  const keep = (list) => (entries) => { for (const entry of entries) list(entry); };
  const ofEvents = keep((entry) => { if (entry.interactionId) seen.events.push(entry.duration); });
  const ofTasks = keep((entry) => seen.tasks.push(entry.duration));
  const events = new PerformanceObserver((list) => ofEvents(list.getEntries()));
  events.observe({ type: 'event', durationThreshold: ${UNTOLD}, buffered: true });
  const tasks = new PerformanceObserver((list) => ofTasks(list.getEntries()));
  tasks.observe({ type: 'longtask', buffered: true });
  globalThis.takeSeen = async () => {
    for (let frame = 0; frame < 3; frame++) await new Promise((next) => requestAnimationFrame(() => setTimeout(next)));
    ofEvents(events.takeRecords());
    ofTasks(tasks.takeRecords());
    const taken = seen;
    globalThis.seen = { events: [], tasks: [] };
    return taken;
  };
`;

interface Taken {
  /** From the key or the click to the next paint. */
  paint: number;
  /** The longest piece of work until all was there. */
  task: number;
  /** Until all was there. */
  all: number;
}

/** What a person does on the page, in a real browser, and how soon something is seen of it. */
export async function pageSection(size: PageWorldSize, rounds: number): Promise<void> {
  const syncline = await startSyncline(await pageWorld(size));
  const page = await openPage(syncline);
  const taken = new Map<string, Taken[]>();
  // The first round loads the parts of the page that are loaded on demand, and is counted as well: a person has a first time, too.
  for (let round = 0; round < rounds; round++)
    for (const interaction of interactionsOf(size)) {
      const found = await take(page, interaction);
      taken.set(interaction.name, [...(taken.get(interaction.name) ?? []), found]);
    }
  for (const [name, times] of taken) {
    const told = (kind: keyof Taken): string => times.map((time) => Math.round(time[kind])).join(', ');
    console.log(`  ${name}: next paint ${told('paint')} ms, longest task ${told('task')} ms, all there ${told('all')} ms`);
  }
  const all = [...taken.values()].flat();
  const of = `with ${size.orders.toLocaleString('en-US')} orders and ${size.syncs.toLocaleString('en-US')} synchronizations, p95`;
  const p95 = (kind: keyof Taken): number[] => [
    percentile(
      all.map((one) => one[kind]),
      95,
    ),
  ];
  limit(`Interaction to next paint (${all.length} interactions), ${of}`, 'ms', p95('paint'), WANTED);
  measure(`The longest task that follows, ${of}`, 'ms', p95('task'));
  measure(`Until all is there, ${of}`, 'ms', p95('all'));
}

async function openPage({ url, key }: Syncline): Promise<Page> {
  const browser = await startBrowser();
  atEnd(() => browser.close());
  const context = await browser.newContext({ viewport: DESKTOP, baseURL: url, locale: 'en-GB' });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  await page.addInitScript(WATCH);
  await page.request.post('/api/v1/sessions', { headers: { authorization: `Bearer ${key}` } });
  await page.goto('/');
  return page;
}

async function take(page: Page, { name, at, act, there }: Interaction): Promise<Taken> {
  try {
    if (at !== undefined) {
      await page.evaluate(`history.pushState(null, '', ${JSON.stringify(at.path)})`);
      await at.ready(page).first().waitFor();
    }
    await settled(page);
    await page.evaluate('takeSeen()');
    const began = performance.now();
    await act(page);
    await there(page).first().waitFor();
    const all = performance.now() - began;
    await settled(page);
    const { events, tasks } = await page.evaluate<{ events: number[]; tasks: number[] }>('takeSeen()');
    return { paint: Math.max(UNTOLD, ...events), task: Math.max(0, ...tasks), all };
  } catch (error) {
    throw new Error(`Could not: ${name}`, { cause: error });
  }
}

/** Nothing is waited for any more. */
async function settled(page: Page): Promise<void> {
  const waiting = page.locator('[role="status"][aria-label^="Loading"], [aria-busy="true"]');
  await waiting.first().waitFor({ state: 'detached' });
}
