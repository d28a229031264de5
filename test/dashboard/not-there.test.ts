import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { ask } from '../support/real-syncs.ts';
import { assertAccessible, assertFits, type Dashboard, startDashboard } from './support/dashboard.ts';
import { addPeopleSync } from './support/people-sync.ts';

/** Where nothing is, what it would have been, and the list that leads on. */
const NOWHERE = [
  ['/runs/run_nothing', 'run', 'Runs'],
  ['/sources/src_nothing', 'source', 'Sources'],
  ['/sources/src_nothing/edit', 'source', 'Sources'],
  ['/syncs/sync_nothing', 'synchronization', 'Synchronizations'],
  ['/syncs/sync_nothing/edit', 'synchronization', 'Synchronizations'],
  ['/syncs/new?like=sync_nothing', 'synchronization', 'Synchronizations'],
  ['/hooks/hook_nothing', 'hook', 'Hooks'],
  ['/hooks/hook_nothing/edit', 'hook', 'Hooks'],
  ['/orders/ord_nothing', 'order', 'Orders'],
  ['/customers/nobody', 'customer', 'Customers'],
  ['/products/no%2Fthing', 'product', 'Products'],
  ['/webhooks/wh_nothing', 'webhook', 'Webhooks'],
  ['/webhooks/wh_nothing/edit', 'webhook', 'Webhooks'],
  ['/webhooks/wh_nothing/deliveries/1', 'webhook', 'Webhooks'],
  ['/alerts/alert_nothing', 'alert', 'Alerts'],
  ['/alerts/alert_nothing/edit', 'alert', 'Alerts'],
] as const;

describe('what does not exist', () => {
  let dashboard: Dashboard;
  let page: Page;
  before(async () => {
    dashboard = await startDashboard();
    page = await dashboard.openSignedIn('/static/icon.svg', { viewport: { width: 360, height: 740 }, colorScheme: 'dark' });
  });
  after(() => dashboard.close());

  for (const [path, one, list] of NOWHERE) {
    test(`${path} says so, and leads to ${list}`, async () => {
      await page.goto(path);
      await page.getByRole('heading', { name: `This ${one} does not exist` }).waitFor();
      assert.equal(await page.title(), `This ${one} does not exist · Syncline`);
      await page.getByRole('link', { name: `Go to ${list}` }).click();
      await page.getByRole('heading', { name: list, level: 1 }).waitFor();
    });
  }

  test('it fits, is told to everybody, and the way back is the first thing that the keyboard comes to', async () => {
    await page.goto('/runs/run_nothing');
    await page.getByRole('heading', { name: 'This run does not exist' }).waitFor();
    await assertAccessible(page);
    await assertFits(page);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor();
  });

  test('a delivery of a webhook that exists leads to the webhook', async () => {
    const body = { name: 'ERP', url: 'http://127.0.0.1:1/', types: ['order.*'] };
    const { id } = (await dashboard.service.post('/api/v1/webhooks', body)).body.data;
    await page.goto(`/webhooks/${id}/deliveries/7`);
    await page.getByRole('heading', { name: 'This delivery does not exist' }).waitFor();
    await page.getByRole('link', { name: 'Go to the webhook' }).click();
    await page.getByRole('heading', { name: 'ERP', level: 1 }).waitFor();
  });

  test('what was deleted elsewhere is not shown any more by the way back to it', async () => {
    const sync = await addPeopleSync(dashboard.service);
    await page.goto('/syncs?status=all');
    await page.getByRole('link', { name: 'People' }).first().click();
    await page.getByRole('heading', { name: 'People', level: 1 }).waitFor();
    // Within the page, which keeps what it has read.
    await page.locator('main header').getByRole('link', { name: 'Synchronizations' }).click();
    await page.getByRole('heading', { name: 'Synchronizations', level: 1 }).waitFor();
    await ask(dashboard.service, 'DELETE', `/sync/${sync}`);
    await page.goBack();
    await page.getByRole('heading', { name: 'This synchronization does not exist' }).waitFor();
  });

  test('what is open while it is deleted elsewhere is not shown any more, but what is written into a form stays', async () => {
    const made = async (name: string): Promise<string> => {
      const body = { name, url: 'http://127.0.0.1:1/', types: ['order.*'] };
      return (await dashboard.service.post('/api/v1/webhooks', body)).body.data.id as string;
    };
    const [open, edited] = [await made('Open'), await made('Edited')];
    await page.goto(`/webhooks/${open}`);
    await page.getByRole('heading', { name: 'Open', level: 1 }).waitFor();
    await dashboard.service.call('DELETE', `/api/v1/webhooks/${open}`);
    await page.getByRole('heading', { name: 'This webhook does not exist' }).waitFor();

    await page.goto(`/webhooks/${edited}/edit`);
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.fill('Another name');
    await dashboard.service.call('DELETE', `/api/v1/webhooks/${edited}`);
    await page.getByRole('button', { name: 'Save' }).first().click();
    await page.getByText('There is no').first().waitFor();
    assert.equal(await name.inputValue(), 'Another name');
  });

  test('an id that is long, or cannot be one, is told within the page', async () => {
    for (const [path, title] of [
      [`/customers/${'c'.repeat(64)}`, 'This customer does not exist'],
      [`/orders/ord_${'o'.repeat(300)}`, 'This order does not exist'],
      [`/products/${'p'.repeat(65)}`, 'The product is not shown'],
    ] as const) {
      await page.goto(path);
      await page.getByRole('heading', { name: title }).waitFor();
      await assertFits(page);
    }
    assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0);
  });

  test('what fails for another reason has a way back as well, and is tried again', async () => {
    await page.route('**/api/v1/datasync/runs/*', (route) => route.fulfill({ status: 500, json: { error: { message: 'Out of order.' } } }));
    await page.goto('/runs/run_nothing');
    await page.getByText('Out of order.').waitFor();
    await page.getByRole('heading', { name: 'The run is not shown' }).waitFor();
    await page.unroute('**/api/v1/datasync/runs/*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'This run does not exist' }).waitFor();
    await page.locator('main header').getByRole('link', { name: 'Runs' }).click();
    await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor();
  });

  test('nothing was wrong in any script', () => dashboard.assertNoFaults());
});
