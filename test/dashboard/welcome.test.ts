import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { rowsIn } from '../support/real-syncs.ts';
import { assertAccessible, assertFits, type Dashboard, startDashboard } from './support/dashboard.ts';

describe('the first minutes', () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await startDashboard();
  });
  after(() => dashboard.close());

  test('who may only read is told what is missing, not led to what is refused', async () => {
    const page = await dashboard.openSignedIn('/', { key: await dashboard.service.keyWith('datasync:read', 'orders:read') });
    await page.getByText('A key with the scope datasync:write can create one.').waitFor();
    await page.goto('/welcome');
    await page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
    await assertAccessible(page);
  });

  test('from the key to a synchronization that has run: one button', async () => {
    const began = performance.now();
    const page = await dashboard.open();
    await page.getByLabel('API key').fill(dashboard.service.adminKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    // Nothing is there yet, so the page leads here by itself.
    await page.getByRole('heading', { name: 'Welcome to Syncline' }).waitFor();
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Try with sample data' }).click();
    await page.getByText('Succeeded').waitFor();
    await page.getByText(/rows were read and [\d,]+ rows written/).waitFor();
    assert.ok(performance.now() - began < 60_000);
    await assertAccessible(page);
    const warehouse = join(dashboard.service.place.dataDir, 'files/sample/warehouse.sqlite');
    assert.deepEqual(
      ['customers', 'orders'].map((table) => rowsIn(warehouse, table)),
      [400, 5000],
    );
    // Every step shows the request that it was.
    await page.getByRole('button', { name: 'POST /api/v1/datasync/sample with curl' }).click();
    await page
      .getByText(/^curl -X POST|curl \\/)
      .first()
      .waitFor();
    const command = await page.getByLabel('Command').textContent();
    assert.match(
      command ?? '',
      /^curl \\\n {2}-X POST \\\n {2}'http:.*\/api\/v1\/datasync\/sample' \\\n {2}-H "Authorization: Bearer \$SYNCLINE_KEY"$/,
    );
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Go to the overview' }).click();
    await page.getByRole('link', { name: 'Sample: shop to warehouse' }).first().waitFor();
    await page.getByText('1 of 1').waitFor();
  });

  test('fits on a phone', async () => {
    const page = await dashboard.openSignedIn('/welcome', { viewport: { width: 360, height: 740 } });
    await page.getByRole('button', { name: 'Try with sample data' }).waitFor();
    await assertFits(page);
  });

  test('nothing was wrong in any script, and nothing was against the security policy', () => dashboard.assertNoFaults());
});
