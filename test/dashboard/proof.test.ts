import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { addSource, ask, rowsIn, runToEnd, sqliteFile } from '../support/real-syncs.ts';
import { type Dashboard, startDashboard } from './support/dashboard.ts';
import { until } from '../support/until.ts';
import { edit } from './support/sample-world.ts';

describe('proof', () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await startDashboard();
  });
  after(() => dashboard.close());

  test('both ends are compared, what differs is shown side by side, and repaired', async () => {
    const { service } = dashboard;
    const [file, into] = [sqliteFile(service.place, 'from.sqlite'), sqliteFile(service.place, 'to.sqlite')];
    edit(
      file,
      `create table people (id integer primary key, name text); insert into people values (1, 'Ada'), (2, 'Grace'), (3, 'Edsger')`,
    );
    const source_id = await addSource(service, 'sqlite', { path: file }, 'from');
    const target_id = await addSource(service, 'sqlite', { path: into }, 'to');
    const { id } = await ask(service, 'POST', '/sync', { name: 'people', source_id, target_id, streams: [{ source: 'people' }] });
    await runToEnd(service, id);
    const page = await dashboard.openSignedIn(`/syncs/${id}?tab=proof`);
    await page.getByText('Nothing has been compared yet.').waitFor();
    await page.getByRole('button', { name: 'Verify', exact: true }).click();
    await page.getByText('Equal: the target has what the source has.').waitFor();
    await page.getByText(/Verified equal.*3 rows/).waitFor();
    edit(into, `update people set name = 'ada' where id = 1`, 'delete from people where id = 2');
    await page.getByRole('button', { name: 'Verify', exact: true }).click();
    await page.getByText('Differs: 1 missing, 0 only at the target, 1 different.').waitFor();
    const different = page.getByRole('grid', { name: 'Different: some rows of people' });
    assert.deepEqual(await different.getByRole('row').nth(1).locator('th, td').allInnerTexts(), ['1', 'name', 'Ada', 'ada']);
    assert.deepEqual(await different.locator('mark').allInnerTexts(), ['A', 'a']);
    const missing = page.getByRole('grid', { name: 'Missing at the target: some rows of people' });
    assert.deepEqual(await missing.getByRole('row').nth(1).locator('th, td').allInnerTexts(), ['2', 'Grace']);
    await page.getByText(/Verified: the target differs/).waitFor();
    // The page has buttons for what the reason tells programs to send.
    await page.getByText(/they differed: 1 missing, 0 extra, 1 different\. The proof shows what; a repair writes it\.$/).waitFor();
    assert.equal(await page.getByText('POST /api').count(), 0);
    await page.getByRole('button', { name: 'Preview repair' }).click();
    await page.getByText('A repair would change: 1 inserted · 1 updated.').waitFor();
    assert.equal(rowsIn(into, 'people'), 2, 'nothing was written');
    await page.getByRole('button', { name: 'Repair', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Repair', exact: true }).click();
    await page.getByText('Repaired: 1 inserted · 1 updated.').waitFor();
    await page.getByText('Equal: the target has what the source has.').waitFor();
    await page.getByText('In sync').waitFor();
    assert.equal(rowsIn(into, 'people'), 3);
    const proofs = page.getByRole('table', { name: 'All proofs' });
    await until('all four to be listed', async () => (await proofs.getByRole('row').count()) === 5);
    const listed = await Promise.all(
      (await proofs.getByRole('row').all()).slice(1).map(async (row) => (await row.getByRole('cell').allInnerTexts()).slice(1, 7)),
    );
    assert.deepEqual(listed, [
      ['Repair', 'Equal', '3', '0', '0', '0'],
      ['Preview of a repair', 'Differs', '3', '1', '0', '1'],
      ['Verify', 'Differs', '3', '1', '0', '1'],
      ['Verify', 'Equal', '3', '0', '0', '0'],
    ]);

    edit(into, 'delete from people where id = 3');
    await page.getByRole('button', { name: 'Verify', exact: true }).click();
    await page.getByText('Differs: 1 missing, 0 only at the target, 0 different.').waitFor();
    await runToEnd(service, id);
    await page.getByText(/A run has written .*: whether it still holds is not known\./).waitFor();
    await page.getByText(/they differed; a run has written since.*; a verify tells it now\.$/).waitFor();
    await page.getByText('In sync').waitFor();
    await proofs.getByRole('link').first().click();
    await page.waitForURL('**/runs/run_*');
    await page.goto(`/syncs/${id}/edit`);
    const every = page.getByLabel('Verify every');
    await every.fill('each day');
    await page.getByRole('button', { name: /^Save/ }).click();
    await page
      .getByText(/must be a number and a unit, such as 30m, 24h or 7d/)
      .first()
      .waitFor();
    await every.fill('24h');
    await page.getByRole('button', { name: /^Save/ }).click();
    await page.waitForURL(`**/syncs/${id}`);
    assert.deepEqual((await ask(service, 'GET', `/sync/${id}`)).verify, { every: '24h' });
    await page.context().close();
  });
});
