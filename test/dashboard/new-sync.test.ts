import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { newDatabase, type TestDatabase } from '../support/postgres-database.ts';
import { addSource, ask, sqliteFile } from '../support/real-syncs.ts';
import { assertAccessible, type Dashboard, startDashboard } from './support/dashboard.ts';

describe('a new synchronization', () => {
  let dashboard: Dashboard;
  let postgres: TestDatabase;
  before(async () => {
    dashboard = await startDashboard();
    postgres = await newDatabase();
  });
  after(async () => {
    await dashboard.close();
    await postgres.close();
  });

  test('one is built from nothing: from CSV into PostgreSQL, with fields that are computed, and runs', async () => {
    const { service } = dashboard;
    const csv = join(service.place.dataDir, 'files', 'people.csv');
    sqliteFile(service.place, 'empty.sqlite');
    writeFileSync(csv, 'id,first,last\n1,Ada,Lovelace\n2,Emmy,Noether\n');
    await addSource(service, 'files', { path: csv }, 'Sheet');
    await addSource(service, 'postgres', postgres.config, 'Warehouse');

    const page = await dashboard.openSignedIn('/syncs');
    await page.getByText('There is no synchronization yet.').waitFor();
    await page.getByRole('link', { name: 'New synchronization' }).first().click();
    await page.getByRole('combobox', { name: 'Source' }).first().selectOption('Sheet');
    await page.getByRole('combobox', { name: 'Target' }).first().selectOption('Warehouse');
    await page.getByRole('checkbox', { name: /people/ }).check();
    await page.getByRole('button', { name: /^Settings of people/ }).click();
    // What is left open is chosen, and shown.
    await page.getByText('Automatic: Mirror: make the target equal').waitFor({ state: 'attached' });
    await page.getByRole('gridcell', { name: 'Lovelace' }).first().waitFor();

    await page.getByLabel('Map fields').check();
    await page.getByRole('button', { name: 'Leave out field 3, last' }).click();
    await page.getByRole('button', { name: 'Leave out field 2, first' }).click();
    await page.getByRole('button', { name: 'Add an expression' }).click();
    await page.getByLabel('Name of field 2 at the target').fill('name');
    await page.getByLabel('Expression of field 2').fill('frist + " " + last');
    await page.getByText(/frist/).first().waitFor();
    await page.getByLabel('Expression of field 2').fill('first + " " + last');
    await page.getByRole('gridcell', { name: 'Emmy Noether' }).waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText(/, 2 fields$/).waitFor();

    await page.getByLabel('Schedule type').selectOption('Daily or weekly');
    await page.getByLabel('Time', { exact: true }).fill('06:30');
    await page.getByText('Sunday', { exact: true }).click();
    await page.getByText('At 06:30 on Monday, Tuesday, Wednesday, Thursday, Friday and Saturday (UTC).').waitFor();
    await page
      .getByText(/, 06:30:00/)
      .first()
      .waitFor();

    await page.getByRole('button', { name: 'Save and run' }).click();
    await page.getByRole('heading', { name: 'Sheet to Warehouse' }).waitFor();
    await page.getByText('In sync').waitFor();
    assert.deepEqual(await postgres.rows('select id, name from public.people order by id'), [
      ['1', 'Ada Lovelace'],
      ['2', 'Emmy Noether'],
    ]);
    await page.getByRole('row', { name: /people.*Succeeded/ }).waitFor();

    // A change of the name alone is sent alone.
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('Name', { exact: true }).fill('People');
    const sent = page.waitForRequest((request) => request.method() === 'PUT');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    assert.deepEqual((await sent).postDataJSON(), { name: 'People' });
    await page.getByRole('heading', { name: 'People', exact: true }).waitFor();
    await page.context().close();
  });

  test('one that reads from the shop follows its changes unless something else is chosen; others are not offered that', async () => {
    const { service } = dashboard;
    await addSource(service, 'hub', {}, 'Our shop');
    await addSource(service, 'sqlite', { path: sqliteFile(service.place, 'followed.sqlite') }, 'Order book');
    const page = await dashboard.openSignedIn('/syncs/new');
    const schedule = page.getByLabel('Schedule type');
    const source = page.getByRole('combobox', { name: 'Source' }).first();
    await source.selectOption('Order book');
    assert.equal(await schedule.inputValue(), 'manual');
    assert.equal(await schedule.locator('option[value=on_change]').count(), 0);
    await source.selectOption('Our shop');
    await schedule.locator('option[value=on_change]').waitFor({ state: 'attached' });
    assert.equal(await schedule.inputValue(), 'on_change');
    await page.getByRole('combobox', { name: 'Target' }).first().selectOption('Order book');
    await page.getByRole('checkbox', { name: /^products/ }).check();
    const answer = page.waitForResponse((response) => response.request().method() === 'POST' && response.url().endsWith('/sync'));
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const { data } = await (await answer).json();
    assert.deepEqual(data.schedule, { type: 'on_change' });
    await ask(service, 'DELETE', `/sync/${data.id}`);
    await page.context().close();
  });

  test('one that writes a table of another is warned of before and after it is saved', async () => {
    const { service } = dashboard;
    const { data: sources } = (await service.get('/api/v1/datasync/sources')).body;
    const idOf = (name: string): string => sources.find((source: { name: string }) => source.name === name).id;
    const [source_id, target_id] = [idOf('Sheet'), idOf('Warehouse')];
    const streams = [{ source: 'people', target: 'public.shared' }];
    const first = await service.post('/api/v1/datasync/sync', { name: 'First <b>', source_id, target_id, streams });
    assert.equal(first.status, 200, first.text);
    const page = await dashboard.openSignedIn(`/syncs/new?like=${first.body.data.id}`);
    const warning = page.getByText(/"First <b>" and .* both write "public.shared"/);
    // In the form itself, as long as it is so.
    await warning.waitFor();
    await assertAccessible(page);
    const drawer = page.getByRole('dialog');
    const setTarget = async (name: string): Promise<void> => {
      await page.getByRole('button', { name: /^Settings of people/ }).click();
      await drawer.getByLabel('Target stream').fill(name);
      await drawer.getByRole('button', { name: 'Done' }).click();
      await drawer.waitFor({ state: 'hidden' });
    };
    await setTarget('public.own');
    await warning.waitFor({ state: 'detached' });
    await setTarget('public.shared');
    await warning.waitFor();
    // And where the stream is set.
    await page.getByRole('button', { name: /^Settings of people/ }).click();
    await drawer.getByText(/both write "public.shared"/).waitFor();
    await drawer.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved, but look at this').waitFor();
    await warning.first().waitFor();
    // Of itself it is not warned, of the other it is.
    await page.goto(`/syncs/${first.body.data.id}/edit`);
    await page.getByText(/and this one both write "public.shared"/).waitFor();
    await page.context().close();
  });

  test('nothing was wrong in any script, and nothing was against the security policy', () => dashboard.assertNoFaults());
});
