import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { addSource, sqliteFile } from '../support/real-syncs.ts';
import { assertAccessible, type Dashboard, startDashboard } from './support/dashboard.ts';
import { edit } from './support/sample-world.ts';

describe('a form that is not filled in', () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await startDashboard();
  });
  after(() => dashboard.close());

  const isMarked = async (field: Locator): Promise<boolean> => (await field.getAttribute('aria-invalid')) === 'true';
  const hasFocus = (field: Locator): Promise<boolean> => field.evaluate((element) => element === document.activeElement);
  const sentOf = (page: Page): string[] => {
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() !== 'GET') sent.push(request.url());
    });
    return sent;
  };

  test('of a source: everything that is mandatory is marked at once, in words, and nothing is sent', async () => {
    const page = await dashboard.openSignedIn('/sources/new?type=postgres');
    const sent = sentOf(page);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('It was not saved').waitFor();
    for (const name of ['Name', 'Host', 'Database', 'User']) assert.ok(await isMarked(page.getByLabel(name)), name);
    assert.ok(await hasFocus(page.getByLabel('Name')));
    await page.getByText('Host: is mandatory.').waitFor();
    await assertAccessible(page);
    assert.deepEqual(sent, []);
    // What is filled in is not marked any more; the next one takes the focus.
    await page.getByLabel('Name').fill('ERP');
    assert.equal(await isMarked(page.getByLabel('Name')), false);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForFunction(() => document.activeElement?.closest('div')?.parentElement?.textContent?.startsWith('Host'));
    await page.context().close();
  });

  test('of a source, where the service finds what the page does not: told by the title of the field', async () => {
    const page = await dashboard.openSignedIn('/sources/new?type=http');
    await page.getByLabel('Name').fill('API');
    await page.getByLabel('Base URL').fill('ftp://nowhere');
    await page.getByRole('button', { name: 'Add to streams' }).click();
    const stream = page.getByRole('group', { name: 'Streams, 1' });
    await stream.getByLabel('Name').fill('orders');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^Base URL: must /).waitFor();
    assert.doesNotMatch((await page.getByRole('alert').textContent()) ?? '', /config|\[/);
    assert.ok(await hasFocus(page.getByLabel('Base URL')));
    await page.context().close();
  });

  test('of a synchronization: source, target and streams are marked; later, a table and a field by their names', async () => {
    const { service } = dashboard;
    const file = sqliteFile(service.place, 'from.sqlite');
    edit(file, 'create table orders (id integer primary key, total text)', 'create table people (id integer primary key)');
    await addSource(service, 'sqlite', { path: file }, 'From');
    await addSource(service, 'sqlite', { path: sqliteFile(service.place, 'to.sqlite') }, 'To');
    const page = await dashboard.openSignedIn('/syncs/new');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const [source, target] = [
      page.getByRole('combobox', { name: 'Source' }).first(),
      page.getByRole('combobox', { name: 'Target' }).first(),
    ];
    assert.ok((await isMarked(source)) && (await isMarked(target)));
    assert.ok(await hasFocus(source));
    await page.getByText('Choose at least one stream.').waitFor();
    await assertAccessible(page);
    await source.selectOption('From');
    await target.selectOption('To');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.waitForFunction(() => document.activeElement?.getAttribute('type') === 'checkbox');

    await page.getByRole('checkbox', { name: /people/ }).check();
    await page.getByRole('checkbox', { name: /orders/ }).check();
    await page.getByRole('button', { name: 'Settings of orders' }).click();
    await page.getByLabel('Map fields').check();
    await page.getByLabel('Name of field 2 at the target').fill('id');
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const refusal = page.getByRole('alert').filter({ hasText: 'It was not saved' });
    await refusal.getByText('Stream orders, field id, name at the target: is "id" a second time.').waitFor();
    assert.doesNotMatch((await refusal.textContent()) ?? '', /streams|\[/);
    // The place is opened and has the focus.
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Name of field 2 at the target');
    await page.context().close();
  });

  test('nothing was wrong in any script, and nothing was against the security policy', () => dashboard.assertNoFaults());
});
