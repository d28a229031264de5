import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { addSource, ask, runToEnd, sqliteFile } from '../support/real-syncs.ts';
import { type Dashboard, startDashboard } from './support/dashboard.ts';

/** Where pictures are put, when somebody wants to look at them. */
const PICTURES = process.env['PICTURES'];

describe('undo', () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await startDashboard();
  });
  after(() => dashboard.close());

  const picture = async (page: Page, name: string): Promise<void> => {
    if (PICTURES) await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true });
  };

  test('is set in the definition, shown before it is done, and told afterwards', async () => {
    const { service } = dashboard;
    const path = sqliteFile(service.place, 'undo.sqlite');
    const file = new DatabaseSync(path);
    file.exec(`create table a (id integer primary key, name text, price text); insert into a values (1, 'Lamp', '9.50'), (2, 'Chair', '0.00'), (4, 'Table', '0.00');
      create table b (id integer primary key, name text, price text); insert into b values (1, 'Lamp', '9.00'), (2, 'Chair', '49.00'), (3, 'Sofa', '499.00')`);
    const [source_id, target_id] = [
      await addSource(service, 'sqlite', { path }, 'Shelf'),
      await addSource(service, 'sqlite', { path }, 'Shop'),
    ];
    const streams = [{ source: 'a', target: 'b', mode: 'mirror' }];
    const { id } = await ask(service, 'POST', '/sync', {
      name: 'Prices',
      source_id,
      target_id,
      streams,
      guard: { max_delete_percent: 100 },
    });
    const page = await dashboard.openSignedIn(`/syncs/${id}/edit`);
    const keep = page.getByLabel('Undo: keep for');
    await keep.fill('a week');
    await page.getByRole('button', { name: /^Save/ }).click();
    await page
      .getByText(/must be a number and a unit, such as 12h or 7d/)
      .first()
      .waitFor();
    await keep.fill('7d');
    await picture(page, 'undo-setting');
    await page.getByRole('button', { name: /^Save/ }).click();
    await page.waitForURL(`**/syncs/${id}`);
    assert.deepEqual((await ask(service, 'GET', `/sync/${id}`)).undo, { keep: '7d', max_rows: 1_000_000 });
    const run = await runToEnd(service, id);
    file.exec(`update b set price = '10.00' where id = 1`);
    await page.goto(`/runs/${run.id}`);
    await page.getByRole('button', { name: 'Undo this run' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('2 rows would be restored, 1 row removed, and 1 row left').waitFor();
    await dialog.getByRole('cell', { name: 'Comes back: 3' }).waitFor();
    await dialog.getByRole('cell', { name: 'was changed since' }).waitFor();
    await picture(page, 'undo-preview');
    await dialog.getByRole('button', { name: 'Undo and pause' }).click();
    await page.getByRole('heading', { name: 'Undone' }).waitFor();
    await page.getByText('2 rows were restored, 1 row removed').first().waitFor();
    await dialog.waitFor({ state: 'detached' });
    await picture(page, 'undo-done');
    assert.equal(await page.getByRole('button', { name: 'Undo this run' }).count(), 0);
    const rows = file.prepare('select id, price from b order by id').all();
    assert.deepEqual(
      rows.map((row) => Object.values(row)),
      [
        [1, '10.00'],
        [2, '49.00'],
        [3, '499.00'],
      ],
    );
    file.close();
    await page.goto(`/syncs/${id}?tab=definition`);
    await page.getByText('What runs replace is kept for 7d').waitFor();
    dashboard.assertNoFaults();
    await page.context().close();
  });
});
