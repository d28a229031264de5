import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { assertAccessible, assertFits, type Dashboard, startDashboard } from './support/dashboard.ts';

describe('the catalogue of connectors', () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await startDashboard();
  });
  after(() => dashboard.close());

  test('tells what each can do and promises, is searched, and leads to a new source', async () => {
    const page = await dashboard.openSignedIn('/connectors');
    const entries = page
      .getByRole('main')
      .getByRole('listitem')
      .filter({ has: page.getByRole('heading') });
    await page.getByRole('heading', { name: 'PostgreSQL' }).waitFor();
    const all = await entries.count();
    assert.ok(all > 5);
    await assertAccessible(page);
    await assertFits(page);
    await page.getByRole('searchbox', { name: 'Search' }).fill('sftp');
    await page.getByRole('heading', { name: 'PostgreSQL' }).waitFor({ state: 'detached' });
    assert.equal(await entries.count(), 1);
    await entries.getByText('A read that was cut off goes on where it stopped.').waitFor();
    await page.getByRole('searchbox', { name: 'Search' }).fill('nowhere');
    await page.getByText('No connector matches.').waitFor();
    await page.getByRole('searchbox', { name: 'Search' }).fill('live source');
    await page.getByRole('link', { name: 'Add a source: PostgreSQL' }).click();
    await page.getByRole('textbox', { name: 'Host' }).waitFor();
  });

  test('the form of files asks for what the place needs', async () => {
    const page = await dashboard.openSignedIn('/sources/new?type=files');
    await page.getByRole('button', { name: /more settings/ }).click();
    const place = page.getByRole('combobox', { name: 'Place' });
    await place.selectOption('S3 bucket');
    await page.getByRole('textbox', { name: 'Bucket' }).waitFor();
    await page.getByLabel('Secret access key', { exact: true }).waitFor();
    // A button under the pointer has other colours.
    await page.mouse.move(0, 0);
    await assertAccessible(page);
    await assertFits(page);
    await place.selectOption('SFTP server');
    await page.getByRole('textbox', { name: 'Host', exact: true }).waitFor();
    await page.getByRole('textbox', { name: 'Host key' }).waitFor();
    await assertFits(page);
  });
});
