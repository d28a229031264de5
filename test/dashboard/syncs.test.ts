import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Route } from 'playwright-core';
import { addSource, ask, reaches, rowsIn, runToEnd, sqliteFile } from '../support/real-syncs.ts';
import { type Dashboard, startDashboard } from './support/dashboard.ts';
import { edit } from './support/sample-world.ts';

describe('synchronizations', () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await startDashboard();
  });
  after(() => dashboard.close());

  /** A synchronization of a table `people` into another file of SQLite. */
  const addPeople = async (name: string, rows: string, stream: object = {}) => {
    const { service } = dashboard;
    const file = sqliteFile(service.place, `${name}-from.sqlite`);
    const into = sqliteFile(service.place, `${name}-to.sqlite`);
    edit(file, `create table people (id integer primary key, age text); insert into people values ${rows}`);
    const source_id = await addSource(service, 'sqlite', { path: file }, `${name} source`);
    const target_id = await addSource(service, 'sqlite', { path: into }, `${name} target`);
    const sync = await ask(service, 'POST', '/sync', { name, source_id, target_id, streams: [{ source: 'people', ...stream }] });
    return { id: sync.id as string, file, into };
  };

  test('a reject is understood, fixed at the source, and tried again', async () => {
    const fields = [{ from: 'id' }, { from: 'age', type: 'int64' }];
    const { id, file, into } = await addPeople('survey', `(1, '36'), (2, 'unknown'), (3, '53')`, { fields });
    await runToEnd(dashboard.service, id);
    const page = await dashboard.openSignedIn(`/syncs/${id}`);
    await page.getByText('Degraded').waitFor();
    await page.getByRole('button', { name: 'See the rejected rows' }).click();
    await page
      .getByRole('gridcell', { name: /age.*unknown/ })
      .first()
      .waitFor();
    edit(file, `update people set age = '41' where id = 2`);
    await page.getByRole('button', { name: 'Retry', exact: true }).click();
    await page.getByText('There are no rejected rows.').waitFor();
    await page.getByText('In sync').waitFor();
    assert.equal(rowsIn(into, 'people'), 3);
    await page.getByText('Resolved', { exact: true }).click();
    await page
      .getByRole('gridcell', { name: /unknown/ })
      .first()
      .waitFor();
    await page.context().close();
  });

  test('what a run would change is shown first; one that would delete much waits for approval', async () => {
    const { id, file, into } = await addPeople('stock', `(1, 'a'), (2, 'b'), (3, 'c')`);
    const { service } = dashboard;
    await runToEnd(service, id);
    edit(file, `update people set age = 'z' where id = 1`, 'delete from people where id > 1');
    const page = await dashboard.openSignedIn(`/syncs/${id}`);
    await page.getByRole('button', { name: 'Preview', exact: true }).click();
    await page.getByRole('button', { name: 'Make a preview' }).click();
    await page.getByText('0 would be inserted, 1 updated, 2 deleted; 0 unchanged.').waitFor();
    assert.equal(rowsIn(into, 'people'), 3, 'nothing was written');
    await page.getByRole('button', { name: 'Run now' }).click();
    await page.getByText('A run waits for your approval').waitFor();
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByText('In sync').waitFor();
    assert.equal(rowsIn(into, 'people'), 1);
    await page.context().close();
  });

  test('what has ended is shown as ended, also where what is told of it on the way comes late', async () => {
    const { id } = await addPeople('late', `(1, 'a')`);
    const { service } = dashboard;
    const page = await dashboard.openSignedIn(`/syncs/${id}?tab=preview`);
    // At first every answer says that it runs, and its own stream never stops saying so.
    let isOver = false;
    const asRunning = async (route: Route): Promise<void> => {
      const [, run = '', events] = /runs\/(\w+)(\/events)?$/.exec(route.request().url()) ?? [];
      if (isOver && !events) return route.continue();
      const { data } = { data: { ...(await ask(service, 'GET', `/runs/${run}`)), status: 'running' } };
      const body = events ? `event: run\ndata: ${JSON.stringify(data)}\n\n` : JSON.stringify({ success: true, data });
      return route.fulfill({ contentType: events ? 'text/event-stream' : 'application/json', body });
    };
    await page.route(/\/datasync\/runs\/\w+(\/events)?$/, asRunning);
    await page.getByRole('button', { name: 'Make a preview' }).click();
    await page.getByRole('progressbar').first().waitFor();
    const [preview] = await ask(service, 'GET', `/sync/${id}/runs`);
    await reaches(service, preview.id, 'succeeded');
    isOver = true;
    // Whatever ends has the page look again.
    await runToEnd(service, id);
    await page.getByText('1 would be inserted, 0 updated, 0 deleted; 0 unchanged.').waitFor();
    await page.context().close();
  });

  test('it is paused, resumed, read anew, reset and deleted; the way to verify is there', async () => {
    const { id } = await addPeople('managed', `(1, 'a')`);
    const { service } = dashboard;
    const page = await dashboard.openSignedIn(`/syncs/${id}`);
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByText('Paused', { exact: true }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Run now' }).getAttribute('aria-disabled'), 'true');
    await page.getByRole('button', { name: 'Resume', exact: true }).click();
    await page.getByText('It has not run yet.').first().waitFor();
    await page.getByRole('tab', { name: 'Manage' }).click();
    await page.getByRole('button', { name: 'Verify' }).waitFor();
    await page.getByRole('button', { name: 'Full refresh' }).click();
    await page.getByText('In sync').waitFor();
    const [run] = await ask(service, 'GET', `/sync/${id}/runs`);
    assert.equal((await reaches(service, run.id, 'succeeded')).mode, 'full');
    for (const name of ['Reset', 'Delete']) {
      await page.getByRole('button', { name, exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name }).click();
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
    }
    await page.waitForURL('**/syncs');
    assert.equal((await service.get(`/api/v1/datasync/sync/${id}`)).status, 404);
    await page.context().close();
  });

  test('a key that may only read sees how it is and changes nothing', async () => {
    const { id } = await addPeople('looked at', `(1, 'a')`);
    const key = await dashboard.service.keyWith('datasync:read');
    const page = await dashboard.openSignedIn('/syncs', { key });
    await page.getByRole('link', { name: 'looked at' }).click();
    await page.waitForURL(`**/syncs/${id}`);
    assert.equal(await page.getByRole('link', { name: 'Edit' }).count(), 0);
    for (const name of ['Run now', 'Pause'])
      assert.equal(await page.getByRole('button', { name, exact: true }).getAttribute('aria-disabled'), 'true', name);
    await page.goto('/syncs/new');
    await page.getByRole('heading', { name: 'New synchronization' }).waitFor({ state: 'detached' });
    await page.context().close();
  });

  test('nothing was wrong in any script, and nothing was against the security policy', () => dashboard.assertNoFaults());
});
