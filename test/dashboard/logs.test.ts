import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { addSource, ask, madeUp, runToEnd, sqliteFile } from '../support/real-syncs.ts';
import { type Dashboard, startDashboard } from './support/dashboard.ts';

describe('logs', () => {
  let dashboard: Dashboard;
  let good: string;
  let bad: string;
  before(async () => {
    dashboard = await startDashboard();
    const { service } = dashboard;
    const target_id = await addSource(service, 'sqlite', { path: sqliteFile(service.place, 'target.sqlite') });
    const add = async (name: string, config: unknown): Promise<string> => {
      const source_id = await addSource(service, 'fake', config, name);
      return (await ask(service, 'POST', '/sync', { name, source_id, target_id, streams: [{ source: 't', target: name }] })).id;
    };
    good = await add('good', madeUp());
    bad = await add('bad', madeUp({ fail: [{ at: 'read', kind: 'config', message: 'The table has moved to elsewhere.' }] }));
    await runToEnd(service, good);
    await runToEnd(service, bad);
  });
  after(() => dashboard.close());

  test('are followed, searched and narrowed down; the address keeps it', async () => {
    const page = await dashboard.openSignedIn('/logs');
    const succeeded = page.getByText('The run succeeded: 10 rows read, 10 inserted.');
    await succeeded.waitFor();
    await page.getByText('Following', { exact: true }).waitFor();
    // A new entry comes by itself.
    await runToEnd(dashboard.service, good);
    await page.getByText('The run succeeded: 10 rows read, nothing to change.').waitFor();

    await page.getByLabel('Search').fill('moved elsew');
    await succeeded.waitFor({ state: 'detached' });
    await page.getByText('The table has moved to elsewhere.').first().waitFor();
    await page.waitForURL('**/logs?q=moved+elsew');
    await page.getByLabel('Search').fill('nobody wrote this');
    await page.getByText('No entry matches.').waitFor();
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await succeeded.waitFor();

    await page.getByRole('combobox', { name: 'Synchronization' }).click();
    await page.getByRole('option', { name: 'bad' }).click();
    await page.waitForURL(`**/logs?sync_id=${bad}`);
    await succeeded.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByText('The table has moved to elsewhere.').first().waitFor();
    assert.equal(await page.getByRole('combobox', { name: 'Synchronization' }).inputValue(), 'bad');

    await page.getByLabel('Search').fill('!!!');
    await page.getByText(/must hold a letter or a digit/).waitFor();
    await page.context().close();
  });

  test('stand still when nobody follows, and can be copied as text', async () => {
    const page = await dashboard.openSignedIn('/logs', { permissions: ['clipboard-read', 'clipboard-write'] });
    await page
      .getByText(/^The run begins/)
      .first()
      .waitFor();
    await page.getByRole('switch', { name: 'Follow' }).press('Space');
    await page.getByText(/^Newest first, until/).waitFor();
    const counted = page.getByRole('navigation', { name: 'Pages of log entries' }).getByRole('status');
    const before = await counted.textContent();
    await runToEnd(dashboard.service, good);
    assert.equal(await counted.textContent(), before);

    await page.getByRole('button', { name: 'Copy as text' }).click();
    await page.getByText(/in the clipboard\.$/).waitFor();
    const lines = (await page.evaluate(() => navigator.clipboard.readText())).trimEnd().split('\n');
    assert.match(lines[0] ?? '', /^\d{4}-\d\d-\d\dT[\d:.]+Z INFO {2}\[syn_\w+ run_\w+\] The run begins \(manual\)\. \{"trigger":"manual"/);
    assert.ok(lines.some((line) => line.includes('ERROR') && line.includes('The table has moved to elsewhere.')));
    assert.deepEqual(lines, lines.toSorted(), 'oldest first');
    await page.context().close();
  });

  test('are copied as well where the browser offers pages no clipboard: those that come by plain http', async () => {
    const page = await dashboard.openSignedIn('/logs');
    await page.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'clipboard'));
    await page.reload();
    assert.equal(await page.evaluate(() => 'clipboard' in navigator), false);
    await page.getByRole('button', { name: 'Copy as text' }).click();
    await page.getByText(/in the clipboard\.$/).waitFor();
    await page.getByLabel('Search').press('Control+V');
    assert.match(await page.getByLabel('Search').inputValue(), /^\d{4}-\d\d-\d\dT[\d:.]+Z INFO {2}\[syn_/);
    await page.getByLabel('Search').fill('');
    await page.getByRole('button', { name: /with curl$/ }).click();
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByLabel('Search').press('Control+V');
    assert.match(await page.getByLabel('Search').inputValue(), /^curl .*\/api\/v1\/datasync\/logs/);
    await page.context().close();
  });

  test('nothing was wrong in any script, and nothing was against the security policy', () => dashboard.assertNoFaults());
});
