import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { addSource, ask, runToEnd, sqliteFile } from '../support/real-syncs.ts';
import { until } from '../support/until.ts';
import { assertAccessible, assertFits, type Dashboard, startDashboard } from './support/dashboard.ts';
import { edit } from './support/sample-world.ts';

const FIELDS = [
  { name: 'id', type: 'int64', nullable: false },
  { name: 'name', type: 'text' },
  { name: 'vip', type: 'boolean' },
  { name: 'seen', type: 'timestamptz' },
  { name: 'tags', type: 'json' },
  { name: 'remark', type: 'text' },
];
const LONG = `It goes on ${'and on '.repeat(60)}to its end`;
const ROWS = [
  ['9007199254740993', 'null', 't', '2026-11-15 23:42:11.123456+00', '{ "a": [1, 2] }', LONG],
  ['2', null, 'f', null, null, 'two\nlines'],
  ['3', '', null, '2026-07-15 23:42:11+00', '[]', '<script>alert(1)</script>'],
];

/** What of a grid is seen in its frame: where its rows and columns lie. */
async function boxOf(page: Page, row: number, column: number) {
  const box = await page.locator(`[data-row="${row}"][data-column="${column}"]`).boundingBox();
  assert.ok(box, `row ${row}, column ${column} is drawn`);
  return box;
}

