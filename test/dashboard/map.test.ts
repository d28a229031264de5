import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { addSource, ask, madeUp, reaches, sqliteFile } from '../support/real-syncs.ts';
import { until } from '../support/until.ts';
import { assertAccessible, assertFits, type Dashboard, startDashboard } from './support/dashboard.ts';

describe('the map', () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await startDashboard();
  });
  after(() => dashboard.close());

  test('teaches while there is nothing; then it draws what flows, lives, warns of two that write one table, and is gone through by keys', async () => {
    const { service } = dashboard;
    const page = await dashboard.openSignedIn('/map');
    await page.getByText('There is nothing to draw yet.').waitFor();
    const clicks = await addSource(service, 'fake', madeUp({ count: 100, endless: true, delay_ms: 250 }), 'Clicks <script>');
    const lake = await addSource(service, 'sqlite', { path: sqliteFile(service.place, 'lake.sqlite') }, 'Lake');
    const add = async (name: string, target: string): Promise<string> => {
      const streams = [{ source: 't', target, mode: 'append', cursor: 'id' }];
      return (await ask(service, 'POST', '/sync', { name, source_id: clicks, target_id: lake, streams, schedule: { type: 'manual' } })).id;
    };
    const first = await add('All clicks', 'clicks');
    const picture = page.getByRole('group', { name: 'Sources, synchronizations and targets' });
    await picture
      .getByRole('group', { name: 'Synchronizations' })
      .getByRole('link', { name: /^All clicks/ })
      .waitFor();
    assert.equal(await page.getByText('Several synchronizations write one table').count(), 0);
    await add('Some clicks', 'clicks');
    const warning = page.getByRole('status').filter({ hasText: 'Several synchronizations write one table' });
    await warning.getByText('clicks at Lake is written by All clicks and Some clicks.').waitFor();
    await assertAccessible(page);
    await assertFits(page);
    const { id: run } = await ask(service, 'POST', `/sync/${first}/runs`);
    await reaches(service, run, 'running');
    await page.locator('.map-flow[data-moves="true"]').first().waitFor({ state: 'attached' });
    // What flows is told while it does, and not when the run is over, which this one never is.
    const flowing = picture.getByRole('link', { name: /^All clicks.*rows\/s, \d+ read/ });
    await flowing.waitFor();
    const early = await flowing.textContent();
    await until('more to flow', async () => (await flowing.textContent()) !== early || undefined);
    await page.getByRole('row', { name: /All clicks.*rows\/s, \d+ read/ }).waitFor();
    await picture
      .getByRole('group', { name: 'Sources' })
      .getByRole('link', { name: /^Clicks <script>/ })
      .focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/syncs/syn_*');
    await ask(service, 'POST', `/runs/${run}/cancel`);
    await page.context().close();
  });

  test('is a list on a phone, and not shown to a key that may not see it', async () => {
    const { service } = dashboard;
    const page = await dashboard.openSignedIn('/map', { viewport: { width: 390, height: 844 } });
    await page.getByRole('table', { name: 'Synchronizations' }).getByRole('link', { name: 'Some clicks' }).waitFor();
    assert.equal(await page.getByRole('group', { name: 'Sources, synchronizations and targets' }).count(), 0);
    await assertFits(page);
    await page.context().close();
    const other = await dashboard.openSignedIn('/map', { key: await service.keyWith('orders:read') });
    await other.getByText('There is nothing here').waitFor();
    await other.context().close();
  });

  test('nothing was wrong in any script, and nothing was against the security policy', () => dashboard.assertNoFaults());
});
