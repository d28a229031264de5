import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { addSource, ask, runToEnd, sqliteFile } from '../support/real-syncs.ts';
import { assertAccessible, assertFits, type Dashboard, startDashboard } from './support/dashboard.ts';
import { edit } from './support/sample-world.ts';

describe('what is gone at a source', () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await startDashboard();
  });
  after(() => dashboard.close());

  const makeSync = async (name: string) => {
    const { service } = dashboard;
    const file = sqliteFile(service.place, `${name}.sqlite`);
    edit(
      file,
      'create table orders (id integer primary key, total text, changed integer, paid boolean)',
      'create table people (id integer primary key, name text)',
      'create table old (id integer primary key)',
    );
    const source_id = await addSource(service, 'sqlite', { path: file }, `${name} source`);
    const target_id = await addSource(service, 'sqlite', { path: sqliteFile(service.place, `${name}-to.sqlite`) }, `${name} target`);
    const fields = [{ from: 'id' }, { from: 'total' }];
    const filter = [
      { field: 'changed', op: '>', value: '0' },
      { field: 'paid', op: '=', value: true },
    ];
    const streams = [{ source: 'people' }, { source: 'orders', fields, filter }, { source: 'old' }];
    const { id } = await ask(service, 'POST', '/sync', { name, source_id, target_id, streams });
    return { id: id as string, file };
  };

  test('a table is shown as gone and removed with one click, from the run that missed it on', async () => {
    const { service } = dashboard;
    const { id, file } = await makeSync('shop');
    edit(file, 'drop table old');
    const run = await runToEnd(service, id);
    const page = await dashboard.openSignedIn(`/runs/${run.id}`);
    await page.getByText('The stream "old" does not fit any more: it does not exist at the source.').first().waitFor();
    await page.getByRole('link', { name: 'Edit the synchronization' }).click();
    await page.getByText('not found at the source').waitFor();
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Settings of old' }).click();
    await page.getByText('The source has nothing of this name').waitFor();
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Remove it' }).click();
    await page.getByText('not found at the source').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: 'shop', exact: true }).waitFor();
    const { streams } = await ask(service, 'GET', `/sync/${id}`);
    assert.deepEqual(
      streams.map(({ source }: { source: string }) => source),
      ['people', 'orders'],
    );
    assert.equal((await runToEnd(service, id)).status, 'succeeded');
    await page.context().close();
  });

  test('a field is shown as gone where it is mapped and where rows are chosen by it, and is taken out', async () => {
    const { service } = dashboard;
    const { id, file } = await makeSync('fields');
    edit(file, 'alter table orders drop column total', 'alter table orders drop column changed');
    const page = await dashboard.openSignedIn(`/syncs/${id}/edit`, { viewport: { width: 360, height: 740 }, colorScheme: 'dark' });
    await page.getByText('has errors').waitFor();
    await page.getByRole('button', { name: 'Settings of orders' }).click();
    await page.getByText('total (not found)').waitFor();
    assert.equal(await page.getByLabel('Field of condition 1').inputValue(), 'changed');
    await page.getByRole('option', { name: 'changed (not found)' }).waitFor({ state: 'attached' });
    assert.equal(await page.getByLabel('Value of condition 2').inputValue(), 'true');
    await page.getByText(/^Stream orders, field total: names "total", which "orders" does not have/).waitFor();
    await assertAccessible(page);
    await assertFits(page);
    await page.getByRole('button', { name: 'Leave out field 2, total' }).click();
    await page.getByRole('button', { name: 'Remove condition 1' }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: 'fields', exact: true }).waitFor();
    const [, orders] = (await ask(service, 'GET', `/sync/${id}`)).streams;
    assert.deepEqual([orders.fields, orders.filter], [[{ from: 'id', to: 'id' }], [{ field: 'paid', op: '=', value: 'true' }]]);
    await page.context().close();
  });

  test('while the source cannot be reached, what is stored is shown, and can be removed', async () => {
    const { service } = dashboard;
    const { id, file } = await makeSync('away');
    renameSync(file, `${file}.away`);
    const page = await dashboard.openSignedIn(`/syncs/${id}/edit`);
    await page.getByText('One of the systems cannot be asked at this moment').waitFor();
    await page.getByRole('button', { name: 'Settings of orders' }).click();
    await page.getByText('The source cannot be asked for its fields').waitFor();
    assert.equal(await page.getByLabel('Field of condition 1').inputValue(), 'changed');
    assert.equal(await page.getByLabel('Name of field 2 at the target').inputValue(), 'total');
    await assertAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('checkbox', { name: 'old', exact: true }).click();
    await page.getByLabel('Name', { exact: true }).fill('still away');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: 'still away' }).waitFor();
    assert.equal((await ask(service, 'GET', `/sync/${id}`)).streams.length, 2);
    await page.context().close();
  });

  test('nothing was wrong in any script, and nothing was against the security policy', () => dashboard.assertNoFaults());
});