describe('the grid', () => {
  let dashboard: Dashboard;
  let typed: string;
  before(async () => {
    dashboard = await startDashboard();
    const streams = [{ name: 'people', fields: FIELDS, key: ['id'], rows: ROWS }];
    typed = await addSource(dashboard.service, 'fake', { name: 'typed people', streams }, 'Typed');
  });
  after(() => dashboard.close());

  test('shows every value by its type in one line, and all of it when it is chosen or opened', async () => {
    const page = await dashboard.openSignedIn(`/sources/${typed}?stream=people`, {
      timezoneId: 'Europe/Berlin',
      viewport: { width: 1280, height: 2000 },
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const grid = page.getByRole('grid', { name: 'Sample rows' });
    await grid.waitFor();
    const [, second, third, first] = await Promise.all(
      (await grid.getByRole('row').all()).map((row) => row.locator('th, td').allInnerTexts()),
    );
    assert.deepEqual(first?.slice(0, 5), ['9007199254740993', 'null', 'true', '16 Nov 2026, 00:42:11', '{"a":[1,2]}']);
    assert.deepEqual(second, ['2', 'null', 'false', 'null', 'null', 'two↵lines']);
    assert.deepEqual(third, ['3', 'empty text', 'null', '16 Jul 2026, 01:42:11', '[]', '<script>alert(1)</script>']);
    // The text "null" is none of them.
    assert.equal(await grid.locator('.grid-none', { hasText: 'null' }).count(), 4);
    const heights = await grid.getByRole('row').evaluateAll((rows) => [...new Set(rows.map((row) => row.getBoundingClientRect().height))]);
    assert.deepEqual(heights, [34]);
    assert.equal(await grid.locator('[data-row="2"][data-column="0"]').evaluate((cell) => getComputedStyle(cell).textAlign), 'right');
    await assertAccessible(page);
    await assertFits(page);

    // By the keyboard alone: to the time, whose exact value is told, and on to the long text.
    await grid.focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
    assert.equal(await page.locator('[data-exact]').innerText(), '2026-11-15T23:42:11.123456Z');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'remark' });
    await dialog.getByText(LONG).waitFor();
    await assertAccessible(page);
    await dialog.getByRole('button', { name: 'Copy' }).click();
    await dialog.getByRole('button', { name: 'Copied' }).waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), LONG);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await until('the grid to have the focus again', () => grid.evaluate((element) => element === document.activeElement));
    await page.keyboard.press('Home');
    await page.keyboard.press('Control+c');
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), '9007199254740993');
    await page.context().close();
  });

  test('of a thousand rows of thirty fields a few are drawn; the head and the first column stay in sight', async () => {
    const page = await dashboard.openSignedIn('/sources', { viewport: { width: 1000, height: 900 } });
    const fields = Array.from({ length: 30 }, (_, at) => ({ name: `field ${at}`, type: 'text', native: null, nullable: true }));
    const rows = Array.from({ length: 1000 }, (_, row) => Object.fromEntries(fields.map(({ name }, at) => [name, `value ${row}/${at}`])));
    // No connector hands out so many at once.
    await page.route('**/sample?*', (route) =>
      route.fulfill({ json: { success: true, data: { fields, rows, rejects: [], truncated: [] } } }),
    );
    await page.goto(`/sources/${typed}?stream=people`);
    const grid = page.getByRole('grid', { name: 'Sample rows' });
    await grid.focus();
    assert.equal(await grid.getAttribute('aria-rowcount'), '1001');
    const corner = await boxOf(page, 0, 0);
    const head = await grid.getByRole('columnheader').first().boundingBox();
    await page.keyboard.press('Control+End');
    const last = grid.getByRole('gridcell', { name: 'value 999/29', exact: true });
    await last.waitFor();
    assert.equal(await last.getAttribute('aria-selected'), 'true');
    assert.ok((await grid.getByRole('row').count()) < 80, 'the others are not drawn');
    assert.equal((await boxOf(page, 999, 0)).x, corner.x);
    assert.equal((await grid.getByRole('columnheader').first().boundingBox())?.y, head?.y);
    await page.keyboard.press('PageUp');
    await page.keyboard.press('ArrowLeft');
    await grid.getByRole('gridcell', { name: 'value 984/28', exact: true }).waitFor();
    // What is chosen is never under what stays in sight.
    await page.keyboard.press('Control+Home');
    for (let moves = 0; moves < 12; moves++) await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowLeft');
    const [chosen, pinned] = [await boxOf(page, 0, 11), await boxOf(page, 0, 0)];
    assert.ok(chosen.x >= pinned.x + pinned.width - 1 && chosen.y >= (head?.y ?? 0) + (head?.height ?? 0) - 1);
    await page.context().close();
  });

  test('of rows that are changed only what changes is shown, and what is to blame is marked', async () => {
    const { service } = dashboard;
    const [file, into] = [sqliteFile(service.place, 'from.sqlite'), sqliteFile(service.place, 'to.sqlite')];
    edit(file, `create table people (id integer primary key, name text, age text, city text)`);
    edit(file, `insert into people values (1, 'Ada', '36', 'London'), (2, 'Grace', 'unknown', 'Arlington'), (3, 'Edsger', '72', 'Nuenen')`);
    const source_id = await addSource(service, 'sqlite', { path: file }, 'grid from');
    const target_id = await addSource(service, 'sqlite', { path: into }, 'grid to');
    const fields = [
      { from: 'id' },
      { from: 'name' },
      { from: 'age', to: 'years', type: 'int64' },
      { expression: 'name + ", " + city', to: 'label' },
    ];
    const { id } = await ask(service, 'POST', '/sync', { name: 'grid', source_id, target_id, streams: [{ source: 'people', fields }] });
    await runToEnd(service, id);
    edit(file, `update people set name = 'Adah' where id = 1`);

    const page = await dashboard.openSignedIn(`/syncs/${id}?tab=rejects`, { viewport: { width: 360, height: 740 }, colorScheme: 'dark' });
    await page.getByRole('grid', { name: 'Rejected rows' }).waitFor();
    const culprit = page.locator('[data-culprit="true"]');
    assert.deepEqual(await culprit.allInnerTexts(), ['unknown']);
    await assertAccessible(page);

    await page.goto(`/syncs/${id}?tab=preview`);
    await page.getByRole('button', { name: 'Make a preview' }).click();
    const updated = page.getByRole('grid', { name: 'Would be updated: some rows of people' });
    await updated.waitFor();
    assert.deepEqual(await updated.getByRole('columnheader').allInnerTexts(), ['id', 'name', 'label']);
    const row = updated.getByRole('row').nth(1);
    assert.deepEqual(await row.locator('del').allInnerTexts(), ['Ada', 'Ada, London']);
    assert.deepEqual(await row.locator('mark').allInnerTexts(), ['h', 'h']);
    await assertAccessible(page);
    await assertFits(page);

    await page.goto(`/syncs/${id}/edit`);
    await page.getByRole('button', { name: /^Settings of people/ }).click();
    const mapped = page.getByRole('grid', { name: 'Rows before and after' });
    await mapped.waitFor();
    // The key, what becomes of the row, and the fields that the mapping changes.
    assert.deepEqual(await mapped.getByRole('columnheader').evaluateAll((heads) => heads.map((head) => head.firstChild?.textContent)), [
      'id',
      'Outcome',
      'years',
      'label',
    ]);
    assert.deepEqual(await mapped.getByRole('row').nth(1).locator('del, ins').allInnerTexts(), ['Adah + London', 'Adah, London']);
    assert.deepEqual(await mapped.locator('[data-culprit="true"]').allInnerTexts(), ['unknown']);
    await page.getByRole('switch', { name: 'All fields', exact: true }).check();
    await mapped.getByRole('gridcell', { name: 'Edsger', exact: true }).waitFor();
    await assertAccessible(page);
    await page.context().close();
  });

  test('nothing was wrong in any script, and nothing was against the security policy', () => dashboard.assertNoFaults());
});
