import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { fit, found } from '../../dashboard/src/shell/palette/match.ts';
import { addSource, ask, runToEnd, sqliteFile } from '../support/real-syncs.ts';
import { until } from '../support/until.ts';
import { assertAccessible, assertFits, type Dashboard, startDashboard } from './support/dashboard.ts';

describe('the finder', () => {
  let dashboard: Dashboard;
  let sync: string;
  let run: string;
  let order: string;
  before(async () => {
    dashboard = await startDashboard();
    const { service } = dashboard;
    const shop = await addSource(service, 'hub', {}, 'The shop');
    const book = await addSource(service, 'sqlite', { path: sqliteFile(service.place, 'book.sqlite') }, 'Order book');
    const made = {
      name: 'Nightly <b>orders</b>',
      source_id: shop,
      target_id: book,
      streams: [{ source: 'orders' }],
      schedule: { type: 'manual' },
    };
    sync = (await ask(service, 'POST', '/sync', made)).id;
    run = (await runToEnd(service, sync)).id;
    await service.post('/api/v1/products/sync', { product_id: 'mug/1', name: 'Blue mug', price: 9 });
    const { body } = await service.post('/api/v1/orders', {
      customer_id: 'c-77',
      external_id: 'SHOP-4711',
      customer: { name: 'Ada Lovelace', email: 'ada@example.org' },
      items: [{ product_id: 'mug/1', quantity: 1, price: 9 }],
    });
    order = body.data.id;
  });
  after(() => dashboard.close());

  const finder = (page: Page) => page.getByRole('combobox', { name: 'Find anything, or do something' });
  const open = async (page: Page): Promise<void> => {
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await finder(page).waitFor();
  };
  /** Types, waits until it is the first result, and takes it. */
  const take = async (page: Page, typed: string, first: string | RegExp): Promise<void> => {
    await open(page);
    await finder(page).fill(typed);
    await page.getByRole('option', { selected: true }).filter({ hasText: first }).waitFor();
    await page.keyboard.press('Enter');
    await finder(page).waitFor({ state: 'detached' });
  };

  test('is loaded when it is first used, finds what there is by its name or id, and goes there', async () => {
    const page = await dashboard.openSignedIn('/connectors');
    const loaded: string[] = [];
    page.on('request', (request) => loaded.push(request.url()));
    await open(page);
    assert.ok(
      loaded.some((url) => /\/assets\/palette-[^/]*\.js$/.test(url)),
      'it came with the key',
    );
    await assertAccessible(page);
    await assertFits(page);
    await page.keyboard.press('Escape');
    await finder(page).waitFor({ state: 'detached' });
    const ways: readonly [string, string | RegExp, string][] = [
      ['nightly', 'Nightly <b>orders</b>', `/syncs/${sync}`],
      ['order book', 'Order book', '/sources/src_'],
      [run, run, `/runs/${run}`],
      ['SHOP-4711', 'SHOP-4711', `/orders/${order}`],
      [order, order, `/orders/${order}`],
      ['ada lov', 'SHOP-4711', `/orders/${order}`],
      ['blue m', 'Blue mug', '/products/mug%2F1'],
      ['audit', 'Audit', '/audit'],
    ];
    for (const [typed, first, path] of ways) {
      // The name of a synchronization stands behind what can be done with it.
      if (typed === 'nightly') {
        await open(page);
        await finder(page).fill(typed);
        await page.getByRole('group', { name: 'Synchronizations' }).getByRole('option', { name: first }).click();
      } else {
        await take(page, typed, first);
      }
      await page.waitForURL(`**${path}*`);
    }
    await open(page);
    await finder(page).fill('ada');
    await page
      .getByRole('group', { name: 'Customers' })
      .getByRole('option', { name: /Ada Lovelace/ })
      .click();
    await page.waitForURL('**/customers/c-77');
    await page.context().close();
  });

  test('acts: runs, verifies, pauses and resumes', async () => {
    const { service } = dashboard;
    const page = await dashboard.openSignedIn('/');
    const shown = async () => ask(service, 'GET', `/sync/${sync}`);
    await take(page, 'run nightly', 'Run Nightly');
    await page.getByText('The run is queued.').waitFor();
    await until('another run', async () => (await shown()).last_run.id > run);
    await take(page, 'verify nightly', 'Verify Nightly');
    await until('a proof', async () => (await shown()).verified?.result === 'equal');
    await take(page, 'pause nightly', 'Pause Nightly');
    await until('a pause', async () => (await shown()).status === 'paused');
    await take(page, 'resume nightly', 'Resume Nightly');
    await until('no pause', async () => (await shown()).status === 'active');
    await page.context().close();
  });

  test('offers a key what it may see and do, and nothing else', async () => {
    const page = await dashboard.openSignedIn('/', { key: await dashboard.service.keyWith('datasync:read') });
    await open(page);
    await finder(page).fill('nightly');
    await page.getByRole('group', { name: 'Synchronizations' }).getByRole('option').waitFor();
    assert.equal(await page.getByRole('group', { name: 'Actions' }).count(), 0);
    await finder(page).fill('ada');
    await page.getByText(/^Nothing is called that/).waitFor();
    await finder(page).fill('keys');
    await page.getByText(/^Nothing is called that/).waitFor();
    await page.context().close();
  });

  test('? shows the shortcuts, unless one is typing', async () => {
    const page = await dashboard.openSignedIn('/orders', { viewport: { width: 390, height: 844 } });
    await page.getByLabel('Find', { exact: true }).press('?');
    assert.equal(await page.getByRole('dialog').count(), 0);
    await page.getByRole('heading', { level: 1 }).press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await assertAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /^Find anything/ }).click();
    await finder(page).waitFor();
    await assertFits(page);
    await page.context().close();
  });

  test('nothing was wrong in any script, and nothing was against the security policy', () => dashboard.assertNoFaults());
});

test('what begins like what was typed comes first, accents and case make no difference, and every word has to be there', () => {
  const entry = (label: string, words = '') => ({ id: label, group: 'Views' as const, label, words, to: '/' });
  assert.ok(fit(entry('Überträge'), 'ubert') > 0);
  assert.equal(fit(entry('Orders to the ERP'), 'orders crm'), 0);
  assert.deepEqual(
    found([entry('Reorders'), entry('All orders'), entry('Orders'), entry('Keys')], 'ord', 9).map(({ label }) => label),
    ['Orders', 'All orders', 'Reorders'],
  );
});
