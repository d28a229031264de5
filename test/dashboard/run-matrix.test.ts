import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { addSource, ask, runToEnd, sqliteFile } from '../support/real-syncs.ts';
import { until } from '../support/until.ts';
import { assertAccessible, assertFits, type Dashboard, startDashboard } from './support/dashboard.ts';
import { addPastRuns, edit } from './support/sample-world.ts';

const TABLES = Array.from({ length: 35 }, (_, place) => `t_${String(place).padStart(2, '0')}`);

describe('the last week of a synchronization', () => {
  let dashboard: Dashboard;
  let sync: string;
  /** The oldest first. */
  const runs: string[] = [];
  before(async () => {
    dashboard = await startDashboard();
    const { service } = dashboard;
    const file = sqliteFile(service.place, 'from.sqlite');
    edit(
      file,
      ...TABLES.map((name) => `create table ${name} (id integer primary key, v text)`),
      ...TABLES.map(
        (name, place) => `insert into ${name} values ${Array.from({ length: place + 1 }, (_, id) => `(${id}, 'x')`).join(', ')}`,
      ),
    );
    const source_id = await addSource(service, 'sqlite', { path: file }, 'From');
    const target_id = await addSource(service, 'sqlite', { path: sqliteFile(service.place, 'to.sqlite') }, 'To');
    const streams = TABLES.map((source) => ({ source }));
    sync = (await ask(service, 'POST', '/sync', { name: 'Week', source_id, target_id, streams })).id;
    runs.push((await runToEnd(service, sync)).id);
    edit(file, 'alter table t_20 rename to away');
    runs.push((await runToEnd(service, sync)).id);
    edit(file, 'alter table away rename to t_20', 'alter table t_33 rename to away');
    runs.push((await runToEnd(service, sync)).id);
  });
  after(() => dashboard.close());

  const matrix = (page: Page) => page.getByRole('table', { name: 'What became of each stream in the runs of the last week' });
  /** What a row says, cell by cell. */
  const rowOf = (page: Page, name: string): Promise<string[]> =>
    matrix(page)
      .getByRole('row')
      .filter({ has: page.getByRole('rowheader', { name, exact: true }) })
      .getByRole('link')
      .evaluateAll((links) => links.map((link) => (link.getAttribute('aria-label') ?? '').split(':')[0] ?? ''));

  test('is a table of streams and runs, those that failed last first; a cell opens its run, by the keyboard as well', async () => {
    const page = await dashboard.openSignedIn(`/syncs/${sync}`);
    await matrix(page).waitFor();
    assert.equal(
      await matrix(page)
        .getByRole('columnheader', { name: /^Run of/ })
        .count(),
      3,
    );
    assert.equal((await matrix(page).getByRole('rowheader').allInnerTexts())[0], 't_33');
    assert.deepEqual(await rowOf(page, 't_33'), ['Succeeded', 'Succeeded', 'Failed']);
    assert.deepEqual(await rowOf(page, 't_20'), ['Succeeded', 'Failed', 'Succeeded']);
    // Of many streams some are drawn at first.
    assert.equal(await matrix(page).getByRole('rowheader').count(), 30);
    await page.getByRole('button', { name: 'Show 5 more streams of 5' }).click();
    await until('all streams', async () => (await matrix(page).getByRole('rowheader').count()) === TABLES.length);
    // A state is told by its shape, too.
    const shapes = await matrix(page)
      .locator('td svg')
      .evaluateAll((marks) => [...new Set(marks.map((mark) => mark.innerHTML))]);
    assert.equal(shapes.length, 2);
    await assertAccessible(page);

    // One of its links is a stop of Tab; from there the arrows lead on.
    assert.equal(await matrix(page).locator('a[tabindex="0"]').count(), 1);
    await matrix(page).locator('a[tabindex="0"]').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowLeft');
    const place = await page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
    assert.match(place ?? '', /^Succeeded: t_33, /);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/runs/${runs[1]}`);
    await page.context().close();
  });

  test('fits a phone in dark colours', async () => {
    const page = await dashboard.openSignedIn(`/syncs/${sync}`, { viewport: { width: 360, height: 740 }, colorScheme: 'dark' });
    await matrix(page).waitFor();
    await assertAccessible(page);
    await assertFits(page);
    await page.context().close();
  });

  test('what the shapes stand for is said of runs that never came to a stream, too', async () => {
    const { service } = dashboard;
    const { source_id, target_id } = await ask(service, 'GET', `/sync/${sync}`);
    const { id } = await ask(service, 'POST', '/sync', {
      name: 'Past',
      source_id,
      target_id,
      streams: [{ source: 't_00', target: 'past' }],
    });
    await addPastRuns(service, id);
    await runToEnd(service, id);
    const page = await dashboard.openSignedIn(`/syncs/${id}`);
    const week = page.getByRole('region', { name: 'Last week' });
    for (const word of ['Succeeded', 'With rejects', 'Failed']) await week.getByText(word, { exact: true }).waitFor();
    await page.context().close();
  });

  test('a run shows the streams that failed first, and sorts and filters them; the address keeps it', async () => {
    const page = await dashboard.openSignedIn(`/runs/${runs[2]}`);
    const names = (): Promise<string[]> =>
      page.getByRole('list', { name: 'Streams of the run' }).locator('> li bdi:first-child').allInnerTexts();
    const list = page.getByRole('list', { name: 'Streams of the run' }).getByRole('listitem');
    await list.first().getByText('t_33').waitFor();
    assert.equal((await names())[0], 't_33');
    await page.getByLabel('Sort by').selectOption('Most rows read');
    await list.first().getByText('t_34').waitFor();
    await page.getByLabel('Status').selectOption({ label: 'Failed (1)' });
    await page.waitForFunction(() => document.querySelectorAll('ol[aria-label="Streams of the run"] > li').length === 1);
    await page.reload();
    await list.first().getByText('t_33').waitFor();
    assert.equal(await list.count(), 1);
    await page.getByLabel('Status').selectOption({ label: 'All (35)' });
    await page.getByLabel('Find by name').fill('t_1');
    await page.waitForFunction(() => document.querySelectorAll('ol[aria-label="Streams of the run"] > li').length === 10);
    await page.getByLabel('Find by name').fill('nowhere');
    await page.getByText('No stream matches.').waitFor();
    await assertAccessible(page);
    await page.context().close();
  });

  test('nothing was wrong in any script, and nothing was against the security policy', () => dashboard.assertNoFaults());
});
