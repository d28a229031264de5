import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertAccessible, type Dashboard, startDashboard } from './support/dashboard.ts';

const HOUR = 3_600_000;

describe('the end of a session', () => {
  let dashboard: Dashboard;
  let hours = 0;
  before(async () => {
    dashboard = await startDashboard({ clock: () => Date.now() + hours * HOUR });
  });
  after(() => dashboard.close());

  const newKey = async (more: object = {}): Promise<{ id: string; key: string }> =>
    (await dashboard.service.post('/api/v1/keys', { name: 'a while', scopes: ['datasync:read'], ...more })).body.data;

  test('a key that is revoked while the page is open: the page says why, and comes back to where it was', async () => {
    const { id, key } = await newKey();
    const page = await dashboard.openSignedIn('/runs?status=failed', { key });
    await page.getByText('No run matches.').waitFor();
    await dashboard.service.call('DELETE', `/api/v1/keys/${id}`);
    // Nobody touches the page: it notices by itself, though it asks for nothing.
    await page.getByText('the key has expired or been revoked').waitFor();
    await assertAccessible(page);
    assert.equal(await page.evaluate(() => sessionStorage.length), 0);
    await page.getByLabel('API key').fill((await newKey()).key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
    assert.equal(new URL(page.url()).pathname + new URL(page.url()).search, '/runs?status=failed');
    assert.equal(await page.getByRole('combobox', { name: 'Status' }).inputValue(), 'Failed');
  });

  test('a key that expires while logs are followed ends the same way', async () => {
    const { key } = await newKey({ expires_at: new Date(Date.now() + HOUR).toISOString() });
    const page = await dashboard.openSignedIn('/logs?level=error', { key });
    await page.getByText('Following', { exact: true }).waitFor();
    hours = 2;
    await page.getByText('Your session has ended').waitFor();
    assert.match(page.url(), /\/logs\?level=error$/);
  });

  test('nothing was wrong in any script, and nothing was against the security policy', () => dashboard.assertNoFaults());
});
