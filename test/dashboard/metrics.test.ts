import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ask, runToEnd } from '../support/real-syncs.ts';
import { until } from '../support/until.ts';
import { type Dashboard, startDashboard } from './support/dashboard.ts';
import { makeSampleWorld, type SampleWorld } from './support/sample-world.ts';

describe('metrics', () => {
  let dashboard: Dashboard;
  let world: SampleWorld;
  before(async () => {
    dashboard = await startDashboard();
    world = await makeSampleWorld(dashboard.service);
  });
  after(() => dashboard.close());

  test('over a window and for one synchronization; the address keeps both, and an ended run is counted at once', async () => {
    // A run that came due by itself would be counted, too.
    const { next_run_at: next } = await ask(dashboard.service, 'GET', `/sync/${world.synced}`);
    assert.ok(Date.parse(next) > Date.now() + 3_600_000, next);
    // So would one that a call of a hook has started: they are over when the next waits for its time.
    await until('the runs of the calls', async () => {
      const { current_run: current, next_run_at: due } = await ask(dashboard.service, 'GET', `/sync/${world.failing}`);
      return current === null && due !== null;
    });
    const page = await dashboard.openSignedIn('/metrics');
    const figure = (label: string) =>
      page
        .locator('dl > div', { has: page.getByText(label, { exact: true }) })
        .locator('dd')
        .first();
    await page.getByRole('figure', { name: 'Runs by status in the last 24 hours' }).waitFor();
    const runs = Number(await figure('Runs').textContent());
    await runToEnd(dashboard.service, world.synced);
    await figure('Runs')
      .getByText(String(runs + 1), { exact: true })
      .waitFor();

    // The chart is there for those who do not see it, too.
    const heard = page.getByRole('table', { name: 'Rows read in the last 24 hours' });
    assert.equal(await heard.getByRole('row').count(), 49);

    await page.getByText('Hour', { exact: true }).click();
    await page.waitForURL('**/metrics?window=1h');
    await page.getByRole('figure', { name: 'Runs by status in the last hour' }).waitFor();
    await page.getByRole('link', { name: 'People from the survey' }).click();
    await page.waitForURL(`**/metrics?window=1h&sync_id=${world.degraded}`);
    await page.getByText('4 rows in the last hour').waitFor();
    assert.equal(await figure('Runs').textContent(), '1');
    await page.reload();
    await page.getByText('4 rows in the last hour').waitFor();
    // Its name comes with the answer that has the names of all; its id is never shown instead.
    const chosen = page.getByRole('combobox', { name: 'Synchronization' });
    const shown = await chosen.inputValue();
    assert.ok(['Loading…', 'People from the survey'].includes(shown), shown);
    await until('the name', async () => (await chosen.inputValue()) === 'People from the survey');
    await page.context().close();
  });

  test('a chart without anything to draw says why and what to do', async () => {
    const page = await dashboard.openSignedIn(`/metrics?sync_id=${world.paused}`);
    for (const words of ['No run ended in', 'No rows were read in', 'No row was rejected in']) {
      await page.getByText(`${words} the last 24 hours.`).waitFor();
    }
    assert.equal(await page.getByRole('figure').count(), 0);
    await page.getByText('Choose a longer time, or run a synchronization.').first().waitFor();
    await page.context().close();
  });

  test('nothing was wrong in any script, and nothing was against the security policy', () => dashboard.assertNoFaults());
});
