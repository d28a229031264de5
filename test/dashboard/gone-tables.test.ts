import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { addSource, ask, madeUp, runToEnd, sqliteFile } from '../support/real-syncs.ts';
import { until } from '../support/until.ts';
import { assertAccessible, assertFits, type Dashboard, startDashboard } from './support/dashboard.ts';
import { edit } from './support/sample-world.ts';

const hasFocus = (element: Element): boolean => element === document.activeElement;

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
    const remove = page.getByRole('link', { name: 'Remove "old" from the synchronization' });
    await remove.waitFor();
    assert.equal(await page.getByRole('link', { name: 'Edit the synchronization' }).count(), 0, 'one way is enough');
    await remove.click();
    await page.getByText('The source has nothing of this name').waitFor();
    await assertAccessible(page);
    await until('what helps to have the focus', () => page.getByRole('button', { name: 'Remove it' }).evaluate(hasFocus));
    await page.keyboard.press('Enter');
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

  test('a run that misses a field, and one whose login is refused, lead to what is to blame', async () => {
    const { service } = dashboard;
    const { id, file } = await makeSync('led');
    edit(file, 'alter table orders drop column total', 'drop table old');
    await runToEnd(service, id);
    const page = await dashboard.openSignedIn(`/syncs/${id}`, { viewport: { width: 360, height: 740 } });
    const helps = page.getByRole('group', { name: 'What helps' });
    await helps.getByText(/^old: The stream "old" does not fit any more: it does not exist/).waitFor();
    await helps.getByRole('link', { name: 'Remove "old" from the synchronization' }).waitFor();
    await assertAccessible(page);
    await assertFits(page);
    await helps.getByRole('link', { name: 'Leave "total" out' }).click();
    await until('the field to have the focus', () =>
      page.getByRole('button', { name: 'Leave out field 2, total' }).evaluate(hasFocus, undefined, { timeout: 30_000 }),
    );
    const message = 'The shop refuses the password.';
    const refused = { ...(madeUp() as object), fail: [{ at: 'read', kind: 'auth', code: 'LOGIN_REFUSED', message }] };
    const source_id = await addSource(service, 'fake', refused, 'refused');
    const target_id = await addSource(service, 'sqlite', { path: sqliteFile(service.place, 'refused.sqlite') }, 'refused target');
    const sync = await ask(service, 'POST', '/sync', { name: 'refused', source_id, target_id, streams: [{ source: 't' }] });
    const run = await runToEnd(service, sync.id);
    await page.goto(`/runs/${run.id}`);
    await page.getByRole('link', { name: 'Correct the source' }).click();
    await page.waitForURL(`**/sources/${source_id}/edit`);
    await page.context().close();
  });

  test('a table that has got another name is found by its fields, and used with one click', async () => {
    const { service } = dashboard;
    const { id, file } = await makeSync('renamed');
    await runToEnd(service, id);
    edit(file, 'alter table people rename to people_2026', `insert into people_2026 values (7, 'Ada')`);
    const run = await runToEnd(service, id);
    const page = await dashboard.openSignedIn(`/runs/${run.id}`);
    await page.getByRole('link', { name: 'It is called "people_2026" now: use it' }).click();
    await page.getByRole('button', { name: 'Use people_2026' }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: /^Settings of people_2026/ }).waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: 'renamed', exact: true }).waitFor();
    const [people] = (await ask(service, 'GET', `/sync/${id}`)).streams;
    assert.deepEqual([people.source, people.target], ['people_2026', 'people']);
    assert.equal((await runToEnd(service, id)).status, 'succeeded');
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
