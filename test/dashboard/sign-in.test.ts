import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertAccessible, assertFits, type Dashboard, startDashboard } from './support/dashboard.ts';

describe('signing in', () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await startDashboard();
  });
  after(() => dashboard.close());

  test('a wrong key is refused in words; the right one opens the page, which knows what it may do', async () => {
    const page = await dashboard.open();
    await assertAccessible(page);
    await page.getByLabel('API key').fill('slk_wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('This key is not valid here.').waitFor();
    await page.getByLabel('API key').fill(await dashboard.service.keyWith('orders:read', 'datasync:read'));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByText('datasync:read, orders:read').waitFor();
    await assertAccessible(page);
  });

  test('a sign-in holds in all tabs and is nowhere to be read; signing out in one signs out of all', async () => {
    const page = await dashboard.open();
    await page.getByLabel('API key').fill(await dashboard.service.keyWith('orders:read'));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const readable = await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie]);
    assert.deepEqual(readable, [0, 0, '']);
    const other = await page.context().newPage();
    await other.goto('/orders');
    await other.getByRole('heading', { name: 'Orders', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await other.getByText('You have signed out in another tab.').waitFor();
    assert.equal(await other.evaluate(async () => (await fetch('/api/v1/me')).status), 401);
    // And in again: the other tab comes along, to where it was.
    await page.getByLabel('API key').fill(await dashboard.service.keyWith('orders:read'));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await other.getByRole('heading', { name: 'Orders', exact: true }).waitFor();
    await page.context().close();
  });

  test('signing out everywhere ends the sign-ins of other browsers, too', async () => {
    const key = await dashboard.service.keyWith('orders:read');
    const [here, there] = [await dashboard.openSignedIn('/', { key }), await dashboard.openSignedIn('/', { key })];
    await there.getByRole('heading', { name: 'Overview' }).waitFor();
    await here.getByTitle('What this key may do').click();
    await here.getByText('This browser is signed in with it, in all tabs.').waitFor();
    await assertAccessible(here);
    await here.getByRole('button', { name: 'Sign out everywhere' }).click();
    await here.getByRole('heading', { name: 'Sign in' }).waitFor();
    await there.getByText('Your session has ended').waitFor();
  });

  test('a key that is revoked leads back to the sign-in page, which says why', async () => {
    const { service } = dashboard;
    const { id, key } = (await service.post('/api/v1/keys', { name: 'short', scopes: ['orders:read'] })).body.data;
    const page = await dashboard.openSignedIn('/', { key });
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await service.call('DELETE', `/api/v1/keys/${id}`);
    // By itself: what it listens to ends with the key.
    await page.getByText('Your session has ended').waitFor();
    await assertAccessible(page);
  });

  test('fits on a phone, in the dark too', async () => {
    const page = await dashboard.open('/', { viewport: { width: 360, height: 740 }, colorScheme: 'dark' });
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await assertFits(page);
    await assertAccessible(page);
  });

  test('nothing was wrong in any script, and nothing was against the security policy', () => dashboard.assertNoFaults());
});
