import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertAccessible, type Dashboard, signIn, startDashboard } from './support/dashboard.ts';

const order = { customer_id: 'c', items: [{ product_id: 'p', quantity: 1, price: 1 }] };

describe('the connection to the service', () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await startDashboard();
    await dashboard.service.post('/api/v1/orders', order);
  });
  after(() => dashboard.close());

  test('a restart is noticed and said; afterwards the page follows again, and is right', async () => {
    const page = await dashboard.openSignedIn();
    await page.getByText('1 order in 14 days, 1 of them today').waitFor();
    const { start } = await dashboard.stopService();
    await page.getByText('Not connected at the moment').waitFor();
    await assertAccessible(page);
    await start();
    await page.getByText('Not connected at the moment').waitFor({ state: 'detached' });
    await dashboard.service.post('/api/v1/orders', order);
    await page.getByText('2 orders in 14 days, 2 of them today').waitFor();
  });

  test('what cannot be loaded says why, and can be tried again', async () => {
    const page = await dashboard.open('/');
    await page.route('**/api/v1/orders?*', (route) => route.abort());
    await page.getByLabel('API key').fill(await dashboard.service.keyWith('orders:read'));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('The orders could not be counted.').waitFor();
    assert.equal(await page.getByText(/0 orders/).count(), 0, 'what is not counted is not 0');
    await page.unroute('**/api/v1/orders?*');
    await page.route('**/api/v1/me', (route) => route.abort());
    await page.reload();
    await page.getByText('Syncline cannot be reached.').waitFor();
    await assertAccessible(page);
    await page.unroute('**/api/v1/me');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('orders in 14 days').waitFor();
  });

  test('an answer that is lost half-way, and what a proxy says while the service is away, are asked for again and put into words', async () => {
    const page = await dashboard.open('/static/icon.svg');
    await signIn(page, dashboard.service.adminKey);
    let asked = 0;
    await page.route('**/api/v1/products?*', async (route) => {
      asked++;
      if (asked === 1) await route.fulfill({ contentType: 'application/json', body: '{"success":true,"data":[' });
      else if (asked === 2) await route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' });
      else await route.continue();
    });
    await page.goto('/products');
    await page.getByText('There is no product yet.').waitFor();
    assert.ok(asked > 2, `asked ${asked} times`);
    await page.route('**/api/v1/keys', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 504, contentType: 'text/html', body: 'Gateway Timeout' })
        : route.continue(),
    );
    await page.goto('/keys');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('Name').fill('Till');
    await page.getByLabel('See orders and their history').check();
    await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('dialog').getByText('Syncline cannot be reached.').waitFor();
    assert.equal(await page.getByLabel('Name').inputValue(), 'Till');
    await page.unroute('**/api/v1/keys');
    await page.route('**/api/v1/keys', async (route) => {
      if (route.request().method() !== 'POST') return await route.continue();
      const response = await route.fetch();
      return await route.fulfill({ response, body: (await response.text()).slice(0, 20) });
    });
    await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('dialog').getByText('It is done, but the answer was lost on its way.').waitFor();
    await page.context().close();
  });

  test('a part of the page that cannot be loaded while the service is away comes when it is back', async () => {
    const page = await dashboard.open('/static/icon.svg');
    let refused = 0;
    await page.route('**/catalogue*', (route) => (refused++ === 0 ? route.abort() : route.continue()));
    await signIn(page, dashboard.service.adminKey);
    await page.goto('/connectors');
    await page.getByText('PostgreSQL').first().waitFor();
    assert.ok(refused > 1, 'the first try was in vain');
  });

  test('what does not work because the service is away is said, though nothing was said before', async () => {
    const { body } = await dashboard.service.post('/api/v1/datasync/sources', { name: 'Our shop', type: 'hub', config: {} });
    const page = await dashboard.openSignedIn(`/sources/${body.data.id}`);
    await page.locator('.mantine-Notifications-root').first().waitFor({ state: 'attached' });
    const { start } = await dashboard.stopService();
    await page.getByRole('button', { name: 'Test the connection' }).click();
    await page.getByText('That did not work').waitFor();
    await assertAccessible(page);
    await start();
  });

  test('nothing was wrong in any script, and nothing was against the security policy', () => dashboard.assertNoFaults());

  test('the page stands though the place of notices cannot be loaded', async () => {
    const page = await dashboard.open('/static/icon.svg');
    await page.route('**/shown-notices*.js', (route) => route.fulfill({ contentType: 'text/javascript', body: 'export {}' }));
    await signIn(page, dashboard.service.adminKey);
    await page.goto('/');
    await page.getByText('This view could not be shown').waitFor();
    await page.getByText('orders in 14 days').waitFor();
  });
});
