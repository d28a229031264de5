import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { newDatabase, type TestDatabase } from '../support/postgres-database.ts';
import { addSource, ask } from '../support/real-syncs.ts';
import { until } from '../support/until.ts';
import { assertAccessible, assertFits, type Dashboard, startDashboard } from './support/dashboard.ts';

const SCHEMAS = ['billing', 'crm', 'public'];
const EACH = 140;
/** Measured anew so often, when a machine has much else to do. */
const ROUNDS = 8;
const median = (times: readonly number[]): number => times[Math.floor(times.length / 2)] ?? Number.NaN;
const TABLES = SCHEMAS.length * EACH;

describe('a source with hundreds of tables', () => {
  let dashboard: Dashboard;
  let postgres: TestDatabase;
  let target: TestDatabase;
  before(async () => {
    dashboard = await startDashboard();
    [postgres, target] = [await newDatabase(), await newDatabase()];
    const tables = SCHEMAS.flatMap((schema) => Array.from({ length: EACH }, (_, place) => `${schema}.t_${String(place).padStart(3, '0')}`));
    const columns = Array.from({ length: 10 }, (_, place) => `c_${place} text`).join(', ');
    await postgres.run('create schema billing; create schema crm');
    await postgres.run(tables.map((name) => `create table ${name} (id bigint primary key, changed timestamptz, ${columns})`).join(';'));
    await postgres.run("insert into crm.t_007 select n, now(), repeat('x', 200) from generate_series(1, 5000) n; analyze crm.t_007");
    const { service } = dashboard;
    await addSource(service, 'postgres', postgres.config, 'ERP');
    await addSource(service, 'postgres', target.config, 'Warehouse');
  });
  after(async () => {
    await dashboard.close();
    await postgres.close();
    await target.close();
  });

  const open = async (page: Page): Promise<void> => {
    await page.getByRole('combobox', { name: 'Source' }).first().selectOption('ERP');
    await page.getByRole('combobox', { name: 'Target' }).first().selectOption('Warehouse');
    await page.getByText(`of ${TABLES} chosen`).waitFor();
  };
  const tick = (page: Page, name: string) => page.getByRole('checkbox', { name, exact: true });

  test(`the list of ${TABLES} tables is there within a second, and a click is answered within 50 ms`, async () => {
    const page = await dashboard.openSignedIn('/syncs/new');
    const openings: number[] = [];
    // Other tests are at work beside this one: what it takes by itself is the shortest of some.
    while (openings.length < ROUNDS && !openings.some((time) => time < 1000)) {
      await page.reload();
      await page.getByRole('combobox', { name: 'Source' }).first().getByText('ERP').waitFor({ state: 'attached' });
      openings.push(await page.evaluate(timeToOpen));
    }
    assert.ok(Math.min(...openings) < 1000, `the list was there after ${openings.map(Math.round).join(', ')} ms`);
    // Only what is seen exists, and each row tells its place among all.
    assert.ok((await page.getByRole('row').count()) < 40);
    assert.equal(await page.getByRole('grid').getAttribute('aria-rowcount'), String(TABLES + SCHEMAS.length + 1));

    await page.getByRole('button', { name: 'Select all', exact: true }).click();
    await page.getByText(`${TABLES} of ${TABLES} chosen`).waitFor();
    let answers = await page.evaluate(timesToAnswer);
    for (let round = 1; round < ROUNDS && median(answers) >= 50; round++) answers = await page.evaluate(timesToAnswer);
    assert.ok(median(answers) < 50, `clicks took ${answers.map(Math.round).join(', ')} ms`);
    if (process.env['TOLD']) console.log({ openings, answers });
    await page.context().close();
  });

  test('is searched, chosen by what matches and by schema, set at once, and saved as chosen', async () => {
    const page = await dashboard.openSignedIn('/syncs/new');
    await open(page);
    await page.getByLabel('Find by name').fill('t_007');
    await page.getByText('3 streams shown').waitFor();
    // The source tells how much there is in it.
    assert.match(
      await page
        .getByRole('row')
        .filter({ has: tick(page, 'crm.t_007') })
        .innerText(),
      /~5K\s+~\d[\d.]* MB/,
    );
    await page.getByRole('button', { name: 'Select all 3 that match' }).click();
    await page.getByText('3 of 420 chosen').waitFor();
    await page.getByLabel('Find by name').fill('');
    await tick(page, 'All of billing').click();
    await page.getByText('142 of 420 chosen').waitFor();
    await tick(page, 'billing.t_000').uncheck();
    await page.getByText('141 of 420 chosen').waitFor();
    assert.equal(await tick(page, 'All of billing').evaluate((box: HTMLInputElement) => box.indeterminate), true);

    // All rows are reached by the keyboard, and only one of them by Tab.
    await tick(page, 'billing.t_000').focus();
    await page.keyboard.press('End');
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'public.t_139');
    await page.keyboard.press('Space');
    await page.getByText('142 of 420 chosen').waitFor();
    await page.keyboard.press('ArrowUp');
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'public.t_138');

    // One drawer has the settings of any of them.
    await page.getByLabel('Find by name').fill('t_007');
    await page.getByLabel('Show').selectOption('Chosen');
    await page.getByRole('button', { name: 'Settings of crm.t_007' }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByText('Automatic: Mirror').waitFor({ state: 'attached' });
    await assertAccessible(page);
    await drawer.getByLabel('Target stream').fill('customers');
    await drawer.getByRole('button', { name: 'Done' }).click();
    await drawer.waitFor({ state: 'hidden' });
    await page.getByText('t_007 → customers').waitFor();

    // Of several at once, what is left as it is stays as it is.
    await page.getByRole('button', { name: 'Settings for 3 streams' }).click();
    await drawer.getByLabel('Mode').selectOption('incremental');
    await drawer.getByLabel('Cursor').selectOption('changed');
    await drawer.getByLabel('Key', { exact: true }).selectOption('These fields');
    await drawer.getByRole('combobox', { name: 'Fields of the key' }).click();
    await page.getByRole('listbox', { name: 'Fields of the key' }).getByRole('option', { name: 'id', exact: true }).click();
    await page.keyboard.press('Escape');
    await drawer.getByRole('button', { name: 'Set for 3 streams' }).click();
    await drawer.waitFor({ state: 'hidden' });
    await until('three streams that are set so', async () => (await page.getByText('Incremental, by id, cursor changed').count()) === 3);
    await assertAccessible(page);

    const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/sync'));
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const { streams } = (await sent).postDataJSON() as { streams: { source: string }[] };
    assert.equal(streams.length, 142);
    assert.deepEqual(
      streams.find(({ source }) => source === 'crm.t_007'),
      { source: 'crm.t_007', target: 'customers', mode: 'incremental', key: ['id'], cursor: 'changed', fields: null, filter: [] },
    );
    await page.getByRole('heading', { name: 'ERP to Warehouse' }).waitFor();
    const [{ id }] = await ask(dashboard.service, 'GET', '/sync');
    assert.equal((await ask(dashboard.service, 'GET', `/sync/${id}`)).streams.length, 142);
    await page.context().close();
  });

  test('fits a phone, and what is chosen again is as it was set', async () => {
    const page = await dashboard.openSignedIn('/syncs/new', { viewport: { width: 360, height: 740 }, colorScheme: 'dark' });
    await open(page);
    await page.getByLabel('Find by name').fill('crm.t_007');
    await tick(page, 'crm.t_007').check();
    await page.getByRole('button', { name: 'Settings of crm.t_007' }).click();
    await page.getByLabel('Mode').selectOption('append');
    await assertAccessible(page);
    await assertFits(page);
    await page.keyboard.press('Escape');
    await page.getByText(/^Append/).waitFor();
    await page.getByRole('button', { name: 'Select none that match' }).click();
    await page.getByText(/^Append/).waitFor({ state: 'hidden' });
    await tick(page, 'crm.t_007').check();
    await page.getByText(/^Append/).waitFor();
    await assertAccessible(page);
    await assertFits(page);
    await page.context().close();
  });

  test('nothing was wrong in any script, and nothing was against the security policy', () => dashboard.assertNoFaults());
});

