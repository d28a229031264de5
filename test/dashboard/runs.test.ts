import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { addSource, ask, madeUp, reaches, rowsIn, runToEnd, sqliteFile } from '../support/real-syncs.ts';
import { until } from '../support/until.ts';
import { type Dashboard, startDashboard } from './support/dashboard.ts';
import { addSlowSync, SLOW_ROWS } from './support/slow-sync.ts';
import { edit } from './support/sample-world.ts';

describe('runs', () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await startDashboard();
  });
  after(() => dashboard.close());

  const start = async (sync: string): Promise<string> => (await ask(dashboard.service, 'POST', `/sync/${sync}/runs`)).id;
  const addSync = async (name: string, config: unknown, streams: unknown[]): Promise<string> => {
    const { service } = dashboard;
    const source_id = await addSource(service, 'fake', config, name);
    const target_id = await addSource(service, 'sqlite', { path: sqliteFile(service.place, `${Math.random()}.sqlite`) });
    return (await ask(service, 'POST', '/sync', { name, source_id, target_id, streams })).id;
  };
  const bar = (page: Page) => page.getByRole('progressbar', { name: 'Progress of t' });
  const progress = async (page: Page): Promise<number> => Number(await bar(page).getAttribute('aria-valuenow'));

  test('a run is watched to its end: from the list, bars that grow, the log beside, and how it ended', async () => {
    const { sync, warehouse } = await addSlowSync(dashboard.service);
    const page = await dashboard.openSignedIn('/runs');
    await page.getByText('Nothing has run yet.').waitFor();
    const run = await start(sync);
    // The list hears of it by itself.
    await page.getByRole('link', { name: 'Big table' }).click();
    await page.waitForURL(`**/runs/${run}`);
    const seen = await until('some progress', async () => {
      const now = await progress(page);
      return now > 0 && now < 99 && now;
    });
    await until('more progress', async () => (await progress(page)) > seen);
    await page.getByText('The run begins (manual).').waitFor();
    await page.getByRole('status').getByText('Succeeded').waitFor();
    await page.getByText(`The run succeeded: ${SLOW_ROWS} rows read, ${SLOW_ROWS} inserted.`).waitFor();
    assert.equal(await progress(page), 100);
    assert.equal(rowsIn(warehouse, 'ledger'), SLOW_ROWS);
    // Nothing is left to cancel; it can be run again.
    assert.equal(await page.getByRole('button', { name: 'Cancel the run' }).count(), 0);
    await page.getByRole('link', { name: '← Runs' }).click();
    await page
      .getByRole('row', { name: /Big table/ })
      .getByText('Succeeded')
      .waitFor();
    await page.context().close();
  });

  test('the service is restarted while a run is watched: the page says so, comes back by itself, and shows the end', async () => {
    const { sync, warehouse } = await addSlowSync(dashboard.service, 'Restarted');
    const run = await start(sync);
    const page = await dashboard.openSignedIn(`/runs/${run}`);
    await until('some progress', async () => (await progress(page)) > 0);
    const { start: startAgain } = await dashboard.stopService();
    await page.getByText('Connection lost: trying again…').first().waitFor();
    await page.getByText('Not connected at the moment').waitFor();
    await startAgain();
    await page.getByRole('status').getByText('Succeeded').waitFor({ timeout: 60_000 });
    await page.getByText('Not connected at the moment').waitFor({ state: 'detached' });
    assert.equal(await progress(page), 100);
    // The log goes on where it was, without a gap and without anything twice.
    await page.getByText('The service stops: the run goes on where it is').waitFor();
    await page.getByText(/^The run succeeded:/).waitFor();
    assert.equal(await page.getByText(/^The run begins \(manual\)/).count(), 2);
    assert.equal(rowsIn(warehouse, 'ledger'), SLOW_ROWS);
    await page.context().close();
  });

  test('a run is cancelled after a question, and the same with curl is at hand', async () => {
    const sync = await addSync('Endless', madeUp({ count: 100, endless: true, delay_ms: 20 }), [
      { source: 't', target: 'c', mode: 'append', cursor: 'id' },
    ]);
    const run = await start(sync);
    const page = await dashboard.openSignedIn(`/runs/${run}`);
    await page.getByRole('button', { name: `POST /api/v1/datasync/runs/${run}/cancel with curl` }).click();
    await page.getByText(`'${dashboard.service.url}/api/v1/datasync/runs/${run}/cancel'`).waitFor();
    assert.equal(await page.getByText(dashboard.service.adminKey).count(), 0);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Cancel the run' }).click();
    const dialog = page.getByRole('dialog', { name: 'Cancel this run?' });
    await dialog.getByText('What is written already stays').waitFor();
    await dialog.getByRole('button', { name: 'Cancel the run' }).click();
    await page.getByRole('status').getByText('Cancelled').waitFor();
    assert.equal((await reaches(dashboard.service, run, 'cancelled')).status, 'cancelled');
    await page.context().close();
  });

  test('a run that would empty a stream says so, and which others it has written; approved, it goes on', async () => {
    const { service } = dashboard;
    const [from, to] = ['suppliers.sqlite', 'store.sqlite'].map((name) => sqliteFile(service.place, name)) as [string, string];
    edit(
      from,
      'create table stock (id integer primary key); create table sales (id integer primary key)',
      'insert into stock values (1), (2), (3)',
    );
    const [source_id, target_id] = [await addSource(service, 'sqlite', { path: from }), await addSource(service, 'sqlite', { path: to })];
    const streams = [{ source: 'stock' }, { source: 'sales' }];
    const { id } = await ask(service, 'POST', '/sync', { name: 'Stock', source_id, target_id, streams });
    await runToEnd(service, id);
    edit(from, 'delete from stock; insert into sales values (1)');
    const run = await start(id);
    const page = await dashboard.openSignedIn(`/runs/${run}`);
    await page.getByText('This run waits for your approval').waitFor();
    await page.getByText('The source has no rows any more; the last time it had 3.').first().waitFor();
    await page.getByRole('alert').getByText('"stock" was left as it is. Written: "sales". Not written: "stock".').waitFor();
    assert.deepEqual([rowsIn(to, 'stock'), rowsIn(to, 'sales')], [3, 1]);
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByRole('status').getByText('Succeeded').waitFor();
    assert.equal(rowsIn(to, 'stock'), 0);
    await page.context().close();
  });

  test('a failed run says what happened, to what and what to do; a key that may only read finds the buttons disabled', async () => {
    const fail = [{ at: 'read', kind: 'auth', code: 'LOGIN_REFUSED', message: 'The password of "reader" is refused.' }];
    const sync = await addSync('Prices', madeUp({ fail }), [{ source: 't', target: 'prices' }]);
    const { id } = await runToEnd(dashboard.service, sync);
    const page = await dashboard.openSignedIn('/runs?status=failed', { key: await dashboard.service.keyWith('datasync:read') });
    await page.getByRole('link', { name: 'Prices' }).click();
    await page.waitForURL(`**/runs/${id}`);
    const alert = page.getByRole('alert');
    await alert.getByText('The run failed').waitFor();
    await alert.getByText('The password of "reader" is refused.').waitFor();
    await alert.getByText('Correct the password or key of the source').waitFor();
    const again = page.getByRole('button', { name: 'Run again' });
    assert.equal(await again.getAttribute('aria-disabled'), 'true');
    assert.match((await again.getAttribute('title')) ?? '', /lacks the scope datasync:write/);
    await page.context().close();
  });

  test('a run that does not exist is an answer, not a skeleton for ever', async () => {
    const page = await dashboard.openSignedIn('/runs/run_00000000000000000000000000');
    await page.getByText(/There is no run/).waitFor();
    await page.getByRole('link', { name: 'Go to Runs' }).waitFor();
    await page.context().close();
  });

  test('nothing was wrong in any script, and nothing was against the security policy', () => dashboard.assertNoFaults());
});
