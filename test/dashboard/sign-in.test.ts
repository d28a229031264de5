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

  test('the key is for this tab only, and signing out forgets it', async () => {
    const page = await dashboard.openSignedIn('/', { key: await dashboard.service.keyWith('orders:read') });
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    assert.deepEqual(await page.evaluate(() => [localStorage.length, document.cookie]), [0, '']);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.equal(await page.evaluate(() => sessionStorage.length), 0);
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