/** Runs in the page: milliseconds from the choice of the source until its first table is there. */
async function timeToOpen(): Promise<number> {
  const select = document.querySelector<HTMLSelectElement>('select');
  const option = [...(select?.options ?? [])].find(({ label }) => label === 'ERP');
  const begun = performance.now();
  Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, 'value')?.set?.call(select, option?.value);
  select?.dispatchEvent(new Event('change', { bubbles: true }));
  while (!document.querySelector('[aria-label="billing.t_000"]')) await new Promise((frame) => requestAnimationFrame(frame));
  return performance.now() - begun;
}

/** Runs in the page: milliseconds from clicks until what they have changed is painted, the shortest first. */
async function timesToAnswer(): Promise<number[]> {
  const status = [...document.querySelectorAll('[role=status]')].find(({ textContent }) => textContent?.includes('chosen'));
  const took: number[] = [];
  for (let place = 0; place < 11; place++) {
    const box = document.querySelector<HTMLInputElement>(`[aria-label="billing.t_00${place % 10}"]`);
    const before = status?.textContent;
    const begun = performance.now();
    box?.click();
    // A frame has begun, and what was asked for in it is done.
    await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)));
    if (status?.textContent === before) throw new Error('nothing has happened');
    took.push(performance.now() - begun);
  }
  return took.sort((a, b) => a - b);
}
