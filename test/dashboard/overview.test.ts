import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { addSource, ask, reaches, sqliteFile } from '../support/real-syncs.ts';
import { until } from '../support/until.ts';
import { assertAccessible, assertFits, type Dashboard, startDashboard } from './support/dashboard.ts';
import { makeSampleWorld, type SampleWorld } from './support/sample-world.ts';

const PATIENCE = 30_000;

describe('the overview', () => {
  let dashboard: Dashboard;
  let world: SampleWorld;
  before(async () => {
    dashboard = await startDashboard();
    world = await makeSampleWorld(dashboard.service);
  });
  after(() => dashboard.close());

  let last: Page | undefined;
  const open = async (key?: string): Promise<Page> => {
    await last?.context().close();
    const page = await dashboard.openSignedIn('/', key === undefined ? {} : { key });
    last = page;
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    return page;
  };

  test('says in a sentence whether all is well, what needs a person and why, most urgent first, and leads to what helps', async () => {
    const page = await open();
    const verdict = page.getByRole('region', { name: 'Is all well?' });
    await verdict.getByText('3 of 6 synchronizations need you.').waitFor();
    await verdict.getByText('6 synchronizations: 1 in sync, 1 running, 1 paused, 3 with something wrong.').waitFor();
    const section = page.getByRole('region', { name: 'Needs attention' });
    await section.getByText('The shop refuses the password of the user "reader".').waitFor();
    await section.getByText('4 rows are rejected.').waitFor();
    await section.getByRole('link', { name: 'Correct the source' }).waitFor();
    const links = await section.getByRole('link').all();
    const leads = await Promise.all(links.map(async (link) => [await link.textContent(), await link.getAttribute('href')]));
    const [source] = leads.flatMap(([text, href]) => (text === 'Correct the source' ? [href] : []));
    assert.match(source ?? '', /^\/sources\/src_\w+\/edit$/);
    assert.deepEqual(leads, [
      ['All 3 open incidents', '/alerts'],
      ['Prices from the web shop', `/syncs/${world.failing}`],
      ['Correct the source', source],
      ['Stock of the suppliers', `/syncs/${world.needs_approval}`],
      ['See and decide', `/runs/${world.askingRun}`],
      ['People from the survey', `/syncs/${world.degraded}`],
      ['See the rejected rows', `/syncs/${world.degraded}?tab=rejects`],
    ]);
    await assertAccessible(page);
    await assertFits(page);
    const reader = await open(await dashboard.service.keyWith('datasync:read'));
    await reader.getByRole('region', { name: 'Needs attention' }).getByRole('link', { name: 'Prices from the web shop' }).waitFor();
    assert.equal(await reader.getByRole('link', { name: /open incidents?$|Correct the source/ }).count(), 0);
  });

  test('says when each runs next, also where no clock decides it', async () => {
    const { service } = dashboard;
    const shop = await addSource(service, 'hub', {}, 'The shop');
    const into = await addSource(service, 'sqlite', { path: sqliteFile(service.place, 'orders.sqlite') }, 'Order book');
    const sync = await ask(service, 'POST', '/sync', { name: 'Orders', source_id: shop, target_id: into, streams: [{ source: 'orders' }] });
    assert.equal(sync.schedule.type, 'on_change');
    const page = await open();
    const list = page.getByRole('table', { name: 'Synchronizations' });
    await list.getByRole('row', { name: /^Orders .* on a change$/ }).waitFor();
    await list.getByRole('row', { name: /^People from the survey .* manual$/ }).waitFor();
    await ask(service, 'POST', `/sync/${sync.id}/pause`);
    await list.getByRole('row', { name: /^Orders .* when resumed$/ }).waitFor();
    // Its first run, of the orders that were there, may still be going on.
    await until('nothing of it to run', async () => (await ask(service, 'GET', `/sync/${sync.id}`)).current_run === null, PATIENCE);
    await ask(service, 'DELETE', `/sync/${sync.id}`);
  });

  test('shows a run as it goes on, and that it is over when it is', async () => {
    const page = await open();
    const section = page.getByRole('region', { name: 'Running now' });
    const read = async (): Promise<number> => Number(/([\d,]+) rows read/.exec(await section.innerText())?.[1]?.replaceAll(',', ''));
    const before = await until('the progress to be there', async () => (await read()) || undefined, PATIENCE);
    await until('more rows', async () => (await read()) > before, PATIENCE);
    await ask(dashboard.service, 'POST', `/runs/${world.runningRun}/cancel`);
    await reaches(dashboard.service, world.runningRun, 'cancelled', PATIENCE);
    await section.getByText('Nothing runs at the moment.').waitFor();
  });

  test('draws what was done over time, and has it as a table too', async () => {
    const page = await open();
    await page.getByRole('figure', { name: 'Rows read in the last 24 hours' }).locator('svg').first().waitFor();
    await page.getByText('Month', { exact: true }).click();
    await page.getByRole('figure', { name: 'Rows read in the last 30 days' }).locator('table').waitFor({ state: 'attached' });
  });

  test('a bar leads to the runs behind it, by the mouse and by the keyboard', async () => {
    const page = await open();
    const chart = page.getByRole('group', { name: 'Runs that ended in the last 24 hours' });
    const bar = chart.getByRole('link').last();
    const said = (await bar.getAttribute('aria-label')) ?? '';
    const counted = [...said.matchAll(/(?:Succeeded|With rejects|Failed) (\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
    assert.ok(counted > 0, said);
    await bar.hover();
    await page.getByText('Click to see them').waitFor();
    await bar.click();
    await page
      .getByRole('status')
      .getByText(/^Those that ended from/)
      .waitFor();
    const shown = page.getByRole('row').filter({ hasText: /Succeeded|With rejects|Failed/ });
    await until('as many runs as the bar counts', async () => (await shown.count()) === counted, PATIENCE);
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Of all times' }).click();
    await until('all runs', async () => (await shown.count()) >= counted && !page.url().includes('ended_from'), PATIENCE);

    const again = await open();
    const orders = again.getByRole('group', { name: /^Orders on each/ });
    await orders.getByRole('link').last().focus();
    // One stop of the tab key for all bars: the arrows go from one to the next.
    assert.equal(await orders.locator('a[tabindex="0"]').count(), 1);
    const focused = (): Promise<string> => again.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');
    const last = await focused();
    await again.keyboard.press('ArrowLeft');
    assert.notEqual(await focused(), last);
    const [, count] = /Orders (\d+)/.exec(await focused()) ?? [];
    await again.keyboard.press('Enter');
    await again.getByText(new RegExp(`^1–\\d+ of ${count}$`)).waitFor();
  });

  test('hears of a new order by itself, and asks for nothing while nothing happens', async () => {
    const page = await open();
    await page.getByText(/orders? in 14 days, .* of them today/).waitFor();
    const today = async (): Promise<number> => Number(/, ([\d,]+) of them today/.exec(await page.locator('body').innerText())?.[1]);
    await page.waitForLoadState('load');
    // The charts come a little later, and the place of notices last.
    await page.waitForFunction(() => document.querySelector('[role="status"][aria-label^="Loading"]') === null);
    await page.locator('.mantine-Notifications-root').first().waitFor({ state: 'attached' });
    const requests: string[] = [];
    // The code of other views is loaded ahead, once.
    page.on('request', (request) => !new URL(request.url()).pathname.startsWith('/assets/') && requests.push(request.url()));
    // Longer than the stream of changes takes to tell; an idle page has nothing to ask.
    await page.waitForTimeout(2500);
    assert.deepEqual(requests, []);
    const before = await today();
    await dashboard.service.post('/api/v1/orders', { customer_id: 'c', items: [{ product_id: 'p', quantity: 1, price: 1 }] });
    await until('the order to be counted', async () => (await today()) === before + 1, PATIENCE);
  });

  test('shows a key what it may see, and nothing else', async () => {
    const { service } = dashboard;
    const shop = await open(await service.keyWith('orders:read'));
    await shop.getByRole('region', { name: 'Orders per day' }).waitFor();
    assert.equal(await shop.getByRole('region', { name: 'Running now' }).count(), 0);
    const nothing = await open(await service.keyWith('webhooks'));
    await nothing.getByText('This key sees nothing of this page.').waitFor();
  });

  test('names are text, whatever they hold', async () => {
    const { service } = dashboard;
    const name = '<script>alert(1)</script>\u202Eevil';
    await ask(service, 'PUT', `/sync/${world.failing}`, { name });
    const page = await open();
    await page.getByRole('link', { name: '<script>alert(1)</script>⟨U+202E⟩evil' }).first().waitFor();
  });

  test('is calm when all is well, and says so by itself', async () => {
    const { service } = dashboard;
    const page = await open();
    await page.getByText(/synchronizations need you\.$/).waitFor();
    await ask(service, 'POST', `/runs/${world.askingRun}/cancel`);
    await reaches(service, world.askingRun, 'cancelled', PATIENCE);
    for (const id of [world.needs_approval, world.degraded, world.running]) await ask(service, 'DELETE', `/sync/${id}`);
    await page.getByText(/evil needs you\.$/).waitFor();
    await ask(service, 'DELETE', `/sync/${world.failing}`);
    await page.getByText('All is well.').waitFor();
    await page.getByText('Nothing needs attention.').waitFor();
    await assertAccessible(page);
  });

  test('nothing was wrong in any script, and nothing was against the security policy', () => dashboard.assertNoFaults());
});
